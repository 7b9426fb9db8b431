//! The stages of a fit, in order.

use super::cut_training::CutTraining;
use super::guard::Guard;
use super::joining::Joining;
use super::model::{argmax_rows, check_finite};
use super::start::{
    GraphOptions, GraphSet, Representation, StartLabels, StartOptions, find_start, find_start_on, most_agreeing,
};
use super::warm_start::WarmStart;
use super::{AffinityKind, Auto, Config, Diagnostics, GraphScope, Model, Neighborhood, Start, TrainingRecord};
use crate::affinity::{
    Affinity, Bandwidth, HeatKernel, LOCAL_NEIGHBOR, LearnedAffinity, Precomputed, SelfExpressive, Senet, SenetOptions,
    Siamese, SiameseOptions,
};
use crate::baselines::KMeans;
use crate::clustering::{Clusterer, Clustering, Inductive};
use crate::data::ImageShape;
use crate::features::{ArrayRows, ChainOptions, FittedChain, FourierFeatures, Pipeline, RowSource, Step, mean_square};
use crate::graph::{Csr, nearest_neighbors};
use crate::network::{Mlp, Weights};
use crate::objective::CutLoss;
use crate::train::{History, Observer, Silent, Trainer};
use crate::{Error, Result, Seed};
use burn::tensor::Device;
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;
use std::borrow::Cow;

/// Neighbours a row in the graphs of the start and of the guard, and inside a batch.
const GRAPH_NEIGHBORS: usize = 10;
const BATCH_NEIGHBORS: usize = 3;
/// Up to this many rows neighbours are looked for among all of them unless told otherwise: the search is quadratic.
const GLOBAL_ROWS: usize = 50_000;
/// Steps on the cut after a warm start, and passes over the rows from random weights.
const WARM_CUT_STEPS: usize = 300;
const RANDOM_CUT_EPOCHS: usize = 100;
/// Initial learning rates of the two.
const WARM_CUT_RATE: f64 = 3e-4;
const RANDOM_CUT_RATE: f64 = 5e-3;
/// The warm start: steps a round, rows a batch, learning rate, most rounds, and the agreement that ends them.
const WARM_STEPS: usize = 300;
const WARM_BATCH: usize = 500;
const WARM_RATE: f64 = 1e-3;
const WARM_ROUNDS: usize = 5;
const WARM_AGREEMENT: f64 = 0.995;

/// Up to this many columns the network also sees Fourier features: how many, and the finest width in neighbour distances.
const FOURIER_COLUMNS: usize = 4;
const FOURIER_FEATURES: usize = 256;
const FINEST_WIDTH: f32 = 4.0;

/// Neural normalized cut, ready to fit: its configuration has been checked.
#[derive(Debug, Clone)]
pub struct NeuralCut {
    config: Config,
    images: Option<ImageShape>,
    graph: Option<Precomputed>,
}

/// A fitted model with the labels of the rows it was fitted on.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    labels: Vec<u32>,
}

impl Clustering for Fitted {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Inductive for Fitted {
    fn predict(&self, rows: ArrayView2<f32>) -> Result<Vec<u32>> {
        self.model.predict(rows)
    }
}

impl Clusterer for NeuralCut {
    type Fitted = Fitted;

    fn fit(&self, rows: ArrayView2<f32>) -> Result<Fitted> {
        self.fit_observed(rows, &mut Silent)
    }
}

impl NeuralCut {
    /// Checks the configuration.
    pub fn new(config: Config) -> Result<Self> {
        config.check()?;
        Ok(Self { config, images: None, graph: None })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Says that rows are images of this shape, which feature steps such as `scattering` must know.
    pub fn with_images(mut self, shape: Option<ImageShape>) -> Self {
        self.images = shape;
        self
    }

    /// Takes the cut on this graph, whose nodes are the rows that are fitted. Without it, `graph:FILE` is read when rows are
    /// fitted.
    pub fn with_graph(mut self, graph: Option<Precomputed>) -> Self {
        self.graph = graph;
        self
    }

    /// Fits the rows `(n, d)`, all of them, telling `observer` how it goes. Feature steps are fitted first.
    pub fn fit_observed(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<Fitted> {
        if self.config.features.is_empty() {
            return self.fit_features(rows, observer);
        }
        check_rows(rows, self.config.clusters)?;
        let features = self.fit_chain(&mut ArrayRows::new(rows, self.images), observer)?;
        self.fit_behind(&features, rows, observer)
    }

    /// Fits the feature steps of the configuration on all rows of a source.
    pub fn fit_chain(&self, source: &mut dyn RowSource, observer: &mut dyn Observer) -> Result<FittedChain> {
        let options = ChainOptions { seed: self.config.seed, device: self.config.device, ..Default::default() };
        self.config.features.fit(source, &options, observer)
    }

    /// Fits raw rows `(n, d)` behind feature steps that were fitted before; the model takes raw rows.
    pub fn fit_behind(
        &self,
        features: &FittedChain,
        rows: ArrayView2<f32>,
        observer: &mut dyn Observer,
    ) -> Result<Fitted> {
        let mut fitted = self.fit_features(features.pipeline.transform(rows).view(), observer)?;
        let model = &mut fitted.model;
        model.features.steps.splice(..0, features.pipeline.steps.iter().cloned());
        model.columns = features.columns;
        model.record.columns = features.columns;
        model.record.history.splice(..0, features.history.iter().cloned());
        Ok(fitted)
    }

    fn fit_features(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<Fitted> {
        check_rows(rows, self.config.clusters)?;
        let device = self.config.device.open()?.autodiff();
        let read = match (&self.graph, &self.config.affinity) {
            (None, AffinityKind::Graph(path)) => Some(Precomputed::read(path, rows.nrows())?),
            _ => None,
        };
        let graph = self.graph.as_ref().or(read.as_ref());
        if let Some(graph) = graph.filter(|graph| graph.graph.len() != rows.nrows()) {
            let must = format!("a graph over the {} rows that are fitted", rows.nrows());
            return Err(Error::config("affinity", format!("a graph over {} rows", graph.graph.len()), must));
        }
        let seed = Seed(self.config.seed);
        Fit { config: &self.config, rows, graph, learned: None, seed, device, observer }.run()
    }
}

fn check_rows(rows: ArrayView2<f32>, clusters: usize) -> Result<()> {
    if rows.nrows() < clusters {
        return Err(Error::TooFewRows {
            what: "the data".into(),
            rows: rows.nrows() as u64,
            needed: clusters as u64,
            remedy: format!("{clusters} clusters need at least as many rows; ask for fewer with -k"),
        });
    }
    check_finite(rows)?;
    let first = rows.row(0);
    if clusters > 1 && rows.rows().into_iter().all(|row| row == first) {
        return Err(Error::Degenerate(
            "all rows are equal: there is nothing to cluster; check that the right columns were chosen".into(),
        ));
    }
    Ok(())
}

/// One fit under way.
struct Fit<'a> {
    config: &'a Config,
    rows: ArrayView2<'a, f32>,
    /// The user's graph over the rows.
    graph: Option<&'a Precomputed>,
    /// The affinity that was trained on the rows.
    learned: Option<LearnedAffinity>,
    seed: Seed,
    device: Device,
    observer: &'a mut dyn Observer,
}

/// The representation that was chosen, and the start on it.
struct Chosen {
    features: Pipeline,
    representation: Array2<f32>,
    start: Option<Vec<u32>>,
}

impl<'a> Fit<'a> {
    fn run(mut self) -> Result<Fitted> {
        let mut diagnostics = Diagnostics::default();
        let mut order: Vec<usize> = (0..self.rows.nrows()).collect();
        order.shuffle(&mut self.seed.stream("landmarks"));
        let mut history = Vec::new();
        self.learn_affinity(&mut history, &mut diagnostics)?;
        // a part of a sparse graph has lost most of its edges: all of its rows are landmarks
        let landmarks = if self.graph.is_some() { order.len() } else { self.config.landmarks.min(order.len()) };
        diagnostics.landmarks = landmarks;

        let mut chosen = self.start(&order[..landmarks], &mut diagnostics)?;
        let encoding =
            self.input_encoding(chosen.representation.view(), &order[..landmarks.min(self.config.landmarks)]);
        let inputs = Pipeline { steps: vec![encoding.clone()] }.apply(chosen.representation.clone());
        chosen.features.steps.push(encoding);

        let mut weights = self.initial_weights(inputs.ncols());
        if self.config.clusters > 1 {
            if let Some(labels) = &chosen.start {
                let inputs = inputs.select(Axis(0), &order[..landmarks]);
                weights = self.warm_start(weights, inputs.view(), labels, &mut history, &mut diagnostics)?;
            }
            let trained = self.train_on_cut(&weights, &chosen, inputs.view(), &mut history)?;
            weights =
                self.keep_better(weights, trained, &chosen, inputs.view(), &order, landmarks, &mut diagnostics)?;
        }
        if !weights.is_finite() {
            return Err(Error::Diverged { step: WARM_CUT_STEPS, what: "network" });
        }
        Ok(self.finish(chosen.features, weights, history, diagnostics))
    }

    fn stage(&mut self, name: &str) -> Result<()> {
        if self.observer.interrupted() {
            return Err(Error::Interrupted);
        }
        self.observer.stage(name);
        Ok(())
    }

    /// Trains the affinity's own network, where it has one.
    fn learn_affinity(&mut self, history: &mut Vec<History>, diagnostics: &mut Diagnostics) -> Result<()> {
        diagnostics.affinity = self.config.affinity.to_string();
        if let Some(graph) = self.graph {
            diagnostics.affinity = graph.note.clone();
        }
        if self.config.clusters == 1 || self.graph.is_some() {
            return Ok(());
        }
        let (rows, seed, device) = (self.rows, self.seed, self.config.device);
        let neighbors = self.batch_neighbors();
        let (learned, curve) = match self.config.affinity {
            AffinityKind::Siamese => {
                let options = SiameseOptions { neighbors, ..Default::default() };
                let (siamese, curve) = Siamese::fit(rows, &options, seed, device, self.observer)?;
                (LearnedAffinity::Siamese(siamese), curve)
            }
            AffinityKind::Senet => {
                let options = SenetOptions { neighbors, ..self.config.senet() };
                let (senet, curve) = Senet::fit(rows, &options, seed, device, self.observer)?;
                (LearnedAffinity::Senet(senet), curve)
            }
            AffinityKind::Heat | AffinityKind::SelfExpressive | AffinityKind::Graph(_) => return Ok(()),
        };
        diagnostics.affinity = learned.note();
        history.push(curve);
        self.learned = Some(learned);
        Ok(())
    }

    /// The graph among some rows that the user or a trained affinity gives; none for the affinities of the representation.
    fn own_graph(&self, nodes: &[usize]) -> Result<Option<Csr>> {
        if let Some(graph) = self.graph {
            return Ok(Some(graph.graph.induced(nodes)));
        }
        let rows = || self.rows.select(Axis(0), nodes);
        self.learned.as_ref().map(|learned| learned.graph(rows().view(), self.graph_options().neighbors)).transpose()
    }

    fn bandwidth(&self) -> Bandwidth {
        match self.config.sigma {
            Auto::Auto => Bandwidth::Auto,
            Auto::Given(sigma) => Bandwidth::Sigma(sigma),
        }
    }

    fn graph_options(&self) -> GraphOptions {
        let neighbors = match self.config.neighbors {
            Neighborhood::Count(count) => count,
            Neighborhood::Auto | Neighborhood::All => GRAPH_NEIGHBORS,
        };
        let sigma = match self.config.sigma {
            Auto::Auto => None,
            Auto::Given(sigma) => Some(sigma),
        };
        GraphOptions { neighbors, sigma }
    }

    /// Stages A to C: the representation, and labels of the landmarks where there is a start.
    fn start(&mut self, landmarks: &[usize], diagnostics: &mut Diagnostics) -> Result<Chosen> {
        let k = self.config.clusters;
        let first = self.config.representation.candidates(self.rows.ncols())[0];
        let (representation, start) = match self.config.init {
            Start::Spectral if k > 1 => {
                let found = self.spectral_start(landmarks)?;
                diagnostics.candidates = found.candidates;
                diagnostics.start = found.chosen;
                diagnostics.voters = found.voters;
                diagnostics.components = found.components;
                diagnostics.stray_rows = found.stray;
                diagnostics.distinct_rows = found.distinct;
                diagnostics.eigengap = found.eigengap;
                (found.representation, Some(found.labels))
            }
            Start::KMeans if k > 1 => {
                self.stage("k-means start")?;
                let rows = first.fit(self.rows)?.apply(self.rows.select(Axis(0), landmarks));
                let seed = self.config.seed;
                (first, Some(KMeans { seed, ..KMeans::new(k) }.fit(rows.view())?.labels().to_vec()))
            }
            _ => (first, None),
        };
        diagnostics.representation = representation.to_string();
        let features = representation.fit(self.rows)?;
        let representation = features.apply(self.rows.to_owned());
        Ok(Chosen { features, representation, start })
    }

    /// Labels of the landmarks: on the given or learnt graph where there is one, else on those of the representations.
    fn spectral_start(&mut self, landmarks: &[usize]) -> Result<StartLabels> {
        let (clusters, seed) = (self.config.clusters, self.config.seed);
        let Some(graph) = self.own_graph(landmarks)? else {
            let (representation, graph) = (self.config.representation, self.graph_options());
            let options = StartOptions { clusters, representation, graph, seed };
            return find_start(self.rows, landmarks, &options, self.observer);
        };
        let centred = Representation::Raw.fit(self.rows)?.apply(self.rows.select(Axis(0), landmarks));
        let mut found = find_start_on(graph, centred.view(), clusters, seed, self.observer)?;
        let candidates = self.config.representation.candidates(self.rows.ncols());
        found.representation = most_agreeing(&candidates, self.rows, landmarks, &found.labels)?;
        Ok(found)
    }

    /// How the representation enters the network: scaled to unit mean square; few columns with Fourier features beside them, whose
    /// finest width is tied to the distance of neighbours.
    fn input_encoding(&self, representation: ArrayView2<f32>, landmarks: &[usize]) -> Step {
        let columns = representation.ncols();
        let rms = mean_square(representation).max(1e-30).sqrt() as f32;
        if columns > FOURIER_COLUMNS || self.config.init == Start::Random || self.config.clusters == 1 {
            return Step::Scale(1.0 / rms);
        }
        let neighbors = nearest_neighbors(representation.select(Axis(0), landmarks).view(), LOCAL_NEIGHBOR);
        let mut distances: Vec<f32> =
            neighbors.squared_distances.columns().into_iter().next_back().map_or(vec![], |c| c.to_vec());
        distances.sort_by(f32::total_cmp);
        let spacing = distances.get(distances.len() / 2).map_or(rms, |d| d.sqrt());
        let finest = (FINEST_WIDTH * spacing).clamp(1e-3 * rms, rms);
        let coarsest = rms * (columns as f32).sqrt();
        Step::Fourier(FourierFeatures::random(
            columns,
            FOURIER_FEATURES,
            finest,
            coarsest,
            &mut self.seed.stream("fourier"),
        ))
    }

    fn initial_weights(&self, columns: usize) -> Weights {
        let sizes: Vec<usize> = [&[columns][..], &self.config.hidden, &[self.config.clusters]].concat();
        Weights::random(&sizes, &mut self.seed.stream("init"))
    }

    /// Stage D: rounds of cross-entropy until the network agrees with the start, or stops coming closer.
    fn warm_start(
        &mut self,
        mut weights: Weights,
        inputs: ArrayView2<f32>,
        labels: &[u32],
        history: &mut Vec<History>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Weights> {
        let batch = WARM_BATCH.min(inputs.nrows());
        let epochs = WARM_STEPS.div_ceil(inputs.nrows() / batch);
        let trainer = Trainer { stage: "warm start", batch, epochs, learning_rate: WARM_RATE, weight_decay: 0.0 };
        let mut rng = self.seed.stream("warm start");
        let device = self.device.clone();
        let mut objective = WarmStart { inputs, labels, smoothing: self.config.label_smoothing, device };
        for _ in 0..WARM_ROUNDS {
            let network = Mlp::new(&weights, &self.device);
            let (network, curve) = trainer.run(network, inputs.nrows(), &mut objective, &mut rng, self.observer)?;
            history.push(curve);
            weights = network.weights();
            let found = argmax_rows(weights.memberships(&Pipeline::default(), inputs).view());
            let agreeing = found.iter().zip(labels).filter(|(a, b)| a == b).count() as f64 / labels.len() as f64;
            let gain = agreeing - diagnostics.warm_agreement;
            diagnostics.warm_agreement = agreeing;
            if agreeing >= WARM_AGREEMENT || gain < 0.1 * (1.0 - agreeing) {
                break;
            }
        }
        Ok(weights)
    }

    /// Stage E: Algorithm 1.
    fn train_on_cut(
        &mut self,
        weights: &Weights,
        chosen: &Chosen,
        inputs: ArrayView2<f32>,
        history: &mut Vec<History>,
    ) -> Result<Weights> {
        let config = self.config;
        let warm = chosen.start.is_some();
        if self.is_global(warm) && self.graph.is_none() {
            self.stage("graph over all rows")?;
        }
        let learned = self.learned.take();
        let joining = self.joining(learned.as_ref(), chosen.representation.view(), warm)?;
        let batch = config.batch.min(inputs.nrows());
        let per_epoch = inputs.nrows() / batch;
        let (epochs, rate) = if warm {
            (WARM_CUT_STEPS.div_ceil(per_epoch), WARM_CUT_RATE)
        } else {
            (RANDOM_CUT_EPOCHS, RANDOM_CUT_RATE)
        };
        let trainer = Trainer {
            stage: "neural cut",
            batch,
            epochs: config.epochs.unwrap_or(epochs),
            learning_rate: config.lr.unwrap_or(rate),
            weight_decay: config.weight_decay,
        };
        let loss =
            CutLoss { cut: config.objective, penalty: config.penalty, volumes: config.volumes, gamma: config.gamma() };
        let device = self.device.clone();
        let neighborhoods = self.seed.stream("neighbourhoods");
        let mut objective = CutTraining { joining, neighborhoods, inputs, loss, device };
        let network = Mlp::new(weights, &self.device);
        let mut rng = self.seed.stream("shuffle");
        let (network, curve) = trainer.run(network, inputs.nrows(), &mut objective, &mut rng, self.observer)?;
        drop(objective);
        self.learned = learned;
        history.push(curve);
        Ok(network.weights())
    }

    /// Entries of the affinity kept a row inside a batch.
    fn batch_neighbors(&self) -> Option<usize> {
        match self.config.neighbors {
            Neighborhood::Auto => Some(BATCH_NEIGHBORS),
            Neighborhood::Count(count) => Some(count),
            Neighborhood::All => None,
        }
    }

    /// Whether neighbours are looked for among all rows.
    fn is_global(&self, warm: bool) -> bool {
        match self.config.graph {
            GraphScope::Global => true,
            GraphScope::Batch => false,
            GraphScope::Auto => warm && self.rows.nrows() <= GLOBAL_ROWS && self.config.neighbors != Neighborhood::All,
        }
    }

    /// What joins rows; `representation` is what the affinities without a network are measured on.
    fn joining<'b>(
        &self,
        learned: Option<&'b LearnedAffinity>,
        representation: ArrayView2<'b, f32>,
        warm: bool,
    ) -> Result<Joining<'b>>
    where
        'a: 'b,
    {
        if let Some(graph) = self.graph {
            return Ok(Joining::Graph(Cow::Borrowed(&graph.graph)));
        }
        let neighbors = self.batch_neighbors();
        let (affinity, rows): (Box<dyn Affinity + 'b>, _) = match (learned, &self.config.affinity) {
            (Some(learned), _) => (Box::new(learned), self.rows),
            (None, AffinityKind::SelfExpressive) => {
                (Box::new(SelfExpressive::fit(representation, self.config.ridge, neighbors)?), representation)
            }
            (None, _) => (Box::new(HeatKernel { bandwidth: self.bandwidth(), neighbors }), representation),
        };
        Ok(if self.is_global(warm) {
            Joining::Graph(Cow::Owned(affinity.graph(rows, self.graph_options().neighbors)?))
        } else {
            Joining::Batch { affinity, rows }
        })
    }

    /// Stage F: the network of lower Ncut on rows outside the landmarks.
    #[allow(clippy::too_many_arguments)]
    fn keep_better(
        &mut self,
        start: Weights,
        trained: Weights,
        chosen: &Chosen,
        inputs: ArrayView2<f32>,
        order: &[usize],
        landmarks: usize,
        diagnostics: &mut Diagnostics,
    ) -> Result<Weights> {
        if chosen.start.is_none() {
            return Ok(trained);
        }
        let compared = Guard::rows(order, landmarks);
        let rows = chosen.representation.select(Axis(0), compared);
        let graphs = match self.own_graph(compared)? {
            Some(graph) => GraphSet::given(graph, rows.view()),
            None => GraphSet::new(rows.view(), self.graph_options()),
        };
        let guard = Guard::new(inputs.select(Axis(0), compared), graphs);
        diagnostics.ncut_start = guard.cut(&start);
        diagnostics.ncut_end = guard.cut(&trained);
        diagnostics.guard_kept_start = self.config.guard && diagnostics.ncut_end >= diagnostics.ncut_start;
        Ok(if diagnostics.guard_kept_start { start } else { trained })
    }

    fn finish(
        self,
        features: Pipeline,
        weights: Weights,
        history: Vec<History>,
        mut diagnostics: Diagnostics,
    ) -> Fitted {
        let memberships = weights.memberships(&features, self.rows);
        let labels = argmax_rows(memberships.view());
        let n = labels.len() as f64;
        let mut cluster_shares = vec![0.0; self.config.clusters];
        labels.iter().for_each(|&label| cluster_shares[label as usize] += 1.0 / n);
        let largest = memberships.rows().into_iter().map(|row| f64::from(row.fold(0.0_f32, |a, &b| a.max(b))));
        diagnostics.mean_confidence = largest.sum::<f64>() / n;
        diagnostics.live_clusters = cluster_shares.iter().filter(|&&share| share > 0.0).count();
        if diagnostics.live_clusters < self.config.clusters {
            diagnostics.warnings.push(format!(
                "only {} of {} clusters are used: the data may have fewer, or training collapsed (try another --seed, or a larger --gamma)",
                diagnostics.live_clusters, self.config.clusters
            ));
        }
        let record = TrainingRecord {
            version: env!("CARGO_PKG_VERSION").into(),
            rows: self.rows.nrows() as u64,
            trained_rows: self.rows.nrows() as u64,
            columns: self.rows.ncols(),
            cluster_shares,
            history,
            diagnostics,
            ..Default::default()
        };
        let affinity = self.learned.filter(|_| self.config.keep_affinity);
        let (config, columns) = (self.config.clone(), self.rows.ncols());
        let model = Model { config, features, weights, columns, affinity, record };
        Fitted { model, labels }
    }
}
