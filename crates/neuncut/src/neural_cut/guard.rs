//! The guard: training is kept only where the judge of the start marks it higher, on rows that the start has not seen.

use super::calibration::calibrated;
use super::revival::all_alive;
use crate::ensemble::Judge;
use crate::features::Pipeline;
use crate::network::Weights;
use ndarray::Array2;

/// Rows on which networks are compared.
const HELD_OUT: usize = 4000;
/// Fewer rows than this outside the landmarks say too little; then the landmarks themselves are used.
const ENOUGH: usize = 1000;

/// What the guard sees of a network.
pub(super) struct Compared {
    /// The judge's mark of its labels: higher is better.
    pub mark: f64,
    /// Their hard Ncut.
    pub ncut: f64,
}

/// Rows on whose graphs networks are compared by their labels.
pub(super) struct Guard {
    inputs: Array2<f32>,
    judge: Judge,
}

impl Guard {
    /// The rows that networks are compared on, `order` being a random order of all rows that starts with the landmarks: some
    /// outside the landmarks, or the landmarks where too few are outside.
    pub fn rows(order: &[usize], landmarks: usize) -> &[usize] {
        let outside = &order[landmarks..];
        if outside.len() >= ENOUGH { &outside[..outside.len().min(HELD_OUT)] } else { &order[..landmarks] }
    }

    /// A guard whose judge knows these rows, which enter the network as `inputs`.
    pub fn new(inputs: Array2<f32>, judge: Judge) -> Self {
        Self { inputs, judge }
    }

    /// The network with [calibrated](calibrated) memberships.
    pub fn calibrated(&self, weights: Weights) -> Weights {
        match self.judge.graph() {
            Some(graph) => calibrated(weights, self.inputs.view(), graph),
            None => weights,
        }
    }

    /// The judge's mark of a network's labels, and their hard Ncut; a network that lost a cluster has the lowest mark of all.
    pub fn compare(&self, weights: &Weights) -> Compared {
        let (labels, k) = (weights.labels(&Pipeline::default(), self.inputs.view()), weights.n_outputs());
        let mark = if all_alive(&labels, k) { self.judge.mark_of_training(&labels, k) } else { f64::NEG_INFINITY };
        Compared { mark, ncut: self.judge.ncut(&labels, k) }
    }
}
