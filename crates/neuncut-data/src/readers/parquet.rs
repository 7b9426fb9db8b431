//! Parquet files, by way of Arrow record batches; one list column goes page by page where its pages allow.

use super::batches::{self, Batches, broken, guarded};
use super::feature_columns::{Features, choose_features};
use super::parquet_groups::Groups;
use super::parquet_lengths::footer_is_sound;
use super::parquet_pages;
use crate::Result;
use crate::columns::ColumnChoice;
use crate::source::Source;
use crate::table::RowReader;
use arrow_schema::{DataType, FieldRef, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;

/// What the format is called in errors.
pub(super) const FORMAT: &str = "Parquet";

/// Values of a batch, over all of its columns.
const BATCH_VALUES: usize = 1 << 20;

/// Opens a Parquet file.
pub(crate) fn open(source: &Source, choice: &ColumnChoice) -> Result<Box<dyn RowReader>> {
    let metadata = metadata(source)?;
    let Features { chosen, left_out } = choose_features(source, metadata.schema(), choice)?;
    if let [column] = chosen[..]
        && let Some(rows) = parquet_pages::open(source, &metadata, column, &left_out)?
    {
        return Ok(rows);
    }
    batches::open(source, in_batches(source, metadata, &chosen, 0)?, left_out)
}

/// Opens one column from a row group on, by way of batches.
pub(super) fn open_rest(source: &Source, column: usize, first_group: usize) -> Result<Box<dyn RowReader>> {
    batches::open(source, in_batches(source, metadata(source)?, &[column], first_group)?, Vec::new())
}

/// The first numbers of a file by way of batches alone: what the fast path is compared with.
pub(crate) fn read_by_arrow(source: &Source, most: usize) -> Result<Vec<f32>> {
    let metadata = metadata(source)?;
    let Features { chosen, left_out } = choose_features(source, metadata.schema(), &ColumnChoice::default())?;
    let mut reader = batches::open(source, in_batches(source, metadata, &chosen, 0)?, left_out)?;
    let mut rows = Vec::new();
    while rows.len() < most && reader.read((most - rows.len()) / reader.width().max(1), &mut rows)? > 0 {}
    Ok(rows)
}

/// The batches of the columns that `choose` names by their index.
pub(crate) fn open_batches(source: &Source, choose: &mut dyn FnMut(&Schema) -> Result<Vec<usize>>) -> Result<Batches> {
    let metadata = metadata(source)?;
    let chosen = choose(metadata.schema())?;
    in_batches(source, metadata, &chosen, 0)
}

/// The footer of a file, whose row groups have as many rows as it says.
pub(crate) fn metadata(source: &Source) -> Result<ArrowReaderMetadata> {
    let mut file = source.file()?;
    if !footer_is_sound(&mut file).map_err(|error| source.read_error(error))? {
        return Err(broken(source, FORMAT, &"a length in its footer cannot be right"));
    }
    let metadata = guarded(source, FORMAT, || ArrowReaderMetadata::load(&file, Default::default()))?;
    let groups = metadata.metadata().row_groups().iter();
    let rows =
        groups.map(|group| u64::try_from(group.num_rows()).ok()).try_fold(0u64, |sum, rows| sum.checked_add(rows?));
    let promised = u64::try_from(metadata.metadata().file_metadata().num_rows()).ok();
    if rows.is_none() || rows != promised {
        return Err(broken(source, FORMAT, &"its row groups have other rows than its footer says"));
    }
    Ok(metadata)
}

fn in_batches(source: &Source, metadata: ArrowReaderMetadata, chosen: &[usize], first_group: usize) -> Result<Batches> {
    let fields: Vec<_> = chosen.iter().map(|&index| metadata.schema().fields()[index].clone()).collect();
    let groups = metadata.metadata().num_row_groups();
    let mask = ProjectionMask::roots(metadata.parquet_schema(), chosen.iter().copied());
    let batches = Groups::new(source.file()?, metadata, mask, batch_rows(&fields), first_group);
    Ok(Batches {
        format: FORMAT,
        fields,
        places: places(chosen),
        first_row: batches.rows_of(0..first_group),
        rows: Some(batches.rows_of(first_group..groups)),
        rows_done: 0,
        batches: Box::new(batches),
    })
}

/// Rows of a batch, such that it fits in memory many times over.
fn batch_rows(fields: &[FieldRef]) -> usize {
    let width = match fields.first().map(|field| field.data_type()) {
        Some(DataType::FixedSizeList(_, length)) => *length as usize,
        // Their length is not known before they are read.
        Some(DataType::List(_) | DataType::LargeList(_)) => 1024,
        _ => fields.len(),
    };
    (BATCH_VALUES / width.max(1)).clamp(64, 8192)
}

/// Batches hold the chosen columns in the file's order: for each chosen column, where that is.
pub(super) fn places(chosen: &[usize]) -> Vec<usize> {
    chosen.iter().map(|index| chosen.iter().filter(|other| *other < index).count()).collect()
}
