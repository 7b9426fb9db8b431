//! The library's errors as the exceptions that users of scikit-learn expect, in one match.

use neuncut::{Error, TableError};
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};

/// The exception for an error; fields have the names that they have in Python.
pub fn to_python(error: Error) -> PyErr {
    match error {
        Error::Config { field, given, must } => unusable(&field, &given, &must),
        Error::Table(TableError::Config { field, given, must }) => unusable(field, &given, &must),
        Error::TooFewRows { rows, needed, .. } => {
            PyValueError::new_err(format!("n_samples={rows} should be >= n_clusters={needed}: ask for fewer clusters"))
        }
        Error::Table(TableError::NonFinite { row, column, value, .. }) => PyValueError::new_err(format!(
            "Input X contains {}: row {row}, column {column} (both counted from 1) is {value}; remove or impute such rows",
            if value == "NaN" || value == "null" { "NaN" } else { "infinity" }
        )),
        Error::Table(TableError::Width { given, expected, remedy, .. }) => {
            PyValueError::new_err(format!("X has {given} features, but {expected} features are expected: {remedy}"))
        }
        Error::Diverged { step, what } => PyRuntimeError::new_err(format!(
            "training diverged at step {step}: the {what} is not finite; lower the learning rate `lr`"
        )),
        Error::Table(TableError::Io { action, path, source }) => {
            let text = format!("cannot {action} {}: {source}", path.display());
            // with the system's number, Python makes FileNotFoundError and its like of it
            match number(source.kind()) {
                Some(number) => PyOSError::new_err((number, text)),
                None => PyOSError::new_err(text),
            }
        }
        Error::NotConverged { .. } | Error::Device { .. } | Error::DeviceFailed { .. } => {
            PyRuntimeError::new_err(in_python(&error.to_string()))
        }
        Error::Interrupted => PyKeyboardInterrupt::new_err("interrupted"),
        _ => PyValueError::new_err(in_python(&error.to_string())),
    }
}

fn unusable(field: &str, given: &str, must: &str) -> PyErr {
    PyValueError::new_err(format!("{} is {given}, but must be {}", python_name(field), in_python(must)))
}

/// A sentence of the library, in which flags of the command have become keywords: `--train-rows` is `train_rows`, `-k` `n_clusters`.
pub fn in_python(sentence: &str) -> String {
    let word = |word: &str| {
        let begin = word.find('-').unwrap_or(0);
        let (before, flag) = word.split_at(begin);
        let end = flag.rfind(|c: char| c.is_ascii_alphanumeric()).map_or(flag.len(), |last| last + 1);
        let (flag, after) = flag.split_at(end);
        match flag.strip_prefix("--") {
            _ if before.contains(char::is_alphanumeric) => word.to_string(),
            _ if flag == "-k" => format!("{before}n_clusters{after}"),
            Some(name) => format!("{before}{}{after}", python_name(name)),
            None => word.to_string(),
        }
    };
    sentence.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// What a field of the configuration is called in Python.
pub fn python_name(field: &str) -> String {
    match field {
        "k" | "clusters" => "n_clusters".into(),
        "seed" => "random_state".into(),
        _ => field.replace('-', "_"),
    }
}

/// The number of the commonest answers of the system, which the library replaces by its own words.
fn number(kind: std::io::ErrorKind) -> Option<i32> {
    match kind {
        std::io::ErrorKind::NotFound => Some(2),
        std::io::ErrorKind::PermissionDenied => Some(13),
        std::io::ErrorKind::AlreadyExists => Some(17),
        std::io::ErrorKind::NotADirectory => Some(20),
        std::io::ErrorKind::IsADirectory => Some(21),
        std::io::ErrorKind::StorageFull => Some(28),
        _ => None,
    }
}
