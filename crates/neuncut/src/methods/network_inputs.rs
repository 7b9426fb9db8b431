//! Rows as networks take them: centred, of mean square one.

use crate::features::{Step, mean_square};
use ndarray::{Array2, Axis};

/// The rows, and the steps that make them so.
pub(super) struct NetworkInputs {
    pub rows: Array2<f32>,
    pub steps: Vec<Step>,
}

impl NetworkInputs {
    /// Those of represented rows `(n, d)`. One factor for all columns, so that distances stay what they are.
    pub fn of(represented: &Array2<f32>) -> Self {
        let mean = represented.mean_axis(Axis(0)).expect("there are rows");
        let mut rows = represented - &mean;
        let scale = 1.0 / mean_square(rows.view()).max(1e-30).sqrt() as f32;
        rows *= scale;
        Self { rows, steps: vec![Step::Center(mean), Step::Scale(scale)] }
    }
}
