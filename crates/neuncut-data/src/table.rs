//! Any number of files as one table of `f32` rows, read in order and in chunks.
//!
//! ```
//! use neuncut_data::{Scratch, Table, TableSpec};
//!
//! let folder = Scratch::create_in(&std::env::temp_dir())?;
//! let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
//! std::fs::write(path("a.csv"), "x,y\n1,2\n3,4\n")?;
//! std::fs::write(path("b.csv"), "x,y\n5,6\n")?;
//!
//! let spec = TableSpec { paths: vec![path("*.csv")], columns: Some(vec!["y".into()]), ..Default::default() };
//! let (mut table, mut rows) = (Table::open(&spec)?, Vec::new());
//! while table.read(2, &mut rows)? > 0 {}
//! assert_eq!(rows, [2.0, 4.0, 6.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alike;

use super::columns::{ColumnChoice, ColumnNames};
use super::element::{VANISHED, is_beyond, odd_among};
use super::image_shape::ImageShape;
use super::nulls::{MissingValues, OnNull};
use super::paths::{expand, lists};
use super::readers::{self, SparseExtent, check_count, sparse_extent};
use super::source::{Packing, Source};
use super::stream::Stream;
use crate::{Error, Result};
use alike::check_alike;
use arrow_buffer::ToByteSlice;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// Values of a row: more are a mistake, or an attack.
pub(crate) const MOST_COLUMNS: usize = 1 << 24;
/// Values read at a time, whatever is asked for: a few bytes of sparse text may stand for millions.
const MOST_VALUES: usize = 1 << 23;

/// What to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableSpec {
    /// Files or globs. Several make one table, in the order given; the matches of a glob are sorted.
    pub paths: Vec<String>,
    /// The feature columns: names, or where no name matches numbers counted from 1, ranges such as `2-17` and globs. `None` is
    /// what `fitted` says, or else the one column of lists, or else all numeric columns that are not ids.
    pub columns: Option<Vec<String>>,
    /// Columns that are left out, written as `columns` are.
    pub exclude: Vec<String>,
    /// What a model was fitted on: columns are found by these names in any order, those of files without names by position.
    pub fitted: Option<ColumnNames>,
    /// A column (name or number) that is left out of the features.
    pub label_column: Option<String>,
    /// Whether delimited text begins with column names; `None` finds out.
    pub header: Option<bool>,
    /// The width and height that the images of a folder get as they are read; without it all must have one size.
    pub image_size: Option<(usize, usize)>,
    /// The shape of each row, where files of flat rows hold images.
    pub image_shape: Option<ImageShape>,
    /// What becomes of rows in which values are missing.
    pub on_null: OnNull,
    /// Whether this is one of many files, each of which has a result of its own: that it has no rows is no error, and columns in the
    /// names of folders stay there.
    pub shard: bool,
    /// Rows that come once, which stand in the place of the file that has the name of the stream.
    pub stream: Option<Stream>,
}

/// Rows of one file, in order.
pub trait RowReader: Send {
    /// Values per row.
    fn width(&self) -> usize;
    /// Appends up to `max_rows` rows, row after row, and returns how many; 0 only at the end.
    ///
    /// # Errors
    /// When the file cannot be read, or a row is not what its header promised.
    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize>;
    /// Rows in the whole file, where its header tells.
    fn row_count(&self) -> Option<u64>;
    /// The name of a column, or its number counted from 1.
    fn column_name(&self, column: usize) -> String;
    /// The shape of each row, where rows are images.
    fn image_shape(&self) -> Option<ImageShape>;
    /// What the columns are called in the file.
    fn names(&self) -> ColumnNames {
        ColumnNames::Unnamed
    }
    /// Columns of the file that are no features though nobody said so, each with what it is.
    fn left_out(&self) -> &[String] {
        &[]
    }
}

/// One file of a table, and what its header told.
struct TableFile {
    source: Source,
    rows: Option<u64>,
}

/// Any number of files as one table.
pub struct Table {
    files: Vec<TableFile>,
    /// Lists in which the files were named.
    lists: Vec<PathBuf>,
    choice: ColumnChoice,
    header: Option<bool>,
    sparse: Option<SparseExtent>,
    width: usize,
    image_shape: Option<ImageShape>,
    names: ColumnNames,
    left_out: Vec<String>,
    /// The open file and its index; the first stays open from [`Table::open`] on.
    reader: Option<Box<dyn RowReader>>,
    file: usize,
    row_in_file: u64,
    rows_read: u64,
    missing: MissingValues,
    shard: bool,
    /// Columns that have numbers which count as zero, because they are too small.
    vanished: Vec<bool>,
    hash: Box<XxHash3_64>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let paths: Vec<_> = self.files.iter().map(|file| &file.source.path).collect();
        f.debug_struct("Table").field("paths", &paths).field("width", &self.width).finish_non_exhaustive()
    }
}

impl Table {
    /// Finds all files and checks, before any work is done, that each can be read and has the same columns.
    ///
    /// # Errors
    /// When there is no file, one cannot be read, or their columns differ.
    pub fn open(spec: &TableSpec) -> Result<Self> {
        let choice = ColumnChoice::of(spec);
        let (image_size, on_null) = (spec.image_size, spec.on_null);
        let found = |path: &PathBuf| match &spec.stream {
            Some(stream) if stream.name() == path => Source::of_stream(stream),
            _ => Source::new(path),
        };
        let source = |path: &PathBuf| Ok(Source { image_size, on_null, ..found(path)? });
        let sources = expand(&spec.paths)?.iter().map(source).collect::<Result<Vec<_>>>()?;
        let sparse = sparse_extent(&sources)?;
        let mut files = Vec::with_capacity(sources.len());
        let mut first: Option<Box<dyn RowReader>> = None;
        let mut reader_of_first = true;
        for source in sources {
            let reader = readers::open(&source, &choice, spec.header, sparse)?;
            check_columns(&source, reader.width())?;
            files.push(TableFile { rows: reader.row_count(), source });
            match &first {
                _ if reader.width() == 0 => {} // lists of which there are none fit to any others
                Some(first) => check_alike(&files[files.len() - 1].source, &**first, &*reader)?,
                None => {
                    reader_of_first = files.len() == 1;
                    first = Some(reader);
                }
            }
        }
        if let (None, Some(file), false) = (&first, files.first(), spec.shard) {
            return Err(file.source.error("the file has no numbers: write at least one row to it"));
        }
        let (width, image_shape) = first.as_ref().map_or((0, None), |first| (first.width(), first.image_shape()));
        let image_shape = match (spec.image_shape, files.first()) {
            (Some(given), Some(file)) => Some(given.of_rows(&file.source.path, width)?),
            _ => image_shape,
        };
        let names = first.as_ref().map(|first| first.names()).unwrap_or_default();
        let left_out = first.as_ref().map(|first| first.left_out().to_vec()).unwrap_or_default();
        let hash = fresh_hash(width);
        let (header, reader) = (spec.header, first.filter(|_| reader_of_first));
        Ok(Self {
            files,
            lists: lists(&spec.paths),
            choice,
            header,
            sparse,
            width,
            image_shape,
            names,
            left_out,
            reader,
            file: 0,
            row_in_file: 0,
            rows_read: 0,
            missing: MissingValues::new(on_null),
            shard: spec.shard,
            vanished: vec![false; width],
            hash,
        })
    }

    /// Whether rows come from a stream. All its readers have been opened then: what they have read is forgotten from now on.
    pub fn begin_stream(&self) -> bool {
        let streams = self.files.iter().filter_map(|file| match &file.source.packing {
            Packing::Stream(stream) => Some(stream),
            _ => None,
        });
        streams.inspect(|stream| stream.close()).count() > 0
    }

    /// Everything that is read: the files in their order, and the lists that name them.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| &file.source.path).chain(&self.lists).cloned().collect()
    }

    /// What messages call the table: its file, or the first of several.
    pub fn name(&self) -> String {
        match &self.files[..] {
            [] => "the data".into(),
            [only] => only.source.path.display().to_string(),
            [first, rest @ ..] => format!("the table of {} and {} more", first.source.path.display(), rest.len()),
        }
    }

    /// Goes back to the first row, as if nothing had been read.
    pub fn rewind(&mut self) {
        (self.reader, self.file, self.row_in_file, self.rows_read) = (None, 0, 0, 0);
        self.missing = MissingValues::new(self.missing.on_null);
        self.hash = fresh_hash(self.width);
    }

    /// Values per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of all files together, where every file tells and none can be skipped.
    pub fn row_count(&self) -> Option<u64> {
        self.files.iter().map(|file| file.rows).sum::<Option<u64>>().filter(|_| self.on_null() != OnNull::Skip)
    }

    /// Whether it is one of many files, each of which has a result of its own.
    pub(crate) fn is_shard(&self) -> bool {
        self.shard
    }

    /// What becomes of rows in which values are missing.
    pub fn on_null(&self) -> OnNull {
        self.missing.on_null
    }

    /// Rows that were skipped so far because a value is missing.
    pub fn rows_skipped(&self) -> u64 {
        self.missing.skipped
    }

    /// Which of the rows since the last call were skipped, counted from 0 among all of them.
    pub fn take_skipped(&mut self) -> Vec<u64> {
        self.missing.take_skipped()
    }

    /// The shape of each row, where rows are images.
    pub fn image_shape(&self) -> Option<ImageShape> {
        self.image_shape
    }

    /// What the columns are called, in the first file.
    pub fn column_names(&self) -> &ColumnNames {
        &self.names
    }

    /// Whether a column, in the rows read so far, has numbers other than zero that count as zero, because single precision has none so
    /// small.
    pub fn has_vanished(&self, column: usize) -> bool {
        self.vanished.get(column).is_some_and(|vanished| *vanished)
    }

    /// Columns that are no features though nobody said so, each with what it is: text, ids, and what stands beside lists.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// The files and how their text begins, for readers of other columns.
    pub(crate) fn sources(&self) -> (Vec<Source>, Option<bool>) {
        (self.files.iter().map(|file| file.source.clone()).collect(), self.header)
    }

    /// Rows read so far.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// A hash of the width and of the bits of all values read so far. It does not depend on the size of the chunks.
    pub fn fingerprint(&self) -> u64 {
        self.hash.finish()
    }

    /// Appends up to `max_rows` rows, row after row, and returns how many; 0 only at the end. Every value is finite.
    ///
    /// # Errors
    /// When a file cannot be read, is shorter than it promised, or has a value that is not finite.
    pub fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let mut read = 0;
        // a claim of rows in a small file must not become memory
        let max_rows = max_rows.min((MOST_VALUES / self.width.max(1)).max(1));
        while read < max_rows && self.file < self.files.len() {
            let start = rows.len();
            let count = self.reader()?.read(max_rows - read, rows)?;
            if count == 0 {
                let TableFile { source, rows } = &self.files[self.file];
                check_count(source, *rows, self.row_in_file)?;
                (self.reader, self.file, self.row_in_file) = (None, self.file + 1, 0);
                continue;
            }
            let removed = self.missing.treat(rows, start, self.width, count);
            let kept = count - removed.len();
            let odd = odd_among(&rows[start..]);
            if let Some(index) = odd.non_finite {
                return Err(self.non_finite(rows[start + index], index, &removed));
            }
            if odd.vanished {
                self.note_vanished(&mut rows[start..]);
            }
            self.hash.write(rows[start..].to_byte_slice());
            self.row_in_file += count as u64;
            read += kept;
        }
        self.rows_read += read as u64;
        if self.rows_read == 0 && max_rows > 0 && !self.shard {
            if self.missing.skipped > 0 {
                let problem = "every row has a missing value, and none is left: impute them, or use --on-null zero";
                return Err(Error::data(self.name(), problem));
            }
            return Err(Error::data(self.name(), "there are no rows: write at least one row to it"));
        }
        Ok(read)
    }

    /// The current file's reader, opened when its turn comes.
    fn reader(&mut self) -> Result<&mut Box<dyn RowReader>> {
        let reader = match self.reader.take() {
            Some(reader) => reader,
            None => readers::open(&self.files[self.file].source, &self.choice, self.header, self.sparse)?,
        };
        Ok(self.reader.insert(reader))
    }

    /// Why a value of the last rows is refused that is not finite. `removed` are the rows that were taken out of them, ascending.
    fn non_finite(&self, value: f32, index: usize, removed: &[usize]) -> Error {
        let row = removed.iter().fold(index / self.width, |row, &gone| row + usize::from(gone <= row));
        let (file, row) = (&self.files[self.file].source, self.row_in_file + row as u64 + 1);
        let column = index % self.width;
        let name = self.reader.as_ref().map_or((column + 1).to_string(), |reader| reader.column_name(column));
        if is_beyond(value) {
            return file.error(format!(
                "row {row}, column {name} is finite, but beyond single precision (3.4e38): scale the column down"
            ));
        }
        Error::NonFinite { what: file.path.display().to_string(), row, column: name, value: value.to_string() }
    }

    /// Makes zeros of numbers that are too small for single precision, and remembers their columns.
    fn note_vanished(&mut self, values: &mut [f32]) {
        for (index, value) in values.iter_mut().enumerate().filter(|(_, value)| **value == VANISHED) {
            *value = 0.0;
            if let Some(vanished) = self.vanished.get_mut(index % self.width) {
                *vanished = true;
            }
        }
    }
}

/// The first `most` numbers of a Parquet file by way of arrow alone, for comparison with the page-by-page path.
#[doc(hidden)]
pub fn rows_by_arrow(path: &Path, most: usize) -> Result<Vec<f32>> {
    readers::read_by_arrow(&Source::new(path)?, most)
}

/// Refuses rows that no memory would hold.
pub(crate) fn check_columns(source: &Source, width: usize) -> Result<()> {
    if width <= MOST_COLUMNS {
        return Ok(());
    }
    Err(source.error(format!(
        "rows of {width} numbers are too wide ({MOST_COLUMNS} at most): check the shape, or resize images"
    )))
}

/// The state of a fingerprint before the first row.
fn fresh_hash(width: usize) -> Box<XxHash3_64> {
    let mut hash = Box::new(XxHash3_64::new());
    hash.write(&(width as u64).to_le_bytes());
    hash
}

#[cfg(test)]
mod tests;
