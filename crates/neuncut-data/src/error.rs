//! What can be wrong with a file, a row or a choice of columns: every text names the place and the remedy.
//!
//! ```
//! use neuncut_data::{Error, Scratch, Table, TableSpec};
//!
//! let folder = Scratch::create_in(&std::env::temp_dir())?;
//! let path = folder.path().join("rows.csv").to_string_lossy().into_owned();
//! std::fs::write(&path, "x,y\n1,2\n3,inf\n")?;
//!
//! let mut table = Table::open(&TableSpec { paths: vec![path], ..Default::default() })?;
//! let error = table.read(100, &mut Vec::new()).expect_err("an infinity");
//! assert!(matches!(error, Error::NonFinite { row: 2, .. }));
//! assert!(error.to_string().contains("row 2, column y is inf: remove or impute rows"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io;
use std::path::PathBuf;

/// What can go wrong between files and rows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting that cannot be used, such as the name of an output.
    #[error("{field} is {given}, but must be {must}")]
    Config {
        /// The setting, as the user writes it.
        field: &'static str,
        /// The value that was given.
        given: String,
        /// What would be accepted instead.
        must: String,
    },
    /// A file that cannot be read as a table of numbers (or labels).
    #[error("{}: {problem}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, naming the row or column, and the remedy.
        problem: String,
    },
    /// A NaN or an infinity where a finite number is needed. Rows are counted from 1, columns are named or counted from 1.
    #[error(
        "{what}: row {row}, column {column} is {value}: remove or impute rows with missing or infinite values{}",
        on_null(value)
    )]
    NonFinite {
        /// The file or array.
        what: String,
        /// Row, counted from 1.
        row: u64,
        /// Column name, or its number counted from 1.
        column: String,
        /// The offending value as text.
        value: String,
    },
    /// Two things whose sizes must agree, and do not.
    #[error("{what} has {given} columns, but {expected} are expected: {remedy}")]
    Width {
        /// What has the wrong width.
        what: String,
        /// Its width.
        given: usize,
        /// The width it should have.
        expected: usize,
        /// What to do.
        remedy: String,
    },
    /// A file that cannot be opened, read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `read`, `write`, `create`, ...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
}

/// The flag that does something about a missing value.
fn on_null(value: &str) -> &'static str {
    if value == "NaN" { ", or use --on-null skip" } else { "" }
}

/// The crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A [`Error::Config`] from anything printable.
    pub fn config(field: &'static str, given: impl ToString, must: impl Into<String>) -> Self {
        Self::Config { field, given: given.to_string(), must: must.into() }
    }

    /// A [`Error::Data`] about one file.
    pub fn data(path: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::Data { path: path.into(), problem: problem.into() }
    }

    /// Attaches what was being done, and to which file, to an I/O error.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source: with_remedy(action, source) }
    }

    /// Whether an output ended because its reader went away (`neuncut predict ... | head`), which is no failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// The operating system's answer, with what to do about it where that is known.
fn with_remedy(action: &str, source: io::Error) -> io::Error {
    let remedy = match source.kind() {
        _ if source.raw_os_error().is_none() => return source, // not the system's own words
        io::ErrorKind::NotFound if action == "read" => "No such file; check the path",
        io::ErrorKind::AlreadyExists => "there is a file of that name; give the name of a folder",
        io::ErrorKind::IsADirectory => "this is a directory; give the name of a file",
        io::ErrorKind::PermissionDenied if action == "read" => "no permission to read it; ask its owner, or copy it",
        io::ErrorKind::StorageFull => "No space left on device; make room, or write elsewhere",
        _ => return source,
    };
    io::Error::new(source.kind(), remedy)
}
