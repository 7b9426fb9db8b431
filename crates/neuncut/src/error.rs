//! One error for the whole library: every text names what was wrong, where, and what to do about it.

use std::io;
use std::path::PathBuf;

/// What can go wrong, from a mistyped option to a full disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A configuration value that cannot be used.
    #[error("{field} is {given}, but must be {must}")]
    Config {
        /// The configuration field, as the user writes it.
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
    #[error("{what}: row {row}, column {column} is {value}: remove or impute rows with missing or infinite values")]
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
    /// Not enough rows for what was asked.
    #[error("{what} has {rows} rows, but {needed} are needed: {remedy}")]
    TooFewRows {
        /// What is too short.
        what: String,
        /// Rows it has.
        rows: u64,
        /// Rows that are needed.
        needed: u64,
        /// What to do.
        remedy: String,
    },
    /// Data on which no clustering is possible.
    #[error("{0}")]
    Degenerate(String),
    /// Training produced a loss or weight that is not finite.
    #[error("training diverged at step {step}: the {what} is not finite; lower the learning rate (--lr)")]
    Diverged {
        /// The step, counted from 1.
        step: usize,
        /// What became infinite or NaN.
        what: &'static str,
    },
    /// An iterative solver that did not reach its tolerance within its bound.
    #[error(
        "{solver} did not converge within {iterations} iterations (residual {residual:.1e}, wanted {tolerance:.1e}): {remedy}"
    )]
    NotConverged {
        /// The solver.
        solver: &'static str,
        /// How many iterations it was allowed.
        iterations: usize,
        /// What was reached.
        residual: f64,
        /// What was wanted.
        tolerance: f64,
        /// What to do.
        remedy: String,
    },
    /// A model file that cannot be used.
    #[error("{}: {problem}", path.display())]
    ModelFormat {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and the remedy.
        problem: String,
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
    /// A compute device that this build or machine does not have.
    #[error("device {device} is not available: {remedy}")]
    Device {
        /// The device asked for.
        device: String,
        /// What to do.
        remedy: String,
    },
    /// A compute device that failed at work.
    #[error("device {device} failed: {problem}; run again, or use --device cpu")]
    DeviceFailed {
        /// The device.
        device: String,
        /// What it reports.
        problem: String,
    },
    /// The caller asked to stop (Ctrl-C).
    #[error("interrupted: nothing was written")]
    Interrupted,
}

/// The library's result.
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

    /// A [`Error::ModelFormat`] about one file.
    pub fn model(path: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::ModelFormat { path: path.into(), problem: problem.into() }
    }

    /// Attaches what was being done, and to which file, to an I/O error.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source: with_remedy(action, source) }
    }
}

/// The operating system's answer, with what to do about it where that is known.
fn with_remedy(action: &str, source: io::Error) -> io::Error {
    let remedy = match source.kind() {
        _ if source.raw_os_error().is_none() => return source, // not the system's own words
        io::ErrorKind::NotFound if action == "read" => "No such file; check the path",
        io::ErrorKind::IsADirectory => "this is a directory; give the name of a file",
        io::ErrorKind::PermissionDenied if action == "read" => "no permission to read it; ask its owner, or copy it",
        io::ErrorKind::StorageFull => "No space left on device; make room, or write elsewhere",
        _ => return source,
    };
    io::Error::new(source.kind(), remedy)
}
