//! What the trainer asks of a network.

/// A network with its optimiser.
pub trait Trainable {
    /// Starts the optimiser afresh: Adam with coupled weight decay.
    fn begin(&mut self, weight_decay: f32);

    /// One step of all parameters against the gradients of the last backward pass.
    fn step(&mut self, learning_rate: f64);
}
