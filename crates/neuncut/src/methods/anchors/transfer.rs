//! The transfer cut: eigenvectors of a graph between rows and anchors, from a matrix as small as there are anchors.

use super::selection::Anchors;
use crate::Result;
use crate::features::{Closeness, shares_of_nearest};
use crate::graph::eigen::symmetric_eigen;
use crate::graph::knn::nearest_in;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// An eigenvalue below this is zero, and its vector is left out; the largest is one.
const LEAST_EIGENVALUE: f64 = 1e-10;

/// The affinities of rows to their nearest anchors.
pub(super) struct AnchorGraph {
    /// The anchors of each row, `(n, r)`.
    pub indices: Array2<u32>,
    /// Their affinities, `(n, r)`.
    pub weights: Array2<f32>,
    /// How many anchors there are.
    pub anchors: usize,
}

/// The bandwidth of the heat kernel, where none is given.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum AutoBandwidth {
    /// The mean distance of rows to the anchors that they are joined to.
    Kept,
    /// The root of the mean squared distance of rows to all anchors.
    All,
}

impl AnchorGraph {
    /// The heat kernel to the `nearest` anchors; and how it falls off.
    pub fn heat(
        rows: ArrayView2<f32>,
        anchors: &Anchors,
        nearest: usize,
        bandwidth: Option<f32>,
        otherwise: AutoBandwidth,
    ) -> (Self, Closeness) {
        let found = nearest_in(rows, anchors.rows.view(), nearest);
        let squared = bandwidth.map_or_else(
            || match otherwise {
                AutoBandwidth::Kept => {
                    let sum: f64 = found.squared_distances.iter().map(|&d| f64::from(d).sqrt()).sum();
                    (sum / found.squared_distances.len().max(1) as f64).powi(2)
                }
                AutoBandwidth::All => mean_squared_distance(rows, anchors.rows.view()),
            },
            |sigma| f64::from(sigma).powi(2),
        );
        let factor = heat_factor(squared);
        let weights = found.squared_distances.mapv(|d| (-d * factor).exp());
        (Self { indices: found.indices, weights, anchors: anchors.rows.nrows() }, Closeness::Heat { factor })
    }

    /// The neighbours' shares that need no bandwidth (Nie et al.): `d_(r+1)^2 - d^2`, made to sum to one.
    pub fn adaptive(rows: ArrayView2<f32>, anchors: ArrayView2<f32>, nearest: usize) -> Self {
        let (indices, weights) = shares_of_nearest(rows, anchors, Closeness::Adaptive, nearest);
        Self { indices, weights, anchors: anchors.nrows() }
    }
}

/// One over twice the squared bandwidth; one where there is no distance at all.
pub(super) fn heat_factor(squared_bandwidth: f64) -> f32 {
    let factor = (0.5 / squared_bandwidth) as f32;
    if factor.is_finite() { factor } else { 1.0 }
}

/// The mean of the squared distances of all pairs, from means and variances.
pub(super) fn mean_squared_distance(rows: ArrayView2<f32>, others: ArrayView2<f32>) -> f64 {
    let moments = |rows: ArrayView2<f32>| {
        let n = rows.nrows().max(1) as f64;
        let mean = rows.axis_iter(Axis(1)).map(|column| sum(column) / n).collect::<Array1<f64>>();
        let spread = |(column, mean): (ArrayView1<f32>, &f64)| {
            column.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n
        };
        let variance: f64 = rows.axis_iter(Axis(1)).zip(&mean).map(spread).sum();
        (mean, variance)
    };
    let ((mean, variance), (other_mean, other_variance)) = (moments(rows), moments(others));
    let apart = mean - other_mean;
    variance + other_variance + apart.dot(&apart)
}

fn sum(values: ArrayView1<f32>) -> f64 {
    values.iter().map(|&x| f64::from(x)).sum()
}

/// How the rows of the graph are scaled before their products are taken.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum RowScale {
    /// By their sums, so that each is a distribution.
    Sum,
    /// By the roots of their sums: the normalized cut of the bipartite graph.
    Root,
}

/// Which eigenvectors make the embedding.
#[derive(Clone, Copy)]
pub(super) struct Spectrum {
    /// How many.
    pub count: usize,
    /// Whether the constant one is among them.
    pub constant: bool,
    /// Whether each is divided by the root of its eigenvalue.
    pub whitened: bool,
}

/// Products of the graph's rows `(m, m)`, and the volumes of its anchors.
pub(super) fn products(graph: &AnchorGraph, scale: RowScale) -> (Array2<f64>, Array1<f64>) {
    let m = graph.anchors;
    let (mut gram, mut volumes) = (Array2::<f64>::zeros((m, m)), Array1::<f64>::zeros(m));
    for (indices, weights) in graph.indices.rows().into_iter().zip(graph.weights.rows()) {
        let degree = sum(weights);
        if degree <= 0.0 {
            continue; // so far from all anchors that no affinity is left
        }
        let share = if scale == RowScale::Sum { 1.0 / degree } else { 1.0 };
        let weight = |w: f32| f64::from(w) * share;
        let by = if scale == RowScale::Sum { 1.0 } else { degree };
        for (&a, &wa) in indices.iter().zip(weights) {
            volumes[a as usize] += weight(wa);
            for (&b, &wb) in indices.iter().zip(weights) {
                gram[[a as usize, b as usize]] += weight(wa) * weight(wb) / by;
            }
        }
    }
    (gram, volumes)
}

/// What the anchors' eigenvectors are: `D^-1/2 V`, by which the mean over a row's anchors is its place in the embedding, `(m, count)`;
/// columns are zero where there are fewer eigenvectors.
/// `gram` is what [`products`] gives, or is made of it; its rows must sum to the volumes.
pub(super) fn eigenmap(gram: &Array2<f64>, volumes: &Array1<f64>, spectrum: Spectrum) -> Result<Array2<f32>> {
    let m = volumes.len();
    let root = volumes.mapv(|v| if v > 0.0 { v.sqrt() } else { 0.0 });
    let inverse = root.mapv(|r| if r > 0.0 { 1.0 / r } else { 0.0 });
    let mut matrix = Array2::from_shape_fn((m, m), |(a, b)| gram[[a, b]] * inverse[a] * inverse[b]);
    if !spectrum.constant {
        // taken out by itself: where the graph falls apart, a solver's first vector is any of several
        let total = volumes.sum().max(f64::MIN_POSITIVE);
        matrix.indexed_iter_mut().for_each(|((a, b), entry)| *entry -= root[a] * root[b] / total);
    }
    let (values, vectors) = symmetric_eigen(matrix.view())?;
    let kept = values.iter().take(spectrum.count).filter(|&&value| value > LEAST_EIGENVALUE).count();
    // lengths do not matter, and are those of one volume
    let length = volumes.sum().sqrt();
    let scale = |value: f64| if spectrum.whitened { length / value.sqrt() } else { length };
    let map = Array2::from_shape_fn((m, spectrum.count), |(a, c)| {
        if c < kept { (inverse[a] * vectors[[a, c]] * scale(values[c])) as f32 } else { 0.0 }
    });
    Ok(map)
}
