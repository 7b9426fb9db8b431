//! Prediction on the CPU: raw rows through the feature steps and all layers, in fixed tiles.

use super::Level;
use super::model::argmax_rows;
use crate::Result;
use crate::features::{Pipeline, Route};
use crate::linalg::Cores;
use crate::network::{PackedWeights, Screen, Weights};
use crate::rows::gather;
use crate::tiles::{TILE_ROWS, for_tiles, padded};
use crate::vector::softmax_row;
use ndarray::{Array2, ArrayView2, Axis, CowArray, Ix2, s};
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// Rows of which the share of doubtful ones is known well enough.
const TRIAL_ROWS: usize = 4 * TILE_ROWS;

/// Feature steps and a network whose layers are laid out once, for any number of batches.
pub struct Inference<'a> {
    /// Steps up to the last encoder, where there is one.
    encoding: Route<'a>,
    /// Those behind it.
    features: Route<'a>,
    weights: &'a Weights,
    network: PackedWeights<'a>,
    /// Outputs that are one cluster together.
    grouping: Option<&'a Level>,
    /// The rounded network, once it has paid to make it; whether that was begun.
    screen: OnceLock<Option<Screen<'a>>>,
    rounding: AtomicBool,
    /// Rows whose labels are to be asked for, as far as is known; those of them that were asked for, that were screened, and that were
    /// left in doubt.
    expected: AtomicUsize,
    asked: AtomicUsize,
    screened: AtomicUsize,
    doubtful: AtomicUsize,
}

impl<'a> Inference<'a> {
    /// Lays out the layers.
    pub fn new(features: Route<'a>, weights: &'a Weights) -> Self {
        let (encoding, features) = features.split();
        Self {
            encoding,
            features,
            weights,
            network: weights.packed(),
            grouping: None,
            screen: OnceLock::new(),
            rounding: AtomicBool::new(false),
            expected: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
            screened: AtomicUsize::new(0),
            doubtful: AtomicUsize::new(0),
        }
    }

    /// The same with outputs that are one cluster together.
    pub(super) fn grouped(self, grouping: Option<&'a Level>) -> Self {
        Self { grouping, ..self }
    }

    /// Memberships `(n, k)` of rows `(n, d)`: the same bits for a row however rows are grouped. Rows must be finite, as those of a
    /// [`Table`](crate::data::Table) are; this is not checked again.
    ///
    /// # Errors
    /// When an encoder among the steps fails on the rows.
    ///
    /// # Panics
    /// If the rows do not have the columns that the network takes.
    pub fn memberships(&self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        Ok(self.memberships_of_encoded(self.encoded(rows)?.view()))
    }

    /// What the encoder among the steps makes of rows: the rows, where there is none.
    fn encoded<'r>(&self, rows: ArrayView2<'r, f32>) -> Result<CowArray<'r, f32, Ix2>> {
        Ok(self.encoding.encode(rows)?.map_or_else(|| CowArray::from(rows), CowArray::from))
    }

    /// How many columns rows of so many have behind the encoder.
    pub(crate) fn encoded_columns(&self, columns: usize) -> usize {
        self.encoding.n_features(columns)
    }

    /// Memberships of rows as they are behind the encoder, or of any where there is none.
    pub(crate) fn memberships_of_encoded(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        let memberships = for_tiles(rows, self.network.n_outputs(), |tile, mut memberships| {
            self.with_inputs(tile, |inputs| self.network.outputs_into(memberships.view_mut(), inputs, Cores::One));
            memberships
                .rows_mut()
                .into_iter()
                .for_each(|mut row| softmax_row(row.as_slice_mut().expect("rows lie in one piece")));
        });
        match self.grouping {
            Some(grouping) => grouping.memberships(memberships.view()),
            None => memberships,
        }
    }

    /// Says that the labels of so many rows will be asked for in all, in however many parts.
    pub fn expect(&self, rows: usize) {
        self.expected.fetch_max(rows, Relaxed);
    }

    /// The cluster with the largest membership of each of the rows `(n, d)`. Of many rows most are labelled by rounded products, where
    /// the processor has them; no label is changed by that.
    ///
    /// # Errors
    /// When an encoder among the steps fails on the rows.
    ///
    /// # Panics
    /// If the rows do not have the columns that the network takes.
    pub fn labels(&self, rows: ArrayView2<f32>) -> Result<Vec<u32>> {
        Ok(self.labels_of_encoded(self.encoded(rows)?.view()))
    }

    /// Labels of rows as they are behind the encoder, or of any where there is none.
    fn labels_of_encoded(&self, rows: ArrayView2<f32>) -> Vec<u32> {
        self.expect(self.asked.fetch_add(rows.nrows(), Relaxed) + rows.nrows());
        let mut labels = Vec::with_capacity(rows.nrows());
        while labels.len() < rows.nrows() {
            let rest = rows.slice(s![labels.len().., ..]);
            match self.screen() {
                Some(screen) => {
                    let on_trial = self.screened.load(Relaxed) < TRIAL_ROWS;
                    let count = if on_trial { rest.nrows().min(TRIAL_ROWS) } else { rest.nrows() };
                    labels.extend(self.screened_labels(screen, rest.slice(s![..count, ..])));
                }
                None => labels.extend(argmax_rows(self.memberships_of_encoded(rest).view())),
            }
        }
        labels
    }

    /// Of the rows whose labels were asked for, how many were labelled by rounded products.
    pub fn certain_rows(&self) -> usize {
        let doubtful = self.doubtful.load(Acquire);
        self.screened.load(Relaxed) - doubtful
    }

    /// The rounded network, where it is of use.
    fn screen(&self) -> Option<&Screen<'a>> {
        let (screened, doubtful) = (self.screened.load(Relaxed), self.doubtful.load(Relaxed));
        let in_vain = screened >= TRIAL_ROWS && doubtful > screened / 4;
        // the largest output may not be part of the largest cluster
        if in_vain || self.grouping.is_some() || self.expected.load(Relaxed) < Screen::fewest_rows(self.weights) {
            return None;
        }
        // a thread that waited for another one's layers could be the one to make them, between tasks of its own: so none waits
        if !self.rounding.swap(true, Relaxed) {
            let _ = self.screen.set(Screen::of(self.weights));
        }
        self.screen.get()?.as_ref()
    }

    /// Labels by the rounded network, and by the exact one where that leaves doubts.
    fn screened_labels(&self, screen: &Screen, rows: ArrayView2<f32>) -> Vec<u32> {
        let mut certain = vec![None; rows.nrows()];
        let width = self.features.n_features(rows.ncols());
        assert_eq!(width, self.weights.n_inputs(), "the columns that the network takes");
        let tiles = certain.par_chunks_mut(TILE_ROWS).zip(rows.axis_chunks_iter(Axis(0), TILE_ROWS));
        tiles.for_each(|(certain, tile)| self.with_inputs(tile, |inputs| screen.label(inputs, certain)));
        let doubtful: Vec<usize> = (0..certain.len()).filter(|&row| certain[row].is_none()).collect();
        let left = gather(rows, &doubtful);
        let mut exact = argmax_rows(self.memberships_of_encoded(left.view()).view()).into_iter();
        let or_exact =
            |label: Option<u32>| label.or_else(|| exact.next()).expect("every doubtful row has an exact label");
        let labels = certain.into_iter().map(or_exact).collect();
        self.screened.fetch_add(rows.nrows(), Relaxed);
        self.doubtful.fetch_add(doubtful.len(), Release);
        labels
    }

    /// What the network is given for a tile of rows.
    fn with_inputs(&self, tile: ArrayView2<f32>, use_them: impl FnOnce(ArrayView2<f32>)) {
        if self.features.is_empty() {
            return use_them(tile);
        }
        let inputs = self.features.apply_on(padded(tile), Cores::One);
        use_them(inputs.slice(s![..tile.nrows(), ..]));
    }
}

impl Weights {
    /// Memberships `(n, k)` of rows `(n, d)` after the feature steps, none of which is an encoder: the same bits for a row however rows
    /// are grouped.
    pub fn memberships(&self, features: &Pipeline, rows: ArrayView2<f32>) -> Array2<f32> {
        Inference::new(features.route(), self).memberships_of_encoded(rows)
    }

    /// The cluster of each of the rows `(n, d)` after the feature steps, none of which is an encoder.
    pub fn labels(&self, features: &Pipeline, rows: ArrayView2<f32>) -> Vec<u32> {
        Inference::new(features.route(), self).labels_of_encoded(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    #[test]
    fn a_row_gets_the_same_bits_however_rows_are_grouped() {
        let mut rng = Seed(4).stream("rows");
        let weights = Weights::random(&[30, 33, 17, 5], &mut rng);
        let rows = Array2::from_shape_fn((1000, 30), |_| rng.random::<f32>() - 0.5);
        let whole = weights.memberships(&Pipeline::default(), rows.view());
        for batch in [1, 7, 255, 256, 300] {
            for (b, chunk) in rows.axis_chunks_iter(Axis(0), batch).enumerate() {
                let part = weights.memberships(&Pipeline::default(), chunk);
                assert_eq!(part, whole.slice(s![b * batch..b * batch + chunk.nrows(), ..]), "batch {batch}");
            }
        }
        assert!(whole.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-5));
    }

    #[test]
    fn labels_are_the_largest_memberships_of_many_rows_too() {
        let mut rng = Seed(4).stream("rows");
        let rows = Array2::from_shape_fn((5000, 30), |_| rng.random::<f32>() - 0.5);
        let mut weights = Weights::random(&[30, 200, 200, 3], &mut rng);
        let features = Pipeline::default();
        for gain in [1.0, 1000.0] {
            weights.layers[2].bias[1] *= gain; // a cluster that most rows are in for certain, or none
            let expected = argmax_rows(weights.memberships(&Pipeline::default(), rows.view()).view());
            assert_eq!(weights.labels(&Pipeline::default(), rows.view()), expected);
            // rounded where the processor has such products, and everywhere
            let forced = Inference {
                screen: OnceLock::from(Some(Screen::forced(&weights))),
                rounding: AtomicBool::new(true),
                ..Inference::new(features.route(), &weights)
            };
            for inference in [&Inference::new(features.route(), &weights), &forced] {
                let chunks: Vec<_> = rows.axis_chunks_iter(Axis(0), 1001).collect();
                let labels = chunks.into_par_iter().flat_map_iter(|rows| inference.labels_of_encoded(rows)); // at the same time, too
                assert_eq!(labels.collect::<Vec<_>>(), expected);
            }
            assert!(forced.screened.load(Relaxed) > 0, "rows went through rounded products");
        }
    }
}
