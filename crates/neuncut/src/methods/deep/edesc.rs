//! EDESC (Cai et al. 2022): an autoencoder whose codes lie in one subspace per cluster; rows belong to the subspace that holds most of
//! their code.
//!
//! Legend: `k` subspaces of `m` dimensions, codes of `p = k m` numbers, bases `D` `(p, k m)`.

use super::coded_network::CodedNetwork;
use super::limits::{at_least_one, positive, zero_or_positive};
use super::start::{AutoencoderStart, PretrainedAutoencoder};
use super::{Auto, Config, Fitted, Model, NetworkOptions, Options, Task, recorded};
use crate::features::{Pipeline, Step};
use crate::graph::eigen::symmetric_eigen;
use crate::linalg::matmul;
use crate::network::{Layer, Parameters, Weights, mean_square};
use crate::objective::{SubspaceLoss, self_training_targets};
use crate::rows::gather;
use crate::train::{Objective, Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

/// Passes over the rows and the initial learning rate unless told.
const EPOCHS: usize = 50;
const RATE: f64 = 1e-3;
/// What the dependence of the bases counts, as the authors have it.
const DEPENDENCE_WEIGHT: f32 = 1e-3;
/// The widest code: bases are square matrices of this size.
const WIDEST_CODE: usize = 4096;

/// The settings of EDESC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct EdescOptions {
    /// Dimensions of each subspace; codes have as many numbers per cluster
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub subspace_dimensions: usize,
    /// Smoothing of the memberships in subspaces (eta)
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub subspace_smoothing: f64,
    /// Weight of the divergence of memberships from their own sharper targets (beta)
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub subspace_weight: f64,
    /// How the autoencoder is trained first, and where clusters come from.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub start: AutoencoderStart,
    /// How the network is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub network: NetworkOptions,
}

impl Default for EdescOptions {
    fn default() -> Self {
        Self {
            subspace_dimensions: 5,
            subspace_smoothing: 5.0,
            subspace_weight: 0.1,
            start: AutoencoderStart::default(),
            network: NetworkOptions {
                batch: Auto::Given(256),
                hidden: vec![500, 500, 1000].into(),
                weight_decay: 0.0,
                ..NetworkOptions::default()
            },
        }
    }
}

impl Options for EdescOptions {
    fn check(&self, config: &Config) -> Result<()> {
        at_least_one("subspace-dimensions", self.subspace_dimensions)?;
        positive("subspace-smoothing", self.subspace_smoothing)?;
        zero_or_positive("subspace-weight", self.subspace_weight)?;
        if self.code(config) > WIDEST_CODE {
            let must = format!("at most {WIDEST_CODE} over the number of clusters, {}", config.clusters);
            return Err(Error::config("subspace-dimensions", self.subspace_dimensions, must));
        }
        self.start.check(&self.network, config)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        fit(self, task, observer)
    }

    fn network(&self) -> Option<&NetworkOptions> {
        Some(&self.network)
    }
}

impl EdescOptions {
    fn code(&self, config: &Config) -> usize {
        self.subspace_dimensions.saturating_mul(config.clusters)
    }
}

fn fit(options: &EdescOptions, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
    let Task { config, rows, .. } = task;
    let PretrainedAutoencoder { representation, inputs, encoder, decoder, labels, curve } =
        options.start.of(task, &options.network, options.code(config), observer)?;
    let loss = SubspaceLoss { dimensions: options.subspace_dimensions, smoothing: options.subspace_smoothing };
    let bases = first_bases(&encoder.outputs(inputs.rows.view()), &labels, config.clusters, loss.dimensions)?;
    let mut network = CodedNetwork::new(&encoder, &decoder, Parameters::new([bases]));
    let mut training = SubspaceTraining {
        inputs: inputs.rows.view(),
        loss,
        // a mean over rows and clusters, as the authors' code has it
        weight: (options.subspace_weight / config.clusters as f64) as f32,
        targets: Array2::zeros((0, 0)),
    };
    training.set_targets(&network)?;
    let trainer = Trainer {
        stage: "edesc",
        batch: options.network.rows_per_batch(),
        epochs: options.network.epochs.unwrap_or(EPOCHS),
        learning_rate: options.network.lr.unwrap_or(RATE),
        weight_decay: options.network.weight_decay,
    };
    let mut rng = Seed(config.seed).stream("shuffle");
    let curves = vec![curve, trainer.run(&mut network, rows.nrows(), &mut training, &mut rng, observer)?];
    let mut steps = inputs.steps;
    steps.push(Step::Encode(network.encoder.weights()?));
    let (encoding, head) = memberships(bases_of(&network), loss);
    let model = Model {
        representation,
        embedding: Pipeline { steps },
        encoding,
        ..Model::new(config.clone(), rows.ncols(), head)
    };
    Ok(recorded(model, rows, curves))
}

/// The leading directions of each cluster's codes, not centred, side by side, `(p, k m)`; of all codes for a cluster without any.
fn first_bases(codes: &Array2<f32>, labels: &[u32], k: usize, m: usize) -> Result<Array2<f32>> {
    let mut bases = Array2::zeros((codes.ncols(), k * m));
    for c in 0..k {
        let mut members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] as usize == c).collect();
        if members.is_empty() {
            members = (0..labels.len()).collect();
        }
        let own = gather(codes.view(), &members).mapv(f64::from);
        let (_, directions) = symmetric_eigen(matmul(own.t(), own.view()).view())?;
        bases.slice_mut(s![.., c * m..(c + 1) * m]).assign(&directions.slice(s![.., ..m]).mapv(|x| x as f32));
    }
    Ok(bases)
}

/// From codes to `log u_ic`, whose softmax is the membership `s_ic`: projections, their squares, the sums of these per subspace.
fn memberships(bases: &Array2<f32>, loss: SubspaceLoss) -> (Pipeline, Weights) {
    let (width, m) = (bases.ncols(), loss.dimensions);
    let k = width / m;
    let sums =
        Array2::from_shape_fn((2 * width, k), |(j, c)| if j >= width && (j - width) / m == c { 1.0 } else { 0.0 });
    let steps = vec![
        Step::Project(bases.clone()),
        Step::Squares,
        Step::Project(sums),
        Step::Log { offset: loss.offset() as f32 },
    ];
    let head = Layer { weight: Array2::eye(k), bias: Array1::zeros(k) };
    (Pipeline { steps }, Weights { layers: vec![head] })
}

fn bases_of(network: &CodedNetwork) -> &Array2<f32> {
    network.clusters.values().next().expect("the network has bases")
}

/// Reconstruction, and memberships in subspaces that become sharper.
struct SubspaceTraining<'a> {
    inputs: ArrayView2<'a, f32>,
    loss: SubspaceLoss,
    weight: f32,
    /// Those of all rows, `(n, k)`, set once an epoch.
    targets: Array2<f32>,
}

impl SubspaceTraining<'_> {
    fn set_targets(&mut self, network: &CodedNetwork) -> Result<()> {
        let codes = network.encoder.weights()?.outputs(self.inputs);
        let projected = matmul(codes.view(), bases_of(network).view());
        self.targets = self_training_targets(self.loss.memberships(projected.view()).view());
        Ok(())
    }
}

impl Objective<CodedNetwork> for SubspaceTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "reconstruction", "divergence", "dependence"]
    }

    fn evaluate(&mut self, network: &mut CodedNetwork, batch: &[usize]) -> Result<Vec<f64>> {
        let inputs = gather(self.inputs, batch);
        let codes = network.encoder.forward(inputs.view())?;
        let mut difference = network.decoder.forward(codes.view())?;
        difference -= &inputs;
        let reconstruction = mean_square(difference.view());
        difference *= 2.0 / difference.len() as f32;
        let mut gradient = network.decoder.backward_through(codes.view(), difference);

        let bases = bases_of(network);
        let projected = matmul(codes.view(), bases.view());
        let (divergence, mut of_projected) =
            self.loss.divergence(projected.view(), self.targets.select(Axis(0), batch).view());
        of_projected *= self.weight;
        let (dependence, mut of_bases) = self.loss.dependence(bases.view());
        of_bases *= DEPENDENCE_WEIGHT;
        of_bases += &matmul(codes.t(), of_projected.view());
        gradient += &matmul(of_projected.view(), bases.t());
        network.clusters.set_gradients([of_bases]);
        network.encoder.backward(inputs.view(), gradient);
        let total = reconstruction + f64::from(self.weight) * divergence + f64::from(DEPENDENCE_WEIGHT) * dependence;
        Ok(vec![total, reconstruction, divergence, dependence])
    }

    fn goes_on(&mut self, network: &CodedNetwork) -> Result<bool> {
        self.set_targets(network)?;
        Ok(true)
    }
}
