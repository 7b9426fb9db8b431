//! The same initial weights and batches in PyTorch (`tests/golden/replay.py`): every gradient by name, then ten Adam steps; with
//! the feature `burn` also in its networks and its autodiff.

use crate::affinity::{Affinity, Bandwidth, HeatKernel};
use crate::golden::Golden;
use crate::network::{Device, Mlp, Schedule, Trainable, Weights};
use crate::objective::{Cut, CutLoss, Penalty, Volumes, softmax, softmax_backward};
use ndarray::{Array1, Array2, ArrayView2};

const GOLDEN: &[u8] = include_bytes!("../../../tests/golden/replay.safetensors");
const SIGMA: f32 = 1.0;
// PyTorch works in f64, and here every operation rounds to f32 (6e-8 of a number). The most that any entry was apart, as a share of the
// largest of its matrix, over two builds: affinities 8.8e-7, first gradients 6.7e-7, weights after ten steps 9.5e-7, in Burn 3.5e-6;
// losses 1.4e-7 of one and themselves. The bounds leave other orders of sums (processors with other vectors) three to fifteen times that.
const AFFINITY: f32 = 5e-6;
const GRADIENT: f32 = 1e-5;
const WEIGHT: f32 = 1e-5;
const LOSS: f64 = 2e-6;

fn golden() -> Golden {
    Golden::of(GOLDEN)
}

/// Every case of the golden file.
fn cases() -> Vec<(String, CutLoss, Option<usize>)> {
    let mut cases = Vec::new();
    for (cut, cut_name) in [(Cut::Ncut, "ncut"), (Cut::Rcut, "rcut")] {
        for (penalty, penalty_name, gamma) in [(Penalty::Squared, "squared", 100.0), (Penalty::Normed, "normed", 80.0)]
        {
            for (volumes, volumes_name) in [(Volumes::Flow, "flow"), (Volumes::Held, "held")] {
                let loss = CutLoss { cut, penalty, volumes, gamma };
                cases.push((format!("{cut_name}-{penalty_name}-{volumes_name}-sparse"), loss, Some(5)));
            }
        }
    }
    let dense = CutLoss { cut: Cut::Ncut, penalty: Penalty::Squared, volumes: Volumes::Flow, gamma: 100.0 };
    cases.push(("ncut-squared-flow-dense".into(), dense, None));
    cases
}

fn assert_close(found: ArrayView2<f32>, expected: ArrayView2<f32>, tolerance: f32, what: &str) {
    let scale = expected.iter().fold(1e-3_f32, |a, b| a.max(b.abs()));
    for (place, &value) in found.indexed_iter() {
        let wanted = expected[place];
        assert!(
            (value - wanted).abs() <= tolerance * scale,
            "{what} at {place:?}: {value} for {wanted} (scale {scale})"
        );
    }
}

fn assert_weights(found: &Weights, expected: &Weights, tolerance: f32, what: &str) {
    for (l, (found, expected)) in found.layers.iter().zip(&expected.layers).enumerate() {
        assert_close(found.weight.view(), expected.weight.view(), tolerance, &format!("{what}.layer{l}.weight"));
        let row = |bias: &Array1<f32>| bias.clone().insert_axis(ndarray::Axis(0));
        assert_close(row(&found.bias).view(), row(&expected.bias).view(), tolerance, &format!("{what}.layer{l}.bias"));
    }
}

#[test]
fn affinities_are_pytorchs() {
    let golden = golden();
    let rows = golden.matrix("batch.0");
    for (name, neighbors) in [("dense", None), ("sparse", Some(5))] {
        let graph = HeatKernel { bandwidth: Bandwidth::Sigma(SIGMA), neighbors }.of_batch(rows.view()).unwrap();
        let found = graph.multiply(Array2::eye(rows.nrows()).view());
        assert_close(found.view(), golden.matrix(&format!("affinity.{name}.0")).view(), AFFINITY, name);
    }
}

#[test]
fn gradients_and_ten_steps_are_pytorchs() {
    let golden = golden();
    for (case, loss, neighbors) in cases() {
        let kernel = HeatKernel { bandwidth: Bandwidth::Sigma(SIGMA), neighbors };
        let init = golden.network("init");
        replay(&golden, &case, loss, kernel, Mlp::new(&init, Device::Cpu).unwrap());
    }
}

/// Ten steps of a network; the first gradients, all losses and the weights at the end must be the golden ones.
fn replay(golden: &Golden, case: &str, loss: CutLoss, kernel: HeatKernel, mut network: Mlp) {
    let schedule = Schedule { initial: 5e-3, epochs: 10 };
    network.begin(1e-4);
    for t in 0..10 {
        let rows = golden.matrix(&format!("batch.{t}"));
        let graph = kernel.of_batch(rows.view()).unwrap();
        let memberships = softmax(network.forward(rows.view()).unwrap());
        let found = loss.evaluate(&graph, memberships.view());
        network.backward(rows.view(), softmax_backward(memberships.view(), found.gradient.clone()));
        for (name, value) in [("lap", found.lap), ("orth", found.orth), ("loss", found.total)] {
            let expected = golden.scalar(&format!("{case}.step{t}.{name}"));
            assert!(
                (value - expected).abs() < LOSS * (1.0 + expected.abs()),
                "{case} step {t} {name}: {value} for {expected}"
            );
        }
        if t == 0 {
            let memberships = golden.matrix(&format!("{case}.grad0.memberships"));
            assert_close(found.gradient.view(), memberships.view(), GRADIENT, case);
            assert_weights(&network.gradients(), &golden.network(&format!("{case}.grad0")), GRADIENT, case);
        }
        network.step(schedule.rate(t));
    }
    assert_weights(&network.weights().unwrap(), &golden.network(&format!("{case}.final")), WEIGHT, case);
}

mod averaged;
#[cfg(feature = "burn")]
mod burn;
