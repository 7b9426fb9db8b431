//! Parquet files, by way of Arrow record batches.

use super::batches::{self, Batches, choose_features, guarded};
use crate::Result;
use crate::data::columns::ColumnChoice;
use crate::data::source::Source;
use crate::data::table::RowReader;
use arrow::datatypes::{DataType, FieldRef, Schema};
use parquet::arrow::{ProjectionMask, arrow_reader::ParquetRecordBatchReaderBuilder};

const FORMAT: &str = "Parquet";

/// Values of a batch, over all of its columns.
const BATCH_VALUES: usize = 1 << 20;

/// Opens a Parquet file.
pub(crate) fn open(source: &Source, choice: &ColumnChoice) -> Result<Box<dyn RowReader>> {
    let batches = open_batches(source, &|schema| choose_features(source, schema, choice))?;
    batches::open(source, batches)
}

/// The batches of the columns that `choose` names by their index.
pub(crate) fn open_batches(source: &Source, choose: &dyn Fn(&Schema) -> Result<Vec<usize>>) -> Result<Batches> {
    let file = source.file()?;
    let builder = guarded(source, FORMAT, || ParquetRecordBatchReaderBuilder::try_new(file))?;
    let chosen = choose(builder.schema())?;
    let fields: Vec<_> = chosen.iter().map(|&index| builder.schema().fields()[index].clone()).collect();
    let rows = builder.metadata().file_metadata().num_rows();
    let mask = ProjectionMask::roots(builder.parquet_schema(), chosen.iter().copied());
    let batch_rows = batch_rows(&fields);
    let reader = guarded(source, FORMAT, || builder.with_projection(mask).with_batch_size(batch_rows).build())?;
    Ok(Batches {
        format: FORMAT,
        fields,
        places: places(&chosen),
        rows: u64::try_from(rows).ok(),
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
