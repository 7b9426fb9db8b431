//! Calls into libraries that panic on some damaged files: the panic becomes an error like any other, and prints nothing.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside [`quietly`].
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Does the work on this thread; `None` where it panicked, of which nothing is printed. What the work used must not be used again.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    silence_guarded_threads();
    let before = QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    outcome.ok()
}

/// From the first call on, panics of guarded threads are silent. All others are reported as before.
fn silence_guarded_threads() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_nothing_and_the_thread_goes_on() {
        assert_eq!(quietly(|| 3), Some(3));
        assert_eq!(quietly(|| -> u8 { panic!("damaged") }), None);
        assert!(!QUIET.get());
    }
}
