//! The guard: training on the cut is kept only where it lowered the cut of rows that the start has not seen.

use super::model::argmax_rows;
use super::start::{GraphOptions, GraphSet};
use crate::features::Pipeline;
use crate::network::Weights;
use ndarray::{Array2, ArrayView2, Axis};

/// Rows on which networks are compared.
const HELD_OUT: usize = 4000;
/// Fewer rows than this outside the landmarks say too little; then the landmarks themselves are used.
const ENOUGH: usize = 1000;

/// Rows on whose graphs networks are compared by their hard Ncut.
pub(super) struct Guard {
    inputs: Array2<f32>,
    graphs: GraphSet,
}

impl Guard {
    /// A guard over rows of `representation` outside the landmarks, `order` being a random order of all rows that starts with the
    /// landmarks.
    pub fn new(
        representation: ArrayView2<f32>,
        inputs: ArrayView2<f32>,
        order: &[usize],
        landmarks: usize,
        graph: GraphOptions,
    ) -> Self {
        let outside = &order[landmarks..];
        let chosen =
            if outside.len() >= ENOUGH { &outside[..outside.len().min(HELD_OUT)] } else { &order[..landmarks] };
        let graphs = GraphSet::new(representation.select(Axis(0), chosen).view(), graph);
        Self { inputs: inputs.select(Axis(0), chosen), graphs }
    }

    /// The hard Ncut of a network's labels: the geometric mean over the graphs.
    pub fn cut(&self, weights: &Weights) -> f64 {
        let labels = argmax_rows(weights.memberships(&Pipeline::default(), self.inputs.view()).view());
        self.graphs.log_cut(&labels, weights.n_outputs()).exp()
    }
}
