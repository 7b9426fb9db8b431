//! Stopping in the middle of a calculation, whoever started it.
//!
//! An observer is asked between steps and stages, but a search for neighbours or the eigenvectors of a large graph is one step that may take
//! minutes. Such loops therefore look at the flag of the fit that they belong to, and [`stoppable`] is where it ends. The flag belongs to the
//! thread that fits, so that fits side by side do not stop each other; what that thread starts on others takes the flag along
//! ([`current`]). A calculation that is stopped unwinds, without a message and without a result that nobody must use, to [`stoppable`], so
//! that pure functions stay pure: none of them has an error for it.
//!
//! A thread of rayon has no flag of its own: while it waits it may work for another fit. A fit on such a thread, inside
//! [`rayon::ThreadPool::install`], and one in a program that is built to abort on panics, stop between steps alone.

use crate::{Error, Result};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that asks a fit to stop, also in the middle of a long calculation. Clones are the same flag.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Option<Arc<AtomicBool>>);

impl Interrupt {
    /// A flag that can be raised.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// One that never is.
    pub const fn never() -> Self {
        Self(None)
    }

    /// Asks to stop, for good.
    pub fn request(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it was asked to stop.
    pub fn requested(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Leaves the calculation under way where it was asked to. Only what [`current`] gave may be heeded: nothing else is caught.
    #[inline]
    pub(crate) fn heed(&self) {
        if self.requested() {
            resume_unwind(Box::new(Stopped));
        }
    }
}

/// What unwinds from a calculation that was stopped.
struct Stopped;

thread_local! {
    static OF_THIS_THREAD: RefCell<Interrupt> = const { RefCell::new(Interrupt::never()) };
}

/// The flag of the fit on this thread. Loops on other threads take it along.
pub(crate) fn current() -> Interrupt {
    OF_THIS_THREAD.with_borrow(Interrupt::clone)
}

/// Leaves the calculation on this thread where its fit was asked to stop.
pub(crate) fn heed() {
    current().heed();
}

/// Does `work`, whose long calculations look at the flag.
///
/// # Errors
/// As `work`, or [`Error::Interrupted`] where a calculation was stopped.
pub(crate) fn stoppable<T>(interrupt: Interrupt, work: impl FnOnce() -> Result<T>) -> Result<T> {
    if cfg!(panic = "abort") || rayon::current_thread_index().is_some() {
        return work();
    }
    let before = OF_THIS_THREAD.replace(interrupt);
    // what `work` writes to are the caller's observer and source, which no calculation that looks at the flag touches
    let outcome = catch_unwind(AssertUnwindSafe(work));
    OF_THIS_THREAD.set(before);
    match outcome {
        Err(payload) if payload.is::<Stopped>() => Err(Error::Interrupted),
        Err(payload) => resume_unwind(payload),
        Ok(outcome) => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    /// A calculation that looks at its flag.
    fn long() -> Result<()> {
        (0..100).for_each(|_| heed());
        Ok(())
    }

    #[test]
    fn a_calculation_is_left_on_every_thread_and_the_next_is_not() {
        let flag = Interrupt::new();
        let stopped = stoppable(flag.clone(), || {
            let interrupt = current();
            (0..1000).into_par_iter().for_each(|i| {
                if i == 500 {
                    flag.request();
                }
                interrupt.heed();
            });
            heed();
            panic!("the loop goes on")
        });
        assert!(matches!(stopped, Err::<(), _>(Error::Interrupted)));
        heed(); // this thread has no fit any more
        assert!(stoppable(Interrupt::new(), long).is_ok());
    }

    #[test]
    fn fits_side_by_side_do_not_stop_each_other() {
        let (stops, goes_on) = (Interrupt::new(), Interrupt::new());
        stops.request();
        let of = |interrupt: &Interrupt| {
            let interrupt = interrupt.clone();
            move || stoppable(interrupt, long).is_ok()
        };
        std::thread::scope(|threads| {
            let (stopped, done) = (threads.spawn(of(&stops)), threads.spawn(of(&goes_on)));
            assert!(!stopped.join().unwrap() && done.join().unwrap());
        });
        // one inside another: the flag of the outer one holds again afterwards
        let nested = stoppable(goes_on, || {
            assert!(stoppable(stops, long).is_err());
            long()
        });
        assert!(nested.is_ok());
    }

    #[test]
    fn threads_that_work_for_others_have_no_flag() {
        let flag = Interrupt::new();
        flag.request();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert!(pool.install(|| stoppable(flag, long)).is_ok());
    }

    #[test]
    fn a_panic_is_no_interrupt() {
        let outcome =
            catch_unwind(|| stoppable(Interrupt::new(), || -> Result<()> { resume_unwind(Box::new("broken")) }));
        assert!(outcome.is_err_and(|payload| payload.is::<&str>()));
    }
}
