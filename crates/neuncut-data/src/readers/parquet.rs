//! Parquet files, by way of Arrow record batches; one list column goes page by page where its pages allow.

use super::batches::{self, Batches, choose_features, guarded};
use super::parquet_pages;
use crate::Result;
use crate::columns::ColumnChoice;
use crate::source::Source;
use crate::table::RowReader;
use arrow::datatypes::{DataType, FieldRef, Schema};
use parquet::arrow::{ProjectionMask, arrow_reader::ParquetRecordBatchReaderBuilder};
use std::fs::File;

/// What the format is called in errors.
pub(super) const FORMAT: &str = "Parquet";

/// Values of a batch, over all of its columns.
const BATCH_VALUES: usize = 1 << 20;

/// Opens a Parquet file.
pub(crate) fn open(source: &Source, choice: &ColumnChoice) -> Result<Box<dyn RowReader>> {
    let builder = builder(source)?;
    let chosen = choose_features(source, builder.schema(), choice)?;
    if let [column] = chosen[..]
        && let Some(rows) = parquet_pages::open(source, &builder, column)?
    {
        return Ok(rows);
    }
    batches::open(source, in_batches(source, builder, &chosen, 0)?)
}

/// Opens one column from a row on, by way of batches.
pub(super) fn open_rest(source: &Source, column: usize, first_row: u64) -> Result<Box<dyn RowReader>> {
    batches::open(source, in_batches(source, builder(source)?, &[column], first_row)?)
}

/// The batches of the columns that `choose` names by their index.
pub(crate) fn open_batches(source: &Source, choose: &dyn Fn(&Schema) -> Result<Vec<usize>>) -> Result<Batches> {
    let builder = builder(source)?;
    let chosen = choose(builder.schema())?;
    in_batches(source, builder, &chosen, 0)
}

fn builder(source: &Source) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = source.file()?;
    guarded(source, FORMAT, || ParquetRecordBatchReaderBuilder::try_new(file))
}

fn in_batches(
    source: &Source,
    builder: ParquetRecordBatchReaderBuilder<File>,
    chosen: &[usize],
    first_row: u64,
) -> Result<Batches> {
    let fields: Vec<_> = chosen.iter().map(|&index| builder.schema().fields()[index].clone()).collect();
    let rows = builder.metadata().file_metadata().num_rows();
    let mask = ProjectionMask::roots(builder.parquet_schema(), chosen.iter().copied());
    let mut builder = builder.with_projection(mask).with_batch_size(batch_rows(&fields));
    if first_row > 0 {
        builder = builder.with_offset(first_row as usize);
    }
    let reader = guarded(source, FORMAT, || builder.build())?;
    Ok(Batches {
        format: FORMAT,
        fields,
        places: places(chosen),
        rows: u64::try_from(rows).ok(),
        first_row,
        batches: Box::new(reader),
    })
}

/// Rows of a batch, such that it fits in memory many times over.
fn batch_rows(fields: &[FieldRef]) -> usize {
    let width = match fields[0].data_type() {
        DataType::FixedSizeList(_, length) => *length as usize,
        // Their length is not known before they are read.
        DataType::List(_) | DataType::LargeList(_) => 1024,
        _ => fields.len(),
    };
    (BATCH_VALUES / width.max(1)).clamp(64, 8192)
}

/// Batches hold the chosen columns in the file's order: for each chosen column, where that is.
pub(super) fn places(chosen: &[usize]) -> Vec<usize> {
    chosen.iter().map(|index| chosen.iter().filter(|other| *other < index).count()).collect()
}
