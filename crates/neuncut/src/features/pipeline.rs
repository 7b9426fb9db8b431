//! A chain of fitted steps.

use super::RidgeWhitening;
use super::normalize::unit_rows;
use crate::linalg::Cores;
use ndarray::{Array1, Array2};

/// One fitted step.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Subtracts the training rows' column means.
    Center(Array1<f32>),
    /// Divides each column by a number (its standard deviation on the training rows).
    Divide(Array1<f32>),
    /// Makes each row unit.
    Unit,
    /// Ridge whitening of unit rows.
    Ridge(RidgeWhitening),
    /// Multiplies everything by one number.
    Scale(f32),
}

impl Step {
    /// Whether rows of this many columns can go through, and come out finite where they went in so.
    pub(crate) fn takes(&self, columns: usize) -> bool {
        match self {
            Self::Center(by) | Self::Divide(by) => by.len() == columns && by.iter().all(|x| x.is_finite()),
            Self::Ridge(whitening) => whitening.map.dim() == (columns, columns) && whitening.map.iter().all(|x| x.is_finite()),
            Self::Unit => true,
            Self::Scale(factor) => factor.is_finite(),
        }
    }
}

/// Steps in the order of application.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pipeline {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Pipeline {
    /// Applies every step on all cores.
    pub fn apply(&self, rows: Array2<f32>) -> Array2<f32> {
        self.apply_on(rows, Cores::All)
    }

    /// Applies every step; `Cores::One` inside parallel loops.
    pub fn apply_on(&self, mut rows: Array2<f32>, cores: Cores) -> Array2<f32> {
        for step in &self.steps {
            match step {
                Step::Center(mean) => rows -= mean,
                Step::Divide(by) => rows /= by,
                Step::Unit => unit_rows(&mut rows),
                Step::Ridge(whitening) => whitening.apply_on(&mut rows, cores),
                Step::Scale(factor) => rows *= *factor,
            }
        }
        rows
    }
}
