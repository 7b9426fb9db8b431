//! Ctrl-C: the work under way stops at the next step, and its temporary files go.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C (or a termination signal) is noted instead of killing the program; a second one kills it.
pub fn listen() {
    let noted = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    debug_assert!(noted.is_ok(), "the handler is set once");
}

/// Whether the user asked to stop.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// An error if the user asked to stop.
pub fn check() -> neuncut::Result<()> {
    if requested() { Err(neuncut::Error::Interrupted) } else { Ok(()) }
}
