//! What watches a fit: progress bars, curves, the user's Ctrl-C. The library itself never prints.

use super::Interrupt;
use crate::{Error, Result};

/// Where a training run stands.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// What is being trained.
    pub stage: &'a str,
    /// Steps done.
    pub step: usize,
    /// Steps in all.
    pub total: usize,
    /// Passes over the rows in all; each has `total / epochs` steps.
    pub epochs: usize,
    /// Names and latest values of the loss terms.
    pub terms: &'a [(&'static str, f64)],
    /// The current learning rate.
    pub learning_rate: f64,
}

impl Progress<'_> {
    /// The epoch under way, counted from 1, and whether this step is its last.
    pub fn epoch(&self) -> (usize, bool) {
        let steps = (self.total / self.epochs.max(1)).max(1);
        (self.step.div_ceil(steps), self.step.is_multiple_of(steps))
    }
}

/// Watches a fit. Every method does nothing unless overridden.
pub trait Observer {
    /// A named stage begins, such as `nearest neighbours`.
    fn stage(&mut self, _name: &str) {}

    /// So many rows were read, of so many where that is known; `what` is why.
    fn rows(&mut self, _what: &'static str, _done: u64, _total: Option<u64>) {}

    /// These rows of a source are fitted (counted from 0; all where there are none), of so many.
    ///
    /// # Errors
    /// When what it knows about the rows does not fit them: the job ends with this error.
    fn drawn(&mut self, _rows: Option<&[u64]>, _total: u64) -> Result<()> {
        Ok(())
    }

    /// A training step was done.
    fn step(&mut self, _progress: &Progress) {}

    /// Training rows whose clusters it wants to see after each epoch of training on the cut: none unless overridden.
    fn watched(&self) -> &[usize] {
        &[]
    }

    /// The clusters of the watched rows after an epoch. They go out only: what is made of them never comes back into the fit.
    fn labelled(&mut self, _stage: &str, _epoch: usize, _labels: &[u32]) {}

    /// The flag that long calculations look at in the middle: searches for neighbours, eigenvectors, k-means, communities. Never raised
    /// unless overridden. A fit asks for it once, at its beginning.
    fn interrupt(&self) -> Interrupt {
        Interrupt::never()
    }

    /// Asked between steps and stages: should the fit stop with [`crate::Error::Interrupted`]? When the flag is raised, unless overridden.
    fn interrupted(&self) -> bool {
        self.interrupt().requested()
    }

    /// The same as an error, for `?`.
    ///
    /// # Errors
    /// [`Error::Interrupted`] where it asks to stop.
    fn go_on(&self) -> Result<()> {
        if self.interrupted() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_belong_to_epochs() {
        let at = |step| Progress { stage: "", step, total: 6, epochs: 2, terms: &[], learning_rate: 0.1 }.epoch();
        assert_eq!([1, 2, 3, 4, 5, 6].map(at), [(1, false), (1, false), (1, true), (2, false), (2, false), (2, true)]);
    }
}
