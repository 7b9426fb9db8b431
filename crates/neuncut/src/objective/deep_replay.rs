//! The losses of the deep rivals against PyTorch: values and gradients of `tests/golden/deep.py`.

use super::{
    ExpectedCut, MixturePrior, RandomCodes, SubspaceLoss, self_training_targets, soft_cross_entropy, softmax,
    softmax_backward,
};
use crate::golden::Golden;
use crate::graph::BatchGraph;
use ndarray::Array2;

fn golden(name: &str) -> Array2<f32> {
    Golden::of(include_bytes!("../../tests/golden/deep.safetensors")).matrix(name)
}

fn assert_close(found: &Array2<f32>, name: &str) {
    let expected = golden(name);
    assert_eq!(found.dim(), expected.dim(), "{name}");
    let apart = found.iter().zip(&expected).map(|(a, b)| (a - b).abs() / (1.0 + b.abs())).fold(0.0, f32::max);
    assert!(apart < 2e-5, "{name}: {apart} apart");
}

fn assert_loss(found: f64, name: &str) {
    assert_close(&Array2::from_elem((1, 1), found as f32), name);
}

#[test]
fn expected_cut() {
    let memberships = softmax(golden("cnc.logits"));
    let value = ExpectedCut { balance: 0.01 }.evaluate(&BatchGraph::Dense(golden("cnc.weights")), memberships.view());
    assert_loss(value.cut + value.imbalance, "cnc.loss");
    assert_close(&softmax_backward(memberships.view(), value.gradient), "cnc.gradient");
}

#[test]
fn subspaces() {
    let loss = SubspaceLoss { dimensions: 2, smoothing: 5.0 };
    let (codes, bases) = (golden("edesc.codes"), golden("edesc.bases"));
    let projected = codes.dot(&bases);
    let memberships = loss.memberships(projected.view());
    assert_close(&memberships, "edesc.memberships");
    let targets = self_training_targets(memberships.view());
    assert_close(&targets, "edesc.targets");
    let (value, gradient) = loss.divergence(projected.view(), targets.view());
    assert_loss(value, "edesc.loss");
    assert_close(&gradient.dot(&bases.t()), "edesc.codes_gradient");
    assert_close(&codes.t().dot(&gradient), "edesc.bases_gradient");
    let (value, gradient) = loss.dependence(bases.view());
    assert_loss(value, "dependence.loss");
    assert_close(&gradient, "dependence.gradient");
}

#[test]
fn cross_entropy_to_targets() {
    let memberships = softmax(golden("depict.logits"));
    let found = soft_cross_entropy(memberships.view(), golden("edesc.targets").view());
    assert_loss(found.loss, "depict.loss");
    assert_close(&found.of_logits, "depict.gradient");
}

#[test]
fn codes_under_a_mixture() {
    let [means, log_variances, drawn] = ["vade.mu", "vade.log_s2", "vade.z"].map(golden);
    let [logits, centers, spreads] = ["vade.shares", "vade.means", "vade.log_l"].map(golden);
    let prior = MixturePrior { logits: logits.view(), means: centers.view(), log_variances: spreads.view() };
    let codes = RandomCodes { means: means.view(), log_variances: log_variances.view(), drawn: drawn.view() };
    let value = prior.evaluate(codes);
    assert_loss(value.loss, "vade.loss");
    let names = ["vade.d_mu", "vade.d_log_s2", "vade.d_z", "vade.d_shares", "vade.d_means", "vade.d_log_l"];
    for (found, name) in value.codes.iter().chain(&value.prior).zip(names) {
        assert_close(found, name);
    }
}
