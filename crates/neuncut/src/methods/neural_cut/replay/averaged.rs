//! The losses that are averaged over batches, against `tests/golden/averaged.py`: the starting values and batches are the same.

use super::*;
use crate::methods::neural_cut::cut_training::GraphLoss;
use crate::objective::{InformationLoss, KeptCut, KeptCutLoss};

const AVERAGED: &[u8] = include_bytes!("../../../../tests/golden/averaged.safetensors");

#[test]
fn averaged_losses_take_pytorchs_ten_steps() {
    let (starts, golden) = (golden(), Golden::of(AVERAGED));
    let kernel = HeatKernel { bandwidth: Bandwidth::Sigma(SIGMA), neighbors: Some(5) };
    let losses = [
        ("log", GraphLoss::Kept(KeptCutLoss::new(KeptCut::Log))),
        ("min-max", GraphLoss::Kept(KeptCutLoss::new(KeptCut::MinMax))),
        ("mutual-information", GraphLoss::Information(InformationLoss::default())),
    ];
    for (case, mut loss) in losses {
        let schedule = Schedule { initial: 5e-3, epochs: 10 };
        let mut network = Mlp::new(&starts.network("init"), Device::Cpu).unwrap();
        network.begin(1e-4);
        for t in 0..10 {
            let rows = starts.matrix(&format!("batch.{t}"));
            let graph = kernel.of_batch(rows.view()).unwrap();
            let memberships = softmax(network.forward(rows.view()).unwrap());
            let (terms, gradient) = loss.evaluate(&graph, memberships.view());
            network.backward(rows.view(), softmax_backward(memberships.view(), gradient.clone()));
            let expected = golden.scalar(&format!("{case}.step{t}.loss"));
            assert!(
                (terms[0] - expected).abs() < LOSS * (1.0 + expected.abs()),
                "{case} step {t}: {terms:?}, {expected}"
            );
            if t == 0 {
                let expected = golden.matrix(&format!("{case}.grad0.memberships"));
                assert_close(gradient.view(), expected.view(), GRADIENT, case);
                assert_weights(&network.gradients(), &golden.network(&format!("{case}.grad0")), GRADIENT, case);
            }
            network.step(schedule.rate(t));
        }
        assert_weights(&network.weights().unwrap(), &golden.network(&format!("{case}.final")), WEIGHT, case);
    }
}
