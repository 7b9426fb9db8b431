//! The guard: training is kept only where its labels are marked no worse than the start's, on rows that the start has not seen.

use super::calibration::calibrated;
use super::fit_start::Chosen;
use super::revival::all_alive;
use super::stages::Fit;
use super::warm_start::agreement;
use super::{Auto, Diagnostics, Gamma, GraphObjective};
use crate::Result;
use crate::ensemble::{Judge, NeighborGraphs};
use crate::features::Pipeline;
use crate::graph::nearest_neighbors;
use crate::network::Weights;
use ndarray::{Array2, ArrayView2, Axis};
use std::cmp::Ordering;

/// Rows on which networks are compared.
const HELD_OUT: usize = 4000;
/// Fewer rows than this outside the landmarks say too little; then the landmarks themselves are used.
const ENOUGH: usize = 1000;

/// Share of the start's mark that training on information may lose: the start follows chance edges of the graph it was made from, and a
/// network that forgets them is the better for it.
const INFORMATION_LOSS: f64 = 0.05;
/// Share of given labels that training may lose.
const GIVEN_LOSS: f64 = 0.002;

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

impl Fit<'_> {
    /// Whether there is nothing to train for: no edge is cut, and no partition has a lower cut. Whoever sets how the network is trained
    /// gets the training.
    pub(super) fn has_nothing_to_gain(&self, weights: &Weights, guard: &Guard) -> bool {
        let options = self.options;
        let is_asked_for = options.network.epochs != Auto::Auto
            || options.network.lr != Auto::Auto
            || options.objective != GraphObjective::Auto
            || options.gamma != Gamma::Auto
            || self.links.is_some();
        options.guard && !is_asked_for && guard.sees_nothing_cut_by(weights)
    }

    /// The guard over rows outside the landmarks, with the judge of the start on their graphs.
    pub(super) fn guard(
        &self,
        chosen: &Chosen,
        inputs: ArrayView2<f32>,
        order: &[usize],
        landmarks: usize,
    ) -> Result<Guard> {
        let compared = Guard::rows(order, landmarks);
        let rows = chosen.representation.select(Axis(0), compared);
        let (options, columns, k) = (self.ensemble_options(), rows.ncols(), self.config.clusters);
        let judge = match self.own_graph(compared)? {
            Some(graph) => Judge::given(graph, columns, &options),
            None => {
                let neighbors = nearest_neighbors(rows.view(), options.most_neighbors(rows.nrows(), columns, k));
                let weights = self.weights_of(compared).unwrap_or_default();
                Judge::over(&NeighborGraphs::new(&neighbors, &weights, self.sigma()), columns, k, &options)
            }
        };
        Ok(Guard::new(inputs.select(Axis(0), compared), judge))
    }

    /// The network that the guard marks higher; the trained one where there was no start.
    pub(super) fn keep_better(
        &self,
        start: Weights,
        trained: Weights,
        chosen: &Chosen,
        inputs: ArrayView2<f32>,
        guard: &Guard,
        diagnostics: &mut Diagnostics,
    ) -> Weights {
        let Some(labelled) = &chosen.start else { return trained };
        let (before, after) = (guard.compare(&start), guard.compare(&trained));
        (diagnostics.ncut_start, diagnostics.ncut_end) = (Some(before.ncut), Some(after.ncut));
        let by_information = self.config.objective(self.rows.ncols()) == GraphObjective::MutualInformation;
        let mut worse = after.is_worse_than(&before, by_information);
        if let Some(links) = self.links {
            let broken = |weights: &Weights| links.broken(&weights.labels(&Pipeline::default(), inputs));
            worse = match broken(&trained).cmp(&broken(&start)) {
                Ordering::Greater => true,
                Ordering::Equal => worse,
                Ordering::Less => !after.is_alive(),
            };
        }
        if self.given.is_some() {
            let inputs = inputs.select(Axis(0), &labelled.rows);
            let agreeing = |weights| agreement(weights, inputs.view(), &labelled.labels);
            worse |= agreeing(&trained) < agreeing(&start) - GIVEN_LOSS;
        }
        diagnostics.guard_kept_start = self.options.guard && worse;
        if diagnostics.guard_kept_start { start } else { trained }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::job::Job;
    use crate::methods::{Config, Method, NeuralCutOptions};
    use rand::RngExt;

    #[test]
    fn nothing_is_trained_where_no_edge_is_cut_unless_epochs_are_given() {
        let mut rng = Seed(0).stream("two clouds");
        let rows = Array2::from_shape_fn((300, 2), |(i, _)| (i / 150) as f32 * 100.0 + rng.random::<f32>());
        let fitted = |epochs| {
            let mut options = NeuralCutOptions::default();
            options.network.epochs = epochs;
            Job::new(Config::of(Method::NeuNcut(options), 2)).unwrap().fit(rows.view()).unwrap()
        };
        let (left, asked) = (fitted(Auto::Auto), fitted(Auto::Given(2)));
        let record = &left.model.as_ref().unwrap().record;
        assert!(record.history.iter().all(|run| run.stage == "warm start"), "{:?}", record.history);
        let found = &record.diagnostics;
        assert!(found.guard_kept_start && found.ncut_end.is_none() && found.kept_ncut() == Some(0.0));
        assert!(asked.model.unwrap().record.history.iter().any(|run| run.stage == "neural cut"));
        assert_eq!(left.labels, asked.labels);
    }

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
