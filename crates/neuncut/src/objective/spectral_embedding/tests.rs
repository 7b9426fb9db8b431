//! Values at known minima, laws, and gradients against central differences in f64.

use super::*;
use crate::Seed;
use crate::graph::{Csr, EigenOptions, top_eigenpairs};
use rand::RngExt;

const LOSSES: [EmbeddingLoss; 2] = [EmbeddingLoss::Orthogonalized, EmbeddingLoss::OrthogonalizationFree];

fn random_graph(m: usize) -> Csr {
    let mut rng = Seed(7).stream("graph");
    let edges: Vec<_> = (0..m as u32).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    Csr::symmetrized(m, edges.into_iter().map(|(i, j)| (i, j, rng.random::<f32>().powi(3))))
}

fn random_outputs(m: usize, k: usize) -> Array2<f32> {
    let mut rng = Seed(8).stream("outputs");
    Array2::from_shape_fn((m, k), |_| 2.0 * rng.random::<f32>() - 1.0)
}

/// Degrees and weights divided by the sum of degrees, in f64.
fn plain(graph: &Csr) -> (Array2<f64>, Array2<f64>) {
    let m = graph.len();
    let mut w = Array2::<f64>::zeros((m, m));
    for i in 0..m {
        for (j, weight) in graph.neighbors(i) {
            w[[i, j]] = f64::from(weight);
        }
    }
    let total = w.sum();
    w /= total;
    (Array2::from_diag(&w.sum_axis(Axis(1))), w)
}

/// The loss straight from its definition. Outputs are made orthonormal by Gram-Schmidt, which is Cholesky in other words.
fn naive(loss: EmbeddingLoss, graph: &Csr, y: &Array2<f64>) -> f64 {
    let (d, w) = plain(graph);
    match loss {
        EmbeddingLoss::Orthogonalized => {
            let mut z = y.clone();
            for c in 0..z.ncols() {
                for b in 0..c {
                    let along = z.column(b).dot(&d.dot(&z.column(c)));
                    let other = z.column(b).to_owned();
                    z.column_mut(c).scaled_add(-along, &other);
                }
                let norm = z.column(c).dot(&d.dot(&z.column(c))).sqrt();
                z.column_mut(c).mapv_inplace(|x| x / norm);
            }
            z.t().dot(&(&d - &w).dot(&z)).diag().sum()
        }
        EmbeddingLoss::OrthogonalizationFree => {
            let gram = y.t().dot(&d.dot(y));
            -2.0 * y.t().dot(&w.dot(y)).diag().sum() + gram.iter().map(|g| g * g).sum::<f64>()
        }
    }
}

#[test]
fn values_and_gradients_match_the_definitions() {
    let (m, k) = (16, 3);
    let graph = random_graph(m);
    let y = random_outputs(m, k);
    for loss in LOSSES {
        let found = loss.evaluate(&BatchGraph::Sparse(graph.clone()), y.view()).unwrap();
        let y = y.mapv(f64::from);
        let expected = naive(loss, &graph, &y);
        assert!((found.total - expected).abs() < 1e-5, "{loss:?}: {} for {expected}", found.total);
        for ((i, l), &gradient) in found.gradient.indexed_iter() {
            let at = |delta: f64| {
                let mut moved = y.clone();
                moved[[i, l]] += delta;
                naive(loss, &graph, &moved)
            };
            let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((numeric - f64::from(gradient)).abs() < 1e-5, "{loss:?} at {i} {l}: {gradient} for {numeric}");
        }
    }
}

#[test]
fn eigenvectors_are_the_minimum_of_both() {
    let graph = random_graph(60);
    let pairs = top_eigenpairs(&graph, 3, EigenOptions::default()).unwrap();
    let total: f64 = graph.degrees().iter().map(|&d| f64::from(d)).sum();
    let scale = graph.degrees().mapv(|d| (total / f64::from(d)).sqrt());
    let functions = &pairs.vectors * &scale.insert_axis(Axis(1)); // orthonormal with respect to D
    let batch = BatchGraph::Sparse(graph.clone());
    let lowest: f64 = pairs.values.iter().map(|value| 1.0 - value).sum();
    let value = EmbeddingLoss::Orthogonalized.evaluate(&batch, functions.mapv(|x| x as f32).view()).unwrap();
    assert!((value.total - lowest).abs() < 1e-5 && value.gradient.iter().all(|g| g.abs() < 1e-5));
    let roots = Array1::from_iter(pairs.values.iter().map(|value| value.max(0.0).sqrt()));
    let scaled = (&functions * &roots).mapv(|x| x as f32);
    let value = EmbeddingLoss::OrthogonalizationFree.evaluate(&batch, scaled.view()).unwrap();
    let best: f64 = -pairs.values.iter().map(|value| value * value).sum::<f64>();
    assert!((value.total - best).abs() < 1e-5 && value.gradient.iter().all(|g| g.abs() < 1e-5));
    // and any mixture of them is turned back
    let mixed = functions.dot(&ndarray::array![[1.0, 2.0, 0.5], [0.3, -1.0, 1.0], [2.0, 0.1, 1.0]]);
    let (rotation, values) = Moments::of(&batch, mixed.mapv(|x| x as f32).view()).eigenfunctions().unwrap();
    let turned = mixed.dot(&rotation);
    for (c, (value, expected)) in values.iter().zip(&pairs.values).enumerate() {
        assert!((value - expected).abs() < 1e-4, "{value} for {expected}");
        let sign = (turned.column(c).dot(&functions.column(c))).signum();
        let difference = &turned.column(c) * sign - functions.column(c);
        assert!(difference.iter().all(|d| d.abs() < 1e-2), "eigenfunction {c}");
    }
}

#[test]
fn a_mixture_of_outputs_changes_nothing_and_equal_outputs_get_a_ridge() {
    let batch = BatchGraph::Sparse(random_graph(30));
    let y = random_outputs(30, 2);
    let mixed = y.dot(&ndarray::array![[2.0, 1.0], [-1.0, 3.0]]);
    let of = |y: &Array2<f32>| EmbeddingLoss::Orthogonalized.evaluate(&batch, y.view()).unwrap();
    assert!((of(&y).total - of(&mixed).total).abs() < 1e-5);
    let equal = Array2::from_shape_fn((30, 2), |(i, _)| y[[i, 0]]);
    assert!(of(&equal).gradient.iter().all(|g| g.is_finite()));
    assert!(EmbeddingLoss::Orthogonalized.evaluate(&batch, Array2::zeros((30, 2)).view()).is_err());
}
