//! The same initial heads and batches in PyTorch (`tests/golden/heads.py`): five Adam steps of each loss.

use crate::golden::Golden;
use crate::network::{CosineHead, CosineWeights, Device, Layer, Mlp, Trainable, Weights};
use crate::objective::{
    Consistency, NeighborLikelihood, PairLossValue, TeacherInformation, agreement_of_pairs, softmax, softmax_backward,
};
use ndarray::{Array2, ArrayView2};

const GOLDEN: &[u8] = include_bytes!("../../../tests/golden/heads.safetensors");
const STEPS: usize = 5;
const RATE: f64 = 1e-2;
// PyTorch works in f64, and here every operation rounds to f32 (6e-8 of a number). The most that was apart: losses 6.8e-8 of one and
// themselves, weights of at most about one 1.2e-7. The bounds leave other orders of sums ten times that and more.
const LOSS: f64 = 1e-6;
const WEIGHT: f32 = 2e-6;

/// Numbers of the golden file by name, as a matrix; vectors are one row.
fn golden(name: &str) -> Array2<f32> {
    Golden::of(GOLDEN).matrix(name)
}

fn layer(name: &str) -> Layer {
    Golden::of(GOLDEN).layer(name)
}

fn cosine_weights(name: &str) -> CosineWeights {
    let trunk = Weights { layers: vec![layer(&format!("{name}.0")), layer(&format!("{name}.1"))] };
    CosineWeights { trunk, last: layer(&format!("{name}.last")) }
}

fn assert_loss(name: &str, step: usize, found: f64) {
    let expected = Golden::of(GOLDEN).scalar(&format!("{name}.step{step}"));
    assert!((found - expected).abs() < LOSS * (1.0 + expected.abs()), "{name} step {step}: {found} for {expected}");
}

fn assert_layer(found: &Layer, expected: &Layer, what: &str) {
    let apart = (&found.weight - &expected.weight)
        .iter()
        .chain(&(&found.bias - &expected.bias))
        .fold(0.0_f32, |a, b| a.max(b.abs()));
    assert!(apart < WEIGHT, "{what}: {apart} apart");
}

fn replay_linear(name: &str, mut loss: impl FnMut(ArrayView2<f32>) -> PairLossValue) {
    let mut network = Mlp::new(&Weights { layers: vec![layer("linear.init")] }, Device::Cpu).unwrap();
    network.begin(0.0);
    for step in 0..STEPS {
        let rows = golden(&format!("batch.{step}"));
        let memberships = softmax(network.forward(rows.view()).unwrap());
        let found = loss(memberships.view());
        assert_loss(name, step, found.total);
        network.backward(rows.view(), softmax_backward(memberships.view(), found.gradient));
        network.step(RATE);
    }
    assert_layer(&network.weights().unwrap().layers[0], &layer(&format!("{name}.final")), name);
}

#[test]
fn linear_heads_are_pytorchs() {
    let mut likelihood = NeighborLikelihood::new(0.4);
    replay_linear("icon", |y| likelihood.evaluate(y));
    let mut consistency = Consistency::new(5.0);
    replay_linear("scan", |y| consistency.evaluate(y));
}

#[test]
fn taught_heads_are_pytorchs() {
    let mut teacher = cosine_weights("cosine.init");
    let mut student = CosineHead::new(&teacher, Device::Cpu).unwrap();
    let mut loss = TeacherInformation::new(0.6);
    student.begin(0.0);
    for step in 0..STEPS {
        teacher.approach(&student.weights().unwrap(), 0.1);
        let rows = golden(&format!("batch.{step}"));
        let taught = softmax(teacher.outputs(rows.view()) / 0.1);
        let own = softmax(student.forward(rows.view()).unwrap() / 0.1);
        let (found, gradient) = loss.evaluate(own.view(), taught.view(), &agreement_of_pairs(taught.view()));
        assert_loss("temi", step, found);
        student.backward(rows.view(), (gradient / 0.1).view());
        student.step(RATE);
    }
    for (found, name) in [(student.weights().unwrap(), "temi.student"), (teacher, "temi.teacher")] {
        let expected = cosine_weights(name);
        let layers = found.trunk.layers.iter().chain([&found.last]);
        layers.zip(expected.trunk.layers.iter().chain([&expected.last])).for_each(|(a, b)| assert_layer(a, b, name));
    }
}
