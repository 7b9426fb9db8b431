//! Adam with coupled weight decay, as the paper's code uses it.

use burn::module::Module;
use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};

/// PyTorch's epsilon; Burn's default is a thousand times larger.
const EPSILON: f32 = 1e-8;

/// The optimiser's state.
pub struct Adam(ModuleOptimizer);

impl Adam {
    /// A fresh state.
    pub fn new(weight_decay: f32) -> Self {
        let config = AdamConfig::new().with_epsilon(EPSILON);
        let decay = (weight_decay > 0.0).then(|| WeightDecayConfig::new(weight_decay));
        Self(config.with_weight_decay(decay).init())
    }

    /// One step of the whole network.
    pub fn step<M: Module>(&mut self, learning_rate: f64, network: M, gradients: GradientsParams) -> M {
        self.0.step(learning_rate, network, gradients)
    }
}
