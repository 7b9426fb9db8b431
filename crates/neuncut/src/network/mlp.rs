//! The network `g` of Eq. (forward) in training: on the CPU in plain arrays, elsewhere in Burn.

use super::cpu_mlp::CpuMlp;
use super::{Device, Trainable, Weights};
use crate::Result;
use ndarray::{Array2, ArrayView2};

/// Fully connected layers with ReLU between them; the softmax is left to the objective.
///
/// A training step is [`forward`](Self::forward), the gradient of a loss with respect to what that gave, and
/// [`backward`](Self::backward) with that gradient; then [`Trainable::step`].
pub struct Mlp(Box<dyn Backend>);

/// A network where it is computed: its weights, its gradients and its optimiser.
pub(super) trait Backend: Send {
    /// What the last layer puts out, `(m, k)`, for rows `(m, d)`.
    fn forward(&mut self, rows: ArrayView2<f32>) -> Result<Array2<f32>>;

    /// The gradients of all parameters, kept here, from that of the outputs. The rows are those that went forward last.
    fn backward(&mut self, rows: ArrayView2<f32>, gradient: Array2<f32>);

    /// The squared length of all gradients together.
    fn squared_gradient(&self) -> Result<f64>;

    /// Scales all gradients.
    fn scale_gradient(&mut self, factor: f64);

    /// Starts Adam afresh, with coupled weight decay.
    fn begin(&mut self, weight_decay: f32);

    /// One step of Adam.
    fn step(&mut self, learning_rate: f64);

    /// The current weights as plain arrays.
    fn weights(&self) -> Result<Weights>;

    /// The gradients of all parameters, in the place of the parameters.
    #[cfg(test)]
    fn gradients(&self) -> Weights;
}

impl Mlp {
    /// A trainable network with these weights.
    ///
    /// # Errors
    /// Where this build has no such device.
    pub fn new(weights: &Weights, device: Device) -> Result<Self> {
        Self::with_linear(weights, None, device)
    }

    /// The same where one layer before the last has no ReLU either.
    pub(super) fn with_linear(weights: &Weights, linear: Option<usize>, device: Device) -> Result<Self> {
        match device {
            Device::Cpu => Ok(Self(Box::new(CpuMlp::new(weights, linear)))),
            #[cfg(feature = "burn")]
            gpu => Ok(Self::in_burn(weights, linear, gpu.open()?)),
            #[cfg(not(feature = "burn"))]
            gpu => Err(gpu.missing()),
        }
    }

    /// A trainable network on any device of Burn's.
    #[cfg(feature = "burn")]
    pub(crate) fn in_burn(weights: &Weights, linear: Option<usize>, device: burn::tensor::Device) -> Self {
        Self(Box::new(super::gpu::BurnMlp::new(weights, linear, device)))
    }

    /// The forward pass: the logits `(m, k)` of rows `(m, d)`.
    ///
    /// # Errors
    /// Where they cannot be read back from the device.
    pub fn forward(&mut self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        self.0.forward(rows)
    }

    /// The backward pass of the rows that went forward last, given the gradient of the loss with respect to their logits. The
    /// network keeps the gradients of its parameters for the next step.
    pub fn backward(&mut self, rows: ArrayView2<f32>, gradient: Array2<f32>) {
        self.0.backward(rows, gradient);
    }

    /// The squared length of all gradients together.
    pub(super) fn squared_gradient(&self) -> Result<f64> {
        self.0.squared_gradient()
    }

    /// Scales all gradients.
    pub(super) fn scale_gradient(&mut self, factor: f64) {
        self.0.scale_gradient(factor);
    }

    /// The current weights as plain arrays.
    ///
    /// # Errors
    /// Where they cannot be read back from the device.
    pub fn weights(&self) -> Result<Weights> {
        self.0.weights()
    }

    /// The gradients of all parameters, in the place of the parameters.
    #[cfg(test)]
    pub(crate) fn gradients(&self) -> Weights {
        self.0.gradients()
    }
}

impl Trainable for Mlp {
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
