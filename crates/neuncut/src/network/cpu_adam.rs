//! Adam with coupled weight decay on the CPU, all of a parameter's numbers in one pass.

use super::{Layer, Weights};
use crate::vector::wide;
use rayon::prelude::*;

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
/// PyTorch's.
const EPSILON: f64 = 1e-8;
/// Numbers per task.
const CHUNK: usize = 1 << 14;

/// The moments of every parameter.
pub(super) struct CpuAdam {
    moments: Vec<RunningMoments>,
    steps: i32,
    weight_decay: f32,
}

/// The moments of one matrix or vector.
struct RunningMoments {
    first: Vec<f32>,
    second: Vec<f32>,
}

/// What is the same for all numbers in a step.
#[derive(Clone, Copy)]
struct AdamStep {
    weight_decay: f32,
    /// The learning rate, corrected for moments that began at zero.
    rate: f32,
    epsilon: f32,
}

impl CpuAdam {
    /// A fresh state for a network of this shape.
    pub fn new(weights: &Weights, weight_decay: f32) -> Self {
        let zeros = |length: usize| RunningMoments { first: vec![0.0; length], second: vec![0.0; length] };
        let layer = |layer: &Layer| [zeros(layer.weight.len()), zeros(layer.bias.len())];
        Self { moments: weights.layers.iter().flat_map(layer).collect(), steps: 0, weight_decay }
    }

    /// One step.
    pub fn step(&mut self, learning_rate: f64, weights: &mut Weights, gradients: &Weights) {
        self.steps += 1;
        let correction = (1.0 - f64::from(BETA_2).powi(self.steps)).sqrt();
        let rate = learning_rate * correction / (1.0 - f64::from(BETA_1).powi(self.steps));
        let step =
            AdamStep { weight_decay: self.weight_decay, rate: rate as f32, epsilon: (EPSILON * correction) as f32 };
        let mut moments = self.moments.iter_mut();
        for (layer, gradients) in weights.layers.iter_mut().zip(&gradients.layers) {
            let pairs = [
                (layer.weight.as_slice_mut(), gradients.weight.as_slice()),
                (layer.bias.as_slice_mut(), gradients.bias.as_slice()),
            ];
            for ((parameters, gradients), moments) in pairs.into_iter().zip(&mut moments) {
                let whole = "weights and gradients lie in one piece";
                moments.step(step, parameters.expect(whole), gradients.expect(whole));
            }
        }
    }
}

impl RunningMoments {
    fn step(&mut self, step: AdamStep, parameters: &mut [f32], gradients: &[f32]) {
        let own = self.first.par_chunks_mut(CHUNK).zip(self.second.par_chunks_mut(CHUNK));
        let all = parameters.par_chunks_mut(CHUNK).zip(gradients.par_chunks(CHUNK)).zip(own);
        all.for_each(|((parameters, gradients), (first, second))| update(step, parameters, gradients, first, second));
    }
}

wide! {
    fn update(step: AdamStep, parameters: &mut [f32], gradients: &[f32], first: &mut [f32], second: &mut [f32]) {
        let moments = first.iter_mut().zip(second);
        for ((parameter, gradient), (first, second)) in parameters.iter_mut().zip(gradients).zip(moments) {
            let gradient = gradient + step.weight_decay * *parameter;
            *first = BETA_1 * *first + (1.0 - BETA_1) * gradient;
            *second = BETA_2 * *second + (1.0 - BETA_2) * (gradient * gradient);
            *parameter -= step.rate * *first / (second.sqrt() + step.epsilon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_first_step_goes_by_the_learning_rate_against_the_gradient() {
        let layer = Layer { weight: array![[1.0_f32, -2.0]], bias: array![0.5] };
        let mut weights = Weights { layers: vec![layer] };
        let gradients = Weights { layers: vec![Layer { weight: array![[3.0, -0.25]], bias: array![0.0] }] };
        CpuAdam::new(&weights, 0.0).step(0.1, &mut weights, &gradients);
        let found = &weights.layers[0];
        assert!((found.weight[[0, 0]] - 0.9).abs() < 1e-6 && (found.weight[[0, 1]] + 1.9).abs() < 1e-6);
        assert_eq!(found.bias[0], 0.5);
    }
}
