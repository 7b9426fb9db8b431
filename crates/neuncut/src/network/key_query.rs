//! The two networks of SENet and its threshold in training.

use super::cpu_adam::CpuAdam;
use super::{Device, Layer, Mlp, Trainable, Weights};
use crate::Result;
use ndarray::{Array1, Array2, ArrayView2, Zip};

/// PyTorch's guard against a division by zero where gradients are clipped.
const EPSILON: f64 = 1e-6;

/// Query and key networks with tanh outputs, and the threshold below which their products count nothing.
pub struct KeyQuery {
    query: Mlp,
    key: Mlp,
    /// The threshold, as weights that Adam knows, with its gradient and its optimiser.
    threshold: Weights,
    threshold_gradient: f32,
    threshold_adam: CpuAdam,
}

/// The plain numbers of a [`KeyQuery`].
#[derive(Debug, Clone, PartialEq)]
pub struct KeyQueryWeights {
    /// The network of rows that are expressed.
    pub query: Weights,
    /// The network of rows that express them.
    pub key: Weights,
    /// What is taken off every product's magnitude.
    pub threshold: f32,
}

/// The gradient of a loss with respect to what the networks put out.
pub struct KeyQueryGradient {
    /// `(m, p)`.
    pub queries: Array2<f32>,
    /// `(b, p)`.
    pub keys: Array2<f32>,
    /// The threshold's.
    pub threshold: f32,
}

/// What the networks put out.
pub struct KeyQueryCodes {
    /// `(m, p)`.
    pub queries: Array2<f32>,
    /// `(b, p)`.
    pub keys: Array2<f32>,
    /// The threshold.
    pub threshold: f32,
}

impl KeyQuery {
    /// Trainable networks with these weights.
    ///
    /// # Errors
    /// Where this build has no such device.
    pub fn new(weights: &KeyQueryWeights, device: Device) -> Result<Self> {
        let threshold = single(weights.threshold);
        Ok(Self {
            query: Mlp::new(&weights.query, device)?,
            key: Mlp::new(&weights.key, device)?,
            threshold_adam: CpuAdam::new(&threshold, 0.0),
            threshold_gradient: 0.0,
            threshold,
        })
    }

    /// The forward pass of `rows` `(m, d)` and `keys` `(b, d)`.
    ///
    /// # Errors
    /// Where the outputs cannot be read back from the device.
    pub fn forward(&mut self, rows: ArrayView2<f32>, keys: ArrayView2<f32>) -> Result<KeyQueryCodes> {
        let (queries, keys) = (tanh(self.query.forward(rows)?), tanh(self.key.forward(keys)?));
        Ok(KeyQueryCodes { queries, keys, threshold: value_of(&self.threshold) })
    }

    /// The backward pass of what went forward last, given the codes that it had and the gradient of the loss with respect to
    /// them. The networks keep the gradients of their parameters.
    pub fn backward(
        &mut self,
        rows: ArrayView2<f32>,
        keys: ArrayView2<f32>,
        codes: &KeyQueryCodes,
        gradient: KeyQueryGradient,
    ) {
        self.query.backward(rows, through_tanh(gradient.queries, &codes.queries));
        self.key.backward(keys, through_tanh(gradient.keys, &codes.keys));
        self.threshold_gradient = gradient.threshold;
    }

    /// Scales the gradients down together where the length of all of them exceeds `longest`, as PyTorch's `clip_grad_norm_`
    /// does it.
    ///
    /// # Errors
    /// Where they cannot be read back from the device.
    pub fn clip(&mut self, longest: f64) -> Result<()> {
        let threshold = f64::from(self.threshold_gradient);
        let squares = self.query.squared_gradient()? + self.key.squared_gradient()?;
        let factor = longest / ((squares + threshold * threshold).sqrt() + EPSILON);
        if factor < 1.0 {
            self.query.scale_gradient(factor);
            self.key.scale_gradient(factor);
            self.threshold_gradient = (threshold * factor) as f32;
        }
        Ok(())
    }

    /// The current weights as plain numbers.
    ///
    /// # Errors
    /// Where they cannot be read back from the device.
    pub fn weights(&self) -> Result<KeyQueryWeights> {
        let threshold = value_of(&self.threshold);
        Ok(KeyQueryWeights { query: self.query.weights()?, key: self.key.weights()?, threshold })
    }
}

impl Trainable for KeyQuery {
    fn begin(&mut self, weight_decay: f32) {
        self.query.begin(weight_decay);
        self.key.begin(weight_decay);
        self.threshold_adam = CpuAdam::new(&self.threshold, weight_decay);
    }

    fn step(&mut self, learning_rate: f64) {
        self.threshold_adam.step(learning_rate, &mut self.threshold, &single(self.threshold_gradient));
        self.query.step(learning_rate);
        self.key.step(learning_rate);
    }

    fn is_finite(&self) -> Result<bool> {
        let KeyQueryWeights { query, key, threshold } = self.weights()?;
        Ok(query.is_finite() && key.is_finite() && threshold.is_finite())
    }
}

#[cfg(test)]
impl KeyQuery {
    /// The gradients of all parameters, in the place of the parameters.
    pub(crate) fn gradients(&self) -> KeyQueryWeights {
        let (query, key) = (self.query.gradients(), self.key.gradients());
        KeyQueryWeights { query, key, threshold: self.threshold_gradient }
    }
}

impl KeyQueryWeights {
    /// What the query network makes of rows, `(n, p)`.
    pub fn queries(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        tanh(self.query.outputs(rows))
    }

    /// What the key network makes of rows, `(n, p)`.
    pub fn keys(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        tanh(self.key.outputs(rows))
    }
}

fn tanh(mut outputs: Array2<f32>) -> Array2<f32> {
    outputs.par_mapv_inplace(f32::tanh);
    outputs
}

/// The gradient before tanh, from that after it and its values.
fn through_tanh(mut gradient: Array2<f32>, values: &Array2<f32>) -> Array2<f32> {
    Zip::from(&mut gradient).and(values).par_for_each(|g, &value| *g *= 1.0 - value * value);
    gradient
}

/// One number as weights.
fn single(number: f32) -> Weights {
    Weights { layers: vec![Layer { weight: Array2::default((0, 0)), bias: Array1::from_elem(1, number) }] }
}

fn value_of(single: &Weights) -> f32 {
    single.layers[0].bias[0]
}
