//! Arrow IPC: the file format (Feather 2) and the stream format, told apart by their first bytes.

use super::arrow_lengths::{file_is_sound, stream_is_sound};
use super::batches::{self, BatchIterator, Batches, broken, guarded};
use super::feature_columns::choose_features;
use super::parquet::places;
use crate::Result;
use crate::columns::ColumnChoice;
use crate::source::Source;
use crate::table::RowReader;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::Schema;
use std::fs::File;
use std::io::{BufReader, Read, Seek};

const FORMAT: &str = "Arrow IPC";

/// Opens an Arrow file or stream.
pub(crate) fn open(source: &Source, choice: &ColumnChoice) -> Result<Box<dyn RowReader>> {
    let mut left_out = Vec::new();
    let batches = open_batches(source, &mut |schema| {
        let features = choose_features(source, schema, choice)?;
        left_out = features.left_out;
        Ok(features.chosen)
    })?;
    batches::open(source, batches, left_out)
}

/// The batches of the columns that `choose` names by their index.
pub(crate) fn open_batches(source: &Source, choose: &mut dyn FnMut(&Schema) -> Result<Vec<usize>>) -> Result<Batches> {
    let mut file = BufReader::with_capacity(1 << 17, source.file()?);
    let mut magic = [0; 6];
    file.read_exact(&mut magic).map_err(|error| source.read_error(error))?;
    let is_file = magic == *b"ARROW1";
    let sound = if is_file { file_is_sound(&mut file) } else { stream_is_sound(&mut file) };
    if !sound.and_then(|sound| file.rewind().map(|()| sound)).map_err(|error| source.read_error(error))? {
        return Err(broken(source, FORMAT, &"a length in it cannot be right"));
    }
    if is_file { open_file(source, file, choose) } else { open_stream(source, file, choose) }
}

fn open_file(
    source: &Source,
    file: BufReader<File>,
    choose: &mut dyn FnMut(&Schema) -> Result<Vec<usize>>,
) -> Result<Batches> {
    let schema = guarded(source, FORMAT, || FileReader::try_new(file, None))?.schema();
    let chosen = choose(&schema)?;
    let file = BufReader::with_capacity(1 << 17, source.file()?);
    let reader = guarded(source, FORMAT, || FileReader::try_new(file, Some(sorted(&chosen))))?;
    Ok(gather(&schema, &chosen, Box::new(reader)))
}

fn open_stream(
    source: &Source,
    file: BufReader<File>,
    choose: &mut dyn FnMut(&Schema) -> Result<Vec<usize>>,
) -> Result<Batches> {
    let schema = guarded(source, FORMAT, || StreamReader::try_new(file, None))?.schema();
    let chosen = choose(&schema)?;
    let file = BufReader::with_capacity(1 << 17, source.file()?);
    let reader = guarded(source, FORMAT, || StreamReader::try_new(file, Some(sorted(&chosen))))?;
    Ok(gather(&schema, &chosen, Box::new(reader)))
}

fn gather(schema: &Schema, chosen: &[usize], batches: BatchIterator) -> Batches {
    let fields = chosen.iter().map(|&index| schema.fields()[index].clone()).collect();
    Batches { format: FORMAT, fields, places: places(chosen), first_row: 0, rows: None, rows_done: 0, batches }
}

fn sorted(chosen: &[usize]) -> Vec<usize> {
    let mut sorted = chosen.to_vec();
    sorted.sort_unstable();
    sorted
}
