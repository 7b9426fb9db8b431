//! A linear layer whose weights are directions and lengths (weight normalisation), and no bias.
//!
//! Legend: `X` inputs `(m, p)`, `V` the trained matrix `(p, k)`, `g` the trained lengths `(k,)`; the layer gives `X W` with `w_c = g_c v_c / |v_c|`.

use super::cpu_adam::CpuAdam;
use super::{Layer, Weights};
use crate::linalg::matmul;
use crate::seed::Stream;
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// Lengths are no smaller, so that nothing is divided by zero.
const SHORTEST: f32 = 1e-12;

/// The layer in training, on the CPU.
pub struct NormedLayer {
    /// One layer: its weight is `V`, its bias `g`.
    trained: Weights,
    gradients: Weights,
    adam: CpuAdam,
}

impl NormedLayer {
    /// A layer of these directions, of any length, as the weight, and the lengths they have in the product as the bias.
    pub fn new(trained: Layer) -> Self {
        let zeros = Layer { weight: Array2::zeros(trained.weight.dim()), bias: Array1::zeros(trained.bias.len()) };
        let trained = Weights { layers: vec![trained] };
        let adam = CpuAdam::new(&trained, 0.0);
        Self { trained, gradients: Weights { layers: vec![zeros] }, adam }
    }

    /// Random directions whose lengths are one in the product.
    pub fn random(inputs: usize, outputs: usize, rng: &mut Stream) -> Layer {
        let mut weights = Weights::random(&[inputs, outputs], rng);
        let weight = std::mem::take(&mut weights.layers[0].weight);
        Layer { weight, bias: Array1::ones(outputs) }
    }

    /// `W`, `(p, k)`.
    pub fn matrix(&self) -> Array2<f32> {
        normed(&self.trained.layers[0])
    }

    /// The trained numbers, as [`NormedLayer::new`] takes them.
    pub fn trained(&self) -> &Layer {
        &self.trained.layers[0]
    }

    /// Keeps the gradients of `V` and `g`, given that of `X W`, `(m, k)`.
    pub fn backward(&mut self, inputs: ArrayView2<f32>, gradient: ArrayView2<f32>) {
        let Layer { weight, bias } = &self.trained.layers[0];
        let lengths = lengths(weight.view());
        let directions = weight / &lengths;
        let of_matrix = matmul(inputs.t(), gradient);
        let along = (&of_matrix * &directions).sum_axis(Axis(0));
        let kept = &mut self.gradients.layers[0];
        kept.weight = (&of_matrix - &(&directions * &along)) * &(bias / &lengths);
        kept.bias = along;
    }

    /// The gradient of `X`, given that of `X W`.
    pub fn of_inputs(&self, gradient: ArrayView2<f32>) -> Array2<f32> {
        matmul(gradient, self.matrix().t())
    }

    /// Starts Adam afresh.
    pub fn begin(&mut self) {
        self.adam = CpuAdam::new(&self.trained, 0.0);
    }

    /// One step of Adam.
    pub fn step(&mut self, learning_rate: f64) {
        self.adam.step(learning_rate, &mut self.trained, &self.gradients);
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.trained.is_finite()
    }
}

/// The matrix of a layer whose weight holds directions of any length and whose bias holds the lengths they have in the product.
pub(super) fn normed(layer: &Layer) -> Array2<f32> {
    &layer.weight * &(&layer.bias / &lengths(layer.weight.view()))
}

fn lengths(matrix: ArrayView2<f32>) -> Array1<f32> {
    matrix.map_axis(Axis(0), |column| column.dot(&column).sqrt().max(SHORTEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn gradients_are_those_of_differences() {
        let mut rng = Seed(3).stream("test");
        let mut layer = NormedLayer::new(NormedLayer::random(4, 3, &mut rng));
        layer.trained.layers[0].bias[1] = 1.7;
        let inputs = Weights::random(&[4, 6], &mut rng).layers[0].weight.t().to_owned();
        let slope = Weights::random(&[6, 3], &mut rng).layers[0].weight.clone();
        layer.backward(inputs.view(), slope.view());
        let of_inputs = layer.of_inputs(slope.view());
        let value = |layer: &NormedLayer, inputs: &Array2<f32>| f64::from((inputs.dot(&layer.matrix()) * &slope).sum());
        let differences = |up: f64, down: f64, found: f32| {
            let numeric = (up - down) / 2e-2;
            assert!((numeric - f64::from(found)).abs() < 1e-3, "{numeric} {found}");
        };
        let found = layer.gradients.layers[0].clone();
        for place in [(0, 0), (3, 1), (2, 2)] {
            let mut moved = |by: f32| {
                layer.trained.layers[0].weight[place] += by;
                let value = value(&layer, &inputs);
                layer.trained.layers[0].weight[place] -= by;
                value
            };
            differences(moved(1e-2), moved(-1e-2), found.weight[place]);
        }
        let mut moved = |by: f32| {
            layer.trained.layers[0].bias[1] += by;
            let value = value(&layer, &inputs);
            layer.trained.layers[0].bias[1] -= by;
            value
        };
        differences(moved(1e-2), moved(-1e-2), found.bias[1]);
        let moved = |by: f32| {
            let mut inputs = inputs.clone();
            inputs[[5, 2]] += by;
            value(&layer, &inputs)
        };
        differences(moved(1e-2), moved(-1e-2), of_inputs[[5, 2]]);
    }
}
