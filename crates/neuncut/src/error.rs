//! One error for the whole library: every text names what was wrong, where, and what to do about it.
//!
//! ```
//! use neuncut::{Config, Error, job::Job};
//!
//! let error = Job::new(Config::new(0)).err().expect("no clusters");
//! assert!(matches!(error, Error::Config { .. }));
//! assert!(error.to_string().contains("at least 1"));
//! ```

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

pub use neuncut_data::Error as TableError;

/// What can go wrong, from a mistyped option to a full disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A configuration value that cannot be used.
    #[error("{field} is {given}, but must be {must}")]
    Config {
        /// The configuration field, as the user writes it.
        field: Cow<'static, str>,
        /// The value that was given.
        given: String,
        /// What would be accepted instead.
        must: String,
    },
    /// What was asked for cannot be done as a whole, whatever a single setting is; the text names the remedy.
    #[error("{0}")]
    Request(String),
    /// What is wrong with a file, a row, a value or a width.
    #[error(transparent)]
    Table(#[from] TableError),
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
    pub fn config(field: impl Into<Cow<'static, str>>, given: impl ToString, must: impl Into<String>) -> Self {
        Self::Config { field: field.into(), given: given.to_string(), must: must.into() }
    }

    /// A [`TableError::Data`] about one file.
    pub fn data(path: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        TableError::data(path, problem).into()
    }

    /// An [`Error::TooFewRows`] for so many clusters.
    pub(crate) fn too_few_rows(what: String, rows: u64, clusters: usize) -> Self {
        let remedy = format!("{clusters} clusters need at least as many rows; ask for fewer with -k");
        Self::TooFewRows { what, rows, needed: clusters as u64, remedy }
    }

    /// A [`Error::ModelFormat`] about one file.
    pub fn model(path: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::ModelFormat { path: path.into(), problem: problem.into() }
    }

    /// Attaches what was being done, and to which file, to an I/O error.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let attach = TableError::io(action, path);
        move |source| attach(source).into()
    }

    /// Whether an output ended because its reader went away (`neuncut predict ... | head`), which is no failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Table(error) if error.is_broken_pipe())
    }
}
