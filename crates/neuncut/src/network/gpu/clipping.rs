//! The common length of all gradients of a Burn module, and their scaling: what clipping needs. (Burn's own takes each parameter
//! by itself, which changes the direction of the step.)

use super::tensors::values_of;
use crate::Result;
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

/// The squared length of all gradients.
pub(super) fn squared_length<M: Module>(network: &M, gradients: &GradientsParams) -> Result<f64> {
    let mut squares = Squares { gradients, sum: Ok(0.0) };
    network.visit(&mut squares);
    squares.sum
}

/// Scales all gradients.
pub(super) fn scale<M: Module>(network: &M, gradients: &mut GradientsParams, factor: f64) {
    network.visit(&mut Scaling { gradients, factor });
}

struct Squares<'a> {
    gradients: &'a GradientsParams,
    sum: Result<f64>,
}

impl ModuleVisitor for Squares<'_> {
    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        if let (Ok(sum), Some(gradient)) = (&mut self.sum, self.gradients.get::<D>(parameter.id)) {
            match values_of(gradient.clone().mul(gradient).sum()) {
                Ok(squares) => *sum += squares.into_iter().map(f64::from).sum::<f64>(),
                Err(error) => self.sum = Err(error),
            }
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
