//! On which threads the work runs, also in a process that was forked after the first work.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The process in which the common pool was first used: its threads live there alone.
static FIRST_PROCESS: OnceLock<u32> = OnceLock::new();
/// The pool of a forked process, and the process.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
/// How many threads the common pool has, where it was given.
static THREADS: OnceLock<usize> = OnceLock::new();

/// Uses this many threads from now on. It must be said before the first work of the process.
#[pyfunction]
pub fn set_threads(threads: usize) -> PyResult<()> {
    if threads == 0 {
        return Err(pyo3::exceptions::PyValueError::new_err("threads is 0, but must be at least 1"));
    }
    if THREADS.get() == Some(&threads) || rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().is_ok() {
        let _ = THREADS.set(threads); // the same number where it was given before
        return Ok(());
    }
    Err(PyRuntimeError::new_err(
        "the threads have been started already: call set_threads first of all, or set RAYON_NUM_THREADS",
    ))
}

/// Does work that uses all threads. In a forked process, where the threads of the common pool are missing, it has a new pool.
pub fn on_all_threads<T: Send>(work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let process = std::process::id();
    if *FIRST_PROCESS.get_or_init(|| process) == process {
        return Ok(work());
    }
    let pool = forked_pool(process).map_err(|e| PyRuntimeError::new_err(format!("cannot start threads: {e}")))?;
    Ok(pool.install(work))
}

fn forked_pool(process: u32) -> Result<Arc<ThreadPool>, rayon::ThreadPoolBuildError> {
    let mut forked = FORKED.lock().unwrap_or_else(PoisonError::into_inner);
    match forked.as_ref() {
        Some((owner, pool)) if *owner == process => Ok(pool.clone()),
        _ => {
            // two at least: one may wait for a callback in Python that labels rows itself
            let threads = THREADS.get().copied().unwrap_or_else(rayon::current_num_threads).max(2);
            let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?);
            *forked = Some((process, pool.clone()));
            Ok(pool)
        }
    }
}
