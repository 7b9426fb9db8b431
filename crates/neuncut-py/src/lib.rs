//! The compiled part of the Python package `neuncut`: rows without copies, fits that can be watched and stopped, models.
//!
//! Everything that users see is in `python/neuncut`; `_core.pyi` says what is here.

#![deny(unsafe_code)]

mod errors;
mod features;
mod fit;
mod matrix;
mod model;
mod rows;
mod settings;
mod threads;
mod watch;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::ffi::OsString;

// As in the command: temporaries of training keep their pages. It serves this library alone, not Python.
#[global_allocator]
static ALLOCATOR: neuncut_cli::allocator::Bounded = neuncut_cli::allocator::Bounded;

/// The compiled part of the package.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::features::Features;
    #[pymodule_export]
    use super::fit::{fit, tune_gamma};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::settings::{default_config, methods};
    #[pymodule_export]
    use super::threads::set_threads;
    #[pymodule_export]
    use super::{run_command, scores};
}

/// Accuracy, NMI and ARI of labels against the truth.
#[pyfunction]
fn scores(truth: PyReadonlyArray1<u32>, found: PyReadonlyArray1<u32>) -> PyResult<(f64, f64, f64)> {
    let (truth, found) = (truth.as_array().to_vec(), found.as_array().to_vec());
    let scores = neuncut::metrics::scores(&found, &truth).map_err(errors::to_python)?;
    Ok((scores.accuracy, scores.nmi, scores.ari))
}

/// Runs the command `neuncut` with these words; `started_by` are those that start it again. Gives the exit code.
#[pyfunction]
fn run_command(py: Python<'_>, words: Vec<OsString>, started_by: Vec<OsString>) -> u8 {
    py.detach(|| neuncut_cli::main(words, Some(started_by)))
}
