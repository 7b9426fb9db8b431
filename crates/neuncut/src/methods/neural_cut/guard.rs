//! The guard: training is kept only where its labels are marked no worse than the start's, on rows that the start has not seen.

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

/// Share of the start's mark that training on information may lose: the start follows chance edges of the graph it was made from, and a
/// network that forgets them is the better for it.
const INFORMATION_LOSS: f64 = 0.05;

/// What the guard sees of a network.
pub(super) struct NetworkMark {
    /// The judge's mark of its labels as those of a trained network: higher is better.
    pub mark: f64,
    /// Their hard Ncut.
    pub ncut: f64,
}

impl NetworkMark {
    /// Whether every cluster has rows.
    pub fn is_alive(&self) -> bool {
        self.mark > f64::NEG_INFINITY
    }

    /// Whether training made this network, from one with the mark of `start`, worse.
    pub fn is_worse_than(&self, start: &Self, by_information: bool) -> bool {
        match by_information {
            true => self.mark < start.mark - INFORMATION_LOSS * start.mark.abs(),
            false => self.mark <= start.mark,
        }
    }
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

    /// Whether every cluster of a network's labels has rows and no edge between two of them.
    pub fn sees_nothing_cut_by(&self, weights: &Weights) -> bool {
        let (labels, k) = (weights.labels(&Pipeline::default(), self.inputs.view()), weights.n_outputs());
        all_alive(&labels, k) && self.judge.cuts_nothing(&labels)
    }

    /// The judge's mark of a network's labels, and their hard Ncut; a network that lost a cluster has the lowest mark of all.
    pub fn compare(&self, weights: &Weights) -> NetworkMark {
        let (labels, k) = (weights.labels(&Pipeline::default(), self.inputs.view()), weights.n_outputs());
        let mark = if all_alive(&labels, k) { self.judge.mark_of_training(&labels, k) } else { f64::NEG_INFINITY };
        NetworkMark { mark, ncut: self.judge.ncut(&labels, k) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn training_on_information_may_forget_a_little_and_on_the_cut_nothing() {
        let marked = |mark| NetworkMark { mark, ncut: 0.0 };
        let start = marked(2.0);
        assert!(!marked(1.95).is_worse_than(&start, true) && marked(1.85).is_worse_than(&start, true));
        assert!(marked(2.0).is_worse_than(&start, false) && !marked(2.01).is_worse_than(&start, false));
        assert!(marked(f64::NEG_INFINITY).is_worse_than(&start, true), "a cluster was lost");
        assert!(!marked(0.1).is_worse_than(&marked(f64::NEG_INFINITY), true), "the start had lost one");
    }
}
