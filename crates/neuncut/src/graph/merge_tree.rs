//! The order in which clusters of a graph are merged, the closest first, until one is left.
//!
//! Two clusters are as close as the weight between them is large beside what their volumes would give by chance (Bonald and others, 2018).
//! Where no edge joins any two, those are closest whose centres are.

use super::Csr;
use ndarray::{Array2, ArrayView2};

/// One merge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merge {
    /// The two clusters, by the smallest cluster of each; the union goes by the first, which is the smaller one.
    pub clusters: (u32, u32),
    /// The weight between them over what chance gives; zero or less where no edge joins them.
    pub closeness: f64,
}

/// The merges of the clusters `labels` below `k`, `k - 1` of them. `rows` are the graph's nodes in space. Clusters without nodes are
/// merged first.
pub fn merge_tree(graph: &Csr, rows: ArrayView2<f32>, labels: &[u32], k: usize) -> Vec<Merge> {
    let mut clusters = Clusters::of(graph, rows, labels, k);
    (1..k).filter_map(|_| clusters.merge_best()).collect()
}

/// For each of `k` clusters the group that it is in when `count` are left, numbered by the smallest cluster of each.
pub fn groups(merges: impl IntoIterator<Item = (u32, u32)>, k: usize, count: usize) -> Vec<u32> {
    let mut group: Vec<usize> = (0..k).collect();
    for (a, b) in merges.into_iter().take(k.saturating_sub(count.max(1))) {
        let (Some(&a), Some(&b)) = (group.get(a as usize), group.get(b as usize)) else { continue };
        group.iter_mut().filter(|of| **of == b).for_each(|of| *of = a);
    }
    let mut number = vec![u32::MAX; k];
    let mut next = 0;
    group
        .iter()
        .map(|&of| {
            if number[of] == u32::MAX {
                number[of] = next;
                next += 1;
            }
            number[of]
        })
        .collect()
}

/// Clusters under merging.
struct Clusters {
    /// Weight between two clusters, `(k, k)`.
    weight: Array2<f64>,
    volume: Vec<f64>,
    total: f64,
    /// Nodes of each, and the sum of their rows.
    nodes: Vec<f64>,
    sums: Array2<f64>,
    alive: Vec<bool>,
    /// The closest partner of each, and how close it is.
    best: Vec<(usize, f64)>,
}

impl Clusters {
    fn of(graph: &Csr, rows: ArrayView2<f32>, labels: &[u32], k: usize) -> Self {
        let mut weight = Array2::zeros((k, k));
        let (mut nodes, mut sums) = (vec![0.0; k], Array2::zeros((k, rows.ncols())));
        for (i, &label) in labels.iter().enumerate() {
            nodes[label as usize] += 1.0;
            sums.row_mut(label as usize).zip_mut_with(&rows.row(i), |sum, &x| *sum += f64::from(x));
            for (j, w) in graph.neighbors(i) {
                weight[[label as usize, labels[j] as usize]] += f64::from(w);
            }
        }
        let volume: Vec<f64> = weight.rows().into_iter().map(|row| row.sum()).collect();
        let total = volume.iter().sum();
        let mut clusters =
            Self { weight, volume, total, nodes, sums, alive: vec![true; k], best: vec![(0, f64::NEG_INFINITY); k] };
        (0..k).for_each(|a| clusters.best[a] = clusters.best_partner(a));
        clusters
    }

    fn closeness(&self, a: usize, b: usize) -> f64 {
        if self.nodes[a] == 0.0 || self.nodes[b] == 0.0 {
            return f64::INFINITY;
        }
        let weight = self.weight[[a, b]];
        if weight > 0.0 {
            return weight * self.total / (self.volume[a] * self.volume[b]);
        }
        let (sums, nodes) = (&self.sums, &self.nodes);
        let pairs = sums.row(a).into_iter().zip(sums.row(b));
        -pairs.map(|(x, y)| (x / nodes[a] - y / nodes[b]).powi(2)).sum::<f64>()
    }

    fn best_partner(&self, a: usize) -> (usize, f64) {
        let mut best = (a, f64::NEG_INFINITY);
        for b in (0..self.alive.len()).filter(|&b| b != a && self.alive[b]) {
            let closeness = self.closeness(a, b);
            if closeness > best.1 || best.0 == a {
                best = (b, closeness);
            }
        }
        best
    }

    /// Merges the closest pair, the first of equals; none where one cluster is left.
    fn merge_best(&mut self) -> Option<Merge> {
        let mut first: Option<usize> = None;
        for a in (0..self.alive.len()).filter(|&a| self.alive[a] && self.best[a].0 != a) {
            if first.is_none_or(|first| self.best[a].1 > self.best[first].1) {
                first = Some(a);
            }
        }
        let first = first?;
        let (partner, closeness) = self.best[first];
        let (a, b) = (first.min(partner), first.max(partner));
        for c in (0..self.alive.len()).filter(|&c| c != a && c != b) {
            let between = self.weight[[b, c]];
            self.weight[[a, c]] += between;
            self.weight[[c, a]] += between;
        }
        self.volume[a] += self.volume[b];
        self.nodes[a] += self.nodes[b];
        let from = self.sums.row(b).to_owned();
        self.sums.row_mut(a).zip_mut_with(&from, |sum, x| *sum += x);
        self.alive[b] = false;
        self.best[a] = self.best_partner(a);
        for c in (0..self.alive.len()).filter(|&c| c != a) {
            if !self.alive[c] {
                continue;
            }
            if self.best[c].0 == a || self.best[c].0 == b {
                self.best[c] = self.best_partner(c);
            } else {
                let now = self.closeness(c, a);
                if now > self.best[c].1 {
                    self.best[c] = (a, now);
                }
            }
        }
        Some(Merge { clusters: (a as u32, b as u32), closeness })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Four pairs of nodes: the first two pairs are joined, the third weakly to them, the fourth to nothing but near the third.
    fn graph() -> (Csr, Array2<f32>, Vec<u32>) {
        let edges = [(0, 1, 4.0), (2, 3, 4.0), (4, 5, 4.0), (6, 7, 4.0), (1, 2, 2.0), (3, 4, 0.5)];
        let rows = array![[0.0_f32], [1.0], [2.0], [3.0], [6.0], [7.0], [9.0], [10.0]];
        (Csr::symmetrized(8, edges.into_iter()), rows, vec![0, 0, 1, 1, 3, 3, 4, 4])
    }

    #[test]
    fn the_closest_are_merged_first() {
        let (graph, rows, labels) = graph();
        let merges = merge_tree(&graph, rows.view(), &labels, 5);
        let pairs: Vec<(u32, u32)> = merges.iter().map(|merge| merge.clusters).collect();
        // the cluster without nodes goes first, that without edges last
        assert_eq!(pairs, [(0, 2), (0, 1), (0, 3), (0, 4)]);
        let positive: Vec<f64> = merges[1..3].iter().map(|merge| merge.closeness).collect();
        // volumes are 5, 5.25, 4.25 and 4, the sum 18.5; half of each weight goes each way
        assert!((positive[0] - 1.0 * 18.5 / (5.0 * 5.25)).abs() < 1e-6, "{positive:?}");
        assert!((positive[1] - 0.25 * 18.5 / (10.25 * 4.25)).abs() < 1e-6, "{positive:?}");
        assert!(merges[0].closeness.is_infinite() && merges[3].closeness < 0.0);
        assert!(merge_tree(&graph, rows.view(), &[0; 8], 1).is_empty());
    }

    #[test]
    fn groups_follow_the_merges() {
        let merges = [(1, 3), (0, 4), (1, 2), (0, 1)];
        let groups = |count| groups(merges, 5, count);
        assert_eq!(groups(5), [0, 1, 2, 3, 4]);
        assert_eq!(groups(4), [0, 1, 2, 1, 3]);
        assert_eq!(groups(3), [0, 1, 2, 1, 0]);
        assert_eq!(groups(2), [0, 1, 1, 1, 0]);
        assert_eq!((groups(1), groups(0)), (vec![0; 5], vec![0; 5]));
    }
}
