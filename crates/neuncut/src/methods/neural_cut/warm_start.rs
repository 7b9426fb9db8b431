//! The network learns given labels by cross-entropy before it is trained on the cut.

use super::fit_start::Chosen;
use super::input_encoding::input_encoding;
use super::stages::Fit;
use super::{Diagnostics, GraphObjective, Hidden};
use crate::Result;
use crate::features::Pipeline;
use crate::network::{Mlp, Weights};
use crate::objective::{cross_entropy, softmax};
use crate::rows::gather;
use crate::train::{History, Objective, Trainer};
use ndarray::{Array2, ArrayView2, Axis};

/// The warm start: steps per round, learning rate, and most rounds.
const WARM_STEPS: usize = 300;
const WARM_RATE: f64 = 1e-3;
const WARM_ROUNDS: usize = 5;
/// A start that is to be learnt to the last row ...
const WHOLE: Lesson = Lesson { batch: 500, agreement: 0.999 };
/// ... and one that training on information goes on from, which forgets its chance edges anyway.
const OUTLINE: Lesson = Lesson { batch: 250, agreement: 0.95 };
/// The networks that learn a start where widths are automatic: the second where the first does not learn it whole.
const NARROW: Size = Size { hidden: &[64, 64], fourier: 64 };
const WIDE_FOURIER: usize = 256;

/// How a start is learnt: rows per batch, and the agreement with its labels that ends the rounds.
struct Lesson {
    batch: usize,
    agreement: f64,
}

/// How large a network is: widths of hidden layers, and Fourier features of few columns.
#[derive(Clone, Copy)]
struct Size<'a> {
    hidden: &'a [usize],
    fourier: usize,
}

/// A network with what enters it, random or warm-started.
pub(super) struct InitialNetwork {
    /// How the representation enters the network.
    pub encoding: Pipeline,
    /// The rows as they do.
    pub inputs: Array2<f32>,
    pub weights: Weights,
}

impl Fit<'_> {
    /// The network that learns the start: where widths are automatic and columns few, the narrow one if it learns it whole.
    pub(super) fn started(
        &mut self,
        chosen: &Chosen,
        near: &[usize],
        history: &mut Vec<History>,
        diagnostics: &mut Diagnostics,
    ) -> Result<InitialNetwork> {
        // with many columns training goes on to better the start, which a wide network does better
        let is_few = self.options.start.ensemble.is_few(self.rows.ncols());
        let learns = chosen.start.is_some() && self.config.clusters > 1;
        if self.options.network.hidden == Hidden::Auto && is_few && learns {
            let mut curves = Vec::new();
            let narrow = self.started_with(NARROW, chosen, near, &mut curves, diagnostics)?;
            if diagnostics.warm_agreement.is_some_and(|agreement| agreement >= WHOLE.agreement) {
                history.extend(curves);
                return Ok(narrow);
            }
        }
        let is_curved = !self.options.is_algorithm_1() && self.config.clusters > 1;
        let fourier = if is_curved { WIDE_FOURIER } else { 0 };
        let wide = Size { hidden: self.options.network.hidden.widths(), fourier };
        self.started_with(wide, chosen, near, history, diagnostics)
    }

    /// The same with a network of one size.
    fn started_with(
        &mut self,
        size: Size,
        chosen: &Chosen,
        near: &[usize],
        history: &mut Vec<History>,
        diagnostics: &mut Diagnostics,
    ) -> Result<InitialNetwork> {
        let encoding = input_encoding(chosen.representation.view(), near, size.fourier, self.seed);
        let encoding = Pipeline { steps: vec![encoding] };
        let inputs = encoding.apply(chosen.representation.clone());
        let sizes: Vec<usize> = [&[inputs.ncols()][..], size.hidden, &[self.config.clusters]].concat();
        let mut weights = Weights::random(&sizes, &mut self.seed.stream("init"));
        if let Some(start) = chosen.start.as_ref().filter(|_| self.config.clusters > 1) {
            let (rows, labels) = self.lessons(&start.rows, &start.labels);
            let inputs = inputs.select(Axis(0), &rows);
            weights = self.warm_start(weights, inputs.view(), &labels, history, diagnostics)?;
        }
        Ok(InitialNetwork { encoding, inputs, weights })
    }

    /// Rounds of cross-entropy until the network agrees with the start, or stops coming closer.
    pub(super) fn warm_start(
        &mut self,
        mut weights: Weights,
        inputs: ArrayView2<f32>,
        labels: &[u32],
        history: &mut Vec<History>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Weights> {
        let by_information = self.config.objective(self.rows.ncols()) == GraphObjective::MutualInformation;
        let lesson = if by_information && self.given.is_none() { OUTLINE } else { WHOLE };
        let batch = lesson.batch.min(inputs.nrows());
        let epochs = WARM_STEPS.div_ceil(inputs.nrows() / batch);
        let trainer = Trainer { stage: "warm start", batch, epochs, learning_rate: WARM_RATE, weight_decay: 0.0 };
        let mut rng = self.seed.stream("warm start");
        let mut objective = WarmStart { inputs, labels, smoothing: self.options.label_smoothing };
        let mut before = 0.0;
        for _ in 0..WARM_ROUNDS {
            let mut network = Mlp::new(&weights, self.config.device)?;
            history.push(trainer.run(&mut network, inputs.nrows(), &mut objective, &mut rng, self.observer)?);
            weights = network.weights()?;
            let agreeing = agreement(&weights, inputs, labels);
            diagnostics.warm_agreement = Some(agreeing);
            if agreeing >= lesson.agreement || agreeing - before < 0.1 * (1.0 - agreeing) {
                break;
            }
            before = agreeing;
        }
        Ok(weights)
    }
}

/// Share of rows that the network puts where the labels do.
pub(super) fn agreement(weights: &Weights, inputs: ArrayView2<f32>, labels: &[u32]) -> f64 {
    let found = weights.labels(&Pipeline::default(), inputs);
    found.iter().zip(labels).filter(|(a, b)| a == b).count() as f64 / labels.len().max(1) as f64
}

/// Cross-entropy of the memberships to fixed labels.
pub(in crate::methods) struct WarmStart<'a> {
    /// Network inputs, `(n, d)`.
    pub inputs: ArrayView2<'a, f32>,
    /// One label per row.
    pub labels: &'a [u32],
    /// Share of each target spread over all clusters.
    pub smoothing: f32,
}

impl Objective<Mlp> for WarmStart<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["cross-entropy"]
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<Vec<f64>> {
        let inputs = gather(self.inputs, batch);
        let labels: Vec<u32> = batch.iter().map(|&i| self.labels[i]).collect();
        let memberships = softmax(network.forward(inputs.view())?);
        let (loss, gradient) = cross_entropy(memberships.view(), &labels, self.smoothing);
        network.backward(inputs.view(), gradient);
        Ok(vec![loss])
    }
}
