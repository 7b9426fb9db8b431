//! Checks that settings share.

use super::Auto;
use crate::{Error, Result};

/// The widest layer: a slip of the finger must not fill the memory.
const WIDEST: usize = 1 << 16;

pub(super) fn positive(field: &'static str, value: f64) -> Result<()> {
    let must = "a positive number";
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(Error::config(field, value, must)) }
}

pub(super) fn positive_unless_auto(field: &'static str, value: Auto<impl Into<f64> + Copy>) -> Result<()> {
    match value {
        Auto::Auto => Ok(()),
        Auto::Given(value) => positive(field, value.into()),
    }
}

pub(super) fn zero_or_positive(field: &'static str, value: f64) -> Result<()> {
    let must = "zero or a positive number";
    if value >= 0.0 && value.is_finite() { Ok(()) } else { Err(Error::config(field, value, must)) }
}

pub(super) fn at_least_one(field: &'static str, value: usize) -> Result<()> {
    if value >= 1 { Ok(()) } else { Err(Error::config(field, value, "at least 1")) }
}

pub(super) fn at_least_clusters(field: &'static str, value: usize, clusters: usize) -> Result<()> {
    match value < clusters {
        true => Err(Error::config(field, value, format!("no smaller than the number of clusters, {clusters}"))),
        false => Ok(()),
    }
}

pub(super) fn widths(field: &'static str, widths: &[usize]) -> Result<()> {
    match widths.iter().find(|width| !(1..=WIDEST).contains(*width)) {
        Some(width) => Err(Error::config(field, width, format!("from 1 to {WIDEST}"))),
        None => Ok(()),
    }
}
