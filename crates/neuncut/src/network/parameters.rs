//! Arrays that are trained beside networks, such as the bases of subspaces, by the same optimiser.

use super::cpu_adam::CpuAdam;
use super::{Layer, Trainable, Weights};
use crate::Result;
use ndarray::{Array1, Array2};

/// Matrices with their gradients.
pub struct Parameters {
    /// Each is a layer without a bias.
    values: Weights,
    gradients: Weights,
    adam: CpuAdam,
}

impl Parameters {
    /// Matrices that begin with these values.
    pub fn new(values: impl IntoIterator<Item = Array2<f32>>) -> Self {
        let values = layers(values);
        Self { adam: CpuAdam::new(&values, 0.0), gradients: values.clone(), values }
    }

    /// The current values, in their order.
    pub fn values(&self) -> impl Iterator<Item = &Array2<f32>> {
        self.values.layers.iter().map(|layer| &layer.weight)
    }

    /// Keeps these gradients, in the order of the values, for the next step.
    pub fn set_gradients(&mut self, gradients: impl IntoIterator<Item = Array2<f32>>) {
        self.gradients = layers(gradients);
    }
}

fn layers(matrices: impl IntoIterator<Item = Array2<f32>>) -> Weights {
    let layer = |weight: Array2<f32>| Layer {
        weight: if weight.is_standard_layout() { weight } else { weight.as_standard_layout().into_owned() },
        bias: Array1::zeros(0),
    };
    Weights { layers: matrices.into_iter().map(layer).collect() }
}

impl Trainable for Parameters {
    fn begin(&mut self, weight_decay: f32) {
        self.adam = CpuAdam::new(&self.values, weight_decay);
    }

    fn step(&mut self, learning_rate: f64) {
        self.adam.step(learning_rate, &mut self.values, &self.gradients);
    }

    fn is_finite(&self) -> Result<bool> {
        Ok(self.values.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn steps_lead_to_the_least_sum_of_squares() {
        let target = array![[1.0_f32, -2.0], [0.5, 3.0]];
        let mut parameters = Parameters::new([Array2::zeros((2, 2))]);
        parameters.begin(0.0);
        for step in 0..400 {
            let gradient = parameters.values().next().unwrap() - &target;
            parameters.set_gradients([gradient]);
            parameters.step(0.1 / (1.0 + step as f64 / 50.0));
        }
        let apart = parameters.values().next().unwrap() - &target;
        assert!(apart.iter().all(|x| x.abs() < 1e-2), "{apart}");
        assert!(parameters.is_finite().unwrap());
    }
}
