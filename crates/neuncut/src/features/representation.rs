//! How rows are represented before distances are taken.

use super::{Pipeline, RidgeWhitening, Step, row_space};
use crate::{Error, Result};
use ndarray::{Array1, ArrayView2};
use std::fmt;
use std::str::FromStr;

/// Directions of rows are looked at above this many columns.
const LOW_DIMENSION: usize = 16;
/// The ridges that are tried.
const RIDGES: [f32; 2] = [1e-2, 1e-3];

/// Bounds of squared distances, with room inside those of `f32` (1e-38 to 3e38): near neighbours are a thousandth apart.
const LARGEST_SQUARE: f64 = 1e37;
const SMALLEST_SQUARE: f64 = 1e-30;

/// A representation of rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Representation {
    /// Those of the others that fit the data's dimension are tried, and one is chosen by the cuts it allows.
    #[default]
    Auto,
    /// Centred rows.
    Raw,
    /// Centred rows, each column divided by its standard deviation.
    Standard,
    /// Rows of length one.
    Unit,
    /// Ridge-whitened unit rows: closed-form self-expression.
    Ridge(f32),
}

impl Representation {
    /// What to try for data of this many columns.
    pub(crate) fn candidates(self, width: usize) -> Vec<Self> {
        match self {
            Self::Auto if width <= 2 => vec![Self::Raw],
            Self::Auto if width <= LOW_DIMENSION => vec![Self::Raw, Self::Standard],
            Self::Auto => [Self::Raw, Self::Standard, Self::Unit].into_iter().chain(RIDGES.map(Self::Ridge)).collect(),
            given => vec![given],
        }
    }

    /// The feature steps, fitted on the training rows. Wide rows leave them in the space that the training rows span.
    pub(crate) fn fit(self, rows: ArrayView2<f32>) -> Result<Pipeline> {
        let (steps, ridge) = match self {
            Self::Auto | Self::Raw => {
                let mean = means(rows);
                check_range(rows, &mean)?;
                (vec![Step::Center(mean)], None)
            }
            Self::Standard => (vec![Step::Center(means(rows)), Step::Divide(deviations(rows))], None),
            Self::Unit => (vec![Step::Unit], None),
            Self::Ridge(ridge) => (Vec::new(), Some(ridge)),
        };
        let mut pipeline = Pipeline { steps };
        if row_space::is_wide(rows) {
            if ridge.is_some() {
                pipeline.steps.push(Step::Unit);
            }
            let basis = row_space::basis(pipeline.apply(rows.to_owned()).view())?;
            pipeline.steps.push(Step::Project(basis));
        }
        if let Some(ridge) = ridge {
            let whitening = RidgeWhitening::fit(pipeline.apply(rows.to_owned()).view(), ridge)?;
            pipeline.steps.push(Step::Ridge(whitening));
        }
        Ok(pipeline)
    }
}

/// Refuses values whose squared distances leave the range of `f32`, where all rows would look equally far or equal.
pub(crate) fn check_range(rows: ArrayView2<f32>, mean: &Array1<f32>) -> Result<()> {
    let (mut squares, mut largest) = (0.0, (0.0, 0, 0.0));
    for ((_, column), &value) in rows.indexed_iter() {
        let square = (f64::from(value) - f64::from(mean[column])).powi(2);
        squares += square;
        if square > largest.0 {
            largest = (square, column, value);
        }
    }
    let (square, column, value) = largest;
    if square * rows.ncols() as f64 > LARGEST_SQUARE {
        return Err(Error::Degenerate(format!(
            "column {} holds {value:e}, and its distances overflow: remove marks of missing values, or scale the column down",
            column + 1
        )));
    }
    let spread = squares / rows.len().max(1) as f64;
    if 0.0 < spread && spread < SMALLEST_SQUARE {
        let problem =
            format!("the rows differ by about {:.0e}, and their distances vanish: scale the columns up", spread.sqrt());
        return Err(Error::Degenerate(problem));
    }
    Ok(())
}

/// Column means.
pub(crate) fn means(rows: ArrayView2<f32>) -> Array1<f32> {
    let n = rows.nrows().max(1) as f64;
    column_sums(rows, |x| x).mapv(|sum| (sum / n) as f32)
}

/// Column standard deviations; one for a constant column, which then stays zero.
pub(crate) fn deviations(rows: ArrayView2<f32>) -> Array1<f32> {
    variances(rows).mapv(|v| if v > 0.0 { v.sqrt() as f32 } else { 1.0 })
}

/// Column variances; zero for a constant column, whatever rounding says.
pub(crate) fn variances(rows: ArrayView2<f32>) -> Array1<f64> {
    let n = rows.nrows().max(1) as f64;
    let mean = column_sums(rows, |x| x) / n;
    let mut variances = column_sums(rows, |x| x * x) / n - &mean * &mean;
    variances.zip_mut_with(&mean, |v, m| *v = if *v > 1e-12 * (1e-30 + m * m) { *v } else { 0.0 });
    variances
}

/// The column with the largest share of the variance, counted from 1, and that share; none for a single column.
pub(crate) fn dominant_column(rows: ArrayView2<f32>) -> Option<(usize, f64)> {
    let variance = variances(rows);
    let largest = (0..variance.len()).max_by(|&a, &b| variance[a].total_cmp(&variance[b]).then(b.cmp(&a)))?;
    let total = variance.sum();
    (rows.ncols() > 1 && total > 0.0).then(|| (largest + 1, variance[largest] / total))
}

fn column_sums(rows: ArrayView2<f32>, of: impl Fn(f64) -> f64) -> Array1<f64> {
    let mut sums = Array1::zeros(rows.ncols());
    for row in rows.rows() {
        sums.zip_mut_with(&row, |sum: &mut f64, &x| *sum += of(f64::from(x)));
    }
    sums
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Raw => write!(f, "raw"),
            Self::Standard => write!(f, "standard"),
            Self::Unit => write!(f, "unit"),
            Self::Ridge(ridge) => write!(f, "ridge={ridge}"),
        }
    }
}

impl FromStr for Representation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "raw" => Ok(Self::Raw),
            "standard" => Ok(Self::Standard),
            "unit" => Ok(Self::Unit),
            _ => text
                .strip_prefix("ridge=")
                .and_then(|ridge| ridge.parse().ok())
                .map(Self::Ridge)
                .ok_or_else(|| format!("`{text}` is none of auto, raw, standard, unit and ridge=NUMBER")),
        }
    }
}

crate::words::as_words!(Representation);
