//! Gamma without labels, the paper's section "Searching Best gamma Without Labels".
//!
//! A very large gamma gives the least `L_orth` that the network reaches. Gamma is then made smaller for as long as `L_orth` stays
//! there; of these values, that of the lowest `L_lap` is taken. All are trained from the same start, and no label is read.
//!
//! ```
//! use ndarray::Array2;
//! use neuncut::features::ArrayRows;
//! use neuncut::job::Job;
//! use neuncut::methods::{Auto, Config, Method, NetworkOptions, NeuralCutOptions};
//! use neuncut::train::Silent;
//!
//! // two round clouds of thirty rows each, and a small network, to be quick
//! let rows = Array2::from_shape_fn((60, 2), |(i, j)| {
//!     let (turn, reach) = (i as f32 * 2.4, ((i % 30) as f32).sqrt() * 0.1);
//!     let centre = if i < 30 { 0.0_f32 } else { 5.0 };
//!     centre + reach * if j == 0 { turn.cos() } else { turn.sin() }
//! });
//! let network = NetworkOptions { hidden: vec![16].into(), epochs: Auto::Given(3), ..Default::default() };
//! let method = Method::NeuNcut(NeuralCutOptions { network, ..Default::default() });
//! let job = Job::new(Config::of(method, 2))?;
//! let (sweep, _) = job.tune(&mut ArrayRows::new(rows.view(), None), &[1e6, 80.0, 10.0], &mut Silent)?;
//! assert!([1e6, 80.0, 10.0].contains(&sweep.threshold));
//! # Ok::<(), neuncut::Error>(())
//! ```

use super::Task;
use super::fit::with_fit;
use super::stages::Fit;
use super::training_graph::TrainingGraph;
use crate::features::Pipeline;
use crate::methods::check_rows;
use crate::network::Weights;
use crate::train::{History, Observer};
use crate::{Error, Result};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// The values that are tried unless others are given, large to small.
pub const GAMMAS: [f32; 14] = [1e6, 1000.0, 500.0, 240.0, 160.0, 120.0, 100.0, 80.0, 60.0, 40.0, 20.0, 10.0, 5.0, 2.0];

/// `L_orth` is still at its least while it is no more than this share above that of the largest gamma ...
const SHARE_ABOVE: f64 = 0.1;
/// ... or no more than this: where memberships are hard, both are zero but for rounding.
const ABOVE: f64 = 0.001;

/// One value of gamma, and the optimum of a training with it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GammaPoint {
    /// The penalty's weight.
    pub gamma: f32,
    /// `L_lap` in the epoch of least loss.
    pub lap: f64,
    /// The least `L_orth` of an epoch.
    pub orth: f64,
    /// Clusters that have a training row at the end.
    pub live_clusters: usize,
}

/// What the search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GammaSweep {
    /// Every value that was tried, large to small.
    pub points: Vec<GammaPoint>,
    /// The most that `L_orth` may be: that of the largest gamma, and a little.
    pub bound: f64,
    /// The value that was chosen.
    pub threshold: f32,
}

/// A network that was trained on the cut.
pub(super) struct Trained {
    /// The network.
    pub weights: Weights,
    /// Its learning curve.
    pub curve: History,
}

/// What `L_orth` may be at most, given that of the largest gamma.
fn bound(least: f64) -> f64 {
    (least * (1.0 + SHARE_ABOVE)).max(least + ABOVE)
}

/// `L_lap` in the epoch of least loss, and the least `L_orth`. The terms are the loss, `L_lap` and `L_orth`.
fn optimum(curve: &History) -> (f64, f64) {
    let best = curve.epochs.iter().min_by(|a, b| a.values[0].total_cmp(&b.values[0]));
    let orth = curve.epochs.iter().map(|epoch| epoch.values[2]).fold(f64::INFINITY, f64::min);
    (best.map_or(f64::NAN, |epoch| epoch.values[1]), orth)
}

impl Fit<'_> {
    /// Trains with each of `gammas`, which go from large to small; gives the network of the one that is chosen. Where `stops`,
    /// the first that lets `L_orth` go ends it.
    pub(super) fn sweep(
        &mut self,
        start: &Weights,
        warm: bool,
        training_graph: &TrainingGraph,
        inputs: ArrayView2<f32>,
        gammas: &[f32],
        stops: bool,
    ) -> Result<(GammaSweep, Trained)> {
        let (mut points, mut most, mut within) = (Vec::<GammaPoint>::new(), f64::INFINITY, true);
        let mut chosen: Option<(GammaPoint, Trained)> = None;
        for &gamma in gammas {
            self.stage(&format!("gamma {gamma}"))?;
            let mut curves = Vec::new();
            let weights = self.train_on_cut(start, warm, training_graph, inputs, gamma, &mut curves)?;
            let curve = curves.pop().expect("a training has just left its curve");
            let (lap, orth) = optimum(&curve);
            let labels = weights.labels(&Pipeline::default(), inputs);
            let live_clusters = (0..self.config.clusters as u32).filter(|c| labels.contains(c)).count();
            let point = GammaPoint { gamma, lap, orth, live_clusters };
            if points.is_empty() {
                most = bound(orth);
            }
            points.push(point);
            within &= orth <= most;
            if within && chosen.as_ref().is_none_or(|(best, _)| lap <= best.lap) {
                chosen = Some((point, Trained { weights, curve }));
            }
            if stops && !within {
                break;
            }
        }
        let (best, trained) =
            chosen.ok_or_else(|| Error::config("gammas", "none", "one value at least, from large to small"))?;
        Ok((GammaSweep { points, bound: most, threshold: best.gamma }, trained))
    }
}

/// Searches for gamma on the rows: trains with each of `gammas`, from the same start.
pub(crate) fn tune(task: Task, gammas: &[f32], observer: &mut dyn Observer) -> Result<GammaSweep> {
    let config = task.config;
    if config.method.neural_cut().is_none() {
        return Err(Error::config("method", &config.method, "neuncut or neurcut: others have no gamma"));
    }
    if let Some(bad) = gammas.iter().find(|gamma| !(**gamma >= 0.0 && gamma.is_finite())) {
        return Err(Error::config("gammas", bad, "zero or a positive number"));
    }
    if !gammas.is_sorted_by(|a, b| a > b) {
        let given: Vec<String> = gammas.iter().map(f32::to_string).collect();
        return Err(Error::config("gammas", given.join(","), "from large to small"));
    }
    if config.clusters < 2 {
        return Err(Error::config("k", config.clusters, "at least 2: one cluster has no cut"));
    }
    check_rows(task.rows, config.clusters)?;
    let config = config.with_settings([("gamma".to_string(), "search".into())].into_iter().collect())?;
    config.check()?;
    let options = config.method.neural_cut().expect("the method has not changed");
    with_fit(options, Task { config: &config, ..task }, observer, |mut fit| {
        let started = fit.begin()?;
        let training_graph = fit.training_graph(started.representation(), started.is_warm())?;
        let found =
            fit.sweep(&started.weights, started.is_warm(), &training_graph, started.inputs.view(), gammas, false)?;
        Ok(found.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::synthetic::Shape;
    use crate::features::ArrayRows;
    use crate::job::Job;
    use crate::methods::{Auto, Config, Gamma, GraphObjective, Method, NetworkOptions, NeuralCutOptions, Start};
    use crate::train::{EpochRecord, Silent};
    use ndarray::Array2;

    fn blobs() -> Array2<f32> {
        let (mut rows, mut classes) = (Vec::new(), Vec::new());
        Shape::Blobs { k: 3, dimension: 2 }.generator(None, Seed(1)).unwrap().fill(300, &mut rows, &mut classes);
        Array2::from_shape_vec((300, 2), rows).unwrap()
    }

    fn config(change: impl FnOnce(&mut NeuralCutOptions)) -> Config {
        let network = NetworkOptions {
            hidden: vec![16].into(),
            epochs: Auto::Given(20),
            batch: Auto::Given(100),
            ..Default::default()
        };
        let mut options = NeuralCutOptions { network, ..Default::default() };
        change(&mut options);
        Config::of(Method::NeuNcut(options), 3)
    }

    fn tuned(config: Config, gammas: &[f32]) -> Result<GammaSweep> {
        let rows = blobs();
        Job::new(config)?.tune(&mut ArrayRows::new(rows.view(), None), gammas, &mut Silent).map(|(sweep, _)| sweep)
    }

    #[test]
    fn the_optimum_of_a_curve() {
        let epoch = |values: [f64; 3]| EpochRecord { epoch: 1, learning_rate: 0.1, values: values.to_vec() };
        let curve = History {
            epochs: vec![epoch([3.0, 0.0, 2.0]), epoch([1.0, 0.4, 0.3]), epoch([1.1, 0.5, 0.2])],
            ..Default::default()
        };
        assert_eq!(optimum(&curve), (0.4, 0.2));
        assert_eq!(bound(1.0), 1.1);
        assert_eq!(bound(0.001), 0.002);
    }

    #[test]
    fn a_gamma_of_zero_lets_memberships_go_and_is_not_chosen() {
        let sweep = tuned(config(|options| options.init = Start::Random), &[1e6, 50.0, 0.0]).unwrap();
        assert_eq!(sweep.points.len(), 3);
        let [large, _, zero] = sweep.points[..] else { panic!("three points") };
        assert!(zero.orth > sweep.bound && large.orth <= sweep.bound, "{sweep:?}");
        assert!(sweep.threshold > 0.0);
    }

    #[test]
    fn a_fit_that_searches_is_a_fit_with_what_was_found() {
        let fitted = |gamma| {
            Job::new(config(|options| options.gamma = gamma)).unwrap().fit(blobs().view()).unwrap().model.unwrap()
        };
        let searched = fitted(Gamma::Search);
        let found = searched.record.diagnostics.gamma_sweep.clone().unwrap().threshold;
        assert_eq!(searched.head, fitted(Gamma::Given(found)).head);
    }

    #[test]
    fn bad_values_are_named() {
        let tune = |gammas: &[f32]| tuned(config(|_| ()), gammas).unwrap_err().to_string();
        assert!(tune(&[1.0, 2.0]).contains("large to small"));
        assert!(tune(&[1.0, -2.0]).contains("-2"));
        assert!(tune(&[]).contains("gammas"));
    }

    #[test]
    fn objectives_without_a_gamma_say_so() {
        for objective in [GraphObjective::Log, GraphObjective::MinMax, GraphObjective::MutualInformation] {
            let refused = tuned(config(|options| options.objective = objective), &[80.0]).unwrap_err().to_string();
            assert!(refused.contains("ncut or rcut") && !refused.contains('\n'), "{refused}");
        }
    }
}
