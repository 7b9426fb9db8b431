//! One file a format; [`open`] chooses by the end of the file's name.

mod arrow_ipc;
mod arrow_lengths;
mod batches;
mod csv;
pub(crate) mod delimited;
mod feature_columns;
mod guard;
mod idx;
mod images;
mod json_lines;
mod json_schema;
mod libsvm;
mod npy;
mod parquet;
mod parquet_groups;
mod parquet_lengths;
mod parquet_pages;
mod parquet_runs;
mod projected;
mod raw;

pub(crate) use batches::{Batches, check_count};
pub(crate) use feature_columns::words;
pub(crate) use idx::IdxHeader;
pub(crate) use images::has_images;
pub(crate) use libsvm::{SparseExtent, sparse_extent};
pub(crate) use parquet::{metadata as parquet_metadata, read_by_arrow};
pub(crate) use raw::check_length;

use super::columns::ColumnChoice;
use super::source::{Format, Source};
use super::table::RowReader;
use crate::Result;
use arrow_schema::Schema;

/// The batches of the columns that `choose` names by their index; `None` where the file is of another format.
pub(crate) fn table_batches(
    source: &Source,
    choose: &mut dyn FnMut(&Schema) -> Result<Vec<usize>>,
) -> Result<Option<Batches>> {
    match source.format {
        Format::Parquet => parquet::open_batches(source, choose).map(Some),
        Format::Arrow => arrow_ipc::open_batches(source, choose).map(Some),
        Format::Json => json_lines::open_batches(source, choose).map(Some),
        _ => Ok(None),
    }
}

/// Opens one file. `sparse` is what [`sparse_extent`] told about the table's sparse files.
pub(crate) fn open(
    source: &Source,
    choice: &ColumnChoice,
    header: Option<bool>,
    sparse: Option<SparseExtent>,
) -> Result<Box<dyn RowReader>> {
    match source.format {
        Format::Npy => npy::open(source, choice),
        Format::Csv | Format::Tsv | Format::Txt => csv::open(source, choice, header),
        Format::Parquet => parquet::open(source, choice),
        Format::Arrow => arrow_ipc::open(source, choice),
        Format::Json => json_lines::open(source, choice),
        Format::Idx => idx::open(source, choice),
        Format::Images => images::open(source, choice),
        Format::Libsvm => libsvm::open(source, choice, sparse),
    }
}
