//! The network of DEPICT: noisy rows through an encoder to memberships, and through a decoder back to clean rows, layer by layer.
//!
//! Legend: `h_0` the row, `h_1 ...` the encoder's layers, the last of which is the code; the decoder gives `g_l` for each `h_l`
//! before the code. The loss is `mean (g_0 - h_0)^2 + w sum_l mean (g_l - h_l)^2`, where `h` are those of the clean row, held fixed.

use crate::Result;
use crate::network::{Segment, Trainable, Weights, mean_square};
use crate::seed::Stream;
use ndarray::{Array2, ArrayView2, Zip};
use rand::RngExt;

/// One segment per layer, so that losses reach all of them.
pub(super) struct DepictNetwork {
    encoder: Vec<Segment>,
    head: Segment,
    /// From the code back.
    decoder: Vec<Segment>,
    dropout: f32,
    layer_weight: f32,
}

/// What a forward pass leaves for the backward pass.
pub(super) struct Pass {
    /// The inputs of each layer of the encoder, noisy; after ReLU and dropout.
    noisy: Vec<Array2<f32>>,
    /// What each of these is multiplied by where its gradient goes on: one over the share that is kept, or zero.
    masks: Vec<Option<Array2<f32>>>,
    code: Array2<f32>,
    /// What the decoder makes of the layers before the code, the row first.
    restored: Vec<Array2<f32>>,
    /// Those layers of the clean row.
    clean: Vec<Array2<f32>>,
    /// The logits of the memberships, `(m, k)`.
    pub logits: Array2<f32>,
}

impl DepictNetwork {
    /// A trainable network with these weights.
    pub fn new(encoder: &Weights, head: &Weights, decoder: &Weights, dropout: f64, layer_weight: f64) -> Self {
        let segments = |weights: &Weights| {
            weights.layers.iter().map(|layer| Segment::new(&Weights { layers: vec![layer.clone()] })).collect()
        };
        Self {
            encoder: segments(encoder),
            head: Segment::new(head),
            decoder: segments(decoder),
            dropout: dropout as f32,
            layer_weight: layer_weight as f32,
        }
    }

    /// The weights of the encoder and of the layer behind it.
    pub fn weights(&self) -> Result<(Weights, Weights)> {
        let mut layers = Vec::new();
        for segment in &self.encoder {
            layers.extend(segment.weights()?.layers);
        }
        Ok((Weights { layers }, self.head.weights()?))
    }

    /// The clean and the noisy pass of rows `(m, d)`.
    pub fn forward(&mut self, rows: ArrayView2<f32>, noise: &mut Stream) -> Result<Pass> {
        let before_code = self.encoder.len();
        let mut clean = vec![rows.to_owned()];
        for segment in &self.encoder[..before_code - 1] {
            let mut outputs = segment.weights()?.outputs(clean[clean.len() - 1].view());
            cut(&mut outputs);
            clean.push(outputs);
        }
        let (mut noisy, mut masks) = (Vec::new(), Vec::new());
        let mut shown = rows.to_owned();
        for (l, segment) in self.encoder.iter_mut().enumerate() {
            // the row and the first hidden layer are noisy
            let mask = (l < 2 && self.dropout > 0.0).then(|| mask(shown.dim(), self.dropout, noise));
            if let Some(mask) = &mask {
                shown *= mask;
            }
            let mut outputs = segment.forward(shown.view())?;
            if l + 1 < before_code {
                cut(&mut outputs);
            }
            noisy.push(std::mem::replace(&mut shown, outputs));
            masks.push(mask);
        }
        let code = shown;
        let logits = self.head.forward(code.view())?;
        let mut restored: Vec<Array2<f32>> = Vec::new();
        let last = self.decoder.len() - 1;
        for (l, segment) in self.decoder.iter_mut().enumerate() {
            let mut outputs = segment.forward(restored.last().unwrap_or(&code).view())?;
            if l < last {
                cut(&mut outputs);
            }
            restored.push(outputs);
        }
        restored.reverse();
        Ok(Pass { noisy, masks, code, restored, clean, logits })
    }

    /// The backward pass, given the gradient of the loss of memberships with respect to the logits; gives the reconstruction's loss.
    pub fn backward(&mut self, pass: Pass, of_logits: Array2<f32>) -> f64 {
        let Pass { noisy, masks, code, restored, clean, .. } = pass;
        let mut loss = 0.0;
        // from the row to the code, through the decoder backwards
        let mut from_below: Option<Array2<f32>> = None;
        for (l, (restored_here, clean)) in restored.iter().zip(&clean).enumerate() {
            let weight = if l == 0 { 1.0 } else { self.layer_weight };
            let mut difference = restored_here - clean;
            loss += f64::from(weight) * mean_square(difference.view());
            difference *= 2.0 * weight / difference.len().max(1) as f32;
            if let Some(below) = from_below.take() {
                difference += &below;
            }
            if l > 0 {
                only_where_positive(&mut difference, restored_here);
            }
            let inputs = restored.get(l + 1).unwrap_or(&code);
            let place = self.decoder.len() - 1 - l;
            from_below = Some(self.decoder[place].backward_through(inputs.view(), difference));
        }
        let mut gradient = self.head.backward_through(code.view(), of_logits);
        if let Some(below) = from_below {
            gradient += &below;
        }
        for l in (0..self.encoder.len()).rev() {
            if l == 0 {
                self.encoder[0].backward(noisy[0].view(), gradient);
                break;
            }
            gradient = self.encoder[l].backward_through(noisy[l].view(), gradient);
            only_where_positive(&mut gradient, &noisy[l]);
            if let Some(mask) = &masks[l] {
                gradient *= mask;
            }
        }
        loss
    }

    fn parts(&mut self) -> impl Iterator<Item = &mut Segment> {
        self.encoder.iter_mut().chain([&mut self.head]).chain(&mut self.decoder)
    }
}

impl Trainable for DepictNetwork {
    fn begin(&mut self, weight_decay: f32) {
        self.parts().for_each(|part| part.begin(weight_decay));
    }

    fn step(&mut self, learning_rate: f64) {
        self.parts().for_each(|part| part.step(learning_rate));
    }

    fn is_finite(&self) -> Result<bool> {
        for part in self.encoder.iter().chain([&self.head]).chain(&self.decoder) {
            if !part.is_finite()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// ReLU.
fn cut(values: &mut Array2<f32>) {
    values.par_mapv_inplace(|x| x.max(0.0));
}

/// The gradient behind ReLU from that in front of it.
fn only_where_positive(gradient: &mut Array2<f32>, shown: &Array2<f32>) {
    Zip::from(gradient).and(shown).par_for_each(|g, &shown| *g = if shown > 0.0 { *g } else { 0.0 });
}

/// Zeros for this share of the numbers, and for the others what keeps their mean.
fn mask(shape: (usize, usize), dropout: f32, noise: &mut Stream) -> Array2<f32> {
    let kept = 1.0 / (1.0 - dropout);
    Array2::from_shape_simple_fn(shape, || if noise.random::<f32>() < dropout { 0.0 } else { kept })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn gradients_of_all_layers_are_those_of_differences() {
        let mut rng = Seed(8).stream("depict");
        let rows = Array2::from_shape_fn((9, 5), |_| rng.random::<f32>() - 0.5);
        let slopes = Array2::from_shape_fn((9, 3), |_| rng.random::<f32>() - 0.5);
        let (encoder, decoder) = (Weights::random(&[5, 8, 7, 4], &mut rng), Weights::random(&[4, 7, 8, 5], &mut rng));
        let head = Weights::random(&[4, 3], &mut rng);
        // `w` is zero, as clean layers are held fixed and would move with the encoder; that of the decoder is checked with it
        for layer_weight in [0.0, 0.5] {
            let all = [&encoder, &head, &decoder].map(Clone::clone);
            let network = |all: &[Weights; 3]| DepictNetwork::new(&all[0], &all[1], &all[2], 0.2, layer_weight);
            let loss = |all: &[Weights; 3]| {
                let mut network = network(all);
                let pass = network.forward(rows.view(), &mut Seed(1).stream("noise")).unwrap();
                let of_logits = f64::from((&pass.logits * &slopes).sum());
                of_logits + network.backward(pass, slopes.clone())
            };
            let mut trained = network(&all);
            let pass = trained.forward(rows.view(), &mut Seed(1).stream("noise")).unwrap();
            trained.backward(pass, slopes.clone());
            let found: Vec<Weights> = trained.parts().map(|part| part.gradients()).collect();
            let places = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 1), (2, 2)];
            for ((part, layer), found) in places.into_iter().zip(&found) {
                if part == 0 && layer_weight > 0.0 {
                    continue;
                }
                let moved = |delta: f32| {
                    let mut all = all.clone();
                    all[part].layers[layer].weight[[1, 1]] += delta;
                    loss(&all)
                };
                let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                let ours = f64::from(found.layers[0].weight[[1, 1]]);
                assert!((slope - ours).abs() < 2e-3 * (1.0 + ours.abs()), "{part} {layer}: {slope} {ours}");
            }
        }
    }
}
