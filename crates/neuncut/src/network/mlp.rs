//! The network `g` of Eq. (forward) in training: on the CPU in plain arrays, elsewhere in Burn.

use super::burn_mlp::BurnMlp;
use super::cpu_adam::CpuAdam;
use super::cpu_mlp::CpuMlp;
use super::{Adam, Trainable, Weights, clipping};
use crate::Result;
use crate::objective::softmax;
use burn::optim::GradientsParams;
use burn::tensor::Device;
use ndarray::{Array2, ArrayView2};

/// Fully connected layers with ReLU between them; the softmax is left to the objective.
pub struct Mlp(Place);

enum Place {
    Cpu(Box<CpuMlp>),
    Burn(BurnMlp),
}

/// The gradients of a network's parameters, where the network is.
pub struct MlpGradients(Gradients);

enum Gradients {
    Cpu(Weights),
    Burn(GradientsParams),
}

/// The state of a network's optimiser, where the network is.
pub struct MlpOptimizer(Optimizer);

enum Optimizer {
    Cpu(CpuAdam),
    Burn(Adam),
}

impl Mlp {
    /// A trainable network with these weights.
    pub fn new(weights: &Weights, device: &Device) -> Self {
        Self::with_linear(weights, None, device)
    }

    /// The same where one layer before the last has no ReLU either.
    pub(super) fn with_linear(weights: &Weights, linear: Option<usize>, device: &Device) -> Self {
        if *device == Device::flex() {
            Self(Place::Cpu(Box::new(CpuMlp::new(weights, linear))))
        } else {
            Self::in_burn(weights, linear, device)
        }
    }

    /// A trainable network in Burn on any device.
    pub(crate) fn in_burn(weights: &Weights, linear: Option<usize>, device: &Device) -> Self {
        Self(Place::Burn(BurnMlp::new(weights, linear, device)))
    }

    /// One forward and backward pass where the gradient of the loss with respect to the logits is known in closed form, as a
    /// function of the memberships.
    pub fn backward(
        &mut self,
        rows: ArrayView2<f32>,
        device: &Device,
        logit_gradient: impl FnOnce(&Array2<f32>) -> Array2<f32>,
    ) -> MlpGradients {
        self.backward_outputs(rows, device, |logits| logit_gradient(&softmax(logits)))
    }

    /// The same where the loss needs something else as well, which on the CPU is found beside the forward pass: so no core waits where
    /// either has little to do.
    pub fn backward_beside<T: Send>(
        &mut self,
        rows: ArrayView2<f32>,
        device: &Device,
        other: impl FnOnce() -> Result<T> + Send,
        logit_gradient: impl FnOnce(T, &Array2<f32>) -> Array2<f32>,
    ) -> Result<MlpGradients> {
        Ok(MlpGradients(match &mut self.0 {
            Place::Cpu(network) => {
                let (other, ()) = rayon::join(other, || network.forward(rows));
                let other = other?;
                Gradients::Cpu(network.backward(rows, |logits| logit_gradient(other, &softmax(logits))))
            }
            Place::Burn(network) => {
                let other = other()?;
                let gradient = |logits| logit_gradient(other, &softmax(logits));
                Gradients::Burn(network.backward_outputs(rows, device, gradient))
            }
        }))
    }

    /// The same where the loss is a function of the outputs themselves.
    pub fn backward_outputs(
        &mut self,
        rows: ArrayView2<f32>,
        device: &Device,
        output_gradient: impl FnOnce(Array2<f32>) -> Array2<f32>,
    ) -> MlpGradients {
        MlpGradients(match &mut self.0 {
            Place::Cpu(network) => {
                network.forward(rows);
                Gradients::Cpu(network.backward(rows, output_gradient))
            }
            Place::Burn(network) => Gradients::Burn(network.backward_outputs(rows, device, output_gradient)),
        })
    }

    /// The squared length of all gradients together.
    pub(super) fn squared_length(&self, gradients: &MlpGradients) -> f64 {
        match (&self.0, &gradients.0) {
            (_, Gradients::Cpu(gradients)) => gradients.squared_length(),
            (Place::Burn(network), Gradients::Burn(gradients)) => clipping::squared_length(network, gradients),
            _ => unreachable!("a network and its gradients are in one place"),
        }
    }

    /// Scales all gradients.
    pub(super) fn scale(&self, gradients: &mut MlpGradients, factor: f64) {
        match (&self.0, &mut gradients.0) {
            (_, Gradients::Cpu(gradients)) => gradients.scale(factor as f32),
            (Place::Burn(network), Gradients::Burn(gradients)) => clipping::scale(network, gradients, factor),
            _ => unreachable!("a network and its gradients are in one place"),
        }
    }

    /// The current weights as plain arrays.
    pub fn weights(&self) -> Weights {
        match &self.0 {
            Place::Cpu(network) => network.weights().clone(),
            Place::Burn(network) => network.weights(),
        }
    }
}

impl Trainable for Mlp {
    type Gradients = MlpGradients;
    type Optimizer = MlpOptimizer;

    fn optimizer(&self, weight_decay: f32) -> MlpOptimizer {
        MlpOptimizer(match &self.0 {
            Place::Cpu(network) => Optimizer::Cpu(CpuAdam::new(network.weights(), weight_decay)),
            Place::Burn(_) => Optimizer::Burn(Adam::new(weight_decay)),
        })
    }

    fn step(self, optimizer: &mut MlpOptimizer, learning_rate: f64, gradients: MlpGradients) -> Self {
        Self(match (self.0, &mut optimizer.0, gradients.0) {
            (Place::Cpu(mut network), Optimizer::Cpu(adam), Gradients::Cpu(gradients)) => {
                // once for all parameters on a thread of the pool
                rayon::scope(|_| adam.step(learning_rate, network.weights_mut(), &gradients));
                network.recycle(gradients);
                Place::Cpu(network)
            }
            (Place::Burn(network), Optimizer::Burn(adam), Gradients::Burn(gradients)) => {
                Place::Burn(adam.step(learning_rate, network, gradients))
            }
            _ => unreachable!("a network, its gradients and its optimiser are in one place"),
        })
    }
}

#[cfg(test)]
impl Mlp {
    /// The gradients of all parameters, in the place of the parameters.
    pub(crate) fn gradients(&self, found: &MlpGradients) -> Weights {
        match (&self.0, &found.0) {
            (_, Gradients::Cpu(gradients)) => gradients.clone(),
            (Place::Burn(network), Gradients::Burn(found)) => network.gradients(found),
            _ => unreachable!("a network and its gradients are in one place"),
        }
    }
}
