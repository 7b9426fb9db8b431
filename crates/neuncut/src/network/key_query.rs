//! The two networks of SENet and its threshold in training.

use super::cpu_adam::CpuAdam;
use super::{Layer, Mlp, MlpGradients, MlpOptimizer, Trainable, Weights};
use burn::tensor::Device;
use ndarray::{Array1, Array2, ArrayView2, Zip};

/// PyTorch's guard against a division by zero where gradients are clipped.
const EPSILON: f64 = 1e-6;

/// Query and key networks with tanh outputs, and the threshold below which their products count nothing.
pub struct KeyQuery {
    query: Mlp,
    key: Mlp,
    /// The threshold, as weights that Adam knows.
    threshold: Weights,
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

/// The gradients of all parameters.
pub struct KeyQueryGradients {
    query: MlpGradients,
    key: MlpGradients,
    threshold: f32,
}

/// The state of the optimiser.
pub struct KeyQueryOptimizer {
    query: MlpOptimizer,
    key: MlpOptimizer,
    threshold: CpuAdam,
}

impl KeyQuery {
    /// Trainable networks with these weights.
    pub fn new(weights: &KeyQueryWeights, device: &Device) -> Self {
        let (query, key) = (Mlp::new(&weights.query, device), Mlp::new(&weights.key, device));
        Self { query, key, threshold: single(weights.threshold) }
    }

    /// One forward and backward pass of `rows` `(m, d)` and `keys` `(b, d)`, where the gradient with respect to the outputs is
    /// known in closed form, as a function of them and of the threshold.
    pub fn backward(
        &mut self,
        rows: ArrayView2<f32>,
        keys: ArrayView2<f32>,
        device: &Device,
        gradient_of: impl FnOnce(&Array2<f32>, &Array2<f32>, f32) -> KeyQueryGradient,
    ) -> KeyQueryGradients {
        let value = value_of(&self.threshold);
        let (key, mut of_key, mut threshold) = (&mut self.key, None, 0.0);
        let query = self.query.backward_outputs(rows, device, |outputs| {
            let queries = tanh(outputs);
            let mut query_slope = Array2::default((0, 0));
            of_key = Some(key.backward_outputs(keys, device, |outputs| {
                let keys = tanh(outputs);
                let gradient = gradient_of(&queries, &keys, value);
                threshold = gradient.threshold;
                query_slope = through_tanh(gradient.queries, &queries);
                through_tanh(gradient.keys, &keys)
            }));
            query_slope
        });
        let Some(key) = of_key else { unreachable!("the pass of the queries holds that of the keys") };
        KeyQueryGradients { query, key, threshold }
    }

    /// The gradients, scaled down together where the length of all of them exceeds `longest`, as PyTorch's `clip_grad_norm_`
    /// does it.
    pub fn clip(&self, mut gradients: KeyQueryGradients, longest: f64) -> KeyQueryGradients {
        let threshold = f64::from(gradients.threshold);
        let squares = self.query.squared_length(&gradients.query) + self.key.squared_length(&gradients.key);
        let factor = longest / ((squares + threshold * threshold).sqrt() + EPSILON);
        if factor < 1.0 {
            self.query.scale(&mut gradients.query, factor);
            self.key.scale(&mut gradients.key, factor);
            gradients.threshold = (threshold * factor) as f32;
        }
        gradients
    }

    /// The current weights as plain numbers.
    pub fn weights(&self) -> KeyQueryWeights {
        let threshold = value_of(&self.threshold);
        KeyQueryWeights { query: self.query.weights(), key: self.key.weights(), threshold }
    }
}

impl Trainable for KeyQuery {
    type Gradients = KeyQueryGradients;
    type Optimizer = KeyQueryOptimizer;

    fn optimizer(&self, weight_decay: f32) -> KeyQueryOptimizer {
        let (query, key) = (self.query.optimizer(weight_decay), self.key.optimizer(weight_decay));
        KeyQueryOptimizer { query, key, threshold: CpuAdam::new(&self.threshold, weight_decay) }
    }

    fn step(mut self, optimizer: &mut KeyQueryOptimizer, learning_rate: f64, gradients: KeyQueryGradients) -> Self {
        optimizer.threshold.step(learning_rate, &mut self.threshold, &single(gradients.threshold));
        Self {
            query: self.query.step(&mut optimizer.query, learning_rate, gradients.query),
            key: self.key.step(&mut optimizer.key, learning_rate, gradients.key),
            threshold: self.threshold,
        }
    }
}

#[cfg(test)]
impl KeyQuery {
    /// The gradients of all parameters, in the place of the parameters.
    pub(crate) fn gradients(&self, found: &KeyQueryGradients) -> KeyQueryWeights {
        let (query, key) = (self.query.gradients(&found.query), self.key.gradients(&found.key));
        KeyQueryWeights { query, key, threshold: found.threshold }
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
