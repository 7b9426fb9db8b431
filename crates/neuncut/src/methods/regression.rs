//! A network that learns to put rows where it is shown, by the mean squared error.

use crate::Result;
use crate::features::mean_square;
use crate::network::Mlp;
use crate::train::Objective;
use ndarray::{Array2, ArrayView2, Axis};

/// The objective: `targets` gives where the rows of a batch belong, `(m, outputs)`.
pub(super) struct Regression<'a, T> {
    /// The rows as they enter the network.
    pub inputs: ArrayView2<'a, f32>,
    pub targets: T,
}

impl<T: FnMut(&[usize]) -> Result<Array2<f32>>> Objective<Mlp> for Regression<'_, T> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss"]
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<Vec<f64>> {
        let targets = (self.targets)(batch)?;
        let inputs = self.inputs.select(Axis(0), batch);
        let errors = network.forward(inputs.view())? - targets;
        let loss = mean_square(errors.view());
        let scale = 2.0 / errors.len().max(1) as f32;
        network.backward(inputs.view(), errors * scale);
        Ok(vec![loss])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::network::{Device, Weights};
    use crate::train::{Silent, Trainer};

    #[test]
    fn gradients_are_central_differences_and_a_line_is_learnt() {
        let rows = Array2::from_shape_fn((60, 2), |(i, j)| ((i * (j + 3) * 37) % 61) as f32 * 0.03 - 1.0);
        let line = |batch: &[usize]| Ok(rows.select(Axis(0), batch).dot(&ndarray::array![[0.5_f32], [-1.0]]) + 0.25);
        let start = Weights::random(&[2, 5, 1], &mut Seed(1).stream("regression"));
        let batch: Vec<usize> = (0..12).collect();
        let loss = |weights: &Weights| {
            let mut network = Mlp::new(weights, Device::Cpu).unwrap();
            let value = Regression { inputs: rows.view(), targets: line }.evaluate(&mut network, &batch).unwrap()[0];
            (value, network.gradients())
        };
        let (_, gradients) = loss(&start);
        for (layer, place) in [(0, [1, 3]), (1, [2, 0])] {
            let moved = |by: f32| {
                let mut weights = start.clone();
                weights.layers[layer].weight[place] += by;
                loss(&weights).0
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            let found = f64::from(gradients.layers[layer].weight[place]);
            assert!((found - slope).abs() < 1e-3 * slope.abs().max(0.1), "{layer}: {found} for {slope}");
        }
        let trainer = Trainer { stage: "test", batch: 20, epochs: 200, learning_rate: 1e-2, weight_decay: 0.0 };
        let mut network = Mlp::new(&start, Device::Cpu).unwrap();
        let mut objective = Regression { inputs: rows.view(), targets: line };
        let rng = &mut Seed(1).stream("shuffle");
        let history = trainer.run(&mut network, 60, &mut objective, rng, &mut Silent).unwrap();
        let loss = |epoch: usize| history.epochs[epoch].values[0];
        assert!(loss(199) < 0.05 * loss(0), "{} from {}", loss(199), loss(0));
    }
}
