//! Spectral clustering of landmark rows: the labels from which the network starts.

use crate::affinity::{Bandwidth, HeatKernel};
use crate::baselines::KMeans;
use crate::clustering::{Clusterer, Clustering};
use crate::graph::{Csr, EigenOptions, Eigenpairs, connected_components, nearest_neighbors, refine, top_eigenpairs};
use crate::Result;
use ndarray::{Array2, ArrayView2};

/// Neighbours a row in the landmark graph.
pub(super) const GRAPH_NEIGHBORS: usize = 10;
/// k eigenvectors are enough when the gap after them is this many times their own distance to 1; otherwise 2k are used.
const CLEAR_GAP: f64 = 3.0;
/// The last eigenvector's coordinates are damped to this share, the others by the same diffusion time.
const LAST_DAMPING: f64 = 0.65;
/// Rounds of greedy Ncut refinement.
const REFINE_SWEEPS: usize = 50;

/// Labels of the landmarks, and what was seen on the way.
#[derive(Debug, Clone)]
pub(super) struct SpectralStart {
    pub labels: Vec<u32>,
    /// Ncut of the labels on the landmark graph.
    pub ncut: f64,
    /// Pieces the graph falls into.
    pub components: usize,
    /// Rows without an edge.
    pub isolated: usize,
    /// `1 - lambda_(k+1)` over `1 - lambda_k`: large where `k` clusters stand out.
    pub eigengap: f64,
}

/// The graph of FINDINGS' stage B: nearest neighbours with the given bandwidth, symmetrised.
pub(super) fn neighbor_graph(rows: ArrayView2<f32>, bandwidth: Bandwidth, neighbors: usize) -> Csr {
    let known = neighbors.max(crate::affinity::LOCAL_NEIGHBOR);
    HeatKernel { bandwidth, neighbors: Some(neighbors) }.over_neighbors(&nearest_neighbors(rows, known), neighbors)
}

/// Clusters the nodes of a graph.
pub(super) fn spectral_start(graph: &Csr, k: usize, options: EigenOptions, seed: u64) -> Result<SpectralStart> {
    let components = connected_components(graph);
    let isolated = graph.degrees().iter().filter(|&&d| d <= 0.0).count();
    let count = (2 * k).min(graph.len());
    let pairs = top_eigenpairs(graph, count, options)?;
    let last = |i: usize| pairs.values.get(i).copied().unwrap_or(0.0);
    let distance = |i: usize| (1.0 - last(i)).max(0.0); // an eigenvalue of 1 may come out larger
    let (own, next) = (distance(k - 1), distance(k));
    let used = if next > CLEAR_GAP * own { k.min(count) } else { count };
    let coordinates = diffusion_coordinates(&pairs, used);
    let restarts = (1000 / k).clamp(3, 100);
    let grouped = KMeans { restarts, seed, ..KMeans::new(k) }.fit(coordinates.view())?;
    let (labels, ncut) = refine(graph, grouped.labels(), k, REFINE_SWEEPS);
    Ok(SpectralStart { labels, ncut, components: components.count(), isolated, eigengap: next / own.max(1e-9) })
}

/// `lambda^t v` of the first eigenvectors, each row made unit; `t` damps the last one to a fixed share.
fn diffusion_coordinates(pairs: &Eigenpairs, used: usize) -> Array2<f32> {
    let value = |l: usize| pairs.values[l].clamp(1e-6, 1.0 - 1e-4);
    let time = LAST_DAMPING.ln() / value(used - 1).ln();
    let damping: Vec<f64> = (0..used).map(|l| value(l).powf(time)).collect();
    let mut coordinates = Array2::from_shape_fn((pairs.vectors.nrows(), used), |(i, l)| (pairs.vectors[[i, l]] * damping[l]) as f32);
    crate::features::unit_rows(&mut coordinates);
    coordinates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    #[test]
    fn two_rings_are_told_apart() {
        let mut rng = Seed(0).stream("rings");
        let rows = Array2::from_shape_fn((1200, 2), |_| rng.random::<f32>());
        let mut rings = rows.clone();
        for (i, mut row) in rings.rows_mut().into_iter().enumerate() {
            let (angle, radius) = (row[0] * std::f32::consts::TAU, if i % 2 == 0 { 1.0 } else { 0.5 } + 0.1 * (row[1] - 0.5));
            row[0] = radius * angle.cos();
            row[1] = radius * angle.sin();
        }
        let graph = neighbor_graph(rings.view(), Bandwidth::Auto, GRAPH_NEIGHBORS);
        let start = spectral_start(&graph, 2, EigenOptions { tolerance: 1e-8, ..Default::default() }, 0).unwrap();
        assert!((2..1200).all(|i| start.labels[i] == start.labels[i % 2]) && start.labels[0] != start.labels[1]);
        assert!(start.ncut < 1e-4);
    }
}
