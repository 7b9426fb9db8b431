//! What becomes of rows in which values are missing: nulls, empty fields and NaN.

use crate::element::is_beyond;
use std::fmt;
use std::str::FromStr;

/// What is done about a row with a missing value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnNull {
    /// It is an error, which names the row.
    #[default]
    Refuse,
    /// The row takes no part; where rows are labelled, it has no label.
    Skip,
    /// The value is zero.
    Zero,
}

impl FromStr for OnNull {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "refuse" => Ok(Self::Refuse),
            "skip" => Ok(Self::Skip),
            "zero" => Ok(Self::Zero),
            _ => Err("possible values: refuse, skip, zero".into()),
        }
    }
}

impl fmt::Display for OnNull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refuse => "refuse",
            Self::Skip => "skip",
            Self::Zero => "zero",
        })
    }
}

/// Whether a value is missing: readers that allow it put NaN in its place.
fn is_missing(value: f32) -> bool {
    value.is_nan() && !is_beyond(value)
}

/// Puts zero in the place of missing values.
fn to_zero(values: &mut [f32]) {
    for value in values.iter_mut().filter(|value| is_missing(**value)) {
        *value = 0.0;
    }
}

/// Takes out the rows with a missing value, from `start` on, and gives their numbers counted from there.
fn remove_rows(rows: &mut Vec<f32>, start: usize, width: usize) -> Vec<usize> {
    let mut removed = Vec::new();
    let mut end = start;
    for (row, begin) in (start..rows.len()).step_by(width.max(1)).enumerate() {
        if rows[begin..begin + width].iter().any(|value| is_missing(*value)) {
            removed.push(row);
            continue;
        }
        rows.copy_within(begin..begin + width, end);
        end += width;
    }
    rows.truncate(end);
    removed
}

/// What is done about missing values, and the rows that were skipped because of them.
#[derive(Debug)]
pub(crate) struct MissingValues {
    pub on_null: OnNull,
    /// Rows that were skipped so far.
    pub skipped: u64,
    /// Which of the rows since [`MissingValues::take_skipped`] they are.
    newly_skipped: Vec<u64>,
    rows_since: u64,
}

impl MissingValues {
    /// Before the first row.
    pub fn new(on_null: OnNull) -> Self {
        Self { on_null, skipped: 0, newly_skipped: Vec::new(), rows_since: 0 }
    }

    /// Does about the last rows, which begin at `start`, what was asked for; gives the rows that it took out, counted from there.
    pub fn treat(&mut self, rows: &mut Vec<f32>, start: usize, width: usize, count: usize) -> Vec<usize> {
        let removed = match self.on_null {
            OnNull::Refuse => Vec::new(),
            OnNull::Zero => {
                to_zero(&mut rows[start..]);
                Vec::new()
            }
            OnNull::Skip => remove_rows(rows, start, width),
        };
        self.skipped += removed.len() as u64;
        self.newly_skipped.extend(removed.iter().map(|&row| self.rows_since + row as u64));
        self.rows_since += count as u64;
        removed
    }

    /// Which of the rows since the last call were skipped, counted from 0 among all of them.
    pub fn take_skipped(&mut self) -> Vec<u64> {
        self.rows_since = 0;
        std::mem::take(&mut self.newly_skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_taken_out() {
        let mut rows = vec![9.0, 9.0, f32::NAN, 1.0, 2.0, 3.0, 4.0, f32::NAN];
        assert_eq!(remove_rows(&mut rows, 2, 2), [0, 2]);
        assert_eq!(rows, [9.0, 9.0, 2.0, 3.0]);
        let mut all = vec![f32::NAN; 3];
        assert_eq!(remove_rows(&mut all, 0, 1), [0, 1, 2]);
        assert!(all.is_empty());
    }

    #[test]
    fn numbers_that_are_too_large_are_not_missing() {
        let mut values = [crate::element::narrowed(1e300), f32::NAN, f32::INFINITY];
        to_zero(&mut values);
        assert!(is_beyond(values[0]) && values[1] == 0.0 && values[2].is_infinite());
    }
}
