//! VaDE (Jiang et al. 2017): a variational autoencoder whose codes are drawn from a mixture of Gaussians, one per cluster.
//!
//! Legend: codes of `p` numbers; `mu`, `log s2` their means and log variances, both from the encoder; `pi`, `m`, `l` shares, means and
//! variances of the clusters.

use super::coded_network::CodedNetwork;
use super::limits::{positive, widths};
use super::start::{AutoencoderStart, PretrainedAutoencoder, cluster_means};
use super::{Auto, Config, Fitted, Model, NetworkOptions, Options, Task, recorded};
use crate::features::{Pipeline, Step};
use crate::network::{Layer, Parameters, Weights, mean_square};
use crate::objective::{MixturePrior, RandomCodes};
use crate::rows::gather;
use crate::seed::Stream;
use crate::train::{Objective, Observer, Trainer};
use crate::{Result, Seed};
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Passes over the rows and the initial learning rate unless told.
const EPOCHS: usize = 50;
const RATE: f64 = 1e-3;
/// The variance of a code at first, where the mean variance inside a cluster is one.
const FIRST_VARIANCE: f64 = 0.05;
/// Variances are kept above this at first, as a share of that inside clusters or of the codes, so that equal rows are no points.
const LEAST_VARIANCE: f64 = 1e-3;

/// The settings of VaDE.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct VadeOptions {
    /// Numbers in a code
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub code: usize,
    /// Weight of the reconstruction (alpha)
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub reconstruction_weight: f64,
    /// How the autoencoder is trained first, and where clusters come from.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub start: AutoencoderStart,
    /// How the network is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub network: NetworkOptions,
}

impl Default for VadeOptions {
    fn default() -> Self {
        Self {
            code: 10,
            reconstruction_weight: 1.0,
            start: AutoencoderStart::default(),
            network: NetworkOptions {
                batch: Auto::Given(256),
                hidden: vec![500, 500, 2000].into(),
                weight_decay: 0.0,
                ..NetworkOptions::default()
            },
        }
    }
}

impl Options for VadeOptions {
    fn check(&self, config: &Config) -> Result<()> {
        widths("code", &[self.code])?;
        positive("reconstruction-weight", self.reconstruction_weight)?;
        self.start.check(&self.network, config)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        fit(self, task, observer)
    }

    fn network(&self) -> Option<&NetworkOptions> {
        Some(&self.network)
    }
}

fn fit(options: &VadeOptions, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
    let Task { config, rows, .. } = task;
    let PretrainedAutoencoder { representation, inputs, mut encoder, mut decoder, labels, curve } =
        options.start.of(task, &options.network, options.code, observer)?;
    let clusters = first_clusters(&mut encoder, &mut decoder, inputs.rows.view(), &labels, config.clusters);
    add_variances(&mut encoder);
    let seed = Seed(config.seed);
    let mut network = CodedNetwork::new(&encoder, &decoder, Parameters::new(clusters));
    let mut training = MixtureTraining {
        inputs: inputs.rows.view(),
        weight: options.reconstruction_weight,
        noise: seed.stream("codes"),
    };
    let trainer = Trainer {
        stage: "vade",
        batch: options.network.rows_per_batch(),
        epochs: options.network.epochs.unwrap_or(EPOCHS),
        learning_rate: options.network.lr.unwrap_or(RATE),
        weight_decay: options.network.weight_decay,
    };
    let mut rng = seed.stream("shuffle");
    let curves = vec![curve, trainer.run(&mut network, rows.nrows(), &mut training, &mut rng, observer)?];
    let mut steps = inputs.steps;
    steps.push(Step::Encode(code_means(network.encoder.weights()?)));
    let [logits, means, log_variances] = parameters(&network);
    let (encoding, head) = densities(MixturePrior { logits, means, log_variances });
    let model = Model {
        representation,
        embedding: Pipeline { steps },
        encoding,
        ..Model::new(config.clone(), rows.ncols(), head)
    };
    Ok(recorded(model, rows, curves))
}

/// Scales codes so that their mean variance inside clusters is one; gives logits of equal shares, means and log variances of clusters.
fn first_clusters(
    encoder: &mut Weights,
    decoder: &mut Weights,
    inputs: ArrayView2<f32>,
    labels: &[u32],
    k: usize,
) -> [Array2<f32>; 3] {
    let codes = encoder.outputs(inputs);
    let (means, counts) = cluster_means(&codes, labels, k);
    let mut variances = Array2::<f64>::zeros(means.dim());
    for (code, &label) in codes.rows().into_iter().zip(labels) {
        let c = label as usize;
        let mut variance = variances.row_mut(c);
        ndarray::Zip::from(&mut variance)
            .and(&code)
            .and(means.row(c))
            .for_each(|variance, &z, &mean| *variance += (f64::from(z) - mean).powi(2));
    }
    // clusters of equal rows have none
    let least = LEAST_VARIANCE * mean_square(codes.view());
    let within = (variances.sum() / codes.len().max(1) as f64).max(least).max(1e-12);
    let scale = 1.0 / within.sqrt();
    if let (Some(last), Some(first)) = (encoder.layers.last_mut(), decoder.layers.first_mut()) {
        last.weight *= scale as f32;
        last.bias *= scale as f32;
        first.weight /= scale as f32;
    }
    for (mut variance, &count) in variances.rows_mut().into_iter().zip(&counts) {
        let own = if count > 1.0 { 1.0 / count } else { 0.0 };
        variance.mapv_inplace(|sum| {
            let variance = if own > 0.0 { sum * own / within } else { 1.0 };
            (variance + FIRST_VARIANCE).max(LEAST_VARIANCE).ln()
        });
    }
    [Array2::zeros((1, k)), means.mapv(|x| (x * scale) as f32), variances.mapv(|x| x as f32)]
}

/// Lets the last layer give log variances beside the means.
fn add_variances(encoder: &mut Weights) {
    if let Some(last) = encoder.layers.last_mut() {
        let (inputs, code) = last.weight.dim();
        let weight = Array2::<f32>::zeros((inputs, code));
        let bias = Array1::from_elem(code, FIRST_VARIANCE.ln() as f32);
        *last = Layer {
            weight: side_by_side(last.weight.view(), weight.view()),
            bias: concatenate![Axis(0), last.bias, bias],
        };
    }
}

/// Two matrices of as many rows, row by row.
fn side_by_side(left: ArrayView2<f32>, right: ArrayView2<f32>) -> Array2<f32> {
    let mut both = Array2::zeros((left.nrows(), left.ncols() + right.ncols()));
    both.slice_mut(s![.., ..left.ncols()]).assign(&left);
    both.slice_mut(s![.., left.ncols()..]).assign(&right);
    both
}

/// The encoder without its log variances.
fn code_means(mut encoder: Weights) -> Weights {
    if let Some(last) = encoder.layers.last_mut() {
        let code = last.bias.len() / 2;
        *last = Layer {
            weight: last.weight.slice(s![.., ..code]).to_owned(),
            bias: last.bias.slice(s![..code]).to_owned(),
        };
    }
    encoder
}

/// `log pi_c + log N(mu; m_c, l_c)` less a constant, linear in the code and its squares: the softmax of that is `gamma_c`. Codes are
/// centred first, so that differences of large squares do not lose digits.
pub(super) fn densities(prior: MixturePrior) -> (Pipeline, Weights) {
    let middle = prior.means.mean_axis(Axis(0)).expect("there are clusters");
    let (k, p) = prior.means.dim();
    let mut weight = Array2::zeros((2 * p, k));
    let mut bias = Array1::zeros(k);
    for (c, log_share) in prior.log_shares().into_iter().enumerate() {
        let mut constant = log_share;
        for j in 0..p {
            let log_variance = f64::from(prior.log_variances[[c, j]]);
            let (precision, mean) = ((-log_variance).exp(), f64::from(prior.means[[c, j]] - middle[j]));
            weight[[j, c]] = (mean * precision) as f32;
            weight[[p + j, c]] = (-0.5 * precision) as f32;
            constant -= 0.5 * (log_variance + mean * mean * precision);
        }
        bias[c] = constant as f32;
    }
    (Pipeline { steps: vec![Step::Center(middle), Step::Squares] }, Weights { layers: vec![Layer { weight, bias }] })
}

/// Logits of shares, means and log variances.
fn parameters(network: &CodedNetwork) -> [ArrayView2<'_, f32>; 3] {
    let mut values = network.clusters.values().map(|array| array.view());
    [(); 3].map(|()| values.next().expect("the network has three arrays of clusters"))
}

/// Reconstruction of rows from a draw of their code, and how well the codes fit the mixture.
struct MixtureTraining<'a> {
    inputs: ArrayView2<'a, f32>,
    weight: f64,
    noise: Stream,
}

impl MixtureTraining<'_> {
    /// Standard normal numbers, by Box and Muller.
    fn normal(&mut self, shape: (usize, usize)) -> Array2<f32> {
        Array2::from_shape_simple_fn(shape, || {
            let (u, v) = (self.noise.random::<f64>(), self.noise.random::<f64>());
            ((-2.0 * (1.0 - u).ln()).sqrt() * (TAU * v).cos()) as f32
        })
    }
}

impl Objective<CodedNetwork> for MixtureTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "reconstruction", "divergence"]
    }

    fn evaluate(&mut self, network: &mut CodedNetwork, batch: &[usize]) -> Result<Vec<f64>> {
        let inputs = gather(self.inputs, batch);
        let encoded = network.encoder.forward(inputs.view())?;
        let code = encoded.ncols() / 2;
        let (means, log_variances) = encoded.view().split_at(Axis(1), code);
        let deviations = log_variances.mapv(|log| (0.5 * log).exp());
        let noise = self.normal(deviations.dim()) * &deviations;
        let drawn = &noise + &means;

        let mut difference = network.decoder.forward(drawn.view())?;
        difference -= &inputs;
        let share = self.weight / batch.len() as f64; // d times the mean square of a row
        let reconstruction = share * difference.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
        difference *= (2.0 * share) as f32;
        let mut of_drawn = network.decoder.backward_through(drawn.view(), difference);

        let [logits, centers, spreads] = parameters(network);
        let prior = MixturePrior { logits, means: centers, log_variances: spreads };
        let value = prior.evaluate(RandomCodes { means, log_variances, drawn: drawn.view() });
        let [of_means, of_variances, through_memberships] = value.codes;
        of_drawn += &through_memberships;
        let of_means = of_means + &of_drawn;
        let of_variances = of_variances + &(of_drawn * noise * 0.5);
        network.clusters.set_gradients(value.prior);
        network.encoder.backward(inputs.view(), side_by_side(of_means.view(), of_variances.view()));
        Ok(vec![reconstruction + value.loss, reconstruction, value.loss])
    }
}
