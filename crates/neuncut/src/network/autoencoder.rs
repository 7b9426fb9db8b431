//! An encoder and its mirror image, trained as one network.

use super::{Device, Mlp, Trainable, Weights};
use crate::Result;
use ndarray::{ArrayView2, Zip};

/// Two networks, one behind the other: rows to codes, and codes to rows. Codes and rows are linear outputs.
pub struct Autoencoder {
    network: Mlp,
    /// Layers of the encoder.
    encoding: usize,
}

impl Autoencoder {
    /// A trainable pair with these weights.
    ///
    /// # Errors
    /// Where this build has no such device.
    pub fn new(encoder: &Weights, decoder: &Weights, device: Device) -> Result<Self> {
        let (both, codes) = joined(encoder, decoder);
        Ok(Self { network: Mlp::with_linear(&both, codes, device)?, encoding: encoder.layers.len() })
    }

    /// The mean squared difference between rows `(m, d)` and what is made of their codes. The network keeps its gradients.
    ///
    /// # Errors
    /// Where the outputs cannot be read back from the device.
    pub fn backward(&mut self, rows: ArrayView2<f32>) -> Result<f64> {
        let mut difference = self.network.forward(rows)?;
        difference -= &rows;
        let loss = mean_square(difference.view());
        let scale = 2.0 / difference.len() as f32;
        Zip::from(&mut difference).par_for_each(|value| *value *= scale);
        self.network.backward(rows, difference);
        Ok(loss)
    }

    /// The current weights of encoder and decoder.
    ///
    /// # Errors
    /// Where they cannot be read back from the device.
    pub fn weights(&self) -> Result<(Weights, Weights)> {
        let Weights { layers: mut encoder } = self.network.weights()?;
        let decoder = encoder.split_off(self.encoding);
        Ok((Weights { layers: encoder }, Weights { layers: decoder }))
    }
}

impl Trainable for Autoencoder {
    fn begin(&mut self, weight_decay: f32) {
        self.network.begin(weight_decay);
    }

    fn step(&mut self, learning_rate: f64) {
        self.network.step(learning_rate);
    }

    fn is_finite(&self) -> Result<bool> {
        let (encoder, decoder) = self.weights()?;
        Ok(encoder.is_finite() && decoder.is_finite())
    }
}

/// The layers of both, one behind the other, and the place of the one that gives the codes.
fn joined(encoder: &Weights, decoder: &Weights) -> (Weights, Option<usize>) {
    let both = Weights { layers: [&encoder.layers[..], &decoder.layers].concat() };
    (both, encoder.layers.len().checked_sub(1))
}

/// The mean of the squares of all numbers.
pub(crate) fn mean_square(values: ArrayView2<f32>) -> f64 {
    values.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use ndarray::Array2;
    use rand::RngExt;

    fn example() -> (Array2<f32>, Weights, Weights) {
        let mut rng = Seed(4).stream("test");
        let rows = Array2::from_shape_fn((9, 5), |_| rng.random::<f32>() - 0.5);
        (rows, Weights::random(&[5, 7, 2], &mut rng), Weights::random(&[2, 7, 5], &mut rng))
    }

    #[test]
    fn gradients_are_those_of_differences() {
        let (rows, encoder, decoder) = example();
        let mut network = Autoencoder::new(&encoder, &decoder, Device::Cpu).unwrap();
        network.backward(rows.view()).unwrap();
        let found = network.network.gradients();
        // central differences of a weight on either side of the codes
        let loss_with = |layer: usize, change: f32| {
            let mut both = Weights { layers: [&encoder.layers[..], &decoder.layers].concat() };
            both.layers[layer].weight[[1, 1]] += change;
            let (head, tail) = both.layers.split_at(2);
            let (head, tail) = (Weights { layers: head.to_vec() }, Weights { layers: tail.to_vec() });
            Autoencoder::new(&head, &tail, Device::Cpu).unwrap().backward(rows.view()).unwrap()
        };
        for layer in 0..4 {
            let slope = (loss_with(layer, 1e-2) - loss_with(layer, -1e-2)) / 2e-2;
            let ours = f64::from(found.layers[layer].weight[[1, 1]]);
            assert!((slope - ours).abs() < 1e-3 * (1.0 + ours.abs()), "layer {layer}: {slope} {ours}");
        }
    }

    #[test]
    #[cfg(feature = "burn")]
    fn gradients_are_those_of_burn() {
        let (rows, encoder, decoder) = example();
        let mut plain = Autoencoder::new(&encoder, &decoder, Device::Cpu).unwrap();
        let (both, codes) = joined(&encoder, &decoder);
        let network = Mlp::in_burn(&both, codes, burn::tensor::Device::flex());
        let mut in_burn = Autoencoder { network, encoding: 2 };
        let (loss, burn_loss) = (plain.backward(rows.view()).unwrap(), in_burn.backward(rows.view()).unwrap());
        assert!((loss - burn_loss).abs() < 1e-6);
        for (ours, theirs) in plain.network.gradients().layers.iter().zip(&in_burn.network.gradients().layers) {
            let apart = |a: &f32, b: &f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
            ours.weight.iter().zip(&theirs.weight).for_each(|(a, b)| apart(a, b));
            ours.bias.iter().zip(&theirs.bias).for_each(|(a, b)| apart(a, b));
        }
    }
}
