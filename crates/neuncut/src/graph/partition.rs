//! Partitions of a graph: their cut, and greedy improvement of it.

use super::Csr;
use crate::interrupt;
use ndarray::Array1;

/// What a partition into `k` clusters looks like on a graph.
struct Volumes {
    /// Sum of degrees a cluster.
    volume: Vec<f64>,
    /// Weight inside a cluster (each edge twice).
    within: Vec<f64>,
}

impl Volumes {
    fn of(graph: &Csr, labels: &[u32], k: usize, degrees: &Array1<f32>) -> Self {
        let mut volume = vec![0.0; k];
        let mut within = vec![0.0; k];
        for (i, &label) in labels.iter().enumerate() {
            volume[label as usize] += f64::from(degrees[i]);
            within[label as usize] +=
                graph.neighbors(i).filter(|&(j, _)| labels[j] == label).map(|(_, w)| f64::from(w)).sum::<f64>();
        }
        Self { volume, within }
    }

    /// Ncut; a cluster without volume counts one, so that losing a cluster never looks like a gain.
    fn ncut(&self) -> f64 {
        self.volume.iter().zip(&self.within).map(|(&v, &w)| if v > 0.0 { (v - w).max(0.0) / v } else { 1.0 }).sum()
    }
}

/// The normalized cut, Eq. (ncut1), of a partition into `k` clusters; a cluster without volume counts one.
pub fn ncut(graph: &Csr, labels: &[u32], k: usize) -> f64 {
    Volumes::of(graph, labels, k, &graph.degrees()).ncut()
}

/// The ratio cut, Eq. (rcut), of a partition into `k` clusters; an empty cluster counts as much as a cluster of one mean node.
pub fn rcut(graph: &Csr, labels: &[u32], k: usize) -> f64 {
    let degrees = graph.degrees();
    let volumes = Volumes::of(graph, labels, k, &degrees);
    let mut sizes = vec![0_usize; k];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    let mean_degree = volumes.volume.iter().sum::<f64>() / labels.len().max(1) as f64;
    let of_cluster = |c: usize| match sizes[c] {
        0 => mean_degree,
        size => (volumes.volume[c] - volumes.within[c]).max(0.0) / size as f64,
    };
    (0..k).map(of_cluster).sum()
}

/// Moves nodes to the cluster that lowers the Ncut most to first order, all at once, for up to `sweeps` rounds; the best
/// partition seen is returned with its Ncut.
pub fn refine(graph: &Csr, labels: &[u32], k: usize, sweeps: usize) -> (Vec<u32>, f64) {
    let degrees = graph.degrees();
    let mut current = labels.to_vec();
    let mut volumes = Volumes::of(graph, &current, k, &degrees);
    let mut best = (current.clone(), volumes.ncut());
    for _ in 0..sweeps {
        interrupt::heed();
        let next = sweep(graph, &current, &volumes, &degrees);
        if next == current {
            break;
        }
        current = next;
        volumes = Volumes::of(graph, &current, k, &degrees);
        let value = volumes.ncut();
        if value < best.1 {
            best = (current.clone(), value);
        }
    }
    best
}

/// Each node's best cluster by `2 (A P)_ic / vol_c - d_i within_c / vol_c^2`, the derivative of `sum_c within_c / vol_c`.
fn sweep(graph: &Csr, labels: &[u32], volumes: &Volumes, degrees: &Array1<f32>) -> Vec<u32> {
    let k = volumes.volume.len();
    let pull: Vec<f64> = volumes
        .volume
        .iter()
        .zip(&volumes.within)
        .map(|(&v, &w)| if v > 0.0 { w / (v * v) } else { f64::INFINITY })
        .collect();
    // of the clusters that a node has no edge to, only this one can be the best
    let least_pull = (0..k).min_by(|&a, &b| pull[a].total_cmp(&pull[b])).expect("there is a cluster");
    let mut toward = vec![0.0_f64; k];
    let mut touched = Vec::new();
    (0..graph.len())
        .map(|i| {
            let own = labels[i] as usize;
            touched.extend([own, least_pull]);
            for (j, w) in graph.neighbors(i).filter(|&(j, _)| j != i) {
                let cluster = labels[j] as usize;
                toward[cluster] += f64::from(w);
                touched.push(cluster);
            }
            let gain = |c: usize| match volumes.volume[c] {
                volume if volume > 0.0 => 2.0 * toward[c] / volume - f64::from(degrees[i]) * pull[c],
                _ => f64::NEG_INFINITY,
            };
            let mut best = (own, gain(own));
            for &c in &touched {
                let value = gain(c);
                if value > best.1 || (value >= best.1 && best.0 != own && c < best.0) {
                    best = (c, value);
                }
            }
            touched.drain(..).for_each(|c| toward[c] = 0.0);
            best.0 as u32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cliques of five joined by one weak edge.
    fn two_cliques() -> Csr {
        let clique = |first: u32| (0..5_u32).flat_map(move |i| (0..i).map(move |j| (first + i, first + j, 2.0)));
        Csr::symmetrized(10, clique(0).chain(clique(5)).chain([(0, 5, 0.2)]))
    }

    #[test]
    fn ncut_by_hand_and_a_lost_cluster_counts_one() {
        let graph = two_cliques();
        let labels = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1];
        // each side: cut 0.1, volume 20 + 0.1
        assert!((ncut(&graph, &labels, 2) - 2.0 * 0.1 / 20.1).abs() < 1e-6);
        assert!((ncut(&graph, &labels, 3) - ncut(&graph, &labels, 2) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn rcut_by_hand_and_a_lost_cluster_counts() {
        let labels = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1];
        assert!((rcut(&two_cliques(), &labels, 2) - 2.0 * 0.1 / 5.0).abs() < 1e-6);
        assert!(rcut(&two_cliques(), &labels, 3) > 4.0);
    }

    #[test]
    fn refinement_repairs_a_misplaced_node_and_never_makes_worse() {
        let graph = two_cliques();
        let (labels, value) = refine(&graph, &[0, 0, 0, 0, 1, 1, 1, 1, 1, 1], 2, 50);
        assert_eq!(labels, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
        assert!((value - ncut(&graph, &labels, 2)).abs() < 1e-12);
    }
}
