//! The two networks of SENet and its threshold, as one Burn module.

use super::{BurnMlp, Weights, matrix_of, tensor_of};
use burn::module::{Module, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::{Array2, ArrayView2};

/// Query and key networks with tanh outputs, and the threshold below which their products count nothing.
#[derive(Module, Debug)]
pub struct KeyQuery {
    query: BurnMlp,
    key: BurnMlp,
    threshold: Param<Tensor<1>>,
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

impl KeyQuery {
    /// Trainable networks with these weights.
    pub fn new(weights: &KeyQueryWeights, device: &Device) -> Self {
        let threshold = TensorData::new(vec![weights.threshold], [1]);
        Self {
            query: BurnMlp::new(&weights.query, device),
            key: BurnMlp::new(&weights.key, device),
            threshold: Param::from_data(threshold, device),
        }
    }

    /// One forward and backward pass of `rows` `(m, d)` and `keys` `(b, d)`, where the gradient with respect to the outputs is
    /// known in closed form, as a function of them and of the threshold.
    pub fn backward(
        &self,
        rows: ArrayView2<f32>,
        keys: ArrayView2<f32>,
        device: &Device,
        gradient_of: impl FnOnce(&Array2<f32>, &Array2<f32>, f32) -> KeyQueryGradient,
    ) -> GradientsParams {
        let queries = self.query.forward(tensor_of(rows, device)).tanh();
        let keys = self.key.forward(tensor_of(keys, device)).tanh();
        let threshold = self.threshold.val();
        let value = threshold.clone().inner().into_scalar::<f32>();
        let plain = |tensor: &Tensor<2>| matrix_of(tensor.clone().inner());
        let gradient = gradient_of(&plain(&queries), &plain(&keys), value);
        let product = (queries * tensor_of(gradient.queries.view(), device)).sum()
            + (keys * tensor_of(gradient.keys.view(), device)).sum()
            + threshold.mul_scalar(gradient.threshold);
        GradientsParams::from_grads(product.backward(), self)
    }

    /// The current weights as plain numbers.
    pub fn weights(&self) -> KeyQueryWeights {
        let threshold = self.threshold.val().inner().into_scalar::<f32>();
        KeyQueryWeights { query: self.query.weights(), key: self.key.weights(), threshold }
    }
}

#[cfg(test)]
impl KeyQuery {
    /// The gradients of all parameters, in the place of the parameters.
    pub(crate) fn gradients(&self, found: &GradientsParams) -> KeyQueryWeights {
        let threshold = found.get::<1>(self.threshold.id).expect("a gradient of the threshold").into_scalar::<f32>();
        KeyQueryWeights { query: self.query.gradients(found), key: self.key.gradients(found), threshold }
    }
}

impl KeyQueryWeights {
    /// What the query network makes of rows, `(n, p)`.
    pub fn queries(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        self.query.outputs(rows).mapv_into(f32::tanh)
    }

    /// What the key network makes of rows, `(n, p)`.
    pub fn keys(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        self.key.outputs(rows).mapv_into(f32::tanh)
    }
}
