//! TEMI (Adaloglou et al., BMVC 2023): heads with an averaged teacher each, by the pointwise mutual information of the clusters of near rows.
//!
//! All heads see the same pairs. A pair counts as much as the teachers of all heads find its ends in the same cluster, so that false
//! neighbours fade.

use super::super::limits::positive;
use super::super::method::Options;
use super::super::record::recorded;
use super::super::{Config, Fitted, Hidden, Task};
use super::options::{HeadDefaults, HeadOptions};
use super::pairs::NeighborPairs;
use super::rows::HeadRows;
use super::scores::{HeadScores, mean};
use crate::features::Step;
use crate::network::{CosineHead, CosineWeights, Layer, Trainable};
use crate::objective::{TeacherInformation, agreement_of_pairs, softmax};
use crate::rows::gather;
use crate::seed::Stream;
use crate::train::{Objective, Observer};
use crate::{Error, Result, Seed};
use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// What is taken where a setting is `auto`.
const WIDTHS: [usize; 2] = [512, 256];
const DEFAULTS: HeadDefaults = HeadDefaults { heads: 4, neighbors: 25, steps: 800, lr: 1e-3 };

/// The settings of TEMI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct TemiOptions {
    /// How many heads there are and how they are trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub training: HeadOptions,
    /// Widths of the hidden layers, the last being that of the codes; auto is 512,256
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N,N"))]
    pub hidden: Hidden,
    /// Exponent of the memberships in the mutual information, above 0 and up to 1: the smaller, the more even clusters are
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub exponent: f32,
    /// What cosines are divided by before the softmax
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub temperature: f32,
    /// Share of itself that the teacher keeps in each step, from 0 to below 1
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub teacher_momentum: f32,
}

impl Default for TemiOptions {
    fn default() -> Self {
        let training = HeadOptions::default();
        Self { training, hidden: Hidden::Auto, exponent: 0.6, temperature: 0.1, teacher_momentum: 0.98 }
    }
}

impl Options for TemiOptions {
    fn check(&self, _: &Config) -> Result<()> {
        self.hidden.check()?;
        if self.hidden.widths().is_empty() {
            return Err(Error::config("hidden", "empty", "at least one width, the last that of the codes"));
        }
        if !(self.exponent > 0.0 && self.exponent <= 1.0) {
            return Err(Error::config("exponent", self.exponent, "above 0 and up to 1"));
        }
        positive("temperature", self.temperature.into())?;
        if !(0.0..1.0).contains(&self.teacher_momentum) {
            return Err(Error::config("teacher-momentum", self.teacher_momentum, "from 0 to below 1"));
        }
        self.training.check()
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        config.device.check()?;
        observer.stage("nearest neighbours");
        let mut head_rows = HeadRows::of(&task, self.training.neighbors(&DEFAULTS), 1)?;
        observer.go_on()?;
        let seed = Seed(config.seed);
        let mut heads = self.random_heads(config, head_rows.inputs.ncols(), &mut seed.stream("heads"))?;
        let mut history = Vec::new();
        let mut best = 0;
        if config.clusters > 1 {
            let mut training = self.training_of(&head_rows, heads.students.len(), seed.stream("pairs"));
            let trainer = self.training.trainer(config.method.name(), rows.nrows(), &DEFAULTS);
            let rng = &mut seed.stream("shuffle");
            history.push(trainer.run(&mut heads, rows.nrows(), &mut training, rng, observer)?);
            best = training.scores.best();
        }
        // the layers that make codes are feature steps, the directions over the temperature the head
        let head = heads.teachers.swap_remove(best);
        let layer = Layer { weight: head.matrix() / self.temperature, bias: Array1::zeros(config.clusters) };
        head_rows.encoding.steps.extend([Step::Encode(head.trunk), Step::Unit]);
        Ok(recorded(head_rows.model(&task, layer), rows, history))
    }
}

impl TemiOptions {
    fn random_heads(&self, config: &Config, columns: usize, rng: &mut Stream) -> Result<TaughtHeads> {
        let count = if config.clusters == 1 { 1 } else { self.training.heads.unwrap_or(DEFAULTS.heads) };
        let sizes: Vec<usize> = [&[columns][..], self.hidden.widths_or(&WIDTHS)].concat();
        let teachers: Vec<_> = (0..count).map(|_| CosineWeights::random(&sizes, config.clusters, rng)).collect();
        let students = teachers.iter().map(|head| CosineHead::new(head, config.device)).collect::<Result<_>>()?;
        Ok(TaughtHeads { students, teachers, kept: self.teacher_momentum })
    }

    fn training_of<'a>(&self, rows: &'a HeadRows, heads: usize, rng: Stream) -> TemiTraining<'a> {
        TemiTraining {
            inputs: rows.inputs.view(),
            pairs: &rows.pairs,
            temperature: self.temperature,
            losses: vec![TeacherInformation::new(self.exponent); heads],
            scores: HeadScores::new(heads),
            rng,
        }
    }
}

/// Heads in training, and the average of each over its steps.
struct TaughtHeads {
    students: Vec<CosineHead>,
    teachers: Vec<CosineWeights>,
    /// Share that teachers keep of themselves.
    kept: f32,
}

impl TaughtHeads {
    /// Teachers follow the students' last step.
    fn teachers_follow(&mut self) -> Result<()> {
        for (student, teacher) in self.students.iter().zip(&mut self.teachers) {
            teacher.approach(&student.weights()?, 1.0 - self.kept);
        }
        Ok(())
    }
}

impl Trainable for TaughtHeads {
    fn begin(&mut self, weight_decay: f32) {
        self.students.iter_mut().for_each(|student| student.begin(weight_decay));
    }

    fn step(&mut self, learning_rate: f64) {
        self.students.iter_mut().for_each(|student| student.step(learning_rate));
    }

    fn is_finite(&self) -> Result<bool> {
        self.students.iter().try_fold(true, |all, student| Ok(all && student.is_finite()?))
    }
}

/// All heads on the same pairs.
struct TemiTraining<'a> {
    /// `(n, d)`.
    inputs: ArrayView2<'a, f32>,
    pairs: &'a NeighborPairs,
    temperature: f32,
    losses: Vec<TeacherInformation>,
    scores: HeadScores,
    rng: Stream,
}

impl Objective<TaughtHeads> for TemiTraining<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss"]
    }

    fn evaluate(&mut self, heads: &mut TaughtHeads, batch: &[usize]) -> Result<Vec<f64>> {
        heads.teachers_follow()?;
        let inputs = gather(self.inputs, &self.pairs.with_partners(batch, &mut self.rng));
        let memberships = |outputs: Array2<f32>| softmax(outputs / self.temperature);
        let taught: Vec<_> = heads.teachers.iter().map(|teacher| memberships(teacher.outputs(inputs.view()))).collect();
        let weights = taught.iter().fold(Array1::zeros(batch.len()), |sum, t| sum + agreement_of_pairs(t.view()));
        let weights = weights / taught.len() as f32;
        let mut scores = Vec::new();
        for ((student, teacher), loss) in heads.students.iter_mut().zip(&taught).zip(&mut self.losses) {
            let own = memberships(student.forward(inputs.view())?);
            let (value, gradient) = loss.evaluate(own.view(), teacher.view(), &weights);
            student.backward(inputs.view(), (gradient / self.temperature).view());
            scores.push(value);
        }
        self.scores.add(&scores);
        Ok(vec![mean(&scores)])
    }

    fn goes_on(&mut self, _: &TaughtHeads) -> Result<bool> {
        self.scores.end_epoch();
        Ok(true)
    }
}
