//! What a partition costs on a graph: the objectives the network is trained for, of the labels it ends up with.

use crate::{Error, Result};
use serde::Serialize;
use std::collections::BTreeMap;

/// The two cut objectives of a partition; smaller is better. A cluster without edges adds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CutValue {
    /// `sum_l cut(V_l, rest) / vol(V_l)`, Eq. (eq:ncut1); 0 to the number of clusters.
    pub normalized: f64,
    /// `sum_l cut(V_l, rest) / |V_l|`, with sizes in place of volumes.
    pub ratio: f64,
}

#[derive(Default)]
struct Cluster {
    cut: f64,
    volume: f64,
    size: u64,
}

/// The normalized and ratio cut of the partition `labels` on a graph given by its entries `(i, j, weight)`.
///
/// The entries are those of the affinity matrix: an undirected edge is given twice, as `(i, j)` and `(j, i)`.
/// The diagonal counts towards the volume only.
///
/// # Errors
/// When an entry names a node that has no label.
pub fn cut_value(entries: impl IntoIterator<Item = (usize, usize, f64)>, labels: &[u32]) -> Result<CutValue> {
    let mut clusters: BTreeMap<u32, Cluster> = BTreeMap::new(); // ordered, so that sums round the same way every time
    for &label in labels {
        clusters.entry(label).or_default().size += 1;
    }
    for (i, j, weight) in entries {
        let (from, to) = (label_of(labels, i)?, label_of(labels, j)?);
        let cluster = clusters.entry(from).or_default();
        cluster.volume += weight;
        cluster.cut += if from == to { 0.0 } else { weight };
    }
    let connected = || clusters.values().filter(|cluster| cluster.volume > 0.0);
    Ok(CutValue {
        normalized: connected().map(|cluster| cluster.cut / cluster.volume).sum(),
        ratio: connected().map(|cluster| cluster.cut / cluster.size as f64).sum(),
    })
}

fn label_of(labels: &[u32], node: usize) -> Result<u32> {
    labels.get(node).copied().ok_or_else(|| Error::TooFewRows {
        what: "the labelling of the graph".into(),
        rows: labels.len() as u64,
        needed: node as u64 + 1,
        remedy: "give one label for every node of the graph".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path 0 - 1 - 2 - 3 with weights 1, 2, 1.
    fn path() -> Vec<(usize, usize, f64)> {
        let edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 1.0)];
        edges.iter().flat_map(|&(i, j, w)| [(i, j, w), (j, i, w)]).collect()
    }

    #[test]
    fn by_hand() {
        let middle = cut_value(path(), &[0, 0, 1, 1]).unwrap(); // each side: cut 2, volume 1 + 3, size 2
        assert_eq!(middle, CutValue { normalized: 1.0, ratio: 2.0 });
        let end = cut_value(path(), &[0, 1, 1, 1]).unwrap(); // cut 1; volumes 1 and 7; sizes 1 and 3
        assert!((end.normalized - (1.0 + 1.0 / 7.0)).abs() < 1e-15);
        assert!((end.ratio - (1.0 + 1.0 / 3.0)).abs() < 1e-15);
    }

    #[test]
    fn one_cluster_cuts_nothing_and_singletons_cut_all() {
        assert_eq!(cut_value(path(), &[5; 4]).unwrap().normalized, 0.0);
        assert_eq!(cut_value(path(), &[0, 1, 2, 3]).unwrap().normalized, 4.0);
    }

    #[test]
    fn scaling_the_graph_leaves_the_normalized_cut() {
        let scaled = path().into_iter().map(|(i, j, w)| (i, j, 8.0 * w));
        assert_eq!(
            cut_value(scaled, &[0, 1, 1, 1]).unwrap().normalized,
            cut_value(path(), &[0, 1, 1, 1]).unwrap().normalized
        );
    }

    #[test]
    fn isolated_nodes_and_missing_labels() {
        assert_eq!(cut_value(path(), &[0, 0, 1, 1, 2]).unwrap().normalized, 1.0);
        assert!(cut_value(path(), &[0, 0, 1]).unwrap_err().to_string().contains("4 are needed"));
    }
}
