//! How rows are represented before distances are taken.

use crate::{Error, Result};
use crate::features::{Pipeline, RidgeWhitening, Step};
use ndarray::{Array1, ArrayView2, Axis};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// Up to this many columns the rows are taken as they are.
const LOW_DIMENSION: usize = 16;
/// The ridges that are tried.
const RIDGES: [f32; 2] = [1e-2, 1e-3];

/// Bounds of squared distances, with room inside those of `f32` (1e-38 to 3e38): near neighbours are a thousandth apart.
const LARGEST_SQUARE: f64 = 1e37;
const SMALLEST_SQUARE: f64 = 1e-30;

/// A representation of rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Representation {
    /// Each of the others that fits the data's dimension is tried; the one whose partition has the lowest Ncut on its own graph
    /// is kept.
    #[default]
    Auto,
    /// Centred rows.
    Raw,
    /// Rows of length one.
    Unit,
    /// Ridge-whitened unit rows: closed-form self-expression.
    Ridge(f32),
}

impl Representation {
    /// What to try for data of this many columns.
    pub(super) fn candidates(self, width: usize) -> Vec<Self> {
        match self {
            Self::Auto if width <= LOW_DIMENSION => vec![Self::Raw],
            Self::Auto => std::iter::once(Self::Unit).chain(RIDGES.map(Self::Ridge)).collect(),
            given => vec![given],
        }
    }

    /// The feature steps, fitted on the training rows.
    pub(super) fn fit(self, rows: ArrayView2<f32>) -> Result<Pipeline> {
        let step = match self {
            Self::Auto | Self::Raw => {
                let mean = rows.mapv(f64::from).mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(rows.ncols()));
                check_range(rows, &mean)?;
                Step::Center(mean.mapv(|x| x as f32))
            }
            Self::Unit => Step::Unit,
            Self::Ridge(ridge) => Step::Ridge(RidgeWhitening::fit(rows, ridge)?),
        };
        Ok(Pipeline { steps: vec![step] })
    }
}

/// Refuses values whose squared distances leave the range of `f32`, where all rows would look equally far or equal.
fn check_range(rows: ArrayView2<f32>, mean: &Array1<f64>) -> Result<()> {
    let (mut squares, mut largest) = (0.0, (0.0, 0, 0.0));
    for ((_, column), &value) in rows.indexed_iter() {
        let square = (f64::from(value) - mean[column]).powi(2);
        squares += square;
        if square > largest.0 {
            largest = (square, column, value);
        }
    }
    let (square, column, value) = largest;
    if square * rows.ncols() as f64 > LARGEST_SQUARE {
        return Err(Error::Degenerate(format!(
            "column {} holds {value:e}, and its distances overflow: take out marks of missing values, or scale the column down",
            column + 1
        )));
    }
    let spread = squares / rows.len().max(1) as f64;
    if 0.0 < spread && spread < SMALLEST_SQUARE {
        let problem = format!("the rows differ by about {:.0e}, and their distances vanish: scale the columns up", spread.sqrt());
        return Err(Error::Degenerate(problem));
    }
    Ok(())
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Raw => write!(f, "raw"),
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
            "unit" => Ok(Self::Unit),
            _ => text
                .strip_prefix("ridge=")
                .and_then(|ridge| ridge.parse().ok())
                .map(Self::Ridge)
                .ok_or_else(|| format!("`{text}` is none of auto, raw, unit and ridge=NUMBER")),
        }
    }
}

impl Serialize for Representation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Representation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
