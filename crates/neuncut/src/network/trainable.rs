//! What the trainer asks of a network.

use crate::Result;

/// A network with its optimiser.
pub trait Trainable {
    /// Starts the optimiser afresh: Adam with coupled weight decay.
    fn begin(&mut self, weight_decay: f32);

    /// One step of all parameters against the gradients of the last backward pass.
    fn step(&mut self, learning_rate: f64);

    /// Whether every parameter is a finite number.
    ///
    /// # Errors
    /// Where they cannot be read back from the network's device.
    fn is_finite(&self) -> Result<bool>;
}
