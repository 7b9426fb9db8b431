//! Shuffled mini-batches, schedule, optimiser step, finite check, curves.

use super::{EpochRecord, History, Observer, Progress};
use crate::network::{Schedule, Trainable};
use crate::seed::Stream;
use crate::{Error, Result};
use rand::seq::SliceRandom;

/// What a network is trained for.
pub trait Objective<M: Trainable> {
    /// Names of the loss terms; the first is the total that is minimised.
    fn terms(&self) -> &'static [&'static str];

    /// The loss terms on the rows of one batch, with the gradients left in the network: its forward and its backward pass.
    ///
    /// # Errors
    /// Where the loss has no value, or the network's device fails.
    fn evaluate(&mut self, network: &mut M, batch: &[usize]) -> Result<Vec<f64>>;

    /// The clusters of some rows, where the network has clusters, for an observer that watches them.
    ///
    /// # Errors
    /// Where the network's device fails.
    fn labels(&self, _network: &M, _rows: &[usize]) -> Result<Option<Vec<u32>>> {
        Ok(None)
    }

    /// Asked after each epoch: is there anything left to gain? Training stops early where not.
    ///
    /// # Errors
    /// Where the network's device fails.
    fn goes_on(&mut self, _network: &M) -> Result<bool> {
        Ok(true)
    }
}

/// One training run.
#[derive(Debug, Clone, Copy)]
pub struct Trainer<'a> {
    /// What the run is called in curves and progress.
    pub stage: &'a str,
    /// Rows per batch; the rows left over at the end of an epoch wait for the next shuffle.
    pub batch: usize,
    /// Passes over the rows.
    pub epochs: usize,
    /// Initial learning rate, annealed by cosine over the epochs.
    pub learning_rate: f64,
    /// Coupled weight decay.
    pub weight_decay: f32,
}

impl Trainer<'_> {
    /// Trains `network` on rows `0..n_rows`, and gives the learning curve.
    ///
    /// # Errors
    /// Where the loss or a parameter is not finite, the objective fails, or the observer interrupts.
    pub fn run<M: Trainable>(
        &self,
        network: &mut M,
        n_rows: usize,
        objective: &mut dyn Objective<M>,
        rng: &mut Stream,
        observer: &mut dyn Observer,
    ) -> Result<History> {
        let schedule = Schedule { initial: self.learning_rate, epochs: self.epochs };
        let batch = self.batch.min(n_rows);
        let per_epoch = n_rows / batch;
        let names = objective.terms();
        network.begin(self.weight_decay);
        let mut order: Vec<usize> = (0..n_rows).collect();
        let mut history =
            History { stage: self.stage.into(), terms: names.iter().map(|n| n.to_string()).collect(), epochs: vec![] };
        for epoch in 0..self.epochs {
            let learning_rate = schedule.rate(epoch);
            let mut sums = vec![0.0; names.len()];
            order.shuffle(rng);
            for (b, rows) in order.chunks_exact(batch).enumerate() {
                if observer.interrupted() {
                    return Err(Error::Interrupted);
                }
                let step = epoch * per_epoch + b + 1;
                let values = objective.evaluate(network, rows)?;
                if values.iter().any(|value| !value.is_finite()) {
                    return Err(Error::Diverged { step, what: "loss" });
                }
                network.step(learning_rate);
                sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value / per_epoch as f64);
                let terms: Vec<_> = names.iter().copied().zip(values).collect();
                let total = self.epochs * per_epoch;
                let (stage, epochs) = (self.stage, self.epochs);
                observer.step(&Progress { stage, step, total, epochs, terms: &terms, learning_rate });
            }
            history.epochs.push(EpochRecord { epoch: epoch + 1, learning_rate, values: sums });
            if !observer.watched().is_empty()
                && let Some(labels) = objective.labels(network, observer.watched())?
            {
                observer.labelled(self.stage, epoch + 1, &labels);
            }
            if !objective.goes_on(network)? {
                break;
            }
        }
        // a loss shows what the steps before it did, but not what the last one did
        if !network.is_finite()? {
            return Err(Error::Diverged { step: history.epochs.len() * per_epoch, what: "network" });
        }
        Ok(history)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::train::Silent;

    /// A network that breaks at one of its steps.
    struct Fragile {
        steps: usize,
        breaks_at: usize,
    }

    impl Trainable for Fragile {
        fn begin(&mut self, _: f32) {}

        fn step(&mut self, _: f64) {
            self.steps += 1;
        }

        fn is_finite(&self) -> Result<bool> {
            Ok(self.steps < self.breaks_at)
        }
    }

    struct Loss;

    impl Objective<Fragile> for Loss {
        fn terms(&self) -> &'static [&'static str] {
            &["loss"]
        }

        fn evaluate(&mut self, network: &mut Fragile, _: &[usize]) -> Result<Vec<f64>> {
            Ok(vec![if network.is_finite()? { 1.0 } else { f64::NAN }])
        }
    }

    #[test]
    fn divergence_is_named_by_the_step_that_shows_it() {
        let trainer = Trainer { stage: "test", batch: 5, epochs: 3, learning_rate: 0.1, weight_decay: 0.0 };
        let run = |breaks_at| {
            let mut network = Fragile { steps: 0, breaks_at };
            trainer.run(&mut network, 10, &mut Loss, &mut Seed(0).stream("test"), &mut Silent)
        };
        assert!(matches!(run(4), Err(Error::Diverged { step: 5, what: "loss" })));
        assert!(matches!(run(6), Err(Error::Diverged { step: 6, what: "network" })), "no loss follows the last step");
        assert_eq!(run(7).unwrap().epochs.len(), 3);
    }
}
