//! Results go out in chunks, in the format that the target's ending says.
//!
//! Everything is written to a temporary file that [`RowWriter::finish`] puts in its place, so that a target is complete
//! or as it was before; see [`AtomicFile`].
//!
//! ```
//! use neuncut_data::writers::{self, Columns};
//! use neuncut_data::{Scratch, read_labels};
//!
//! let folder = Scratch::create_in(&std::env::temp_dir())?;
//! let path = folder.path().join("labels.parquet").to_string_lossy().into_owned();
//! let mut writer = writers::create(&path, Columns::Labels)?;
//! writer.write(&[0, 1], None)?;
//! writer.write(&[1], None)?;
//! writer.finish()?;
//! assert_eq!(read_labels(&path, None)?, ["0", "1", "1"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrow_table;
mod cluster_columns;
mod csv;
mod dictionaries;
mod json_lines;
mod npy;
mod on_thread;
mod parquet_copy;
mod terminal;

use super::atomic::{AtomicFile, Complete};
use super::kept::KeptColumns;
use super::source::Format;
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_schema::FieldRef;
use arrow_table::ResultColumns;
pub use cluster_columns::{ClusterColumn, ClusterValues, Labels};
use ndarray::{ArrayView1, ArrayView2};
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use terminal::Printable;

/// What users are told when a target's name says nothing.
const SUPPORTED: &str = ".npy, .csv, .tsv, .jsonl, .parquet, .arrow";

/// What each output row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// The cluster of the row.
    Labels,
    /// The cluster of the row and its membership in that cluster, as a matrix of one column. No npy file holds both.
    LabelsAndConfidence,
    /// The cluster of the row, and its membership in every cluster. An npy file holds the memberships alone, as one
    /// matrix; the label is the column of the largest.
    LabelsAndMemberships {
        /// Clusters, and so memberships per row.
        n_clusters: usize,
    },
}

impl Columns {
    /// Memberships per row.
    fn n_memberships(self) -> Option<usize> {
        match self {
            Self::Labels => None,
            Self::LabelsAndConfidence => Some(1),
            Self::LabelsAndMemberships { n_clusters } => Some(n_clusters),
        }
    }

    /// What the columns of memberships are called in text.
    fn membership_names(self) -> Vec<String> {
        match self {
            Self::Labels => Vec::new(),
            Self::LabelsAndConfidence => vec![CONFIDENCE.to_owned()],
            Self::LabelsAndMemberships { n_clusters } => (0..n_clusters).map(|cluster| format!("p{cluster}")).collect(),
        }
    }

    /// What all columns of results are called, in text and in files of types.
    pub fn names(self, labels: &Labels) -> Vec<String> {
        let mut names = vec!["label".to_owned()];
        names.extend(labels.beside.iter().map(|column| column.name.clone()));
        names.extend(matches!(self, Self::LabelsAndMemberships { .. }).then(|| "memberships".to_owned()));
        names.extend(self.membership_names());
        names
    }

    /// Checks that a chunk has what was announced, and that it is finite.
    fn check(self, output: &Path, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()> {
        let expected = self.n_memberships().map(|n_clusters| (labels.len(), n_clusters));
        match memberships.map(|memberships| memberships.dim()) {
            given if given == expected => memberships.map_or(Ok(()), |found| check_finite(output, found)),
            given => Err(Error::config("memberships", format!("{given:?}"), format!("{expected:?} (rows, clusters)"))),
        }
    }
}

/// The column of the membership in a row's own cluster.
const CONFIDENCE: &str = "confidence";

/// The label of a row that has none.
pub const NO_LABEL: i32 = -1;

/// Takes labels, and memberships if they were asked for, chunk after chunk.
pub trait RowWriter: Send {
    /// Writes the next rows. `memberships` is (rows, clusters), and present exactly when announced. A label below zero, see
    /// [`NO_LABEL`], is null in a table, and its memberships are.
    ///
    /// # Errors
    /// When they are not what was announced, or cannot be written.
    fn write(&mut self, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()>;
    /// Completes the output, which is not in its place yet. Dropped without this, nothing is left behind.
    ///
    /// # Errors
    /// When the rest cannot be written.
    fn complete(self: Box<Self>) -> Result<Complete>;
    /// Completes the output and puts it in its place.
    ///
    /// # Errors
    /// When the rest cannot be written, or the target cannot be replaced.
    fn finish(self: Box<Self>) -> Result<()> {
        self.complete()?.place()
    }
}

/// Takes rows of numbers, chunk after chunk.
pub trait MatrixWriter: Send {
    /// Writes the next rows, (rows, width).
    ///
    /// # Errors
    /// When they have another width, or cannot be written.
    fn write(&mut self, rows: ArrayView2<f32>) -> Result<()>;
    /// Completes the output, which is not in its place yet. Dropped without this, nothing is left behind.
    ///
    /// # Errors
    /// When the rest cannot be written.
    fn complete(self: Box<Self>) -> Result<Complete>;
    /// Completes the output and puts it in its place.
    ///
    /// # Errors
    /// When the rest cannot be written, or the target cannot be replaced.
    fn finish(self: Box<Self>) -> Result<()> {
        self.complete()?.place()
    }
}

/// What stands beside the results in a table; an npy file has none of it.
#[derive(Default)]
pub struct Beside {
    /// Columns of the input, which come first.
    pub kept: Option<KeptColumns>,
    /// What labels are.
    pub labels: Labels,
}

impl Beside {
    /// The next rows of the kept columns.
    fn take(&mut self, rows: usize) -> Result<Vec<ArrayRef>> {
        Ok(self
            .kept
            .as_mut()
            .map(|kept| kept.take(rows))
            .transpose()?
            .map_or(Vec::new(), |batch| batch.columns().to_vec()))
    }

    fn fields(&self) -> Vec<FieldRef> {
        self.kept.as_ref().map_or(Vec::new(), KeptColumns::fields)
    }

    /// The same for files of types.
    fn typed_fields(&self) -> Vec<FieldRef> {
        self.kept.as_ref().map_or(Vec::new(), KeptColumns::typed_fields)
    }

    /// What the input says about itself, as pandas and others leave it.
    fn metadata(&self) -> HashMap<String, String> {
        self.kept.as_ref().map_or(HashMap::new(), |kept| kept.schema().metadata().clone())
    }

    fn finish(&mut self) -> Result<()> {
        self.kept.as_mut().map_or(Ok(()), KeptColumns::finish)
    }
}

/// Whether a target is standard output, in any format.
pub fn is_stdout(target: &str) -> bool {
    target == "-" || (target.starts_with("-.") && !Path::new(target).exists())
}

/// Whether results to this target can have columns beside them.
pub fn is_table(target: &str) -> bool {
    !matches!(Format::of(target), Some(Format::Npy))
}

/// Begins to write labels (and memberships) to a path, or to standard output: `-` is CSV, and `-.jsonl` another format.
///
/// # Errors
/// When the target's name says no format, or cannot be created.
pub fn create(target: &str, columns: Columns) -> Result<Box<dyn RowWriter>> {
    create_beside(target, columns, Beside::default())
}

/// The same with columns of the input beside them, and with names of clusters. A column that is called as a result is gets another name.
///
/// # Errors
/// When the target's name says no format, or cannot be created.
pub fn create_beside(target: &str, columns: Columns, mut beside: Beside) -> Result<Box<dyn RowWriter>> {
    let (format, output) = Output::create(target)?;
    if let Some(kept) = &mut beside.kept {
        kept.avoid(&columns.names(&beside.labels));
    }
    let results = || ResultColumns::new(columns, beside.labels.clone());
    Ok(match format {
        Format::Npy if columns == Columns::LabelsAndConfidence => {
            let must =
                "left out, or used with csv, tsv, jsonl, parquet or arrow: an npy file holds labels or memberships";
            return Err(Error::config("confidence", "given for npy", must));
        }
        Format::Npy => Box::new(npy::NpyRows::new(output, columns)?),
        Format::Parquet => match beside.kept.as_ref().map(KeptColumns::chunks).transpose()?.flatten() {
            Some(chunks) => {
                let copied = parquet_copy::CopiedRows::new(output, chunks, results())?;
                Box::new(on_thread::OnThread::new(Box::new(copied)))
            }
            None => Box::new(arrow_table::ArrowRows::parquet(output, results(), beside)?),
        },
        Format::Arrow => Box::new(arrow_table::ArrowRows::ipc(output, results(), beside)?),
        Format::Json => Box::new(json_lines::JsonRows::new(output, results(), beside)),
        format => Box::new(csv::CsvRows::new(output, csv::delimiter(format), columns, beside)?),
    })
}

/// Begins to write rows of `width` numbers to a path, or as CSV to standard output for `-`.
///
/// Text has the columns `x1`, `x2`, ...; Parquet and Arrow have one fixed-size-list column `features`.
///
/// # Errors
/// When the target's name says no format, or cannot be created.
pub fn create_matrix(target: &str, width: usize) -> Result<Box<dyn MatrixWriter>> {
    let (format, output) = Output::create(target)?;
    Ok(match format {
        Format::Npy => Box::new(npy::NpyMatrix::new(output, width)?),
        Format::Parquet => Box::new(arrow_table::ArrowMatrix::parquet(output, width)?),
        Format::Arrow => Box::new(arrow_table::ArrowMatrix::ipc(output, width)?),
        Format::Json => Box::new(json_lines::JsonMatrix::new(output, width)),
        format => Box::new(csv::CsvMatrix::new(output, csv::delimiter(format), width)?),
    })
}

/// Where the bytes go.
enum Output {
    File(AtomicFile),
    Stdout(io::BufWriter<Box<dyn Write + Send>>),
}

impl Output {
    fn create(target: &str) -> Result<(Format, Self)> {
        if is_stdout(target) {
            let format = Format::of(target).unwrap_or(Format::Csv);
            if matches!(format, Format::Npy | Format::Idx | Format::Libsvm | Format::Images) {
                let must = "one of csv, tsv, jsonl, parquet and arrow: others cannot be written to a pipe";
                return Err(Error::config("format", target.trim_start_matches("-."), must));
            }
            let stdout: Box<dyn Write + Send> = match io::stdout().is_terminal() {
                true => Box::new(Printable::new(io::stdout())),
                false => Box::new(io::stdout()),
            };
            return Ok((format, Self::Stdout(io::BufWriter::with_capacity(1 << 16, stdout))));
        }
        let unknown =
            || Error::config("output", target, format!("a name that says its format: end it in one of {SUPPORTED}"));
        let format = match Format::of(target) {
            Some(Format::Idx | Format::Libsvm | Format::Images) => return Err(unknown()),
            Some(format) => format,
            // Devices such as /dev/stdout have no ending.
            None if is_device(Path::new(target)) => Format::Csv,
            None => return Err(unknown()),
        };
        let file = AtomicFile::create(target)?;
        if format == Format::Npy && file.is_direct() {
            return Err(Error::config("output", target, "a file: npy cannot be written to a device or pipe"));
        }
        Ok((format, Self::File(file)))
    }

    fn path(&self) -> &Path {
        match self {
            Self::File(file) => file.path(),
            Self::Stdout(_) => Path::new("standard output"),
        }
    }

    /// Attaches this output's name to an error.
    fn error(&self, error: io::Error) -> Error {
        Error::io("write", self.path())(error)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|error| self.error(error))
    }

    /// Passes on what is written so far where somebody may be waiting for it.
    fn pass_on(&mut self) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Stdout(stdout) => stdout.flush().map_err(Error::io("write", "standard output")),
        }
    }

    fn complete(mut self) -> Result<Complete> {
        self.flush().map_err(|error| self.error(error))?;
        match self {
            Self::File(file) => file.complete(),
            Self::Stdout(_) => Ok(Complete::direct()),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

fn is_device(target: &Path) -> bool {
    target.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Refuses to write NaN or infinity.
fn check_finite(output: &Path, rows: ArrayView2<f32>) -> Result<()> {
    let finite = |row: ArrayView1<f32>| row.iter().fold(true, |all, value| all & value.is_finite());
    match rows.rows().into_iter().position(|row| !finite(row)) {
        None => Ok(()),
        Some(row) => Err(Error::data(
            output,
            format!(
                "a row would hold NaN or infinity (row {} of a chunk): the model or the feature steps are damaged, or numbers are too \
                 large; fit them again, or scale the data",
                row + 1
            ),
        )),
    }
}

/// Checks the width of a chunk of rows and that it is finite.
fn check_width(output: &Path, rows: ArrayView2<f32>, width: usize) -> Result<()> {
    if rows.ncols() == width {
        return check_finite(output, rows);
    }
    let remedy = "write rows of the width that the file was created with".to_owned();
    Err(Error::Width {
        what: format!("a chunk for {}", output.display()),
        given: rows.ncols(),
        expected: width,
        remedy,
    })
}

#[cfg(test)]
mod tests;
