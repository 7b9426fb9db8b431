//! The guard: training on the cut is kept only where it lowered the cut of rows that the start has not seen.

use super::start::GraphSet;
use crate::features::Pipeline;
use crate::network::Weights;
use ndarray::Array2;

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
    /// The rows that networks are compared on, `order` being a random order of all rows that starts with the landmarks: some
    /// outside the landmarks, or the landmarks where too few are outside.
    pub fn rows(order: &[usize], landmarks: usize) -> &[usize] {
        let outside = &order[landmarks..];
        if outside.len() >= ENOUGH { &outside[..outside.len().min(HELD_OUT)] } else { &order[..landmarks] }
    }

    /// A guard over these graphs, whose nodes enter the network as `inputs`.
    pub fn new(inputs: Array2<f32>, graphs: GraphSet) -> Self {
        Self { inputs, graphs }
    }

    /// The hard Ncut of a network's labels: the geometric mean over the graphs.
    pub fn cut(&self, weights: &Weights) -> f64 {
        let labels = weights.labels(&Pipeline::default(), self.inputs.view());
        self.graphs.log_cut(&labels, weights.n_outputs()).exp()
    }
}
