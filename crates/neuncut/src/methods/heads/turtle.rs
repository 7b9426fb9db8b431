//! TURTLE (Gadetsky, Jiang and Brbić, ICML 2024): the labels that linear classifiers learn fastest, in one feature space or in all of several.
//!
//! In each step fresh linear classifiers, one in each space, take a few steps towards the labels of a batch; then the labels, the softmax of a linear
//! map whose columns are normalised, take one step towards what the classifiers make of them, while the entropy of their shares keeps them
//! apart. The labels of several spaces are the softmax of the sum of their outputs, so that the head is one layer over all columns.

use super::super::limits::{at_least_one, positive, zero_or_positive};
use super::super::method::Options;
use super::super::record::recorded;
use super::super::{Auto, Config, Fitted, Task};
use super::rows::HeadRows;
use crate::features::{Step, mean_square};
use crate::linalg::matmul_add;
use crate::network::{Device, Layer, Mlp, NormedLayer, Trainable, Weights};
use crate::objective::{Evenness, SoftTargets, soft_cross_entropy, softmax, softmax_backward};
use crate::rows::gather;
use crate::seed::Stream;
use crate::train::{Objective, Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{Array1, Array2, ArrayView2, s};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows per batch unless told otherwise.
const BATCH: usize = 2000;
/// Steps of the labels, and their initial learning rate, unless told.
const STEPS: usize = 1000;
const RATE: f64 = 3e-3;

/// The settings of TURTLE.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct TurtleOptions {
    /// Widths of feature spaces that lie side by side in the columns, such as 768,1024; one unless given
    #[cfg_attr(feature = "clap", arg(long, value_delimiter = ',', value_name = "N,N"))]
    pub spaces: Vec<usize>,
    /// Steps of the classifiers in each step of the labels
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub inner_steps: usize,
    /// Weight of the entropy of the clusters' shares: the larger, the more even they are
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub entropy_weight: f64,
    /// Rows per batch
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub batch: Auto<usize>,
    /// Passes over the training rows
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub epochs: Auto<usize>,
    /// Initial learning rate, annealed to zero
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "auto|F"))]
    pub lr: Auto<f64>,
}

impl Default for TurtleOptions {
    fn default() -> Self {
        let (epochs, lr) = (Auto::Auto, Auto::Auto);
        Self { spaces: Vec::new(), inner_steps: 10, entropy_weight: 10.0, batch: Auto::Given(BATCH), epochs, lr }
    }
}

impl Options for TurtleOptions {
    fn check(&self, _: &Config) -> Result<()> {
        if self.spaces.contains(&0) {
            return Err(Error::config("spaces", 0, "at least 1 each"));
        }
        at_least_one("inner-steps", self.inner_steps)?;
        zero_or_positive("entropy-weight", self.entropy_weight)?;
        if self.batch.unwrap_or(BATCH) < 2 {
            return Err(Error::config("batch", self.batch, "at least 2"));
        }
        at_least_one("epochs", self.epochs.unwrap_or(1))?;
        positive("lr", self.lr.unwrap_or(1.0))
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        config.device.check()?;
        let mut head_rows = HeadRows::of(&task, 0, 1)?;
        let spaces = self.ranges(head_rows.inputs.ncols())?;
        even_scales(&mut head_rows, &spaces);
        let seed = Seed(config.seed);
        let mut labels = Labelling::random(&spaces, config.clusters, &mut seed.stream("heads"));
        let mut history = Vec::new();
        if config.clusters > 1 {
            let mut training = TurtleTraining {
                inputs: head_rows.inputs.view(),
                device: config.device,
                inner_steps: self.inner_steps,
                evenness: Evenness::new(self.entropy_weight),
                rng: seed.stream("classifiers"),
            };
            let (n, rng) = (rows.nrows(), &mut seed.stream("shuffle"));
            history.push(self.trainer(n).run(&mut labels, n, &mut training, rng, observer)?);
        }
        Ok(recorded(head_rows.model(&task, labels.layer()), rows, history))
    }
}

impl TurtleOptions {
    /// The columns of each space.
    fn ranges(&self, columns: usize) -> Result<Vec<Range<usize>>> {
        let one = [columns];
        let widths = if self.spaces.is_empty() { &one[..] } else { &self.spaces };
        let total: usize = widths.iter().sum();
        if total != columns {
            let must = format!("widths that add up to the {columns} columns of the rows");
            return Err(Error::config("spaces", total, must));
        }
        let ends = widths.iter().scan(0, |end, width| {
            *end += width;
            Some(*end)
        });
        Ok(ends.zip(widths).map(|(end, width)| end - width..end).collect())
    }

    fn trainer(&self, rows: usize) -> Trainer<'static> {
        let batch = self.batch.unwrap_or(BATCH);
        let per_epoch = rows / batch.min(rows);
        Trainer {
            stage: "turtle",
            batch,
            epochs: self.epochs.unwrap_or(STEPS.div_ceil(per_epoch)),
            learning_rate: self.lr.unwrap_or(RATE),
            weight_decay: 0.0,
        }
    }
}

/// Gives each space a mean square of one, where there are several.
fn even_scales(rows: &mut HeadRows, spaces: &[Range<usize>]) {
    if spaces.len() == 1 {
        return;
    }
    let mut by = Array1::ones(rows.inputs.ncols());
    for space in spaces {
        let square = mean_square(rows.inputs.slice(s![.., space.clone()]));
        by.slice_mut(s![space.clone()]).fill(if square > 0.0 { square.sqrt() as f32 } else { 1.0 });
    }
    rows.inputs /= &by;
    rows.encoding.steps.push(Step::Divide(by));
}

/// The labels: a linear map of each space with normalised columns, and a bias.
struct Labelling {
    spaces: Vec<(Range<usize>, NormedLayer)>,
    /// Of a column of ones: a direction of one number stays as it is, and its length is the bias.
    bias: NormedLayer,
}

impl Labelling {
    fn random(spaces: &[Range<usize>], clusters: usize, rng: &mut Stream) -> Self {
        let layer = |space: &Range<usize>| NormedLayer::new(NormedLayer::random(space.len(), clusters, rng));
        let layers: Vec<_> = spaces.iter().map(layer).collect();
        let bias = NormedLayer::new(Layer { weight: Array2::ones((1, clusters)), bias: Array1::zeros(clusters) });
        Self { spaces: spaces.iter().cloned().zip(layers).collect(), bias }
    }

    /// All maps, to be trained.
    fn layers(&mut self) -> impl Iterator<Item = &mut NormedLayer> {
        self.spaces.iter_mut().map(|(_, layer)| layer).chain([&mut self.bias])
    }

    /// Memberships `(m, k)` of rows `(m, d)`.
    fn memberships(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        let bias = self.bias.matrix();
        let mut logits = Array2::zeros((rows.nrows(), bias.ncols())) + &bias;
        for (space, layer) in &self.spaces {
            matmul_add(logits.view_mut(), rows.slice(s![.., space.clone()]), layer.matrix().view());
        }
        softmax(logits)
    }

    /// One layer over all columns.
    fn layer(&self) -> Layer {
        let matrices: Vec<_> = self.spaces.iter().map(|(_, layer)| layer.matrix()).collect();
        let views: Vec<_> = matrices.iter().map(|matrix| matrix.view()).collect();
        let weight = ndarray::concatenate(ndarray::Axis(0), &views).expect("spaces have the same clusters");
        Layer { weight, bias: self.bias.matrix().row(0).to_owned() }
    }

    /// Keeps the gradients of all maps, given that of the outputs of rows `(m, d)`.
    fn backward(&mut self, rows: ArrayView2<f32>, of_logits: ArrayView2<f32>) {
        for (space, layer) in &mut self.spaces {
            layer.backward(rows.slice(s![.., space.clone()]), of_logits);
        }
        self.bias.backward(Array2::ones((rows.nrows(), 1)).view(), of_logits);
    }
}

impl Trainable for Labelling {
    fn begin(&mut self, _: f32) {
        self.layers().for_each(NormedLayer::begin);
    }

    fn step(&mut self, learning_rate: f64) {
        self.layers().for_each(|layer| layer.step(learning_rate));
    }

    fn is_finite(&self) -> Result<bool> {
        Ok(self.bias.is_finite() && self.spaces.iter().all(|(_, layer)| layer.is_finite()))
    }
}

/// Labels that are learnt fast.
struct TurtleTraining<'a> {
    /// `(n, d)`.
    inputs: ArrayView2<'a, f32>,
    device: Device,
    inner_steps: usize,
    evenness: Evenness,
    rng: Stream,
}

impl TurtleTraining<'_> {
    /// What a fresh classifier of rows `(m, d)` has learnt of these labels after its steps.
    fn classified(&mut self, rows: ArrayView2<f32>, labels: ArrayView2<f32>) -> Result<SoftTargets> {
        let columns = rows.ncols();
        let mut classifier = Mlp::new(&Weights::random(&[columns, labels.ncols()], &mut self.rng), self.device)?;
        classifier.begin(0.0);
        for _ in 0..self.inner_steps {
            let memberships = softmax(classifier.forward(rows)?);
            classifier.backward(rows, soft_cross_entropy(memberships.view(), labels).of_logits);
            // a step of Adam changes the outputs by about its rate times the columns; the authors' thousand columns have 0.001
            classifier.step(1.0 / columns as f64);
        }
        Ok(soft_cross_entropy(softmax(classifier.forward(rows)?).view(), labels))
    }
}

impl Objective<Labelling> for TurtleTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "cross-entropy", "entropy"]
    }

    fn evaluate(&mut self, labelling: &mut Labelling, batch: &[usize]) -> Result<Vec<f64>> {
        let inputs = gather(self.inputs, batch);
        let labels = labelling.memberships(inputs.view());
        let (entropy, of_shares) = self.evenness.evaluate(labels.view());
        let mut gradient = Array2::zeros(labels.dim()) + &of_shares;
        let mut loss = 0.0;
        let share = 1.0 / labelling.spaces.len() as f32;
        for (space, _) in &labelling.spaces {
            let rows = inputs.slice(s![.., space.clone()]).as_standard_layout().into_owned();
            let found = self.classified(rows.view(), labels.view())?;
            gradient.scaled_add(share, &found.of_targets);
            loss += f64::from(share) * found.loss;
        }
        labelling.backward(inputs.view(), softmax_backward(labels.view(), gradient).view());
        Ok(vec![loss - self.evenness.weight() * entropy, loss, entropy])
    }
}
