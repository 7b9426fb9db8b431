//! Rows that a page may show: those that were looked at and, counted on behind them, typical rows that the model remembers and the sample
//! does not have. Only the former are counted in sizes, shares and scores.

use super::look::RowData;
use super::seen::Seen;
use ndarray::{Array2, ArrayView1, Axis};
use neuncut::data::Sample;
use std::collections::HashMap;

/// Rows of the table with what the model makes of them.
pub struct Part<'a> {
    pub sample: &'a Sample,
    pub seen: Seen,
    pub classes: Option<Vec<u32>>,
}

/// Rows that may be shown.
pub struct Candidates<'a> {
    pub looked: Part<'a>,
    pub remembered: Option<Part<'a>>,
}

impl Candidates<'_> {
    /// The part that a row is in, and its number there.
    fn part(&self, row: usize) -> (&Part<'_>, usize) {
        match (&self.remembered, row.checked_sub(self.looked.seen.labels.len())) {
            (Some(part), Some(row)) => (part, row),
            _ => (&self.looked, row),
        }
    }

    /// The number of a row of the table, where it may be shown.
    pub fn find(&self, place: u64) -> Option<usize> {
        let in_part = |part: &Part| part.sample.indices.binary_search(&place).ok();
        let behind = || Some(in_part(self.remembered.as_ref()?)? + self.looked.seen.labels.len());
        in_part(&self.looked).or_else(behind)
    }

    pub fn label(&self, row: usize) -> u32 {
        let (part, row) = self.part(row);
        part.seen.labels[row]
    }

    fn values(&self, row: usize) -> ArrayView1<'_, f32> {
        let (part, row) = self.part(row);
        part.sample.rows.row(row)
    }

    /// What a page says of a row, with the values that are drawn of it.
    pub fn data(&self, row: usize, drawn: &[usize]) -> RowData {
        let values = self.values(row);
        let values = drawn.iter().map(|&column| significant(values[column])).collect();
        let (Part { sample, seen, classes }, row) = self.part(row);
        RowData {
            row: sample.indices[row],
            id: String::new(),
            cluster: seen.labels[row],
            confidence: rounded(seen.confidence(row)),
            second: seen.second(row),
            second_confidence: rounded(seen.second_confidence(row)),
            class: classes.as_ref().map(|classes| classes[row]),
            text: String::new(),
            values,
        }
    }

    /// The rows themselves.
    pub fn rows(&self, rows: &[usize]) -> Array2<f32> {
        let mut values = Array2::zeros((rows.len(), self.looked.sample.rows.ncols()));
        for (&row, mut to) in rows.iter().zip(values.axis_iter_mut(Axis(0))) {
            to.assign(&self.values(row));
        }
        values
    }
}

/// Rows that are shown, each once.
#[derive(Default)]
pub struct Shown {
    pub rows: Vec<usize>,
    places: HashMap<usize, usize>,
}

impl Shown {
    pub fn index(&mut self, row: usize) -> usize {
        *self.places.entry(row).or_insert_with(|| {
            self.rows.push(row);
            self.rows.len() - 1
        })
    }
}

/// Four digits behind the point: the page needs no more.
fn rounded(value: f32) -> f32 {
    (1e4 * value).round() / 1e4
}

/// Four digits.
fn significant(value: f32) -> f32 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn part<'a>(sample: &'a Sample, memberships: Array2<f32>) -> Part<'a> {
        let labels = neuncut::methods::argmax_rows(memberships.view());
        Part { sample, seen: Seen { labels, memberships, features: sample.rows.clone() }, classes: None }
    }

    #[test]
    fn remembered_rows_are_counted_on_behind_the_sample() {
        let sample =
            |rows: Array2<f32>, indices: &[u64]| Sample { rows, indices: indices.to_vec(), total: 9, fingerprint: 0 };
        let (looked, others) = (sample(array![[1.0], [2.0]], &[0, 4]), sample(array![[1234.567]], &[7]));
        let remembered = Some(part(&others, array![[0.25, 0.75]]));
        let all = Candidates { looked: part(&looked, array![[0.9, 0.1], [0.2, 0.8]]), remembered };
        assert_eq!([0, 4, 7, 8].map(|place| all.find(place)), [Some(0), Some(1), Some(2), None]);
        assert_eq!([0, 1, 2].map(|row| all.label(row)), [0, 1, 1]);
        assert_eq!(all.rows(&[2, 0]), array![[1234.567], [1.0]]);
        let data = all.data(2, &[0]);
        assert_eq!((data.row, data.confidence, data.second, data.values), (7, 0.75, 0, vec![1235.0]));
    }
}
