//! Gradients whose common length is bounded, as PyTorch's `clip_grad_norm_` does it. (Burn's own clipping takes each parameter by
//! itself, which changes the direction of the step.)

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

/// PyTorch's guard against a division by zero.
const EPSILON: f64 = 1e-6;

/// The gradients, scaled down together where the length of all of them exceeds `longest`.
pub fn clip_to_norm<M: Module>(mut gradients: GradientsParams, network: &M, longest: f64) -> GradientsParams {
    let mut squares = Squares { gradients: &gradients, sum: 0.0 };
    network.visit(&mut squares);
    let factor = longest / (squares.sum.sqrt() + EPSILON);
    if factor < 1.0 {
        network.visit(&mut Scaling { gradients: &mut gradients, factor });
    }
    gradients
}

struct Squares<'a> {
    gradients: &'a GradientsParams,
    sum: f64,
}

impl ModuleVisitor for Squares<'_> {
    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        if let Some(gradient) = self.gradients.get::<D>(parameter.id) {
            self.sum += f64::from(gradient.clone().mul(gradient).sum().into_scalar::<f32>());
        }
    }
}

struct Scaling<'a> {
    gradients: &'a mut GradientsParams,
    factor: f64,
}

impl ModuleVisitor for Scaling<'_> {
    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        if let Some(gradient) = self.gradients.remove::<D>(parameter.id) {
            self.gradients.register::<D>(parameter.id, gradient.mul_scalar(self.factor));
        }
    }
}
