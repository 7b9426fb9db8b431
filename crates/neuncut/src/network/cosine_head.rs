//! A head whose outputs are cosines of a row's code with the clusters' directions: layers with ReLU between them, codes made unit, a layer of
//! directions.

use super::normed_layer::{NormedLayer, normed};
use super::{Device, Layer, Mlp, Trainable, Weights};
use crate::Result;
use crate::linalg::matmul;
use crate::seed::Stream;
use crate::vector::squared_length;
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// Codes are no shorter, so that nothing is divided by zero.
const SHORTEST: f32 = 1e-12;

/// The numbers of a head: the layers that make codes, and the matrix `(p, k)` that unit codes are multiplied by.
#[derive(Debug, Clone, PartialEq)]
pub struct CosineWeights {
    /// Rows to codes.
    pub trunk: Weights,
    /// Directions of any length as the weight, the lengths they have in the product as the bias.
    pub last: Layer,
}

impl CosineWeights {
    /// Random numbers for rows of `sizes[0]` columns; the last size is that of the codes.
    pub fn random(sizes: &[usize], outputs: usize, rng: &mut Stream) -> Self {
        let trunk = Weights::random(sizes, rng);
        Self { last: NormedLayer::random(trunk.n_outputs(), outputs, rng), trunk }
    }

    /// What unit codes are multiplied by, `(p, k)`.
    pub fn matrix(&self) -> Array2<f32> {
        normed(&self.last)
    }

    /// Outputs `(m, k)` of rows `(m, d)`.
    pub fn outputs(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        let mut codes = self.trunk.outputs(rows);
        make_unit(&mut codes);
        matmul(codes.view(), self.matrix().view())
    }

    /// Moves towards another head, of which it takes so large a share.
    pub fn approach(&mut self, other: &Self, share: f32) {
        let layers = self.trunk.layers.iter_mut().chain([&mut self.last]);
        for (own, other) in layers.zip(other.trunk.layers.iter().chain([&other.last])) {
            own.weight.zip_mut_with(&other.weight, |own, other| *own += share * (other - *own));
            own.bias.zip_mut_with(&other.bias, |own, other| *own += share * (other - *own));
        }
    }
}

/// The head in training.
pub struct CosineHead {
    trunk: Mlp,
    last: NormedLayer,
    /// Unit codes of the rows that went forward last, and the lengths they had.
    codes: Array2<f32>,
    lengths: Array1<f32>,
}

impl CosineHead {
    /// A trainable head with these numbers.
    ///
    /// # Errors
    /// Where this build has no such device.
    pub fn new(weights: &CosineWeights, device: Device) -> Result<Self> {
        let trunk = Mlp::new(&weights.trunk, device)?;
        let last = NormedLayer::new(weights.last.clone());
        Ok(Self { trunk, last, codes: Array2::zeros((0, 0)), lengths: Array1::zeros(0) })
    }

    /// Outputs `(m, k)` of rows `(m, d)`.
    ///
    /// # Errors
    /// Where they cannot be read back from the device.
    pub fn forward(&mut self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        self.codes = self.trunk.forward(rows)?;
        self.lengths = make_unit(&mut self.codes);
        Ok(matmul(self.codes.view(), self.last.matrix().view()))
    }

    /// The backward pass of the rows that went forward last, given the gradient with respect to their outputs.
    pub fn backward(&mut self, rows: ArrayView2<f32>, gradient: ArrayView2<f32>) {
        self.last.backward(self.codes.view(), gradient);
        let mut of_codes = self.last.of_inputs(gradient);
        // what is along the code changes its length alone
        for ((mut gradient, code), length) in of_codes.rows_mut().into_iter().zip(self.codes.rows()).zip(&self.lengths)
        {
            let along = gradient.dot(&code);
            gradient.zip_mut_with(&code, |g, &code| *g = (*g - along * code) / length);
        }
        self.trunk.backward(rows, of_codes);
    }

    /// Its numbers as they are now.
    ///
    /// # Errors
    /// Where they cannot be read back from the device.
    pub fn weights(&self) -> Result<CosineWeights> {
        Ok(CosineWeights { trunk: self.trunk.weights()?, last: self.last.trained().clone() })
    }
}

impl Trainable for CosineHead {
    fn begin(&mut self, weight_decay: f32) {
        self.trunk.begin(weight_decay);
        self.last.begin();
    }

    fn step(&mut self, learning_rate: f64) {
        self.trunk.step(learning_rate);
        self.last.step(learning_rate);
    }

    fn is_finite(&self) -> Result<bool> {
        Ok(self.trunk.is_finite()? && self.last.is_finite())
    }
}

/// Makes rows unit, and gives the lengths they had.
fn make_unit(rows: &mut Array2<f32>) -> Array1<f32> {
    let of = |mut row: ndarray::ArrayViewMut1<f32>| {
        let length = row.as_slice().map_or_else(|| row.dot(&row), squared_length).sqrt().max(SHORTEST);
        row /= length;
        length
    };
    rows.axis_iter_mut(Axis(0)).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn gradients_are_those_of_differences() {
        let mut rng = Seed(5).stream("test");
        let weights = CosineWeights::random(&[4, 7, 5], 3, &mut rng);
        let mut head = CosineHead::new(&weights, Device::Cpu).unwrap();
        let rows = Weights::random(&[6, 4], &mut rng).layers[0].weight.clone();
        let slope = Weights::random(&[6, 3], &mut rng).layers[0].weight.clone();
        let outputs = head.forward(rows.view()).unwrap();
        assert_eq!(head.weights().unwrap(), weights);
        assert!((&outputs - &weights.outputs(rows.view())).iter().all(|x| x.abs() < 1e-5));
        assert!(outputs.iter().all(|x| x.abs() < 1.0 + 1e-6), "cosines");
        head.backward(rows.view(), slope.view());
        let found = head.trunk.gradients();
        for (layer, place) in [(0, (1, 2)), (0, (3, 6)), (1, (0, 4)), (1, (6, 1))] {
            let moved = |by: f32| {
                let mut weights = weights.clone();
                weights.trunk.layers[layer].weight[place] += by;
                f64::from((weights.outputs(rows.view()) * &slope).sum())
            };
            let numeric = (moved(5e-3) - moved(-5e-3)) / 1e-2;
            let ours = f64::from(found.layers[layer].weight[place]);
            assert!((numeric - ours).abs() < 2e-3 * (1.0 + ours.abs()), "{numeric} {ours}");
        }
    }

    #[test]
    fn an_average_approaches_what_it_is_shown() {
        let mut rng = Seed(6).stream("test");
        let draw = |rng: &mut Stream| CosineWeights::random(&[3, 4], 2, rng);
        let (mut average, other) = (draw(&mut rng), draw(&mut rng));
        let halfway = 0.5 * (average.trunk.layers[0].weight[[1, 1]] + other.trunk.layers[0].weight[[1, 1]]);
        average.approach(&other, 0.5);
        assert!((average.trunk.layers[0].weight[[1, 1]] - halfway).abs() < 1e-6);
    }
}
