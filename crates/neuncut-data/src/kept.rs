//! Columns of the input that come along beside results: the same rows in the same order, read a second time as results are written.

use super::columns::{ColumnNames, find, numbered};
use super::kept_chunks::KeptChunks;
use super::partitions;
use super::readers::delimited::{Delimited, field_text, looks_like_names};
use super::readers::{self, Batches};
use super::source::Source;
use super::table::Table;
use crate::{Error, Result};
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use std::collections::{HashMap, VecDeque};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::Arc;

/// Rows of text that are gathered at a time.
const TEXT_ROWS: usize = 4096;
/// What the name of a column ends in that would have the name of a result.
const OF_INPUT: &str = "_input";

/// Which columns come along.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Keep {
    /// All that hold one value per row, and neither lists nor structures.
    #[default]
    Scalars,
    /// Every column.
    All,
    /// None.
    Nothing,
    /// These, in this order.
    Named(Vec<String>),
}

impl Display for Keep {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Scalars => f.write_str("scalars"),
            Self::All => f.write_str("all"),
            Self::Nothing => f.write_str("none"),
            Self::Named(names) => f.write_str(&names.join(",")),
        }
    }
}

impl FromStr for Keep {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "all" => Self::All,
            "none" => Self::Nothing,
            names => Self::Named(names.split(',').map(|name| name.trim().to_owned()).collect()),
        })
    }
}

/// The columns that come along, read in the order of the table's rows.
pub struct KeptColumns {
    /// All files, and those that were not begun yet.
    all: Vec<Source>,
    sources: VecDeque<Source>,
    header: Option<bool>,
    keep: Keep,
    /// Columns that stand in the names of folders; they come last.
    keys: Vec<String>,
    schema: SchemaRef,
    /// What they are called beside results.
    names: Vec<String>,
    /// What the columns of rows are called: those hold numbers, though they come as text.
    features: ColumnNames,
    width: usize,
    current: Option<(Source, Reader)>,
    /// Batches that were read and not taken yet, and their rows.
    pending: VecDeque<RecordBatch>,
    rows: usize,
}

/// Either kind of file.
enum Reader {
    Batches(Batches),
    Text(Box<Delimited>, Vec<usize>),
}

impl KeptColumns {
    /// The columns of a table that come along; `None` where there are none, as in files that are no tables of named columns.
    ///
    /// # Errors
    /// When a column that is named is not there.
    pub fn open(table: &Table, keep: &Keep) -> Result<Option<Self>> {
        let (sources, header) = table.sources();
        if let Some(other) = sources.iter().find(|source| !source.format.is_table()) {
            return match keep {
                Keep::Named(_) | Keep::All => {
                    Err(other.error("a file of this format has no columns to keep: leave out --keep"))
                }
                _ => Ok(None),
            };
        }
        if *keep == Keep::Nothing || sources.is_empty() {
            return Ok(None);
        }
        let (keys, keep) = if table.is_shard() { (Vec::new(), keep.clone()) } else { in_folders(&sources, keep) };
        let mut kept = Self {
            all: sources.clone(),
            sources: sources.into(),
            header,
            keep,
            keys,
            schema: Arc::new(Schema::empty()),
            names: Vec::new(),
            features: table.column_names().clone(),
            width: table.width(),
            current: None,
            pending: VecDeque::new(),
            rows: 0,
        };
        kept.begin()?;
        Ok((!kept.schema.fields().is_empty()).then_some(kept))
    }

    /// The columns, as they are in the first file.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Gives columns other names that are called as results are, and tells both names of each.
    pub fn avoid(&mut self, results: &[String]) -> Vec<(String, String)> {
        let mut renamed = Vec::new();
        for place in 0..self.names.len() {
            let mut name = self.names[place].clone();
            while results.contains(&name) || (name != self.names[place] && self.names.contains(&name)) {
                name += OF_INPUT;
            }
            if name != self.names[place] {
                renamed.push((std::mem::replace(&mut self.names[place], name.clone()), name));
            }
        }
        renamed
    }

    /// The columns as they stand beside results.
    pub(crate) fn fields(&self) -> Vec<FieldRef> {
        self.called(self.schema.fields().iter().cloned())
    }

    /// Columns in order, called as they stand beside results.
    fn called(&self, fields: impl Iterator<Item = FieldRef>) -> Vec<FieldRef> {
        let called = |(field, name): (FieldRef, &String)| match field.name() == name {
            true => field,
            false => Arc::new(field.as_ref().clone().with_name(name)),
        };
        fields.zip(&self.names).map(called).collect()
    }

    /// The same columns as they lie in Parquet files, where all files are and agree on them.
    pub(crate) fn chunks(&self) -> Result<Option<KeptChunks>> {
        let as_they_are = self.schema.fields().iter().zip(&self.names).all(|(field, name)| field.name() == name);
        if self.keys.is_empty() && as_they_are {
            KeptChunks::open(&self.all, |source, fields| choose(source, fields, &self.keep))
        } else {
            Ok(None)
        }
    }

    /// Values per row, lists counted by their length: as long as the table's rows where a file does not tell.
    pub(crate) fn values_per_row(&self) -> usize {
        let values = |field: &FieldRef| match field.data_type() {
            DataType::FixedSizeList(_, length) => *length as usize,
            kind if kind.is_nested() => self.width,
            _ => 1,
        };
        self.schema.fields().iter().map(values).sum()
    }

    /// The columns with the types that they have in a file of types: numbers that come as text are numbers there.
    pub(crate) fn typed_fields(&self) -> Vec<FieldRef> {
        let is_feature = |name: &String| matches!(&self.features, ColumnNames::Named(names) if names.contains(name));
        let typed = |field: &FieldRef| match field.data_type() {
            DataType::Utf8 if is_feature(field.name()) => {
                Arc::new(field.as_ref().clone().with_data_type(DataType::Float64))
            }
            _ => field.clone(),
        };
        self.called(self.schema.fields().iter().map(typed))
    }

    /// The next rows.
    ///
    /// # Errors
    /// When a file cannot be read, has other columns than the first one, or ends early.
    pub fn take(&mut self, rows: usize) -> Result<RecordBatch> {
        while self.rows < rows && self.advance(rows - self.rows)? {}
        if self.rows < rows {
            return Err(Error::data(
                "the data",
                "the columns to keep end before the rows do: the files have changed; run it again",
            ));
        }
        self.rows -= rows;
        let (mut parts, mut left) = (Vec::new(), rows);
        while left > 0 {
            let batch = self.pending.pop_front().expect("so many rows are pending");
            let count = left.min(batch.num_rows());
            if count < batch.num_rows() {
                self.pending.push_front(batch.slice(count, batch.num_rows() - count));
            }
            parts.push(batch.slice(0, count));
            left -= count;
        }
        match &parts[..] {
            [only] => Ok(only.clone()),
            _ => concat_batches(&self.schema, &parts).map_err(|error| Error::data("the data", error.to_string())),
        }
    }

    /// The next rows, at most so many; none at the end.
    pub(crate) fn take_most(&mut self, rows: usize) -> Result<RecordBatch> {
        while self.rows < rows && self.advance(rows - self.rows)? {}
        match self.rows.min(rows) {
            0 => Ok(RecordBatch::new_empty(self.schema.clone())),
            count => self.take(count),
        }
    }

    /// The next rows as they come; `None` at the end.
    pub(crate) fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        while self.pending.is_empty() && self.advance(TEXT_ROWS)? {}
        Ok(self.pending.pop_front())
    }

    /// Some of the columns, from the first row on.
    pub(crate) fn again(&self, names: Vec<String>) -> Result<Self> {
        let mut again = Self {
            all: self.all.clone(),
            sources: self.all.clone().into(),
            header: self.header,
            keep: Keep::Named(names),
            keys: Vec::new(),
            schema: Arc::new(Schema::empty()),
            names: Vec::new(),
            features: self.features.clone(),
            width: self.width,
            current: None,
            pending: VecDeque::new(),
            rows: 0,
        };
        again.begin()?;
        Ok(again)
    }

    /// What the columns of the table's rows are called.
    pub(crate) fn features(&self) -> &ColumnNames {
        &self.features
    }

    /// Checks that no rows are left.
    ///
    /// # Errors
    /// When there are, or a file cannot be read.
    pub fn finish(&mut self) -> Result<()> {
        while self.rows == 0 && self.advance(1)? {}
        match self.rows {
            0 => Ok(()),
            _ => Err(Error::data(
                "the data",
                "the columns to keep have more rows than the table: the files have changed; run it again",
            )),
        }
    }

    /// Reads a batch, or begins the next file; false at the end. Of text no more rows are read than are wanted.
    fn advance(&mut self, wanted: usize) -> Result<bool> {
        let Some((source, reader)) = &mut self.current else { return self.begin() };
        let columns = match reader {
            Reader::Batches(batches) => batches.next_with_rows(source)?,
            Reader::Text(records, chosen) => next_text(records, chosen, wanted.min(TEXT_ROWS))?,
        };
        let Some((mut columns, rows)) = columns else {
            self.current = None;
            return Ok(true);
        };
        for key in &self.keys {
            let value = partitions::value(&source.path, key);
            columns.push(Arc::new(StringArray::from_iter(std::iter::repeat_n(value, rows))));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options);
        let batch = batch.map_err(|_| source.error("a column to keep has another type than in the first file: give it one type, or leave it out with --keep"))?;
        self.rows += batch.num_rows();
        self.pending.push_back(batch);
        Ok(true)
    }

    /// Opens the next file; false where there is none.
    fn begin(&mut self) -> Result<bool> {
        let Some(source) = self.sources.pop_front() else { return Ok(false) };
        let first = self.schema.fields().is_empty();
        let keep = match first {
            true => self.keep.clone(),
            false => {
                let names = self.schema.fields().iter().map(|field| field.name().clone());
                Keep::Named(names.filter(|name| !self.keys.contains(name)).collect())
            }
        };
        let mut metadata = HashMap::new();
        let mut choose = |schema: &Schema| {
            metadata.clone_from(schema.metadata());
            choose(&source, schema.fields(), &keep)
        };
        let (fields, reader) = match readers::table_batches(&source, &mut choose)? {
            Some(batches) => (batches.fields.clone(), Reader::Batches(batches)),
            None => {
                let header = self.header;
                let records = Delimited::open(&source, |a, b| header.unwrap_or_else(|| looks_like_names(a, b)))?;
                let names = records.names.clone().unwrap_or_else(|| numbered(records.width));
                let fields: Vec<FieldRef> =
                    names.into_iter().map(|name| Arc::new(Field::new(name, DataType::Utf8, true))).collect();
                // columns without names come along only when they are asked for
                let unasked = records.names.is_none() && keep == Keep::Scalars;
                let chosen = if unasked { Vec::new() } else { choose(&Schema::new(fields.clone()))? };
                (chosen.iter().map(|&column| fields[column].clone()).collect(), Reader::Text(Box::new(records), chosen))
            }
        };
        if first {
            self.keys.retain(|key| !fields.iter().any(|field: &FieldRef| field.name() == key));
            let keys = self.keys.iter().map(|key| Arc::new(Field::new(key, DataType::Utf8, true)));
            let fields: Vec<FieldRef> = nullable(fields).into_iter().chain(keys).collect();
            self.schema = Arc::new(Schema::new_with_metadata(fields, metadata));
            self.names = self.schema.fields().iter().map(|field| field.name().clone()).collect();
        }
        self.current = Some((source, reader));
        Ok(true)
    }
}

/// The columns in the names of folders that come along, and what is left to be kept.
fn in_folders(sources: &[Source], keep: &Keep) -> (Vec<String>, Keep) {
    let files: Vec<_> = sources.iter().map(|source| &*source.path).collect();
    let mut keys = partitions::keys(&files);
    let Keep::Named(names) = keep else { return (keys, keep.clone()) };
    keys.retain(|key| names.contains(key));
    let others = names.iter().filter(|name| !keys.contains(name)).cloned().collect();
    (keys, Keep::Named(others))
}

/// Another file may have nulls where the first one cannot.
fn nullable(fields: Vec<FieldRef>) -> Vec<FieldRef> {
    fields.into_iter().map(|field| Arc::new(field.as_ref().clone().with_nullable(true))).collect()
}

/// The places of the columns that come along.
fn choose(source: &Source, fields: &[FieldRef], keep: &Keep) -> Result<Vec<usize>> {
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    Ok(match keep {
        Keep::Nothing => Vec::new(),
        Keep::All => (0..fields.len()).collect(),
        Keep::Scalars => (0..fields.len()).filter(|&column| !fields[column].data_type().is_nested()).collect(),
        Keep::Named(wanted) => wanted.iter().map(|name| find(&source.path, &names, name)).collect::<Result<_>>()?,
    })
}

/// The next rows of text columns, at most so many; `None` at the end.
fn next_text(records: &mut Delimited, chosen: &[usize], most: usize) -> Result<Option<(Vec<ArrayRef>, usize)>> {
    let mut columns: Vec<StringBuilder> = chosen.iter().map(|_| StringBuilder::new()).collect();
    let mut rows = 0;
    while rows < most {
        let Some((record, _)) = records.next()? else { break };
        rows += 1;
        for (column, &place) in columns.iter_mut().zip(chosen) {
            column.append_value(field_text(&record[place]));
        }
    }
    let columns = columns.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef).collect();
    Ok((rows > 0).then_some((columns, rows)))
}

#[cfg(test)]
mod tests;
