//! Any number of files as one table of `f32` rows, read in order and in chunks.

use super::columns::ColumnChoice;
use super::paths::expand;
use super::readers::{self, SparseExtent, sparse_extent};
use super::source::Source;
use crate::{Error, Result};
use arrow::datatypes::ToByteSlice;
use std::path::PathBuf;
use xxhash_rust::xxh3::Xxh3;

/// What to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableSpec {
    /// Files or globs. Several make one table, in the order given; the matches of a glob are sorted.
    pub paths: Vec<String>,
    /// The feature columns: names, or numbers counted from 1 and ranges such as `2-17` where no name matches. `None` is
    /// all of them.
    pub columns: Option<Vec<String>>,
    /// A column (name or number) that is left out of the features.
    pub label_column: Option<String>,
    /// Whether delimited text begins with column names; `None` finds out.
    pub header: Option<bool>,
    /// The width and height that the images of a folder get as they are read; without it all must have one size.
    pub image_size: Option<(usize, usize)>,
}

/// The shape of each row, where rows are images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageShape {
    /// Pixels from top to bottom.
    pub height: usize,
    /// Pixels from left to right.
    pub width: usize,
    /// Values a pixel; they lie side by side.
    pub channels: usize,
}

impl ImageShape {
    /// Values an image.
    #[allow(clippy::len_without_is_empty, reason = "no image is empty")]
    pub fn len(self) -> usize {
        self.height * self.width * self.channels
    }
}

/// Rows of one file, in order.
pub trait RowReader: Send {
    /// Values a row.
    fn width(&self) -> usize;
    /// Appends up to `max_rows` rows, row after row, and returns how many; 0 only at the end.
    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize>;
    /// Rows in the whole file, where its header tells.
    fn row_count(&self) -> Option<u64>;
    /// The name of a column, or its number counted from 1.
    fn column_name(&self, column: usize) -> String;
    /// The shape of each row, where rows are images.
    fn image_shape(&self) -> Option<ImageShape>;
    /// Whether [`RowReader::column_name`] gives names that the file itself holds, one a column.
    fn has_names(&self) -> bool {
        false
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
    choice: ColumnChoice,
    header: Option<bool>,
    sparse: Option<SparseExtent>,
    width: usize,
    image_shape: Option<ImageShape>,
    /// The open file and its index; the first stays open from [`Table::open`] on.
    reader: Option<Box<dyn RowReader>>,
    file: usize,
    row_in_file: u64,
    rows_read: u64,
    hash: Box<Xxh3>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let paths: Vec<_> = self.files.iter().map(|file| &file.source.path).collect();
        f.debug_struct("Table").field("paths", &paths).field("width", &self.width).finish_non_exhaustive()
    }
}

impl Table {
    /// Finds all files and checks, before any work is done, that each can be read and has the same columns.
    pub fn open(spec: &TableSpec) -> Result<Self> {
        let choice = ColumnChoice::of(spec);
        let source = |path: &PathBuf| Ok(Source { image_size: spec.image_size, ..Source::new(path)? });
        let sources = expand(&spec.paths)?.iter().map(source).collect::<Result<Vec<_>>>()?;
        let sparse = sparse_extent(&sources)?;
        let mut files = Vec::with_capacity(sources.len());
        let mut first: Option<Box<dyn RowReader>> = None;
        for source in sources {
            let reader = readers::open(&source, &choice, spec.header, sparse)?;
            files.push(TableFile { rows: reader.row_count(), source });
            match &first {
                Some(first) => check_alike(&files[files.len() - 1].source, &**first, &*reader)?,
                None => first = Some(reader),
            }
        }
        let (width, image_shape) = first.as_ref().map_or((0, None), |first| (first.width(), first.image_shape()));
        let hash = fresh_hash(width);
        let (header, reader) = (spec.header, first);
        Ok(Self {
            files,
            choice,
            header,
            sparse,
            width,
            image_shape,
            reader,
            file: 0,
            row_in_file: 0,
            rows_read: 0,
            hash,
        })
    }

    /// The files, in the order they are read.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.source.path.clone()).collect()
    }

    /// What the columns are called, where the first file names them.
    pub fn column_names(&self) -> Option<Vec<String>> {
        let reader = self.reader.as_ref().filter(|reader| reader.has_names())?;
        Some((0..self.width).map(|column| reader.column_name(column)).collect())
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
        self.hash = fresh_hash(self.width);
    }

    /// Values a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of all files together, where every file tells.
    pub fn row_count(&self) -> Option<u64> {
        self.files.iter().map(|file| file.rows).sum()
    }

    /// The shape of each row, where rows are images.
    pub fn image_shape(&self) -> Option<ImageShape> {
        self.image_shape
    }

    /// Rows read so far.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// A hash of the width and of the bits of all values read so far. It does not depend on the size of the chunks.
    pub fn fingerprint(&self) -> u64 {
        self.hash.digest()
    }

    /// Appends up to `max_rows` rows, row after row, and returns how many; 0 only at the end. Every value is finite.
    pub fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let mut read = 0;
        while read < max_rows && self.file < self.files.len() {
            let start = rows.len();
            let count = self.reader()?.read(max_rows - read, rows)?;
            if count == 0 {
                (self.reader, self.file, self.row_in_file) = (None, self.file + 1, 0);
                continue;
            }
            self.check_finite(&rows[start..])?;
            self.hash.update(rows[start..].to_byte_slice());
            self.row_in_file += count as u64;
            read += count;
        }
        self.rows_read += read as u64;
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

    fn check_finite(&self, values: &[f32]) -> Result<()> {
        match first_non_finite(values) {
            None => Ok(()),
            Some(index) => {
                let column = index % self.width;
                let name = self.reader.as_ref().map_or((column + 1).to_string(), |reader| reader.column_name(column));
                Err(Error::NonFinite {
                    what: self.files[self.file].source.path.display().to_string(),
                    row: self.row_in_file + (index / self.width) as u64 + 1,
                    column: name,
                    value: values[index].to_string(),
                })
            }
        }
    }
}

/// The state of a fingerprint before the first row.
fn fresh_hash(width: usize) -> Box<Xxh3> {
    let mut hash = Box::new(Xxh3::new());
    hash.update(&(width as u64).to_le_bytes());
    hash
}

/// The index of the first value that is NaN or infinite. Blocks are checked without branches, as vectors.
fn first_non_finite(values: &[f32]) -> Option<usize> {
    const BLOCK: usize = 1024;
    let finite = |block: &[f32]| block.iter().fold(true, |all, value| all & value.is_finite());
    let block = values.chunks(BLOCK).position(|block| !finite(block))?;
    values[block * BLOCK..].iter().position(|value| !value.is_finite()).map(|index| block * BLOCK + index)
}

/// Whether a further file fits to the first one.
fn check_alike(source: &Source, first: &dyn RowReader, reader: &dyn RowReader) -> Result<()> {
    if first.width() != reader.width() {
        return Err(Error::Width {
            what: source.path.display().to_string(),
            given: reader.width(),
            expected: first.width(),
            remedy: "all files of a table must have the columns of the first one; choose them with --columns".into(),
        });
    }
    if let (Some(a), Some(b)) = (first.image_shape(), reader.image_shape())
        && a != b
    {
        let size = |shape: ImageShape| format!("{}x{}", shape.width, shape.height);
        let problem = format!(
            "images of {} pixels, but those of the first file have {}: give images of one size",
            size(b),
            size(a)
        );
        return Err(source.error(problem));
    }
    if first.has_names() && reader.has_names() {
        let differs = (0..first.width()).find(|&column| first.column_name(column) != reader.column_name(column));
        if let Some(column) = differs {
            let (given, expected) = (reader.column_name(column), first.column_name(column));
            let problem = format!(
                "feature column {} is called {given}, but {expected} in the first file: name the columns in one order with --columns",
                column + 1
            );
            return Err(source.error(problem));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
