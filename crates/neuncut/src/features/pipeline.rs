//! A chain of fitted steps.

use super::normalize::unit_rows;
use super::{FourierFeatures, RidgeWhitening};
use crate::linalg::Cores;
use ndarray::{Array1, Array2, ArrayView1};

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
    /// Appends random Fourier features.
    Fourier(FourierFeatures),
}

impl Step {
    /// How many columns come out of rows of this many, or `None` where they cannot go through and come out finite.
    pub(crate) fn output_columns(&self, columns: usize) -> Option<usize> {
        let finite = |values: ArrayView1<f32>| values.iter().all(|x| x.is_finite());
        let (fits, out) = match self {
            Self::Center(by) | Self::Divide(by) => (by.len() == columns && finite(by.view()), columns),
            Self::Ridge(whitening) => {
                let square = whitening.map.dim() == (columns, columns);
                (square && whitening.map.rows().into_iter().all(finite), columns)
            }
            Self::Unit => (true, columns),
            Self::Scale(factor) => (factor.is_finite(), columns),
            Self::Fourier(features) => {
                let fits = features.frequencies.dim() == (columns, features.phases.len());
                let all = features.frequencies.rows().into_iter().all(finite) && finite(features.phases.view());
                (fits && all && features.scale.is_finite(), columns + features.phases.len())
            }
        };
        fits.then_some(out)
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
                Step::Fourier(features) => rows = features.apply(&rows, cores),
            }
        }
        rows
    }
}
