//! When to stop: the best network on held-out rows, and how long there has been none better.

/// A held-out loss is better when it is lower by this share.
const LEAST_GAIN: f64 = 1e-3;

/// The best network so far.
#[derive(Debug, Clone)]
pub(crate) struct EarlyStop<W> {
    /// Its held-out loss; infinite before the first.
    pub loss: f64,
    /// Its weights.
    pub best: W,
    without_gain: usize,
    patience: usize,
}

impl<W> EarlyStop<W> {
    /// Stops after `patience` epochs without a gain.
    pub fn new(initial: W, patience: usize) -> Self {
        Self { loss: f64::INFINITY, best: initial, without_gain: 0, patience }
    }

    /// Takes the held-out loss after an epoch; whether to go on.
    pub fn goes_on(&mut self, loss: f64, weights: W) -> bool {
        if loss < self.loss * (1.0 - LEAST_GAIN) || !self.loss.is_finite() {
            (self.loss, self.best, self.without_gain) = (loss, weights, 0);
        } else {
            self.without_gain += 1;
        }
        self.without_gain < self.patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_kept_and_a_small_gain_is_none() {
        let mut stop = EarlyStop::new(0, 2);
        assert!(stop.goes_on(1.0, 1) && stop.goes_on(0.5, 2) && stop.goes_on(0.4999, 3));
        assert!(!stop.goes_on(0.6, 4));
        assert_eq!((stop.best, stop.loss), (2, 0.5));
    }
}
