//! Known answers worked by hand, laws, and the gradient against central differences in f64.

use super::*;
use crate::Seed;
use crate::graph::Csr;
use crate::objective::softmax;
use proptest::prelude::*;
use rand::RngExt;

fn every_loss() -> impl Iterator<Item = CutLoss> {
    [Cut::Ncut, Cut::Rcut].into_iter().flat_map(|cut| {
        [(Penalty::Squared, 100.0), (Penalty::Normed, 80.0)].into_iter().flat_map(move |(penalty, gamma)| {
            [Volumes::Flow, Volumes::Held].map(|volumes| CutLoss { cut, penalty, volumes, gamma })
        })
    })
}

fn random_graph(m: usize, seed: u64) -> Csr {
    let mut rng = Seed(seed).stream("graph");
    let edges: Vec<_> = (0..m as u32).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    Csr::symmetrized(m, edges.into_iter().map(|(i, j)| (i, j, rng.random::<f32>())))
}

fn random_memberships(m: usize, k: usize, seed: u64) -> Array2<f32> {
    let mut rng = Seed(seed).stream("memberships");
    softmax(Array2::from_shape_fn((m, k), |_| 4.0 * rng.random::<f32>() - 2.0))
}

/// The loss straight from its definition, in f64; volumes from `volume_memberships`.
fn naive(loss: &CutLoss, graph: &Csr, y: &Array2<f64>, volume_memberships: &Array2<f64>) -> f64 {
    let (m, k) = y.dim();
    let mut w = Array2::<f64>::zeros((m, m));
    for i in 0..m {
        for (j, weight) in graph.neighbors(i) {
            w[[i, j]] = f64::from(weight);
        }
    }
    let d = w.sum_axis(Axis(1));
    let s = if loss.cut == Cut::Ncut { d.clone() } else { Array1::ones(m) };
    let volumes: Array1<f64> = (0..k).map(|l| volume_memberships.column(l).dot(&s)).collect();
    let h = y / &volumes.mapv(f64::sqrt);
    let laplacian = Array2::from_diag(&d) - &w;
    let lap = h.t().dot(&laplacian.dot(&h)).diag().sum();
    let r = h.t().dot(&(Array2::from_diag(&s).dot(&h))) - Array2::<f64>::eye(k);
    let squared = r.iter().map(|x| x * x).sum::<f64>();
    let gamma = f64::from(loss.gamma);
    lap + match loss.penalty {
        Penalty::Squared => 0.5 * gamma * squared,
        Penalty::Normed => gamma * squared.sqrt() / k as f64,
    }
}

#[test]
fn value_and_gradient_match_the_definition_in_every_form() {
    let (m, k) = (14, 4);
    let graph = random_graph(m, 1);
    let y = random_memberships(m, k, 2);
    let y64 = y.mapv(f64::from);
    for loss in every_loss() {
        let found = loss.evaluate(&BatchGraph::Sparse(graph.clone()), y.view());
        let expected = naive(&loss, &graph, &y64, &y64);
        assert!((found.total - expected).abs() < 1e-4 * expected, "{loss:?}: {} for {expected}", found.total);
        for i in 0..m {
            for l in 0..k {
                let at = |delta: f64| {
                    let mut moved = y64.clone();
                    moved[[i, l]] += delta;
                    let volumes_of = if loss.volumes == Volumes::Flow { &moved } else { &y64 };
                    naive(&loss, &graph, &moved, volumes_of)
                };
                let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                let gradient = f64::from(found.gradient[[i, l]]);
                assert!(
                    (numeric - gradient).abs() < 2e-4 * (1.0 + numeric.abs()),
                    "{loss:?}: {gradient} for {numeric}"
                );
            }
        }
    }
}

#[test]
fn dense_and_sparse_graphs_agree() {
    let graph = random_graph(20, 3);
    let dense = BatchGraph::Dense(graph.multiply(Array2::eye(20).view()));
    let y = random_memberships(20, 3, 4);
    for loss in every_loss() {
        let a = loss.evaluate(&BatchGraph::Sparse(graph.clone()), y.view());
        let b = loss.evaluate(&dense, y.view());
        assert!((a.total - b.total).abs() < 1e-4 * a.total);
        assert!((&a.gradient - &b.gradient).iter().all(|d| d.abs() < 1e-4));
    }
}

#[test]
fn uniform_memberships_cut_nothing_and_are_far_from_orthogonal() {
    let y = Array2::from_elem((20, 5), 0.2);
    let loss = CutLoss { cut: Cut::Ncut, penalty: Penalty::Normed, volumes: Volumes::Flow, gamma: 1.0 };
    let value = loss.evaluate(&BatchGraph::Sparse(random_graph(20, 5)), y.view());
    assert!(value.lap.abs() < 1e-5);
    assert!((value.orth - 2.0).abs() < 1e-5, "sqrt(k - 1) = 2, not {}", value.orth);
}

#[test]
fn one_hot_memberships_give_the_discrete_cut() {
    // a path of four nodes cut in the middle: cut 1 each side; volumes 3 and 3, sizes 2 and 2
    let graph =
        Csr::symmetrized(4, [(0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0), (2, 3, 1.0), (3, 2, 1.0)].into_iter());
    let y = ndarray::array![[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]];
    for (cut, expected) in [(Cut::Ncut, 2.0 / 3.0), (Cut::Rcut, 1.0)] {
        let loss = CutLoss { cut, penalty: Penalty::Squared, volumes: Volumes::Flow, gamma: 100.0 };
        let value = loss.evaluate(&BatchGraph::Sparse(graph.clone()), y.view());
        assert!((value.lap - expected).abs() < 1e-6 && value.orth < 1e-10, "{value:?}");
    }
}

proptest! {
    #[test]
    fn ncut_is_scale_free_and_bounded(seed in 0_u64..500, scale in 0.01_f32..100.0) {
        let graph = random_graph(12, seed);
        let y = random_memberships(12, 3, seed);
        let loss = CutLoss { cut: Cut::Ncut, penalty: Penalty::Normed, volumes: Volumes::Flow, gamma: 80.0 };
        let a = loss.evaluate(&BatchGraph::Sparse(graph.clone()), y.view());
        let b = loss.evaluate(&BatchGraph::Sparse(graph.map_weights(|_, _, w| w * scale)), y.view());
        prop_assert!((a.total - b.total).abs() < 1e-3 * a.total);
        prop_assert!(a.lap >= -1e-6 && a.lap <= 3.0);
    }
}
