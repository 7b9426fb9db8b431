//! The same in Burn: its network takes PyTorch's steps, and its autodiff finds the closed-form gradients.

use super::*;
use crate::graph::BatchGraph;
use crate::network::{BurnLayers, matrix_of, tensor_of};
use ::burn::tensor::activation::softmax;
use ::burn::tensor::{Device, Tensor};

#[test]
fn so_are_those_of_the_network_in_burn() {
    let golden = golden();
    let (case, loss, neighbors) = cases().pop().unwrap();
    let kernel = HeatKernel { bandwidth: Bandwidth::Sigma(SIGMA), neighbors };
    replay(&golden, &case, loss, kernel, Mlp::in_burn(&golden.network("init"), None, Device::flex()));
}

#[test]
fn closed_form_gradients_are_those_of_autodiff() {
    let golden = golden();
    let device = Device::flex().autodiff();
    let rows = golden.matrix("batch.0");
    let k = 4;
    for (case, loss, neighbors) in cases() {
        let graph = HeatKernel { bandwidth: Bandwidth::Sigma(SIGMA), neighbors }.of_batch(rows.view()).unwrap();
        let network = BurnLayers::new(&golden.network("init"), None, &device);
        let y = softmax(network.forward(tensor_of(rows.view(), &device)), 1);
        let memberships = y.clone().inner();
        let y = Tensor::<2>::from_inner(memberships.clone()).require_grad();
        let gradients = burn_loss(&loss, &graph, y.clone(), k, &device).backward();
        let expected = matrix_of(y.grad(&gradients).expect("the loss depends on the memberships")).unwrap();
        let found = loss.evaluate(&graph, matrix_of(memberships).unwrap().view()).gradient;
        assert_close(found.view(), expected.view(), GRADIENT, &case);
    }
}

/// Eq. (our_loss) in Burn's tensors.
fn burn_loss(loss: &CutLoss, graph: &BatchGraph, y: Tensor<2>, k: usize, device: &Device) -> Tensor<1> {
    let m = graph.len();
    let w = tensor_of(graph.multiply(Array2::eye(m).view()).view(), device);
    let d = w.clone().sum_dim(1); // (m, 1)
    let s = if loss.cut == Cut::Ncut { d.clone() } else { d.ones_like() };
    let volumes = (y.clone() * s.clone()).sum_dim(0); // (1, k)
    let volumes = if loss.volumes == Volumes::Held { volumes.detach() } else { volumes };
    let h = y / volumes.sqrt();
    let lap = (h.clone() * (h.clone() * d - w.matmul(h.clone()))).sum();
    let r = h.clone().transpose().matmul(h * s) - Tensor::<2>::eye(k, device);
    let squared = (r.clone() * r).sum();
    match loss.penalty {
        Penalty::Squared => lap + squared * (0.5 * loss.gamma),
        Penalty::Normed => lap + squared.sqrt() * (loss.gamma / k as f32),
    }
}
