//! Errors to exit codes, in one match.

use crate::speech;
use neuncut::{Error, TableError};

/// Says the error and gives the exit code; a reader that went away (`| head`) is no error.
pub fn report(error: &Error) -> u8 {
    if error.is_broken_pipe() {
        return 0;
    }
    speech::complain(error);
    code(error)
}

fn code(error: &Error) -> u8 {
    match error {
        Error::Config { .. } | Error::Device { .. } | Error::Table(TableError::Config { .. }) => 2,
        Error::Table(TableError::Io { .. }) => 5,
        Error::Table(_) | Error::TooFewRows { .. } => 3,
        Error::ModelFormat { .. } => 4,
        Error::Interrupted => 130,
        _ => 1,
    }
}
