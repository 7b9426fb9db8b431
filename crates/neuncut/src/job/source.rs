//! What a job reads its rows from.

use crate::data::{ColumnNames, Table, sample_indices, sample_with};
use crate::features::{ArrayRows, RowSource};
use crate::seed::Stream;
use crate::train::Observer;
use crate::{Error, Result, TableError};
use ndarray::{Array2, ArrayView2, Axis, CowArray, Ix2};

/// Rows that are drawn from a source.
#[derive(Debug)]
pub struct Drawn<'a> {
    /// The rows, in the order of the source.
    pub rows: CowArray<'a, f32, Ix2>,
    /// Which they are, counted from 0; none where they are all.
    pub indices: Option<Vec<u64>>,
    /// Rows in the source.
    pub total: u64,
    /// A hash of all values, where it is known.
    pub fingerprint: Option<u64>,
}

/// Rows that can be read again, and of which a sample can be drawn.
pub trait JobSource: RowSource {
    /// The same as rows alone.
    fn rows(&mut self) -> &mut dyn RowSource;

    /// What messages call it.
    fn name(&self) -> String {
        "the data".into()
    }

    /// What its columns are called, where they have names.
    fn column_names(&self) -> ColumnNames {
        ColumnNames::Unnamed
    }

    /// Its rows, where they are known before they are read.
    fn row_count(&self) -> Option<u64>;

    /// A uniform sample of at most so many rows, all where there are no more, among them those that are `wanted` in any case, which are
    /// ascending. It stands at the first row.
    ///
    /// # Errors
    /// When rows cannot be read, or `observer` asks to stop.
    fn draw(
        &mut self,
        wanted: &[u64],
        at_most: usize,
        rng: &mut Stream,
        observer: &mut dyn Observer,
    ) -> Result<Drawn<'_>>;
}

/// Refuses rows with a column of zeros that are none in the data: numbers which single precision has not, because they are too small.
///
/// # Errors
/// When `has_vanished` says of a column of zeros that there are such numbers in it.
pub fn check_vanished(
    what: &str,
    rows: ArrayView2<f32>,
    names: &ColumnNames,
    has_vanished: impl Fn(usize) -> bool,
) -> Result<()> {
    let is_zero = |column: usize| rows.column(column).iter().all(|value| *value == 0.0);
    match (0..rows.ncols()).find(|&column| has_vanished(column) && is_zero(column)) {
        None => Ok(()),
        Some(column) => {
            let name = names.of(column).unwrap_or_else(|| (column + 1).to_string());
            let problem = "holds only numbers too small for single precision (below 1e-45), which would all count as 0";
            let remedy = "scale the column up, or leave it out";
            Err(Error::Table(TableError::data(what, format!("column {name} {problem}: {remedy}"))))
        }
    }
}

impl JobSource for Table {
    fn rows(&mut self) -> &mut dyn RowSource {
        self
    }

    fn name(&self) -> String {
        Table::name(self)
    }

    fn column_names(&self) -> ColumnNames {
        Table::column_names(self).clone()
    }

    fn row_count(&self) -> Option<u64> {
        Table::row_count(self)
    }

    fn draw(
        &mut self,
        wanted: &[u64],
        at_most: usize,
        rng: &mut Stream,
        observer: &mut dyn Observer,
    ) -> Result<Drawn<'_>> {
        let count = Table::row_count(self);
        let sample = sample_with(self, wanted, at_most, rng, &mut |done| {
            observer.rows("reading", done, count);
            if observer.interrupted() { Err(Error::Interrupted) } else { Ok(()) }
        })?;
        check_vanished(&Table::name(self), sample.rows.view(), Table::column_names(self), |column| {
            self.has_vanished(column)
        })?;
        let all = sample.indices.len() as u64 == sample.total;
        Ok(Drawn {
            rows: CowArray::from(sample.rows),
            indices: (!all).then_some(sample.indices),
            total: sample.total,
            fingerprint: Some(sample.fingerprint),
        })
    }
}

impl JobSource for ArrayRows<'_> {
    fn rows(&mut self) -> &mut dyn RowSource {
        self
    }

    fn row_count(&self) -> Option<u64> {
        Some(self.view().nrows() as u64)
    }

    fn draw(&mut self, wanted: &[u64], at_most: usize, rng: &mut Stream, _: &mut dyn Observer) -> Result<Drawn<'_>> {
        let total = self.view().nrows();
        let indices = (total > at_most).then(|| sample_indices(total as u64, wanted, at_most, rng));
        let gathered = |indices: &Vec<u64>| -> Array2<f32> {
            let rows: Vec<usize> = indices.iter().map(|&row| row as usize).collect();
            self.view().select(Axis(0), &rows)
        };
        let rows = indices.as_ref().map_or_else(|| CowArray::from(self.view()), |indices| gathered(indices).into());
        Ok(Drawn { rows, indices, total: total as u64, fingerprint: None })
    }
}
