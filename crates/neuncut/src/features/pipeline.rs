//! A chain of fitted steps.

use super::encoder::Encoder;
use super::normalize::unit_rows;
use super::{Chain, ExemplarCode, FourierFeatures, LandmarkMap, Resize, RidgeWhitening, Scattering};
use crate::Result;
use crate::linalg::{Cores, matmul_into};
use crate::network::Weights;
use crate::tiles::{TILE_ROWS, in_tiles};
use crate::train::{History, Observer};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use std::sync::Arc;

/// Up to so many tiles are shared between cores inside of each tile as well.
const FEW_TILES: usize = 16;
/// Batches that go through an encoder before progress is told: enough for many cores.
const ENCODED_BATCHES: usize = 64;
/// Numbers beyond this are squared as this, so that sums of squares stay finite.
pub(crate) const MOST_SQUARED: f32 = 1e12;

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
    /// Resizes images.
    Resize(Resize),
    /// Images become scattering coefficients.
    Scattering(Scattering),
    /// Multiplies rows by a matrix `(d, count)`, such as principal components.
    Project(Array2<f32>),
    /// Rows become the codes of an autoencoder.
    Encode(Weights),
    /// Appends the squares of all columns.
    Squares,
    /// The logarithm of each number and a positive offset.
    Log {
        /// What is added first.
        offset: f32,
    },
    /// Rows become weighted means of what is known of their nearest landmarks.
    Landmarks(LandmarkMap),
    /// Rows become their sparse coefficients over exemplars.
    Exemplars(ExemplarCode),
    /// Rows become what a network from a file makes of them.
    Encoder(Arc<Encoder>),
}

impl Step {
    /// Applies it; `Cores::One` inside parallel loops.
    fn apply_on(&self, mut rows: Array2<f32>, cores: Cores) -> Array2<f32> {
        match self {
            Self::Center(mean) => rows -= mean,
            Self::Divide(by) => rows /= by,
            Self::Unit => unit_rows(&mut rows),
            Self::Ridge(whitening) => whitening.apply_on(&mut rows, cores),
            Self::Scale(factor) => rows *= *factor,
            Self::Fourier(features) => rows = features.apply(&rows, cores),
            Self::Resize(resize) => rows = resize.apply(rows.view()),
            Self::Scattering(scattering) => rows = scattering.apply(rows.view(), cores),
            Self::Project(map) => {
                let mut projected = Array2::zeros((rows.nrows(), map.ncols()));
                matmul_into(projected.view_mut(), rows.view(), map.view(), cores);
                rows = projected;
            }
            Self::Encode(encoder) => rows = encoder.outputs_on(rows.view(), cores),
            Self::Squares => rows = with_squares(&rows),
            // numbers are squares and their sums, which rounding alone can make negative
            Self::Log { offset } => rows.mapv_inplace(|x| (x.max(0.0) + offset).ln()),
            Self::Landmarks(map) => rows = map.apply(rows.view(), cores),
            Self::Exemplars(code) => rows = code.apply(rows.view(), cores),
            Self::Encoder(_) => {
                unreachable!("encoders have batches of their own, and can fail: see `Route::transform`")
            }
        }
        rows
    }

    /// How many columns come out of rows of this many, or `None` where they cannot go through and come out finite.
    pub(crate) fn output_columns(&self, columns: usize) -> Option<usize> {
        let finite = |values: ArrayView1<f32>| values.iter().all(|x| x.is_finite());
        let all_finite = |map: &Array2<f32>| map.rows().into_iter().all(finite);
        let fits = match self {
            Self::Center(by) => by.len() == columns && finite(by.view()),
            Self::Divide(by) => by.len() == columns && finite(by.view()) && by.iter().all(|&divisor| divisor > 0.0),
            Self::Ridge(whitening) => whitening.map.dim() == (columns, columns) && all_finite(&whitening.map),
            Self::Unit | Self::Squares => true,
            Self::Log { offset } => offset.is_finite() && *offset > 0.0,
            Self::Scale(factor) => factor.is_finite() && *factor != 0.0,
            Self::Fourier(features) => {
                let fits = features.frequencies.dim() == (columns, features.phases.len()) && features.scale.is_finite();
                fits && all_finite(&features.frequencies) && finite(features.phases.view())
            }
            Self::Resize(resize) => resize.from.len() == columns,
            Self::Scattering(scattering) => scattering.shape().len() == columns,
            Self::Project(map) => map.nrows() == columns && map.ncols() > 0 && all_finite(map),
            Self::Encode(encoder) => encoder.n_inputs() == columns && encoder.is_finite(),
            Self::Landmarks(map) => map.takes(columns),
            Self::Exemplars(code) => code.takes(columns),
            Self::Encoder(encoder) => encoder.columns() == columns,
        };
        fits.then(|| self.n_outputs(columns))
    }

    /// Columns that it gives for so many.
    pub fn n_outputs(&self, columns: usize) -> usize {
        match self {
            Self::Center(_) | Self::Divide(_) | Self::Unit | Self::Ridge(_) | Self::Scale(_) | Self::Log { .. } => {
                columns
            }
            Self::Squares => 2 * columns,
            Self::Fourier(features) => columns + features.phases.len(),
            Self::Resize(resize) => resize.to.len(),
            Self::Scattering(scattering) => scattering.n_features(),
            Self::Project(map) => map.ncols(),
            Self::Encode(encoder) => encoder.n_outputs(),
            Self::Landmarks(landmarks) => landmarks.map.ncols(),
            Self::Exemplars(code) => code.exemplars().nrows(),
            Self::Encoder(encoder) => encoder.n_outputs(),
        }
    }
}

/// The rows and the squares of their columns, `(n, 2 d)`.
fn with_squares(rows: &Array2<f32>) -> Array2<f32> {
    let columns = rows.ncols();
    Array2::from_shape_fn((rows.nrows(), 2 * columns), |(i, j)| {
        let value = rows[[i, j % columns]];
        if j < columns { value } else { value.clamp(-MOST_SQUARED, MOST_SQUARED).powi(2) }
    })
}

/// A fitted chain: what `neuncut features --save` writes.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedChain {
    /// The chain as it was written.
    pub chain: Chain,
    /// Columns a row must have.
    pub columns: usize,
    /// The fitted steps.
    pub pipeline: Pipeline,
    /// Learning curves of the steps that are trained; they are not saved.
    pub history: Vec<History>,
}

impl FittedChain {
    /// What the steps make of rows `(n, columns)`: the same bits for a row however rows are grouped.
    ///
    /// # Errors
    /// When an encoder among the steps cannot be run on the rows, or gives numbers that are not finite.
    pub fn transform(&self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        self.pipeline.route().transform(rows)
    }

    /// The same, and `observer` is told how far an encoder has come.
    ///
    /// # Errors
    /// As [`FittedChain::transform`], or when `observer` asks to stop.
    pub fn transform_observed(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<Array2<f32>> {
        let batches = self.pipeline.steps.iter().filter_map(|step| match step {
            Step::Encoder(encoder) => Some(encoder.batch()),
            _ => None,
        });
        let Some(batch) = batches.max() else { return self.transform(rows) };
        let mut transformed = Array2::zeros((rows.nrows(), self.pipeline.n_features(self.columns)));
        let mut done = 0;
        for chunk in rows.axis_chunks_iter(Axis(0), ENCODED_BATCHES * batch) {
            observer.go_on()?;
            let end = done + chunk.nrows();
            transformed.slice_mut(s![done..end, ..]).assign(&self.transform(chunk)?);
            done = end;
            observer.rows("encoding", done as u64, Some(rows.nrows() as u64));
        }
        Ok(transformed)
    }
}

/// Steps in the order of application.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pipeline {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Pipeline {
    /// The steps, to be applied.
    pub fn route(&self) -> Route<'_> {
        self.steps.iter().collect()
    }

    /// Whether there is an encoder among the steps.
    pub(crate) fn has_encoder(&self) -> bool {
        self.route().behind_encoder() > 0
    }

    /// Applies every step on all cores.
    ///
    /// # Panics
    /// If a step is an encoder, which can fail: [`FittedChain::transform`] is for those.
    pub fn apply(&self, rows: Array2<f32>) -> Array2<f32> {
        self.route().apply_on(rows, Cores::All)
    }

    /// Applies every step in tiles of fixed size, as prediction does: the same bits for a row however rows are grouped.
    ///
    /// # Panics
    /// If a step is an encoder, which can fail: [`FittedChain::transform`] is for those.
    pub fn transform(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        self.route().in_tiles(rows)
    }

    /// Columns that come out for rows of so many columns.
    pub fn n_features(&self, columns: usize) -> usize {
        self.route().n_features(columns)
    }
}

/// Steps of one pipeline or of several, one after another.
#[derive(Debug, Clone)]
pub struct Route<'a>(Vec<&'a Step>);

impl<'a> FromIterator<&'a Step> for Route<'a> {
    fn from_iter<I: IntoIterator<Item = &'a Step>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl<'a> Route<'a> {
    /// Whether rows come out as they go in.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Applies every step, none of which is an encoder; `Cores::One` inside parallel loops.
    pub fn apply_on(&self, rows: Array2<f32>, cores: Cores) -> Array2<f32> {
        self.0.iter().fold(rows, |rows, step| step.apply_on(rows, cores))
    }

    /// Applies every step: the same bits for a row however rows are grouped.
    ///
    /// # Errors
    /// When an encoder among the steps cannot be run on the rows, or gives numbers that are not finite.
    pub fn transform(&self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        let (encoding, rest) = self.split();
        Ok(match encoding.encode(rows)? {
            Some(encoded) if rest.is_empty() => encoded,
            Some(encoded) => rest.in_tiles(encoded.view()),
            None => rest.in_tiles(rows),
        })
    }

    /// The steps up to the last encoder, where there is one, and those behind it.
    pub fn split(&self) -> (Self, Self) {
        let (encoding, rest) = self.0.split_at(self.behind_encoder());
        (Self(encoding.to_vec()), Self(rest.to_vec()))
    }

    /// Where the steps behind the last encoder begin.
    fn behind_encoder(&self) -> usize {
        self.0.iter().rposition(|step| matches!(step, Step::Encoder(_))).map_or(0, |last| last + 1)
    }

    /// Applies steps of which the last is an encoder; none leave rows as they are.
    pub fn encode(&self, rows: ArrayView2<f32>) -> Result<Option<Array2<f32>>> {
        let mut encoded: Option<Array2<f32>> = None;
        let is_encoder = |step: &&Step| matches!(step, Step::Encoder(_));
        for part in self.0.split_inclusive(is_encoder) {
            let Some((Step::Encoder(encoder), before)) = part.split_last().map(|(last, before)| (*last, before)) else {
                unreachable!("the last step is an encoder")
            };
            let rows = encoded.as_ref().map_or(rows, |encoded| encoded.view());
            encoded = Some(match before.is_empty() {
                true => encoder.encode(rows)?,
                false => encoder.encode(Self(before.to_vec()).in_tiles(rows).view())?,
            });
        }
        Ok(encoded)
    }

    /// Applies every step, none of which is an encoder, in tiles of fixed size.
    pub fn in_tiles(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        // few tiles are not enough for all cores
        let cores = if rows.nrows() > FEW_TILES * TILE_ROWS { Cores::One } else { Cores::All };
        in_tiles(rows, self.n_features(rows.ncols()), |tile| self.apply_on(tile, cores))
    }

    /// Columns that come out for rows of so many columns.
    pub fn n_features(&self, columns: usize) -> usize {
        self.0.iter().fold(columns, |columns, step| step.n_outputs(columns))
    }
}
