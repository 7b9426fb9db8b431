//! Errors to exit codes, in one match.

use crate::memory::Bytes;
use crate::speech;
use neuncut::data::atomic;
use neuncut::{Error, TableError};

/// The exit code where memory would not do.
const OUT_OF_MEMORY: i32 = 3;

/// Says the error and gives the exit code; a reader that went away (`| head`) is no error.
pub fn report(error: &Error) -> u8 {
    if error.is_broken_pipe() {
        return 0;
    }
    speech::complain(error);
    code(error)
}

/// Says that memory would not do, and ends the process.
pub fn out_of_memory(needed: Bytes, limit: Bytes) -> ! {
    speech::complain(format_args!(
        "{needed} of memory would be needed, and {limit} may be used: take fewer rows (--train-rows, --batch), narrower rows or a \
         smaller network, or allow more with --max-memory"
    ));
    atomic::abandon();
    std::process::exit(OUT_OF_MEMORY)
}

fn code(error: &Error) -> u8 {
    match error {
        Error::Config { .. } | Error::Request(_) | Error::Device { .. } | Error::Table(TableError::Config { .. }) => 2,
        Error::Table(TableError::Io { .. }) => 5,
        Error::Table(_) | Error::TooFewRows { .. } => 3,
        Error::ModelFormat { .. } => 4,
        Error::Interrupted => 130,
        _ => 1,
    }
}
