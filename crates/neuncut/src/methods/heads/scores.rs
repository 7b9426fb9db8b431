//! Which of several heads is best: the lowest mean loss over an epoch.

/// The losses of each head in the epoch under way, and their means in the one before it.
pub(super) struct HeadScores {
    sums: Vec<f64>,
    steps: usize,
    last: Vec<f64>,
}

impl HeadScores {
    /// Of so many heads, before training.
    pub fn new(heads: usize) -> Self {
        Self { sums: vec![0.0; heads], steps: 0, last: vec![0.0; heads] }
    }

    /// Takes the losses of all heads in one step.
    pub fn add(&mut self, losses: &[f64]) {
        self.sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
        self.steps += 1;
    }

    /// An epoch is over.
    pub fn end_epoch(&mut self) {
        let steps = self.steps.max(1) as f64;
        self.last = self.sums.iter().map(|sum| sum / steps).collect();
        self.sums.fill(0.0);
        self.steps = 0;
    }

    /// The head of lowest loss in the last epoch, the first of equals.
    pub fn best(&self) -> usize {
        (0..self.last.len()).min_by(|&a, &b| self.last[a].total_cmp(&self.last[b])).expect("there is a head")
    }
}

/// The mean of what heads have in common, for curves.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_the_last_epoch_is_kept() {
        let mut scores = HeadScores::new(3);
        scores.add(&[0.0, 5.0, 5.0]);
        scores.end_epoch();
        assert_eq!(scores.best(), 0);
        scores.add(&[3.0, 1.0, 2.0]);
        scores.add(&[3.0, 2.0, 1.0]);
        scores.end_epoch();
        assert_eq!(scores.best(), 1, "the first of equals");
    }
}
