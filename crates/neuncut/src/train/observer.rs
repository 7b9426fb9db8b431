//! What watches a fit: progress bars, curves, the user's Ctrl-C. The library itself never prints.

/// Where a training run stands.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// What is being trained.
    pub stage: &'a str,
    /// Steps done.
    pub step: usize,
    /// Steps in all.
    pub total: usize,
    /// Names and latest values of the loss terms.
    pub terms: &'a [(&'static str, f64)],
    /// The current learning rate.
    pub learning_rate: f64,
}

/// Watches a fit. Every method does nothing unless overridden.
pub trait Observer {
    /// A named stage begins, such as `nearest neighbours`.
    fn stage(&mut self, _name: &str) {}

    /// A training step was done.
    fn step(&mut self, _progress: &Progress) {}

    /// Training rows whose clusters it wants to see after each epoch of training on the cut: none unless overridden.
    fn watched(&self) -> &[usize] {
        &[]
    }

    /// The clusters of the watched rows after an epoch. They go out only: what is made of them never comes back into the fit.
    fn labelled(&mut self, _stage: &str, _epoch: usize, _labels: &[u32]) {}

    /// Asked between steps and stages: should the fit stop with [`crate::Error::Interrupted`]?
    fn interrupted(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
