//! The stages of a fit, in order.

use super::cut_training::{CutTraining, GraphLoss};
use super::fit_start::Chosen;
use super::revival::{all_alive, revived};
use super::training_graph::TrainingGraph;
use super::tune::GAMMAS;
use super::warm_start::InitialNetwork;
use super::warnings::warnings;
use super::{
    Config, Diagnostics, Fitted, Gamma, GraphObjective, GraphScope, Model, Neighborhood, NeuralCutOptions, Prepared,
    TrainingRecord, argmax_rows,
};
use crate::features::{Pipeline, dominant_column};
use crate::graph::{Csr, EXACT_ROWS};
use crate::links::Links;
use crate::methods::record::{live_clusters, mean_confidence, shares};
use crate::network::{Mlp, Weights};
use crate::objective::{CutLoss, InformationLoss, KeptCut, KeptCutLoss};
use crate::train::{History, Observer, Trainer};
use crate::{Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;
use std::borrow::Cow;

/// Neighbours per row in the graph of the cut, and inside a batch.
const GRAPH_NEIGHBORS: usize = 10;
pub(super) const BATCH_NEIGHBORS: usize = 3;
/// Steps after a warm start, and passes over the rows from random weights.
const WARM_CUT_STEPS: usize = 300;
const RANDOM_CUT_EPOCHS: usize = 100;
/// Initial learning rates of the two.
const WARM_CUT_RATE: f64 = 3e-4;
const RANDOM_CUT_RATE: f64 = 5e-3;
/// Rows per batch of training on information, whose volumes are averages over batches.
const INFORMATION_BATCH: usize = 500;
/// How often clusters without rows are given some again.
const REVIVALS: usize = 3;

/// One fit under way.
pub(super) struct Fit<'a> {
    pub config: &'a Config,
    pub options: &'a NeuralCutOptions,
    pub rows: ArrayView2<'a, f32>,
    /// A clustering to start from.
    pub given: Option<&'a [Option<u32>]>,
    /// Pairs of rows that belong together or apart.
    pub links: Option<&'a Links>,
    /// What each row weighs, on average one; all the same where there are none.
    pub weights: Option<&'a [f32]>,
    /// What joins the rows.
    pub prepared: &'a Prepared<'a>,
    pub seed: Seed,
    pub observer: &'a mut dyn Observer,
}

/// A fit before training on the cut.
pub(super) struct StartedFit {
    /// All rows that weigh something in random order, landmarks first.
    order: Vec<usize>,
    landmarks: usize,
    chosen: Chosen,
    /// How the representation enters the network.
    encoding: Pipeline,
    /// The rows as they enter the network.
    pub inputs: Array2<f32>,
    /// Random, or warm-started.
    pub weights: Weights,
    history: Vec<History>,
    diagnostics: Diagnostics,
}

impl StartedFit {
    /// The rows as affinities are measured on them.
    pub fn representation(&self) -> ArrayView2<'_, f32> {
        self.chosen.representation.view()
    }

    /// Whether the network has learnt a start.
    pub fn is_warm(&self) -> bool {
        self.chosen.start.is_some()
    }
}

impl<'a> Fit<'a> {
    /// Goes through the stages.
    pub fn run(mut self) -> Result<Fitted> {
        let StartedFit { order, landmarks, chosen, encoding, inputs, mut weights, mut history, mut diagnostics } =
            self.begin()?;
        if self.config.clusters > 1 {
            let warm = chosen.start.is_some();
            let training_graph = self.training_graph(chosen.representation.view(), warm)?;
            let mut gamma = self.options.gamma();
            diagnostics.objective = self.config.objective(self.rows.ncols()).spoken().into();
            self.stage("guard")?;
            let guard = self.guard(&chosen, inputs.view(), &order, landmarks)?;
            if warm && self.has_nothing_to_gain(&weights, &guard) {
                (diagnostics.ncut_start, diagnostics.guard_kept_start) = (Some(0.0), true);
            } else {
                let trained = if self.options.gamma == Gamma::Search {
                    let (sweep, trained) = self.sweep(&weights, warm, &training_graph, inputs.view(), &GAMMAS, true)?;
                    gamma = sweep.threshold;
                    diagnostics.gamma_sweep = Some(sweep);
                    history.push(trained.curve);
                    trained.weights
                } else {
                    self.train_on_cut(&weights, warm, &training_graph, inputs.view(), gamma, &mut history)?
                };
                let trained = self.mended(&weights, trained, &chosen, inputs.view(), &mut history)?;
                self.stage("guard")?;
                weights = self.keep_better(weights, trained, &chosen, inputs.view(), &guard, &mut diagnostics);
            }
            let landmarks = &order[..landmarks];
            weights = self.revive(
                weights,
                &chosen,
                &training_graph,
                inputs.view(),
                landmarks,
                gamma,
                &mut history,
                &mut diagnostics,
            )?;
            if weights.is_finite() {
                weights = guard.calibrated(weights);
            }
        }
        self.stage("labels of the fitted rows")?;
        Ok(self.finish(chosen.features, encoding, weights, history, diagnostics))
    }

    /// The stages before training on the cut.
    pub(super) fn begin(&mut self) -> Result<StartedFit> {
        let mut diagnostics = Diagnostics::default();
        let mut order: Vec<usize> = (0..self.rows.nrows()).collect();
        order.shuffle(&mut self.seed.stream("landmarks"));
        order.retain(|&row| self.weights.is_none_or(|weights| weights[row] > 0.0));
        let mut history: Vec<History> = self.prepared.curve.iter().cloned().collect();
        diagnostics.affinity = self.prepared.note();
        // a part of a sparse graph has lost most of its edges: all of its rows are landmarks
        let most = if self.prepared.graph.is_some() {
            order.len()
        } else {
            self.options.start.landmarks(self.config.clusters)
        };
        let landmarks = most.min(order.len());
        diagnostics.landmarks = landmarks;

        let chosen = self.start(&order[..landmarks], &mut history, &mut diagnostics)?;
        let near = &order[..landmarks.min(self.options.start.landmarks(self.config.clusters))];
        let InitialNetwork { encoding, inputs, weights } =
            self.started(&chosen, near, &mut history, &mut diagnostics)?;
        Ok(StartedFit { order, landmarks, chosen, encoding, inputs, weights, history, diagnostics })
    }

    pub(super) fn stage(&mut self, name: &str) -> Result<()> {
        self.observer.go_on()?;
        self.observer.stage(name);
        Ok(())
    }

    /// What some rows weigh, where not all weigh the same.
    pub(super) fn weights_of(&self, rows: &[usize]) -> Option<Vec<f32>> {
        self.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect())
    }

    /// The graph among some rows that the user or a trained affinity gives, with the weights of rows; none for other affinities.
    pub(super) fn own_graph(&self, rows: &[usize]) -> Result<Option<Csr>> {
        let graph = self.prepared.own_graph(rows, self.graph_neighbors())?;
        Ok(match (graph, self.weights_of(rows)) {
            (Some(graph), Some(weights)) => Some(graph.weighed(&weights)),
            (graph, _) => graph,
        })
    }

    /// Neighbours per row of a graph over all rows.
    pub(super) fn graph_neighbors(&self) -> usize {
        match self.options.affinity.neighbors {
            Neighborhood::Count(count) => count,
            Neighborhood::Auto | Neighborhood::All => GRAPH_NEIGHBORS,
        }
    }

    /// Algorithm 1.
    pub(super) fn train_on_cut(
        &mut self,
        weights: &Weights,
        warm: bool,
        training_graph: &TrainingGraph,
        inputs: ArrayView2<f32>,
        gamma: f32,
        history: &mut Vec<History>,
    ) -> Result<Weights> {
        let (config, options) = (self.config, self.options);
        let objective = config.objective(self.rows.ncols());
        let batch = match objective {
            GraphObjective::MutualInformation => {
                options.network.batch.unwrap_or(INFORMATION_BATCH.max(config.clusters))
            }
            _ => options.network.rows_per_batch(),
        };
        let batch = batch.min(inputs.nrows());
        let per_epoch = inputs.nrows() / batch;
        let (epochs, rate) = if warm {
            (WARM_CUT_STEPS.div_ceil(per_epoch), WARM_CUT_RATE)
        } else {
            (RANDOM_CUT_EPOCHS, RANDOM_CUT_RATE)
        };
        let trainer = Trainer {
            stage: "neural cut",
            batch,
            epochs: options.network.epochs.unwrap_or(epochs),
            learning_rate: options.network.lr.unwrap_or(rate),
            weight_decay: options.network.weight_decay,
        };
        let cut = CutLoss { cut: config.cut(), penalty: options.penalty, volumes: options.volumes, gamma };
        let loss = match objective {
            GraphObjective::MutualInformation => GraphLoss::Information(InformationLoss::default()),
            GraphObjective::Log => GraphLoss::Kept(KeptCutLoss::new(KeptCut::Log)),
            GraphObjective::MinMax => GraphLoss::Kept(KeptCutLoss::new(KeptCut::MinMax)),
            GraphObjective::Auto | GraphObjective::Ncut | GraphObjective::Rcut => GraphLoss::Cut(cut),
        };
        let neighborhoods = self.seed.stream("neighbourhoods");
        let mut objective = CutTraining { training_graph, neighborhoods, inputs, loss };
        let mut network = Mlp::new(weights, config.device)?;
        let mut rng = self.seed.stream("shuffle");
        history.push(trainer.run(&mut network, inputs.nrows(), &mut objective, &mut rng, self.observer)?);
        network.weights()
    }

    /// Whether neighbours are looked for among all rows.
    fn is_global(&self, warm: bool) -> bool {
        match self.options.graph {
            GraphScope::Global | GraphScope::Pairs => true,
            GraphScope::Batch => false,
            GraphScope::Auto => {
                // above so many rows the search of the other affinities is too long
                let is_quick = self.rows.nrows() <= EXACT_ROWS || self.prepared.is_by_distance();
                warm && is_quick && self.options.affinity.neighbors != Neighborhood::All
            }
        }
    }

    /// What joins rows; `representation` is what the affinities without a network are measured on.
    pub(super) fn training_graph<'b>(
        &mut self,
        representation: ArrayView2<'b, f32>,
        warm: bool,
    ) -> Result<TrainingGraph<'b>>
    where
        'a: 'b,
    {
        let prepared = self.prepared;
        let batches = match self.options.graph {
            GraphScope::Pairs => TrainingGraph::Pairs,
            GraphScope::Auto | GraphScope::Batch | GraphScope::Global => TrainingGraph::Graph,
        };
        let weights = self.weights;
        // rows that weigh nothing have no edges among themselves, and an edge of weight zero would be one
        let weighed = |graph: Cow<'b, Csr>| match weights {
            Some(weights) => Cow::Owned(graph.weighed(weights).without_zeros()),
            None => graph,
        };
        if let Some(graph) = &prepared.graph {
            return Ok(batches(weighed(Cow::Borrowed(&graph.graph))));
        }
        let global = self.is_global(warm);
        if global {
            self.stage("graph over all rows")?;
        }
        let (affinity, rows) = prepared.affinity(representation)?;
        if !global {
            return Ok(TrainingGraph::Batch { affinity, rows, weights });
        }
        let neighbors = self.graph_neighbors().max(affinity.neighbors().unwrap_or(0));
        Ok(batches(weighed(Cow::Owned(affinity.graph(rows, neighbors)?))))
    }

    /// Gives rows to clusters that have none, and trains on from there.
    #[allow(clippy::too_many_arguments)]
    fn revive(
        &mut self,
        mut weights: Weights,
        chosen: &Chosen,
        training_graph: &TrainingGraph,
        inputs: ArrayView2<f32>,
        landmarks: &[usize],
        gamma: f32,
        history: &mut Vec<History>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Weights> {
        let k = self.config.clusters;
        let rows = chosen.representation.select(Axis(0), landmarks);
        let landmark_inputs = inputs.select(Axis(0), landmarks);
        let labels_of = |weights: &Weights| weights.labels(&Pipeline::default(), landmark_inputs.view());
        for _ in 0..REVIVALS {
            let labels = labels_of(&weights);
            if all_alive(&labels, k) {
                break;
            }
            self.stage("revival of dead clusters")?;
            let Some(labels) = revived(rows.view(), &labels, k, self.config.seed)? else { break };
            diagnostics.revivals += 1;
            let started = self.warm_start(weights, landmark_inputs.view(), &labels, history, diagnostics)?;
            let trained = self.train_on_cut(&started, true, training_graph, inputs, gamma, history)?;
            weights = if all_alive(&labels_of(&trained), k) { trained } else { started };
        }
        Ok(weights)
    }

    fn finish(
        self,
        features: Pipeline,
        encoding: Pipeline,
        weights: Weights,
        history: Vec<History>,
        mut diagnostics: Diagnostics,
    ) -> Fitted {
        let mut model = Model {
            representation: features,
            encoding,
            affinity: self.prepared.learned.clone().filter(|_| self.options.keep_affinity),
            ..Model::new(self.config.clone(), self.rows.ncols(), weights)
        };
        let memberships = model.inference().memberships_of_encoded(self.rows);
        let labels = argmax_rows(memberships.view());
        let cluster_shares = shares(&labels, self.config.clusters, self.weights);
        diagnostics.mean_confidence = mean_confidence(memberships.view(), self.weights);
        diagnostics.live_clusters = live_clusters(&labels, self.config.clusters);
        diagnostics.dominant_column = dominant_column(self.rows);
        let largest_share = cluster_shares.iter().copied().fold(0.0, f64::max);
        diagnostics.warnings = warnings(&diagnostics, self.options, self.config.clusters, largest_share);
        model.record = TrainingRecord {
            version: env!("CARGO_PKG_VERSION").into(),
            rows: self.rows.nrows() as u64,
            trained_rows: self.rows.nrows() as u64,
            columns: self.rows.ncols(),
            cluster_shares,
            history,
            diagnostics,
            ..Default::default()
        };
        Fitted { model: Some(model), graph: None, labels }
    }
}
