//! Parquet files, by way of Arrow record batches.

use super::batches::{self, Batches, broken, choose_features};
use crate::Result;
use crate::data::columns::ColumnChoice;
use crate::data::source::Source;
use crate::data::table::RowReader;
use arrow::datatypes::Schema;
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
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(source.file()?).map_err(|error| broken(source, FORMAT, &error))?;
    let chosen = choose(builder.schema())?;
    let names = chosen.iter().map(|&index| builder.schema().field(index).name().clone()).collect();
    let rows = builder.metadata().file_metadata().num_rows();
    let leaves = builder.parquet_schema().num_columns().max(chosen.len());
    let mask = ProjectionMask::roots(builder.parquet_schema(), chosen.iter().copied());
    // A single column is likely a long list.
    let batch_rows = if leaves == 1 { 1024 } else { (BATCH_VALUES / chosen.len()).clamp(256, 8192) };
    let reader = builder.with_projection(mask).with_batch_size(batch_rows).build();
    Ok(Batches {
        format: FORMAT,
        names,
        places: places(&chosen),
        rows: u64::try_from(rows).ok(),
        batches: Box::new(reader.map_err(|error| broken(source, FORMAT, &error))?),
    })
}

/// Batches hold the chosen columns in the file's order: for each chosen column, where that is.
pub(super) fn places(chosen: &[usize]) -> Vec<usize> {
    chosen.iter().map(|index| chosen.iter().filter(|other| *other < index).count()).collect()
}
