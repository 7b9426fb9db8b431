//! Ctrl-C: the work under way stops at the next step, and its temporary files go.

use crate::exit;
use neuncut::data::atomic;
use neuncut::train::Interrupt;
use neuncut::{Error, Result};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// What all work of this program looks at.
static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::new);
/// Whether a signal came before.
static SIGNALLED: AtomicBool = AtomicBool::new(false);

/// How long work may go on that does not ask, such as the reading of a large model or the eigenvectors of a dense matrix.
const PATIENCE: Duration = Duration::from_millis(300);

/// From now on Ctrl-C (or a termination signal) is noted, so that work stops at its next step; work that asks too seldom ends with the
/// program. A second signal kills it at once.
pub fn listen() {
    let noted = ctrlc::set_handler(|| {
        INTERRUPT.request();
        if SIGNALLED.swap(true, Ordering::Relaxed) {
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
    INTERRUPT.request();
}

/// Whether the user asked to stop.
pub fn requested() -> bool {
    INTERRUPT.requested()
}

/// The flag for the observers of fits.
pub fn flag() -> Interrupt {
    INTERRUPT.clone()
}

/// An error if the user asked to stop.
pub fn check() -> Result<()> {
    if requested() { Err(Error::Interrupted) } else { Ok(()) }
}
