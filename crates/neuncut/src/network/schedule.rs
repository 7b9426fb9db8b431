//! The learning rate over a training run.

use std::f64::consts::PI;

/// Cosine annealing from the initial rate to zero, constant within an epoch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// The first epoch's rate.
    pub initial: f64,
    /// Epochs until zero.
    pub epochs: usize,
}

impl Schedule {
    /// The rate of an epoch, counted from 0.
    pub fn rate(&self, epoch: usize) -> f64 {
        0.5 * self.initial * (1.0 + (PI * epoch as f64 / self.epochs.max(1) as f64).cos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_high_halves_in_the_middle_and_ends_at_zero() {
        let schedule = Schedule { initial: 0.4, epochs: 10 };
        assert_eq!(schedule.rate(0), 0.4);
        assert!((schedule.rate(5) - 0.2).abs() < 1e-12);
        assert!(schedule.rate(10).abs() < 1e-12);
    }
}
