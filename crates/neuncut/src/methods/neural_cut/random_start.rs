//! A start from random weights: networks with many more outputs than there are clusters learn which rows are neighbours, their outputs
//! are merged, and the judge says which network is kept. No eigenvectors, and no clustering of rows as a target.

use super::training_graph::TrainingGraph;
use super::{Config, NeuralCutOptions, StartFindings};
use crate::ensemble::{Candidate, EnsembleOptions, Judge, NeighborGraphs, representations};
use crate::features::{Pipeline, Representation};
use crate::graph::{Csr, leiden, merge_clusters, nearest_neighbors};
use crate::metrics::ari;
use crate::network::{Mlp, Weights};
use crate::objective::BalancedLoss;
use crate::rows::gather;
use crate::seed::Stream;
use crate::train::{History, Objective, Observer, Trainer};
use crate::{Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// Outputs for each cluster, and rows that one has at least on average.
const OUTPUTS_PER_CLUSTER: usize = 20;
const ROWS_PER_OUTPUT: usize = 20;
/// Steps of a network, and its learning rate.
const STEPS: usize = 400;
const RATE: f64 = 1e-3;

/// What networks from random weights are given.
pub(super) struct RandomStart<'a> {
    pub config: &'a Config,
    pub options: &'a NeuralCutOptions,
    pub ensemble: &'a EnsembleOptions,
    /// All training rows, from which representations are learned.
    pub rows: ArrayView2<'a, f32>,
    /// The rows that networks are trained on.
    pub landmarks: &'a [usize],
    /// What weighs edges, where it is given.
    pub sigma: Option<f32>,
    /// The graph over the landmarks, where it is given or learnt.
    pub own_graph: Option<Csr>,
    /// What each of the landmarks weighs; empty where all weigh the same.
    pub weights: Vec<f32>,
}

/// Labels of the landmarks, and what was seen on the way.
pub(super) struct RandomFound {
    pub labels: Vec<u32>,
    pub findings: StartFindings,
    pub history: Vec<History>,
}

/// What a network made of one representation.
struct Trial {
    representation: Representation,
    outputs: usize,
    labels: Vec<u32>,
    /// The judge's mark of its labels: higher is better.
    mark: f64,
}

impl RandomStart<'_> {
    /// Trains a network on each representation and keeps the labels that the judge marks highest.
    pub fn find(&self, observer: &mut dyn Observer) -> Result<RandomFound> {
        let (mut trials, mut history) = (Vec::new(), Vec::new());
        let representations = match self.own_graph {
            Some(_) => vec![Representation::Raw],
            None => representations(self.rows, self.config.representation, self.ensemble),
        };
        for representation in representations {
            observer.go_on()?;
            observer.stage(&format!("random weights on {representation} rows"));
            trials.push(self.try_representation(representation, &mut history, observer)?);
        }
        trials.sort_by(|a: &Trial, b| b.mark.total_cmp(&a.mark));
        let agreement = match &trials[..] {
            [first, second, ..] => ari(&first.labels, &second.labels)?,
            _ => 1.0,
        };
        let named = |trial: &Trial| format!("{} outputs from random weights, merged", trial.outputs);
        let candidates = trials.iter().map(|trial| Candidate {
            representation: trial.representation.to_string(),
            method: named(trial),
            score: -trial.mark,
        });
        let findings = StartFindings {
            leader: format!("{} rows, {}", trials[0].representation, named(&trials[0])),
            agreement,
            candidates: candidates.collect(),
            distinct_rows: self.landmarks.len(),
            ..StartFindings::default()
        };
        Ok(RandomFound { labels: trials.swap_remove(0).labels, findings, history })
    }

    fn try_representation(
        &self,
        representation: Representation,
        history: &mut Vec<History>,
        observer: &mut dyn Observer,
    ) -> Result<Trial> {
        let (k, columns) = (self.config.clusters, self.rows.ncols());
        let rows = representation.fit(self.rows)?.apply(self.rows.select(Axis(0), self.landmarks));
        let (graph, judge) = match &self.own_graph {
            Some(graph) => (graph.clone(), Judge::given(graph.clone(), columns, self.ensemble)),
            None => {
                let most = self.ensemble.most_neighbors(rows.nrows(), columns, k);
                let neighbors = nearest_neighbors(rows.view(), most);
                let graphs = NeighborGraphs::new(&neighbors, &self.weights, self.sigma);
                let judge = Judge::over(&graphs, columns, k, self.ensemble);
                (graphs.graph(self.ensemble.graph_neighbors[0]), judge)
            }
        };
        let outputs = (OUTPUTS_PER_CLUSTER * k).min(rows.nrows() / ROWS_PER_OUTPUT).max(k);
        let small = self.small_clusters(centred_and_scaled(rows).view(), &graph, outputs, history, observer)?;
        let seed = Seed(self.config.seed);
        let labels = match self.ensemble.is_few(columns) {
            true => merge_clusters(&graph, &small, k).labels,
            false => joined_outputs(&graph, &small, k, seed),
        };
        let mark = judge.mark(&labels, k);
        Ok(Trial { representation, outputs, labels, mark })
    }

    /// The outputs of a network that has learnt which rows are neighbours.
    fn small_clusters(
        &self,
        inputs: ArrayView2<f32>,
        graph: &Csr,
        outputs: usize,
        history: &mut Vec<History>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<u32>> {
        let seed = Seed(self.config.seed);
        let sizes = [&[inputs.ncols()][..], self.options.network.hidden.widths(), &[outputs]].concat();
        let mut network = Mlp::new(&Weights::random(&sizes, &mut seed.stream("random start")), self.config.device)?;
        let batch = self.options.network.rows_per_batch().min(inputs.nrows());
        let trainer = Trainer {
            stage: "random start",
            batch,
            epochs: STEPS.div_ceil(inputs.nrows() / batch),
            learning_rate: RATE,
            weight_decay: 0.0,
        };
        let training_graph = TrainingGraph::Pairs(Cow::Borrowed(graph));
        let pairs = seed.stream("random start pairs");
        let mut objective = NeighborTraining { training_graph, pairs, inputs, loss: BalancedLoss::new(outputs) };
        let mut rng = seed.stream("random start shuffle");
        history.push(trainer.run(&mut network, inputs.nrows(), &mut objective, &mut rng, observer)?);
        Ok(network.weights()?.labels(&Pipeline::default(), inputs))
    }
}

/// Outputs joined to `k` clusters as the nodes of a graph, at the resolution of the modularity that gives so many.
fn joined_outputs(graph: &Csr, small: &[u32], k: usize, seed: Seed) -> Vec<u32> {
    let used: BTreeSet<u32> = small.iter().copied().collect();
    let place: HashMap<u32, u32> = used.iter().enumerate().map(|(place, &output)| (output, place as u32)).collect();
    let small: Vec<u32> = small.iter().map(|output| place[output]).collect();
    let joined = leiden(&graph.contracted(&small, used.len()), k, &mut seed.stream("random start outputs"));
    small.iter().map(|&output| joined[output as usize]).collect()
}

/// Rows around their mean, of unit mean square: otherwise the first logits are much the same for all rows.
fn centred_and_scaled(mut rows: Array2<f32>) -> Array2<f32> {
    if let Some(mean) = rows.mapv(f64::from).mean_axis(Axis(0)) {
        rows -= &mean.mapv(|x| x as f32);
    }
    let square = rows.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / rows.len().max(1) as f64;
    if square > 0.0 {
        rows /= square.sqrt() as f32;
    }
    rows
}

/// The balanced loss of pairs of neighbours.
struct NeighborTraining<'a> {
    training_graph: TrainingGraph<'a>,
    pairs: Stream,
    inputs: ArrayView2<'a, f32>,
    loss: BalancedLoss,
}

impl Objective<Mlp> for NeighborTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss"]
    }

    fn evaluate(&mut self, network: &mut Mlp, drawn: &[usize]) -> Result<Vec<f64>> {
        let batch = self.training_graph.batch(drawn, &mut self.pairs);
        let inputs = gather(self.inputs, &batch);
        let logits = network.forward(inputs.view())?;
        let (loss, gradient) = self.loss.evaluate(logits.view());
        network.backward(inputs.view(), gradient);
        Ok(vec![loss])
    }
}

#[cfg(test)]
mod tests {
    use crate::Seed;
    use crate::data::synthetic::Shape;
    use crate::job::Job;
    use crate::methods::neural_cut::Diagnostics;
    use crate::methods::{Auto, Config, GraphObjective, Method, NetworkOptions, NeuralCutOptions, Start};
    use crate::metrics::ari;
    use ndarray::Array2;

    /// A fit of four groups from random weights: how well it agrees with them, and its findings.
    fn fitted(change: impl FnOnce(&mut NeuralCutOptions)) -> (f64, Vec<u32>, Diagnostics) {
        let (mut rows, mut classes) = (Vec::new(), Vec::new());
        Shape::Blobs { k: 4, dimension: 3 }.generator(None, Seed(1)).unwrap().fill(800, &mut rows, &mut classes);
        let rows = Array2::from_shape_vec((800, 3), rows).unwrap();
        let network = NetworkOptions { hidden: vec![32].into(), batch: Auto::Given(200), ..Default::default() };
        let mut options = NeuralCutOptions { init: Start::Random, network, ..Default::default() };
        change(&mut options);
        let fitted = Job::new(Config::of(Method::NeuNcut(options), 4)).unwrap().fit(rows.view()).unwrap();
        let classes: Vec<u32> = classes.iter().map(|&class| class as u32).collect();
        let agreement = ari(&fitted.labels, &classes).unwrap();
        (agreement, fitted.labels, fitted.model.unwrap().record.diagnostics)
    }

    #[test]
    fn groups_are_found_from_random_weights_on_any_number_of_threads() {
        let (agreement, labels, found) = fitted(|_| ());
        // eigenvectors find them whole; outputs that hold rows of two groups cannot be taken apart again
        assert!(agreement > 0.9, "{agreement}");
        let start = found.start.unwrap();
        assert!(start.leader.ends_with("40 outputs from random weights, merged"), "{}", start.leader);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| fitted(|_| ())).1, labels);
    }

    #[test]
    fn with_an_objective_the_network_itself_begins_with_random_weights() {
        let (_, _, found) = fitted(|options| options.objective = GraphObjective::Log);
        assert!(found.start.is_none() && found.objective == "log cut", "{found:?}");
    }
}
