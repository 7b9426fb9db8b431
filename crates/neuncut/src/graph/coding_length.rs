//! The map equation: how short a random walk on a graph can be told by clusters.
//!
//! A walk is told step by step, with one codebook for each cluster and one for moves between clusters. Clusters that the walk stays in for
//! long have short codebooks that are seldom changed (Rosvall and Bergstrom, 2008).

use super::{Csr, Joint};

impl Joint {
    /// Nats per step of a random walk on `graph`, of which this is the joint distribution: the entropy of the nodes where there is one
    /// cluster, and less where the clusters help.
    pub fn coding_length(&self, graph: &Csr) -> f64 {
        let degrees = graph.degrees().mapv(f64::from);
        let total = degrees.sum().max(f64::MIN_POSITIVE);
        let nodes: f64 = degrees.iter().map(|degree| p_ln_p(degree / total)).sum();
        let mut leaving = 0.0;
        let mut length = -nodes;
        for (volume, kept) in self.volumes_with_kept() {
            let left = (volume - kept).max(0.0);
            leaving += left;
            length += p_ln_p(volume + left) - 2.0 * p_ln_p(left);
        }
        length + p_ln_p(leaving)
    }
}

/// `p ln p`, zero at zero.
fn p_ln_p(p: f64) -> f64 {
    if p > 0.0 { p * p.ln() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codebooks_by_hand() {
        // two pairs of weight four each, joined by an edge of weight two: of ten, a walk is in each pair half of the time
        let graph = Csr::symmetrized(4, [(0, 1, 4.0), (2, 3, 4.0), (1, 2, 2.0)].into_iter());
        let length = |labels: &[u32], k| Joint::of(&graph, labels, k).coding_length(&graph);
        let entropy = |shares: &[f64]| {
            let total: f64 = shares.iter().sum();
            -shares.iter().map(|share| p_ln_p(share / total)).sum::<f64>()
        };
        assert!((length(&[0; 4], 1) - entropy(&[0.2, 0.3, 0.3, 0.2])).abs() < 1e-6, "one codebook for all nodes");
        // a move between the pairs is one step in five; the codebook of a pair has its two nodes and the way out
        let between = 0.2 * entropy(&[0.1, 0.1]);
        let within = 2.0 * 0.6 * entropy(&[0.2, 0.3, 0.1]);
        assert!((length(&[0, 0, 1, 1], 2) - between - within).abs() < 1e-6);
    }

    #[test]
    fn clusters_that_are_apart_are_the_shortest_code() {
        let triangles = (0..6_u32).flat_map(|t| [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (3 * t + a, 3 * t + b, 1.0)));
        let graph = Csr::symmetrized(18, triangles);
        let length = |rows: u32| {
            let labels: Vec<u32> = (0..18).map(|i| i / rows).collect();
            Joint::of(&graph, &labels, 18_u32.div_ceil(rows) as usize).coding_length(&graph)
        };
        assert!((length(3) - 3.0_f64.ln()).abs() < 1e-6, "a walk stays in its triangle");
        assert!(length(3) < length(6) && length(6) < length(18) && length(3) < length(1));
    }
}
