//! An encoder and its mirror image, trained as one network.

use super::{Mlp, MlpGradients, MlpOptimizer, Trainable, Weights};
use burn::tensor::Device;
use ndarray::{ArrayView2, Zip};

/// Two networks, one behind the other: rows to codes, and codes to rows. Codes and rows are linear outputs.
pub struct Autoencoder {
    network: Mlp,
    /// Layers of the encoder.
    encoding: usize,
}

impl Autoencoder {
    /// A trainable pair with these weights.
    pub fn new(encoder: &Weights, decoder: &Weights, device: &Device) -> Self {
        Self::of(encoder, decoder, |both, codes| Mlp::with_linear(both, codes, device))
    }

    fn of(encoder: &Weights, decoder: &Weights, network: impl FnOnce(&Weights, Option<usize>) -> Mlp) -> Self {
        let encoding = encoder.layers.len();
        let both = Weights { layers: [&encoder.layers[..], &decoder.layers].concat() };
        Self { network: network(&both, encoding.checked_sub(1)), encoding }
    }

    /// The mean squared difference between rows `(m, d)` and what is made of their codes, and its gradients.
    pub fn backward(&mut self, rows: ArrayView2<f32>, device: &Device) -> (f64, MlpGradients) {
        let mut loss = 0.0;
        let gradients = self.network.backward_outputs(rows, device, |mut difference| {
            difference -= &rows;
            loss = mean_square(difference.view());
            let scale = 2.0 / difference.len() as f32;
            Zip::from(&mut difference).par_for_each(|value| *value *= scale);
            difference
        });
        (loss, gradients)
    }

    /// The current weights of encoder and decoder.
    pub fn weights(&self) -> (Weights, Weights) {
        let Weights { layers: mut encoder } = self.network.weights();
        let decoder = encoder.split_off(self.encoding);
        (Weights { layers: encoder }, Weights { layers: decoder })
    }
}

impl Trainable for Autoencoder {
    type Gradients = MlpGradients;
    type Optimizer = MlpOptimizer;

    fn optimizer(&self, weight_decay: f32) -> MlpOptimizer {
        self.network.optimizer(weight_decay)
    }

    fn step(self, optimizer: &mut MlpOptimizer, learning_rate: f64, gradients: MlpGradients) -> Self {
        Self { network: self.network.step(optimizer, learning_rate, gradients), ..self }
    }
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

    #[test]
    fn gradients_are_those_of_burn_and_of_differences() {
        let mut rng = Seed(4).stream("test");
        let rows = Array2::from_shape_fn((9, 5), |_| rng.random::<f32>() - 0.5);
        let (encoder, decoder) = (Weights::random(&[5, 7, 2], &mut rng), Weights::random(&[2, 7, 5], &mut rng));
        let device = crate::network::Device::Cpu.open().unwrap().autodiff();
        let mut plain = Autoencoder::new(&encoder, &decoder, &device);
        let mut in_burn = Autoencoder::of(&encoder, &decoder, |both, codes| Mlp::in_burn(both, codes, &device));
        let ((loss, found), (burn_loss, burn)) =
            (plain.backward(rows.view(), &device), in_burn.backward(rows.view(), &device));
        assert!((loss - burn_loss).abs() < 1e-6);
        let (found, burn) = (plain.network.gradients(&found), in_burn.network.gradients(&burn));
        for (ours, theirs) in found.layers.iter().zip(&burn.layers) {
            let apart = |a: &f32, b: &f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
            ours.weight.iter().zip(&theirs.weight).for_each(|(a, b)| apart(a, b));
            ours.bias.iter().zip(&theirs.bias).for_each(|(a, b)| apart(a, b));
        }
        // central differences of a weight on either side of the codes
        let loss_with = |layer: usize, change: f32| {
            let mut both = Weights { layers: [&encoder.layers[..], &decoder.layers].concat() };
            both.layers[layer].weight[[1, 1]] += change;
            let (head, tail) = both.layers.split_at(2);
            let (head, tail) = (Weights { layers: head.to_vec() }, Weights { layers: tail.to_vec() });
            Autoencoder::new(&head, &tail, &device).backward(rows.view(), &device).0
        };
        for layer in 0..4 {
            let slope = (loss_with(layer, 1e-2) - loss_with(layer, -1e-2)) / 2e-2;
            let ours = f64::from(found.layers[layer].weight[[1, 1]]);
            assert!((slope - ours).abs() < 1e-3 * (1.0 + ours.abs()), "layer {layer}: {slope} {ours}");
        }
    }
}
