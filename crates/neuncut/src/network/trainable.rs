//! What the trainer asks of a network.

/// A network with its optimiser.
pub trait Trainable: Sized {
    /// Gradients of all parameters.
    type Gradients;
    /// The optimiser's state.
    type Optimizer;

    /// A fresh optimiser: Adam with coupled weight decay.
    fn optimizer(&self, weight_decay: f32) -> Self::Optimizer;

    /// One step of the whole network.
    fn step(self, optimizer: &mut Self::Optimizer, learning_rate: f64, gradients: Self::Gradients) -> Self;
}
