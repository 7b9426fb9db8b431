//! The guard: training on the cut is kept only where it lowered the cut of rows that the start has not seen.

use super::spectral_start::{GRAPH_NEIGHBORS, neighbor_graph};
use crate::affinity::Bandwidth;
use crate::features::Pipeline;
use crate::graph::{Csr, ncut};
use crate::network::Weights;
use crate::neural_cut::model::argmax_rows;
use ndarray::{Array2, ArrayView2, Axis};

/// Rows on which networks are compared.
const HELD_OUT: usize = 4000;
/// Fewer rows than this outside the landmarks say too little; then the landmarks themselves are used.
const ENOUGH: usize = 1000;

/// A graph on which networks are compared by their hard Ncut.
pub(super) struct Guard {
    inputs: Array2<f32>,
    graph: Csr,
}

impl Guard {
    /// A guard over rows of `representation` outside the landmarks, `order` being a random order of all rows that starts with the
    /// landmarks.
    pub fn new(representation: ArrayView2<f32>, input_scale: f32, order: &[usize], landmarks: usize, bandwidth: Bandwidth) -> Self {
        let outside = &order[landmarks..];
        let chosen = if outside.len() >= ENOUGH { &outside[..outside.len().min(HELD_OUT)] } else { &order[..landmarks] };
        let rows = representation.select(Axis(0), chosen);
        let graph = neighbor_graph(rows.view(), bandwidth, GRAPH_NEIGHBORS);
        Self { inputs: rows * input_scale, graph }
    }

    /// The hard Ncut of a network's labels.
    pub fn ncut(&self, weights: &Weights) -> f64 {
        let labels = argmax_rows(weights.memberships(&Pipeline::default(), self.inputs.view()).view());
        ncut(&self.graph, &labels, weights.n_outputs())
    }
}
