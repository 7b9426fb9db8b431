//! Codes of an autoencoder: the encoder of VaDE (Jiang et al. 2017), trained with its mirror image to give rows back.
//!
//! VaDE trains each layer on its own before the whole; that is not needed with today's initialisation and optimiser, and is
//! left out.

use crate::network::{Autoencoder, Device, Weights, mean_square};
use crate::train::{EarlyStop, History, Objective, Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{ArrayView2, Axis, s};

/// How an autoencoder is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoencoderOptions {
    /// Widths between the row and its code; the decoder has them in reverse.
    pub hidden: Vec<usize>,
    /// Most rows that are trained on, a uniform sample where there are more.
    pub rows: usize,
    /// Share of them that is held out to tell when to stop.
    pub held_out: f64,
    /// Rows per batch.
    pub batch: usize,
    /// Most passes over the rows.
    pub epochs: usize,
    /// Passes without a better held-out reconstruction after which training stops.
    pub patience: usize,
    /// Initial learning rate.
    pub learning_rate: f64,
}

impl Default for AutoencoderOptions {
    fn default() -> Self {
        Self {
            hidden: vec![500, 500, 2000],
            rows: 20_000,
            held_out: 0.1,
            batch: 256,
            epochs: 50,
            patience: 5,
            learning_rate: 1e-3,
        }
    }
}

/// An encoder, its decoder, and how they were trained.
pub(crate) struct TrainedAutoencoder {
    pub encoder: Weights,
    pub decoder: Weights,
    pub history: History,
}

/// Trains on rows `(n, d)` in random order, whose mean square is about one.
pub(crate) fn train_autoencoder(
    rows: ArrayView2<f32>,
    code: usize,
    options: &AutoencoderOptions,
    seed: Seed,
    device: Device,
    observer: &mut dyn Observer,
) -> Result<TrainedAutoencoder> {
    let held_out = ((rows.nrows() as f64 * options.held_out) as usize).max(1);
    if rows.nrows() < 2 {
        let remedy = "an autoencoder is trained on rows".into();
        return Err(Error::TooFewRows { what: "the data".into(), rows: rows.nrows() as u64, needed: 2, remedy });
    }
    let sizes: Vec<usize> = [&[rows.ncols()][..], &options.hidden, &[code]].concat();
    let mirrored: Vec<usize> = sizes.iter().rev().copied().collect();
    let mut rng = seed.stream("autoencoder");
    let (encoder, decoder) = (Weights::random(&sizes, &mut rng), Weights::random(&mirrored, &mut rng));
    let trained = rows.nrows() - held_out;
    let mut objective = Reconstruction {
        rows: rows.slice(s![..trained, ..]),
        held_out: rows.slice(s![trained.., ..]),
        stop: EarlyStop::new((encoder.clone(), decoder.clone()), options.patience),
    };
    let trainer = Trainer {
        stage: "autoencoder",
        batch: options.batch,
        epochs: options.epochs,
        learning_rate: options.learning_rate,
        weight_decay: 0.0,
    };
    let mut network = Autoencoder::new(&encoder, &decoder, device)?;
    let history = trainer.run(&mut network, trained, &mut objective, &mut rng, observer)?;
    let EarlyStop { best, loss, .. } = objective.stop;
    let (encoder, decoder) = best;
    if !encoder.is_finite() || !decoder.is_finite() || !loss.is_finite() {
        return Err(Error::Diverged {
            step: history.epochs.len() * (trained / options.batch.min(trained)),
            what: "autoencoder",
        });
    }
    Ok(TrainedAutoencoder { encoder, decoder, history })
}

/// Mean squared reconstruction, and the network that was best on the rows held out.
struct Reconstruction<'a> {
    rows: ArrayView2<'a, f32>,
    held_out: ArrayView2<'a, f32>,
    stop: EarlyStop<(Weights, Weights)>,
}

impl Objective<Autoencoder> for Reconstruction<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["reconstruction"]
    }

    fn evaluate(&mut self, network: &mut Autoencoder, batch: &[usize]) -> Result<Vec<f64>> {
        let rows = self.rows.select(Axis(0), batch);
        Ok(vec![network.backward(rows.view())?])
    }

    fn goes_on(&mut self, network: &Autoencoder) -> Result<bool> {
        let (encoder, decoder) = network.weights()?;
        let mut difference = decoder.outputs(encoder.outputs(self.held_out.view()).view());
        difference -= &self.held_out;
        Ok(self.stop.goes_on(mean_square(difference.view()), (encoder, decoder)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Silent;
    use ndarray::Array2;
    use rand::RngExt;

    /// Rows on a curved surface of two dimensions.
    fn surface(n: usize) -> Array2<f32> {
        let mut rng = Seed(5).stream("surface");
        let mut rows = Array2::zeros((n, 6));
        for mut row in rows.rows_mut() {
            let (a, b) = (3.0 * rng.random::<f32>() - 1.5, 3.0 * rng.random::<f32>() - 1.5);
            row.assign(&ndarray::array![a, b, a * b, a.sin(), b * b - 0.7, (a - b).cos()]);
        }
        rows
    }

    #[test]
    fn two_numbers_tell_a_surface_of_two_dimensions() {
        let rows = surface(1200);
        let options = AutoencoderOptions { hidden: vec![32, 32], batch: 64, epochs: 60, ..Default::default() };
        let run = || train_autoencoder(rows.view(), 2, &options, Seed(1), Device::Cpu, &mut Silent).unwrap();
        let TrainedAutoencoder { encoder, history, decoder } = run();
        assert_eq!(decoder.sizes(), [2, 32, 32, 6]);
        assert_eq!(encoder.sizes(), [6, 32, 32, 2]);
        let (first, last) = (history.epochs[0].values[0], history.epochs[history.epochs.len() - 1].values[0]);
        assert!(last < 0.1 * first && last < 0.05, "{first} to {last}");
        assert_eq!(run().encoder, encoder);
    }

    #[test]
    fn training_stops_when_nothing_is_gained() {
        let mut rng = Seed(6).stream("noise");
        let rows = Array2::from_shape_fn((60, 20), |_| rng.random::<f32>() - 0.5);
        let options =
            AutoencoderOptions { hidden: vec![64], batch: 16, epochs: 400, patience: 3, ..Default::default() };
        let history = train_autoencoder(rows.view(), 5, &options, Seed(1), Device::Cpu, &mut Silent).unwrap().history;
        assert!(history.epochs.len() < 200, "{} epochs", history.epochs.len());
        assert!(train_autoencoder(rows.slice(s![..1, ..]), 5, &options, Seed(1), Device::Cpu, &mut Silent).is_err());
    }
}
