//! Rows that Python holds, seen without a copy where they lie one after another as `f32`, and converted in blocks where not.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::ScalarBuffer;
use arrow_cast::cast;
use arrow_schema::DataType;
use ndarray::{Array2, ArrayView2, CowArray, Ix2};
use neuncut::data::{ColumnNames, ImageShape, sample_indices};
use neuncut::features::RowSource;
use neuncut::job::{Drawn, JobSource, check_vanished};
use neuncut::seed::Stream;
use neuncut::train::Observer;
use neuncut::{Error, Result, TableError};
use std::sync::Arc;

/// The values of some consecutive rows.
enum Values {
    /// Row after row.
    Flat(ScalarBuffer<f32>),
    /// Row after row, of another type.
    Other(ArrayRef),
    /// One array per column.
    Columns(Vec<ArrayRef>),
}

struct Part {
    first: usize,
    rows: usize,
    values: Values,
}

/// A table of numbers in one or more parts.
pub struct Matrix {
    parts: Vec<Part>,
    rows: usize,
    columns: usize,
}

impl Matrix {
    /// Rows that lie one after another.
    pub fn flat(values: ScalarBuffer<f32>, rows: usize, columns: usize) -> Self {
        Self { parts: vec![Part { first: 0, rows, values: Values::Flat(values) }], rows, columns }
    }

    /// A matrix of so many columns without rows; they are appended.
    pub fn empty(columns: usize) -> Self {
        Self { parts: Vec::new(), rows: 0, columns }
    }

    /// Appends rows whose values lie one after another.
    pub fn append_values(&mut self, values: &ArrayRef, rows: usize) {
        let plain = values.as_primitive_opt::<Float32Type>().filter(|array| array.null_count() == 0);
        let values = match plain {
            Some(array) => Values::Flat(array.values().clone()),
            None => Values::Other(values.clone()),
        };
        self.append(values, rows);
    }

    /// Appends rows of which each column is an array of its own.
    pub fn append_columns(&mut self, columns: Vec<ArrayRef>, rows: usize) {
        self.append(Values::Columns(columns), rows);
    }

    fn append(&mut self, values: Values, rows: usize) {
        if rows > 0 {
            self.parts.push(Part { first: self.rows, rows, values });
            self.rows += rows;
        }
    }

    pub fn n_rows(&self) -> usize {
        self.rows
    }

    pub fn n_columns(&self) -> usize {
        self.columns
    }

    /// Whether all rows can be seen at once without a copy.
    pub fn is_one_view(&self) -> bool {
        matches!(self.parts[..], [Part { values: Values::Flat(_), .. }])
    }

    /// Consecutive rows: a view where they lie in one part as they are, else a copy.
    pub fn block(&self, first: usize, count: usize) -> Result<CowArray<'_, f32, Ix2>> {
        let shape = (count, self.columns);
        let misfit = |e: ndarray::ShapeError| Error::Degenerate(e.to_string());
        let within = self.parts.iter().find(|part| part.first <= first && first + count <= part.first + part.rows);
        if let Some(Part { first: start, values: Values::Flat(values), .. }) = within {
            let begin = (first - start) * self.columns;
            let slice = &values[begin..begin + count * self.columns];
            return ArrayView2::from_shape(shape, slice).map(CowArray::from).map_err(misfit);
        }
        let mut copied = vec![0.0; count * self.columns];
        self.copy(first, count, &mut copied)?;
        Array2::from_shape_vec(shape, copied).map(CowArray::from).map_err(misfit)
    }

    /// The rows of these numbers, which ascend.
    pub fn gather(&self, indices: &[u64]) -> Result<Array2<f32>> {
        let mut gathered = vec![0.0; indices.len() * self.columns];
        for (row, &index) in gathered.chunks_exact_mut(self.columns.max(1)).zip(indices) {
            self.copy(index as usize, 1, row)?;
        }
        Array2::from_shape_vec((indices.len(), self.columns), gathered).map_err(|e| Error::Degenerate(e.to_string()))
    }

    /// Whether a column, which reads as zeros, has other numbers, which single precision has not.
    fn has_vanished(&self, column: usize) -> bool {
        let is_vanished = |number: Option<&f64>| number.is_some_and(|number| *number != 0.0 && *number as f32 == 0.0);
        self.parts.iter().any(|part| match &part.values {
            Values::Flat(_) => false,
            Values::Other(values) => doubles(values).chunks_exact(self.columns).any(|row| is_vanished(row.get(column))),
            Values::Columns(arrays) => doubles(&arrays[column]).iter().any(|number| is_vanished(Some(number))),
        })
    }

    /// Copies consecutive rows, one after another.
    fn copy(&self, first: usize, count: usize, out: &mut [f32]) -> Result<()> {
        let (columns, end) = (self.columns, first + count);
        let begin = self.parts.partition_point(|part| part.first + part.rows <= first);
        for part in self.parts[begin..].iter().take_while(|part| part.first < end) {
            let (from, to) = (first.max(part.first), end.min(part.first + part.rows));
            let inside = from - part.first;
            let out = &mut out[(from - first) * columns..(to - first) * columns];
            match &part.values {
                Values::Flat(values) => out.copy_from_slice(&values[inside * columns..(to - part.first) * columns]),
                Values::Other(values) => {
                    let numbers = numbers(&values.slice(inside * columns, out.len()))
                        .map_err(|place| null(from + place / columns, place % columns))?;
                    out.copy_from_slice(&numbers);
                }
                Values::Columns(arrays) => {
                    for (column, array) in arrays.iter().enumerate() {
                        let numbers =
                            numbers(&array.slice(inside, to - from)).map_err(|place| null(from + place, column))?;
                        for (row, &number) in numbers.iter().enumerate() {
                            out[row * columns + column] = number;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The numbers of an array in double precision; nothing where it holds others.
fn doubles(array: &ArrayRef) -> &[f64] {
    array.as_primitive_opt::<Float64Type>().map_or(&[], |array| array.values())
}

/// Whether an array of this type holds numbers.
pub fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric() || *data_type == DataType::Boolean
}

/// The values of an array as `f32`, or where the first null is.
fn numbers(array: &ArrayRef) -> Result<ScalarBuffer<f32>, usize> {
    if array.null_count() > 0 {
        return Err((0..array.len()).find(|&i| array.is_null(i)).expect("a null was counted"));
    }
    let cast = cast(array, &DataType::Float32).map_err(|_| 0_usize)?;
    Ok(cast.as_primitive::<Float32Type>().values().clone())
}

fn null(row: usize, column: usize) -> Error {
    let (row, column) = (row as u64 + 1, (column + 1).to_string());
    Error::Table(TableError::NonFinite { what: "X".into(), row, column, value: "null".into() })
}

/// Refuses NaN and infinity in rows of which the first has this number.
pub fn check_finite(rows: ArrayView2<f32>, first: usize) -> Result<()> {
    match rows.indexed_iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(((row, column), value)) => Err(Error::Table(TableError::NonFinite {
            what: "X".into(),
            row: (first + row) as u64 + 1,
            column: (column + 1).to_string(),
            value: value.to_string(),
        })),
    }
}

/// The rows in order, for feature steps and jobs.
pub struct MatrixRows {
    matrix: Arc<Matrix>,
    names: ColumnNames,
    shape: Option<ImageShape>,
    done: usize,
}

impl MatrixRows {
    pub fn new(matrix: Arc<Matrix>, names: ColumnNames, shape: Option<ImageShape>) -> Self {
        Self { matrix, names, shape, done: 0 }
    }

    /// All of them.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }
}

impl JobSource for MatrixRows {
    fn rows(&mut self) -> &mut dyn RowSource {
        self
    }

    fn name(&self) -> String {
        "X".into()
    }

    fn column_names(&self) -> ColumnNames {
        self.names.clone()
    }

    fn row_count(&self) -> Option<u64> {
        Some(self.matrix.rows as u64)
    }

    fn draw(&mut self, wanted: &[u64], at_most: usize, rng: &mut Stream, _: &mut dyn Observer) -> Result<Drawn<'_>> {
        let total = self.matrix.rows;
        let indices = (total > at_most).then(|| sample_indices(total as u64, wanted, at_most, rng));
        let rows = match &indices {
            Some(indices) => CowArray::from(self.matrix.gather(indices)?),
            None => self.matrix.block(0, total)?,
        };
        let is_zero = |column: usize| rows.column(column).iter().all(|value| *value == 0.0);
        let has_vanished = |column: usize| is_zero(column) && self.matrix.has_vanished(column);
        check_vanished("X", rows.view(), &self.names, has_vanished)?;
        Ok(Drawn { rows, indices, total: total as u64, fingerprint: None })
    }
}

impl RowSource for MatrixRows {
    fn width(&self) -> usize {
        self.matrix.columns
    }

    fn image_shape(&self) -> Option<ImageShape> {
        self.shape
    }

    fn rewind(&mut self) {
        self.done = 0;
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let count = max_rows.min(self.matrix.rows - self.done);
        let begin = rows.len();
        rows.resize(begin + count * self.matrix.columns, 0.0);
        self.matrix.copy(self.done, count, &mut rows[begin..])?;
        let shape = (count, self.matrix.columns);
        let block = ArrayView2::from_shape(shape, &rows[begin..]).map_err(|e| Error::Degenerate(e.to_string()))?;
        check_finite(block, self.done)?;
        self.done += count;
        Ok(count)
    }
}
