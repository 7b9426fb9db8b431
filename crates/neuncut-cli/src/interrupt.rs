//! Ctrl-C: the work under way stops at the next step, and its temporary files go.

use crate::exit;
use neuncut::data::atomic;
use neuncut::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How long work may go on that does not ask, such as a search for neighbours or the eigenvectors of a large graph.
const PATIENCE: Duration = Duration::from_millis(300);

/// From now on Ctrl-C (or a termination signal) is noted, so that work stops at its next step; work that asks too seldom ends with the
/// program. A second signal kills it at once.
pub fn listen() {
    let noted = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        thread::spawn(|| {
            thread::sleep(PATIENCE);
            atomic::abandon();
            std::process::exit(exit::report(&Error::Interrupted).into());
        });
    });
    debug_assert!(noted.is_ok(), "the handler is set once");
}

/// Stops the work under way as Ctrl-C does.
pub fn request() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether the user asked to stop.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// An error if the user asked to stop.
pub fn check() -> Result<()> {
    if requested() { Err(Error::Interrupted) } else { Ok(()) }
}
