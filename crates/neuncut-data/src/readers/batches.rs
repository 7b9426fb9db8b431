//! Arrow record batches, from Parquet or Arrow IPC, as rows of `f32`.
//!
//! The features are either numeric columns, or one list column whose lists all have the same length.

use super::feature_columns::is_number_list;
use super::guard::quietly;
use crate::columns::ColumnNames;
use crate::element::narrowed;
use crate::image_shape::ImageShape;
use crate::nulls::OnNull;
use crate::source::Source;
use crate::table::RowReader;
use crate::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, Float32Array, OffsetSizeTrait, RecordBatch, UInt64Array};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, FieldRef};
use arrow_select::take::take;
use std::fmt::Display;

/// Rows that are laid out at a time, so that their part of the result stays in the processor's cache.
const BLOCK_ROWS: usize = 64;

/// How errors of arrow and parquet begin.
const KINDS: [&str; 12] = [
    "Parquet argument error: ",
    "Parquet error: ",
    "Parquet external error: ",
    "External: ",
    "External error: ",
    "Arrow: ",
    "EOF: ",
    "Ipc error: ",
    "Json error: ",
    "Parser error: ",
    "Cast error: ",
    "Invalid argument error: ",
];

/// Empty batches in a row that are believed.
const MOST_EMPTY: usize = 1 << 20;

/// The batches of one file.
pub(crate) type BatchIterator = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>;

/// The chosen columns of one file, in batches.
pub(crate) struct Batches {
    /// What the file is called in errors.
    pub(crate) format: &'static str,
    /// The chosen columns.
    pub(crate) fields: Vec<FieldRef>,
    /// For each of them, its place in a batch.
    pub(crate) places: Vec<usize>,
    /// The row of the file that comes first, and rows from there on, where the metadata tell.
    pub(crate) first_row: u64,
    pub(crate) rows: Option<u64>,
    /// Rows that have come so far.
    pub(crate) rows_done: u64,
    pub(crate) batches: BatchIterator,
}

impl Batches {
    /// The name of a chosen column.
    pub(crate) fn name(&self, column: usize) -> &str {
        self.fields[column].name()
    }

    /// The next batch's chosen columns, in the order chosen; empty batches are passed over. All rows that the metadata promise
    /// come, or there is an error.
    pub(crate) fn next(&mut self, source: &Source) -> Result<Option<Vec<ArrayRef>>> {
        Ok(self.next_with_rows(source)?.map(|(columns, _)| columns))
    }

    /// The same with the number of rows, which no column tells where none is chosen.
    pub(crate) fn next_with_rows(&mut self, source: &Source) -> Result<Option<(Vec<ArrayRef>, usize)>> {
        for _ in 0..MOST_EMPTY {
            match guarded(source, self.format, || self.batches.next().transpose())? {
                None => return check_count(source, self.rows, self.rows_done).map(|()| None),
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => {
                    self.rows_done += batch.num_rows() as u64;
                    let columns = self.places.iter().map(|&place| batch.column(place).clone()).collect();
                    return Ok(Some((columns, batch.num_rows())));
                }
            }
        }
        Err(broken(source, self.format, &"it has nothing but empty batches"))
    }
}

/// Refuses a file that ends with other rows than its metadata promise.
pub(crate) fn check_count(source: &Source, promised: Option<u64>, found: u64) -> Result<()> {
    match promised {
        Some(promised) if promised != found => Err(source.error(format!(
            "its metadata promise {promised} rows, but {found} can be read: the file is damaged; copy or write it again"
        ))),
        _ => Ok(()),
    }
}

/// Calls into arrow, whose errors become ours. It panics on some damaged files, which is an error like any other here;
/// the reader is not used again after it.
pub(crate) fn guarded<T, E: Display>(
    source: &Source,
    format: &str,
    work: impl FnOnce() -> std::result::Result<T, E>,
) -> Result<T> {
    match quietly(work) {
        Some(result) => result.map_err(|error| broken(source, format, &error)),
        None => Err(broken(source, format, &"its content contradicts itself")),
    }
}

/// The file's content is not what its ending says, or is damaged.
pub(crate) fn broken(source: &Source, format: &str, error: &dyn Display) -> Error {
    let reason = plain_reason(error);
    source.error(format!(
        "cannot be read as {format} ({reason}): write or download it again, or give it its format's ending"
    ))
}

/// The first line of an error of arrow, without the names of its kinds before it.
pub(crate) fn plain_reason(error: &dyn Display) -> String {
    let text = error.to_string();
    let mut reason = text.lines().next().unwrap_or_default();
    while let Some(rest) = KINDS.iter().find_map(|kind| reason.strip_prefix(kind)) {
        reason = rest;
    }
    reason.to_owned()
}

/// A batch's columns as numbers: side by side, or already row after row.
enum Chunk {
    Columns(Vec<Float32Array>),
    Matrix(Float32Array),
}

/// The rows of one file.
struct BatchRows {
    source: Source,
    batches: Batches,
    /// Values per row; 0 until the first list has been seen.
    width: usize,
    is_list: bool,
    left_out: Vec<String>,
    chunk: Option<(Chunk, usize)>,
    /// Rows of the current chunk that have been given out.
    done: usize,
    /// Rows of the file before the current chunk.
    before: u64,
}

/// Rows of the chosen columns. The first batch is read at once, because it may be all that tells the length of lists.
pub(crate) fn open(source: &Source, batches: Batches, left_out: Vec<String>) -> Result<Box<dyn RowReader>> {
    let first = batches.fields[0].data_type();
    let is_list = is_number_list(first);
    let width = match first {
        DataType::FixedSizeList(_, length) => *length as usize,
        _ if is_list => 0,
        _ => batches.fields.len(),
    };
    let before = batches.first_row;
    let mut rows =
        BatchRows { source: source.clone(), batches, width, is_list, left_out, chunk: None, done: 0, before };
    rows.advance()?; // where there are no rows, lists have no length
    Ok(Box::new(rows))
}

impl BatchRows {
    /// Makes the next batch the current chunk; none at the end.
    fn advance(&mut self) -> Result<()> {
        self.before += self.chunk.take().map_or(0, |(_, rows)| rows as u64);
        self.done = 0;
        if let Some(columns) = self.batches.next(&self.source)? {
            let rows = columns[0].len();
            self.chunk = Some((self.convert(&columns)?, rows));
        }
        Ok(())
    }

    fn convert(&mut self, columns: &[ArrayRef]) -> Result<Chunk> {
        let nulls = columns.iter().enumerate().filter_map(|(index, column)| Some((first_null(column)?, index)));
        if let Some((row, index)) = nulls.min() {
            self.forbid_null(row, self.batches.name(index))?;
        }
        match columns {
            [list] if is_number_list(list.data_type()) && self.source.on_null != OnNull::Refuse => {
                self.convert_some(list).map(Chunk::Matrix)
            }
            [list] if is_number_list(list.data_type()) => self.convert_list(list, None).map(Chunk::Matrix),
            _ => columns.iter().map(|column| self.to_f32(column)).collect::<Result<_>>().map(Chunk::Columns),
        }
    }

    /// The items of equally long lists. The first list decides the width. `rows` are the rows of the batch that the lists are of, all
    /// unless given.
    fn convert_list(&mut self, list: &ArrayRef, rows: Option<&[usize]>) -> Result<Float32Array> {
        let items = match list.data_type() {
            DataType::FixedSizeList(_, _) => {
                let lists = list.as_fixed_size_list();
                let length = lists.value_length() as usize;
                self.check_lengths(&mut std::iter::repeat_n(length, lists.len()), rows)?;
                lists.values().slice(lists.offset() * length, lists.len() * length)
            }
            DataType::LargeList(_) => self.list_items::<i64>(list, rows)?,
            _ => self.list_items::<i32>(list, rows)?,
        };
        if let Some(index) = first_null(&items) {
            self.forbid_null(index / self.width, &self.column_name(index % self.width))?;
        }
        self.to_f32(&items)
    }

    /// The same where lists may be missing or empty: they become rows of NaN.
    fn convert_some(&mut self, list: &ArrayRef) -> Result<Float32Array> {
        let length = |row: &usize| list_length(list, *row);
        let there: Vec<usize> = (0..list.len()).filter(|row| length(row) > 0).collect();
        if there.len() == list.len() {
            return self.convert_list(list, None);
        }
        if there.is_empty() && self.width == 0 {
            let name = self.batches.name(0);
            return Err(self
                .source
                .error(format!("column {name} begins with missing lists only: move them to the end")));
        }
        let indices = UInt64Array::from_iter_values(there.iter().map(|&row| row as u64));
        let present = guarded(&self.source, self.batches.format, || take(list, &indices, None))?;
        let present =
            if there.is_empty() { Vec::new() } else { self.convert_list(&present, Some(&there))?.values().to_vec() };
        let mut values = vec![f32::NAN; list.len() * self.width];
        for (items, row) in present.chunks_exact(self.width).zip(there) {
            values[row * self.width..(row + 1) * self.width].copy_from_slice(items);
        }
        Ok(Float32Array::from(values))
    }

    fn list_items<O: OffsetSizeTrait>(&mut self, list: &ArrayRef, rows: Option<&[usize]>) -> Result<ArrayRef> {
        let lists = list.as_list::<O>();
        self.check_lengths(&mut lists.offsets().lengths(), rows)?;
        let (start, length) = (lists.value_offsets()[0].as_usize(), lists.len() * self.width);
        Ok(lists.values().slice(start, length))
    }

    fn check_lengths(&mut self, lengths: &mut dyn Iterator<Item = usize>, rows: Option<&[usize]>) -> Result<()> {
        for (at, length) in lengths.enumerate() {
            if self.width == 0 {
                self.width = length;
            }
            if length != self.width || length == 0 {
                let row = self.before + rows.map_or(at, |rows| rows[at]) as u64 + 1;
                let (name, width) = (self.batches.name(0), self.width);
                return Err(self.source.error(format!(
                    "row {row}, column {name} holds a list of {length} numbers, but {width} are expected: make all lists equally long"
                )));
            }
        }
        Ok(())
    }

    /// A null is an error, unless it is allowed. `at` is its row in the batch.
    fn forbid_null(&self, at: usize, name: &str) -> Result<()> {
        if self.source.on_null != OnNull::Refuse {
            return Ok(());
        }
        let row = self.before + at as u64 + 1;
        Err(self.source.error(format!(
            "row {row}, column {name} is null: remove or impute rows with missing values, or use --on-null skip"
        )))
    }

    /// A column in single precision; nulls that are allowed become NaN.
    fn to_f32(&self, column: &ArrayRef) -> Result<Float32Array> {
        let numbers = match column.as_primitive_opt::<Float64Type>() {
            Some(numbers) => numbers.unary(narrowed),
            None => guarded(&self.source, self.batches.format, || cast(column, &DataType::Float32))?
                .as_primitive::<Float32Type>()
                .clone(),
        };
        if numbers.null_count() == 0 {
            return Ok(numbers);
        }
        Ok(numbers.iter().map(|number| number.unwrap_or(f32::NAN)).collect::<Vec<_>>().into())
    }
}

impl RowReader for BatchRows {
    fn width(&self) -> usize {
        self.width
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        if self.chunk.as_ref().is_some_and(|(_, length)| self.done == *length) {
            self.advance()?;
        }
        let Some((chunk, length)) = &self.chunk else {
            return Ok(0);
        };
        let count = max_rows.min(length - self.done);
        match chunk {
            Chunk::Matrix(items) => {
                rows.extend_from_slice(&items.values()[self.done * self.width..(self.done + count) * self.width]);
            }
            Chunk::Columns(columns) => interleave(columns, self.done, count, rows),
        }
        self.done += count;
        Ok(count)
    }

    fn row_count(&self) -> Option<u64> {
        self.batches.rows
    }

    fn column_name(&self, column: usize) -> String {
        if self.is_list { format!("{}[{column}]", self.batches.name(0)) } else { self.batches.name(column).to_owned() }
    }

    fn image_shape(&self) -> Option<ImageShape> {
        None
    }

    fn names(&self) -> ColumnNames {
        match self.is_list {
            true => ColumnNames::List(self.batches.name(0).to_owned()),
            false => ColumnNames::Named(self.batches.fields.iter().map(|field| field.name().clone()).collect()),
        }
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

/// Where the first null is.
fn first_null(column: &ArrayRef) -> Option<usize> {
    (column.null_count() > 0).then(|| (0..column.len()).find(|&index| column.is_null(index)))?
}

/// Items of a list; none where it is null.
fn list_length(list: &ArrayRef, row: usize) -> usize {
    if list.is_null(row) {
        return 0;
    }
    match list.data_type() {
        DataType::FixedSizeList(_, length) => *length as usize,
        DataType::LargeList(_) => list.as_list::<i64>().value_length(row) as usize,
        _ => list.as_list::<i32>().value_length(row) as usize,
    }
}

/// Appends `count` rows of the columns, from row `start` on.
fn interleave(columns: &[Float32Array], start: usize, count: usize, rows: &mut Vec<f32>) {
    let (width, first) = (columns.len(), rows.len());
    rows.resize(first + count * width, 0.0);
    for (block, target) in rows[first..].chunks_mut(BLOCK_ROWS * width).enumerate() {
        let from = start + block * BLOCK_ROWS;
        for (place, column) in columns.iter().enumerate() {
            let values = &column.values()[from..from + target.len() / width];
            for (row, value) in target.chunks_exact_mut(width).zip(values) {
                row[place] = *value;
            }
        }
    }
}

#[cfg(test)]
mod tests;
