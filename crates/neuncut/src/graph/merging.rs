//! Clusters of a graph merged two by two, so that the Ncut stays as low as it can.

use super::Csr;
use crate::interrupt;
use ndarray::Array2;

/// A partition made by merging.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// One label per node, below the number of clusters asked for.
    pub labels: Vec<u32>,
    /// How much the Ncut fell in the last merge, from one more cluster to these: the price of asking for one more. Infinite where
    /// nothing was merged.
    pub price_of_next: f64,
}

/// Merges the clusters of `labels` greedily until `k` are left, each time the two whose union has the lowest Ncut. Clusters
/// without nodes vanish first; fewer than `k` stay as they are.
pub fn merge_clusters(graph: &Csr, labels: &[u32], k: usize) -> Merged {
    let (mut clusters, places) = Clusters::of(graph, labels);
    let mut price_of_next = f64::INFINITY;
    while clusters.alive > k.max(1) {
        interrupt::heed();
        price_of_next = clusters.merge_best();
    }
    let names = clusters.names();
    Merged { labels: labels.iter().map(|&label| names[places[label as usize]]).collect(), price_of_next }
}

/// Share of a cluster's volume that stays within it; one for a cluster without any.
fn kept_share(within: f64, volume: f64) -> f64 {
    if volume > 0.0 { within / volume } else { 1.0 }
}

/// Clusters under merging.
struct Clusters {
    /// Weight between two clusters, `(m, m)`; nothing on the diagonal.
    weight: Array2<f64>,
    /// Weight within each, every edge twice.
    within: Vec<f64>,
    volume: Vec<f64>,
    /// Share of each cluster's volume that stays within it.
    kept: Vec<f64>,
    /// The cluster that one was merged into; itself while it is alive.
    parent: Vec<usize>,
    alive: usize,
    /// The best partner of each cluster alive, and what merging with it changes.
    best: Vec<(usize, f64)>,
}

impl Clusters {
    /// The clusters that have nodes, and for each label its place among them.
    fn of(graph: &Csr, labels: &[u32]) -> (Self, Vec<usize>) {
        let count = labels.iter().map(|&label| label as usize + 1).max().unwrap_or(0);
        let mut places = vec![usize::MAX; count];
        labels.iter().for_each(|&label| places[label as usize] = 0);
        let mut m = 0;
        for place in places.iter_mut().filter(|place| **place == 0) {
            *place = m;
            m += 1;
        }
        let mut weight = Array2::zeros((m, m));
        for (i, &label) in labels.iter().enumerate() {
            let own = places[label as usize];
            for (j, w) in graph.neighbors(i) {
                weight[[own, places[labels[j] as usize]]] += f64::from(w);
            }
        }
        let volume: Vec<f64> = weight.rows().into_iter().map(|row| row.sum()).collect();
        let within = weight.diag().to_vec();
        weight.diag_mut().fill(0.0);
        let kept = within.iter().zip(&volume).map(|(&w, &v)| kept_share(w, v)).collect();
        let parent = (0..m).collect();
        let mut clusters = Self { weight, within, volume, kept, parent, alive: m, best: vec![(0, 0.0); m] };
        (0..m).for_each(|a| clusters.best[a] = clusters.best_partner(a));
        (clusters, places)
    }

    /// By how much the kept shares fall short after a merge: the Ncut of the union less those of both.
    fn change(&self, a: usize, b: usize) -> f64 {
        let within = self.within[a] + self.within[b] + 2.0 * self.weight[[a, b]];
        self.kept[a] + self.kept[b] - 1.0 - kept_share(within, self.volume[a] + self.volume[b])
    }

    fn is_alive(&self, a: usize) -> bool {
        self.parent[a] == a
    }

    fn best_partner(&self, a: usize) -> (usize, f64) {
        let partners = (0..self.parent.len()).filter(|&b| b != a && self.is_alive(b));
        partners.map(|b| (b, self.change(a, b))).min_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or((a, f64::INFINITY))
    }

    /// Merges the best pair; by how much the Ncut fell.
    fn merge_best(&mut self) -> f64 {
        let alive = (0..self.parent.len()).filter(|&a| self.is_alive(a));
        let Some(first) = alive.min_by(|&a, &b| self.best[a].1.total_cmp(&self.best[b].1)) else { return 0.0 };
        let (partner, change) = self.best[first];
        let (a, b) = (first.min(partner), first.max(partner));
        self.within[a] += 2.0 * self.weight[[a, b]] + self.within[b];
        self.volume[a] += self.volume[b];
        self.kept[a] = kept_share(self.within[a], self.volume[a]);
        let from = self.weight.row(b).to_owned();
        // most clusters have no edge to this one, and writing down a column is slow
        for (c, &w) in from.indexed_iter().filter(|&(c, &w)| w != 0.0 && c != a) {
            self.weight[[a, c]] += w;
            self.weight[[c, a]] += w;
        }
        self.parent[b] = a;
        self.alive -= 1;
        self.best[a] = self.best_partner(a);
        for c in 0..self.parent.len() {
            if c == a || !self.is_alive(c) {
                continue;
            }
            let (held, value) = self.best[c];
            let now = self.change(a, c);
            if held == a || held == b {
                self.best[c] = self.best_partner(c);
            } else if now < value {
                self.best[c] = (a, now);
            }
        }
        -change
    }

    /// For each cluster at the beginning, the number of the one it ended in.
    fn names(&self) -> Vec<u32> {
        let mut number = vec![0; self.parent.len()];
        let mut next = 0;
        for c in 0..self.parent.len() {
            if self.is_alive(c) {
                number[c] = next;
                next += 1;
            } else {
                let mut root = c;
                while !self.is_alive(root) {
                    root = self.parent[root];
                }
                number[c] = number[root];
            }
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::graph::ncut;
    use rand::RngExt;

    fn random_graph(n: u32, seed: u64) -> Csr {
        let mut rng = Seed(seed).stream("graph");
        let edges: Vec<_> = (0..6 * n).map(|e| (e % n, rng.random_range(0..n), rng.random::<f32>())).collect();
        Csr::symmetrized(n as usize, edges.into_iter())
    }

    /// What merging says it did is what the Ncut says, and each step is the best of all pairs.
    #[test]
    fn each_merge_is_the_best_of_all_pairs() {
        for seed in 0..5 {
            let graph = random_graph(60, seed);
            let mut labels: Vec<u32> = (0..60).map(|i| i % 12).collect();
            for k in (2..12_u32).rev() {
                let merged = merge_clusters(&graph, &labels, k as usize);
                let before = ncut(&graph, &labels, k as usize + 1);
                let joined = |a: u32, b: u32| -> f64 {
                    let union: Vec<u32> =
                        labels.iter().map(|&c| if c == b { a } else { c - u32::from(c > b) }).collect();
                    ncut(&graph, &union, k as usize)
                };
                let best = (0..=k).flat_map(|b| (0..b).map(move |a| joined(a, b))).fold(f64::INFINITY, f64::min);
                let found = ncut(&graph, &merged.labels, k as usize);
                // degrees are sums in f32
                assert!((found - best).abs() < 1e-6, "{found} for {best}");
                assert!((before - found - merged.price_of_next).abs() < 1e-6);
                labels = merged.labels;
            }
        }
    }

    #[test]
    fn many_steps_at_once_are_the_same_as_one_by_one() {
        let graph = random_graph(80, 9);
        let mut labels: Vec<u32> = (0..80).map(|i| 3 * (i % 20)).collect(); // two of three labels are unused
        let at_once = merge_clusters(&graph, &labels, 3);
        for k in (3..20).rev() {
            labels = merge_clusters(&graph, &labels, k).labels;
        }
        assert_eq!(at_once.labels, labels);
        assert_eq!(at_once.labels.iter().max(), Some(&2));
        assert_eq!(merge_clusters(&graph, &labels, 5).labels, labels, "fewer stay as they are");
    }
}
