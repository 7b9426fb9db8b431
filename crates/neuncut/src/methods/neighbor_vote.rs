//! A model of labels that a method gave to the rows it knows: other rows are labelled by their nearest.
//!
//! The model holds the rows. A row's vote falls with the squared distance, so that a row which was fitted keeps its own label.

use super::record::recorded;
use super::{Config, Fitted, Model};
use crate::features::{Closeness, LandmarkMap, Pipeline, Step};
use crate::network::{Layer, Weights};
use ndarray::{Array1, Array2, ArrayView2};

/// Rows that vote.
const VOTERS: usize = 10;
/// Shares of the votes times this are the outputs, whose softmax the memberships are: all votes are a membership of nearly one, up to a
/// thousand clusters.
const SHARPNESS: f32 = 10.0;

/// The model of rows `(n, d)` that are `represented` so and have these labels, all below the number of clusters.
pub(super) fn voted(
    config: Config,
    representation: Pipeline,
    represented: Array2<f32>,
    rows: ArrayView2<f32>,
    labels: &[u32],
) -> Fitted {
    let k = config.clusters;
    let mut map = Array2::zeros((labels.len(), k));
    labels.iter().enumerate().for_each(|(i, &label)| map[[i, label as usize]] = 1.0);
    let nearest = VOTERS.min(labels.len());
    let votes = LandmarkMap { landmarks: represented, closeness: Closeness::Inverse, nearest, map };
    let head = Layer { weight: Array2::eye(k) * SHARPNESS, bias: Array1::zeros(k) };
    let encoding = Pipeline { steps: vec![Step::Landmarks(votes)] };
    let head = Weights { layers: vec![head] };
    recorded(Model { representation, encoding, ..Model::new(config, rows.ncols(), head) }, rows, Vec::new())
}
