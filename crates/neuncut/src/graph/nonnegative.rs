//! Nonnegative spectral clustering (Ding, Li and Jordan 2008): the relaxed normalized cut with memberships that stay nonnegative.
//!
//! `tr(H'WH)` is maximised subject to `H'DH = I`, `H >= 0` by `H <- H o sqrt(WH / (D H (H'WH)))`. Columns that are orthogonal and
//! nonnegative do not overlap, so that the largest entry of a row is its cluster.

use super::Csr;
use crate::interrupt;
use crate::linalg::matmul;
use ndarray::{Array2, ArrayView2, Zip};

/// Most updates, how often the objective is looked at, and the relative change below which they end.
const UPDATES: usize = 500;
const LOOK: usize = 10;
const LEAST_CHANGE: f64 = 1e-6;
/// Keeps quotients finite.
const TINY: f32 = 1e-30;

/// The factor `(n, k)` that up to `updates` updates make of a positive start.
pub fn nonnegative_factor(graph: &Csr, start: Array2<f32>, updates: usize) -> Array2<f32> {
    let degrees = graph.degrees();
    let mut factor = scaled(start, &degrees.to_vec());
    let mut last = f64::NEG_INFINITY;
    for update in 0..updates {
        interrupt::heed();
        let walked = graph.multiply(factor.view());
        let inner = matmul(factor.t(), walked.view());
        if update % LOOK == 0 {
            let objective: f64 = inner.diag().iter().map(|&x| f64::from(x)).sum();
            if (objective - last).abs() < LEAST_CHANGE * objective.abs() {
                break;
            }
            last = objective;
        }
        let pushed = matmul(factor.view(), inner.view());
        Zip::indexed(&mut factor).and(&walked).and(&pushed).for_each(|(i, _), h, &up, &down| {
            let ratio = up / (degrees[i] * down).max(TINY);
            *h *= ratio.max(0.0).sqrt();
        });
    }
    factor
}

/// The same from a clustering of the nodes: memberships of one, and 0.2 elsewhere.
pub fn nonnegative_from_labels(graph: &Csr, labels: &[u32], k: usize) -> Vec<u32> {
    const ELSEWHERE: f32 = 0.2;
    let own = |(i, c): (usize, usize)| if labels[i] as usize == c { 1.0 + ELSEWHERE } else { ELSEWHERE };
    largest(nonnegative_factor(graph, Array2::from_shape_fn((labels.len(), k), own), UPDATES).view())
}

/// The same from any positive start.
pub fn nonnegative_from(graph: &Csr, start: Array2<f32>) -> Vec<u32> {
    largest(nonnegative_factor(graph, start, UPDATES).view())
}

/// NNDSVD (Boutsidis and Gallopoulos 2008) of the normalised affinity with these eigenpairs, with the mean in place of zeros: of each vector the
/// part of one sign that is longer. Divided by the roots of degrees it is a start.
pub fn nonnegative_start(graph: &Csr, values: &[f64], vectors: ArrayView2<f64>) -> Array2<f32> {
    let mut start = Array2::<f64>::zeros(vectors.dim());
    for (c, vector) in vectors.columns().into_iter().enumerate() {
        let length = |sign: f64| vector.iter().map(|&x| (sign * x).max(0.0).powi(2)).sum::<f64>().sqrt();
        let sign = if length(1.0) >= length(-1.0) { 1.0 } else { -1.0 };
        let part = |x: f64| if c == 0 { x.abs() } else { (sign * x).max(0.0) };
        let size = values[c].max(0.0).sqrt();
        start.column_mut(c).iter_mut().zip(vector).for_each(|(entry, &x)| *entry = size * part(x));
    }
    let mean = start.mean().unwrap_or(0.0).max(1e-12);
    for (mut row, degree) in start.rows_mut().into_iter().zip(graph.degrees()) {
        let scale = 1.0 / f64::from(degree).max(1e-12).sqrt();
        row.mapv_inplace(|x| scale * if x > 0.0 { x } else { mean });
    }
    start.mapv(|x| x as f32)
}

/// Columns of length one in the metric of degrees.
fn scaled(mut factor: Array2<f32>, degrees: &[f32]) -> Array2<f32> {
    for mut column in factor.columns_mut() {
        let squared: f64 = column.iter().zip(degrees).map(|(&h, &d)| f64::from(d) * f64::from(h).powi(2)).sum();
        let scale = (1.0 / squared.sqrt().max(1e-30)) as f32;
        column.mapv_inplace(|h| h * scale);
    }
    factor
}

/// The column of the largest entry of each row, the first of equals.
fn largest(factor: ArrayView2<f32>) -> Vec<u32> {
    let best = |row: ndarray::ArrayView1<f32>| {
        let pick = |best: (usize, f32), (c, &h): (usize, &f32)| if h > best.1 { (c, h) } else { best };
        row.iter().enumerate().fold((0, f32::NEG_INFINITY), pick).0 as u32
    };
    factor.rows().into_iter().map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::Golden;
    use crate::graph::{EigenOptions, top_eigenpairs};

    /// Three cliques of eight in a ring.
    fn cliques() -> Csr {
        let clique = |c: u32| (0..8_u32).flat_map(move |i| (0..i).map(move |j| (8 * c + i, 8 * c + j, 1.0)));
        let links = (0..3).map(|c| (8 * c, (8 * c + 9) % 24, 1.0));
        Csr::symmetrized(24, (0..3).flat_map(clique).chain(links))
    }

    /// See tests/golden/nonnegative.py.
    fn golden(name: &str) -> Array2<f32> {
        Golden::of(include_bytes!("../../tests/golden/nonnegative.safetensors")).matrix(name)
    }

    fn golden_graph() -> Csr {
        let affinity = golden("affinity");
        let edges =
            affinity.indexed_iter().filter(|((i, j), _)| i < j).map(|((i, j), &w)| (i as u32, j as u32, 2.0 * w));
        Csr::symmetrized(affinity.nrows(), edges)
    }

    #[test]
    fn updates_are_those_of_numpy() {
        let found = nonnegative_factor(&golden_graph(), golden("start"), 30);
        let apart = (&found - &golden("factor")).iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        assert!(apart < 1e-3, "{apart} apart");
    }

    #[test]
    fn the_start_is_nndsvd_of_scikit_learn() {
        let (graph, expected) = (golden_graph(), golden("nndsvd"));
        let pairs = top_eigenpairs(&graph, 3, EigenOptions::default()).unwrap();
        let start = nonnegative_start(&graph, &pairs.values, pairs.vectors.view());
        let mean = expected.mean().unwrap(); // in place of zeros
        for (i, degree) in graph.degrees().iter().enumerate() {
            for c in 0..3 {
                let expected = if expected[[i, c]] > 0.0 { expected[[i, c]] } else { mean };
                let found = start[[i, c]] * degree.sqrt();
                assert!((found - expected).abs() < 1e-4, "{i}, {c}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn cliques_are_found_from_every_start() {
        let graph = cliques();
        let truth = |labels: &[u32]| {
            (0..24).all(|i| labels[i] == labels[8 * (i / 8)]) && labels[0] != labels[8] && labels[8] != labels[16]
        };
        let mut wrong: Vec<u32> = (0..24).map(|i| i / 8).collect();
        (wrong[1], wrong[9], wrong[17]) = (1, 2, 0);
        assert!(truth(&nonnegative_from_labels(&graph, &wrong, 3)));
        let pairs = top_eigenpairs(&graph, 3, EigenOptions::default()).unwrap();
        assert!(truth(&nonnegative_from(&graph, nonnegative_start(&graph, &pairs.values, pairs.vectors.view()))));
    }

    #[test]
    fn columns_become_orthogonal() {
        let graph = cliques();
        let start = Array2::from_shape_fn((24, 3), |(i, c)| if i / 8 == c { 1.2 } else { 0.2 });
        let factor = nonnegative_factor(&graph, start, UPDATES);
        let weighed = &factor * &graph.degrees().insert_axis(ndarray::Axis(1));
        let gram = factor.t().dot(&weighed);
        assert!((&gram - &Array2::<f32>::eye(3)).iter().all(|x| x.abs() < 0.05), "{gram}");
    }
}
