//! Errors to exit codes, in one match.

use crate::speech;
use neuncut::Error;
use neuncut::data::writers::is_broken_pipe;

/// Says the error and gives the exit code; a reader that went away (`| head`) is no error.
pub fn report(error: &Error) -> u8 {
    if is_broken_pipe(error) {
        return 0;
    }
    speech::complain(error);
    code(error)
}

fn code(error: &Error) -> u8 {
    match error {
        Error::Config { .. } | Error::Device { .. } => 2,
        Error::Data { .. } | Error::NonFinite { .. } | Error::Width { .. } | Error::TooFewRows { .. } => 3,
        Error::ModelFormat { .. } => 4,
        Error::Io { .. } => 5,
        Error::Interrupted => 130,
        _ => 1,
    }
}
