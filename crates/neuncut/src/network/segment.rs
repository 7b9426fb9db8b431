//! A network on the CPU that others stand in front of: its backward pass goes on to its inputs.

use super::cpu_mlp::CpuMlp;
use super::mlp::Backend;
use super::{Trainable, Weights};
use crate::Result;
use ndarray::{Array2, ArrayView2};

/// Fully connected layers with ReLU between them, whose inputs and outputs other networks and losses may share.
pub struct Segment(CpuMlp);

impl Segment {
    /// A trainable network with these weights.
    pub fn new(weights: &Weights) -> Self {
        Self(CpuMlp::new(weights, None))
    }

    /// What the last layer puts out, `(m, b)`, for rows `(m, a)`.
    ///
    /// # Errors
    /// None on the CPU.
    pub fn forward(&mut self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        self.0.forward(rows)
    }

    /// The backward pass of the rows that went forward last, given the gradient of the loss with respect to the outputs. The
    /// network keeps the gradients of its parameters.
    pub fn backward(&mut self, rows: ArrayView2<f32>, gradient: Array2<f32>) {
        self.0.backward(rows, gradient);
    }

    /// The same, and the gradient with respect to the rows, `(m, a)`.
    pub fn backward_through(&mut self, rows: ArrayView2<f32>, gradient: Array2<f32>) -> Array2<f32> {
        self.0.backward(rows, gradient);
        self.0.input_gradient(rows.dim())
    }

    /// The current weights.
    ///
    /// # Errors
    /// None on the CPU.
    pub fn weights(&self) -> Result<Weights> {
        self.0.weights()
    }

    /// The gradients of all parameters, in the place of the parameters.
    #[cfg(test)]
    pub(crate) fn gradients(&self) -> Weights {
        self.0.gradients()
    }
}

impl Trainable for Segment {
    fn begin(&mut self, weight_decay: f32) {
        self.0.begin(weight_decay);
    }

    fn step(&mut self, learning_rate: f64) {
        self.0.step(learning_rate);
    }

    fn is_finite(&self) -> Result<bool> {
        Ok(self.weights()?.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    #[test]
    fn gradients_of_rows_are_those_of_differences() {
        let mut rng = Seed(4).stream("segment");
        let rows = Array2::from_shape_fn((6, 5), |_| rng.random::<f32>() - 0.5);
        let slopes = Array2::from_shape_fn((6, 3), |_| rng.random::<f32>() - 0.5);
        for sizes in [&[5, 3][..], &[5, 7, 3], &[5, 7, 6, 3]] {
            let mut network = Segment::new(&Weights::random(sizes, &mut rng));
            network.forward(rows.view()).unwrap();
            let found = network.backward_through(rows.view(), slopes.clone());
            let loss = |network: &mut Segment, place: (usize, usize), change: f32| {
                let mut moved = rows.clone();
                moved[place] += change;
                f64::from((network.forward(moved.view()).unwrap() * &slopes).sum())
            };
            for place in [(0, 0), (2, 4), (5, 1)] {
                let slope = (loss(&mut network, place, 1e-2) - loss(&mut network, place, -1e-2)) / 2e-2;
                assert!((slope - f64::from(found[place])).abs() < 1e-3, "{sizes:?}: {slope} {}", found[place]);
            }
        }
    }
}
