//! How rows enter a head: represented, centred, of unit mean square; with the pairs of near rows among them.

use super::super::{Model, Task};
use super::pairs::NeighborPairs;
use crate::Result;
use crate::ensemble::{EnsembleOptions, representations};
use crate::features::{Pipeline, Representation, Step, mean_square, means};
use crate::network::{Layer, Weights};
use ndarray::Array2;

/// The rows of a fit as heads see them.
pub(super) struct HeadRows {
    /// The steps after which distances are taken.
    pub representation: Pipeline,
    /// The steps from there to a head's inputs.
    pub encoding: Pipeline,
    /// The rows after both, `(n, d)`.
    pub inputs: Array2<f32>,
    /// Pairs of near rows.
    pub pairs: NeighborPairs,
}

impl HeadRows {
    /// The rows of a task, each with so many neighbours, of which a partner is up to `steps` steps away.
    pub fn of(task: &Task, neighbors: usize, steps: usize) -> Result<Self> {
        let representation = representation(task).fit(task.rows)?;
        let mut inputs = representation.apply(task.rows.to_owned());
        let pairs = NeighborPairs::of(inputs.view(), neighbors, steps);
        let mean = means(inputs.view());
        inputs -= &mean;
        let scale = 1.0 / mean_square(inputs.view()).max(1e-30).sqrt() as f32;
        inputs *= scale;
        let encoding = Pipeline { steps: vec![Step::Center(mean), Step::Scale(scale)] };
        Ok(Self { representation, encoding, inputs, pairs })
    }

    /// The model whose last layer is this.
    pub fn model(self, task: &Task, layer: Layer) -> Model {
        let Self { representation, encoding, .. } = self;
        let head = Weights { layers: vec![layer] };
        Model { representation, encoding, ..Model::new(task.config.clone(), task.rows.ncols(), head) }
    }
}

/// What was asked for; else rows of length one where there are many columns, as the authors compare cosines, and rows as the ensemble
/// first tries them where there are few or they are in different units.
fn representation(task: &Task) -> Representation {
    let tried = representations(task.rows, task.config.representation, &EnsembleOptions::default());
    if tried.contains(&Representation::Unit) { Representation::Unit } else { tried[0] }
}
