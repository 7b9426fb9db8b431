//! Exponential averages over batches.

use ndarray::Array2;

/// What an average keeps of itself in each step.
const DECAY: f64 = 0.95;

/// An average of matrices of one shape, the later ones weighing more; that of the first is the first.
#[derive(Debug, Clone, Default)]
pub(super) struct Average {
    sum: Option<Array2<f64>>,
    /// What the sum would be of ones: less than one in the first steps.
    mass: f64,
}

impl Average {
    /// Moves towards `new`, and gives the average.
    pub fn with(&mut self, new: &Array2<f64>) -> Array2<f64> {
        let sum = self.sum.get_or_insert_with(|| Array2::zeros(new.dim()));
        sum.zip_mut_with(new, |kept, &new| *kept = DECAY * *kept + (1.0 - DECAY) * new);
        self.mass = DECAY * self.mass + (1.0 - DECAY);
        &*sum / self.mass
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_its_own_average_and_the_last_weighs_most() {
        let mut average = Average::default();
        assert!((average.with(&Array2::from_elem((1, 1), 3.0))[[0, 0]] - 3.0).abs() < 1e-12);
        let second = average.with(&Array2::zeros((1, 1)))[[0, 0]];
        assert!((second - 3.0 * 0.95 / 1.95).abs() < 1e-12, "{second}");
    }
}
