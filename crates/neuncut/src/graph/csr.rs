//! A sparse symmetric affinity in compressed rows.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

/// Rows per task at least.
const TASK_ROWS: usize = 32;

/// A square sparse matrix with non-negative weights; columns ascend within a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    starts: Vec<usize>,
    columns: Vec<u32>,
    weights: Vec<f32>,
}

impl Csr {
    /// The symmetric part `(W + W') / 2` of the directed edges `i -> neighbor` with their weights; weights of an edge given
    /// twice are added, and edges of a row to itself or of weight zero are left out.
    pub fn symmetrized(n: usize, edges: impl Iterator<Item = (u32, u32, f32)>) -> Self {
        let halves = edges.filter(|&(_, _, weight)| weight > 0.0).map(|(i, j, weight)| (i, j, 0.5 * weight));
        Self::symmetrized_by(n, halves, |a, b| a + b)
    }

    /// The symmetric matrix that holds `combine(w_ij, w_ji)`, or the one that was given; no two edges may be given for the same
    /// direction. Weights of zero are kept, so that squared distances can be stored.
    pub fn symmetrized_by(
        n: usize,
        edges: impl Iterator<Item = (u32, u32, f32)>,
        combine: impl Fn(f32, f32) -> f32,
    ) -> Self {
        let edges: Vec<(u32, u32, f32)> = edges.filter(|&(i, j, _)| i != j).collect();
        let (starts, mut entries) = by_row(n, &edges);
        let mut rest = &mut entries[..];
        let mut rows = Vec::with_capacity(n);
        for i in 0..n {
            let (row, after) = std::mem::take(&mut rest).split_at_mut(starts[i + 1] - starts[i]);
            rows.push(row);
            rest = after;
        }
        rows.into_par_iter().with_min_len(TASK_ROWS).for_each(|row| row.sort_by_key(|&(j, _)| j));
        let mut graph = Self { starts: vec![0], columns: Vec::new(), weights: Vec::new() };
        for i in 0..n {
            let first = graph.columns.len();
            for &(j, weight) in &entries[starts[i]..starts[i + 1]] {
                match graph.columns.len() > first && graph.columns.last() == Some(&j) {
                    true => graph.weights.last_mut().into_iter().for_each(|kept| *kept = combine(*kept, weight)),
                    false => {
                        graph.columns.push(j);
                        graph.weights.push(weight);
                    }
                }
            }
            graph.starts.push(graph.columns.len());
        }
        graph
    }

    /// The same graph without the entries of weight zero.
    pub fn without_zeros(&self) -> Self {
        let entries = (0..self.len())
            .flat_map(|i| self.neighbors(i).filter(|&(_, w)| w != 0.0).map(move |(j, w)| (i as u32, j as u32, w)));
        Self::from_sorted(self.len(), entries.collect())
    }

    /// From distinct entries in the order of rows and columns.
    fn from_sorted(n: usize, entries: Vec<(u32, u32, f32)>) -> Self {
        let mut starts = vec![0; n + 1];
        entries.iter().for_each(|&(i, ..)| starts[i as usize + 1] += 1);
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        Self { starts, columns: entries.iter().map(|e| e.1).collect(), weights: entries.iter().map(|e| e.2).collect() }
    }

    /// The graph among some of the nodes, which are then numbered by their place in `nodes`; no node may be named twice.
    pub fn induced(&self, nodes: &[usize]) -> Self {
        const OUTSIDE: u32 = u32::MAX;
        let mut place = vec![OUTSIDE; self.len()];
        nodes.iter().enumerate().for_each(|(p, &node)| place[node] = p as u32);
        let mut entries = Vec::new();
        for (p, &node) in nodes.iter().enumerate() {
            let first = entries.len();
            let inside = self.neighbors(node).filter(|&(j, _)| place[j] != OUTSIDE);
            entries.extend(inside.map(|(j, weight)| (p as u32, place[j], weight)));
            entries[first..].sort_unstable_by_key(|&(_, j, _)| j);
        }
        Self::from_sorted(nodes.len(), entries)
    }

    /// The graph whose nodes are groups `0..count` of these: the weight inside a group is its loop.
    pub fn contracted(&self, group: &[u32], count: usize) -> Self {
        let mut members = vec![Vec::new(); count];
        group.iter().enumerate().for_each(|(node, &own)| members[own as usize].push(node));
        let mut entries = Vec::new();
        let mut weight = vec![0.0_f64; count];
        for (own, nodes) in members.iter().enumerate() {
            nodes
                .iter()
                .flat_map(|&node| self.neighbors(node))
                .for_each(|(j, w)| weight[group[j] as usize] += f64::from(w));
            let there = weight.iter().enumerate().filter(|(_, w)| **w > 0.0);
            entries.extend(there.map(|(other, &w)| (own as u32, other as u32, w as f32)));
            weight.fill(0.0);
        }
        Self::from_sorted(count, entries)
    }

    /// The same graph with loops in place of those it has: a loop counts once in its node's degree, and no cut can cross it.
    pub fn with_loops(&self, loops: &[f32]) -> Self {
        let entries = (0..self.len()).flat_map(|i| {
            let edges = |keep: fn(&usize, &usize) -> bool| {
                self.neighbors(i).filter(move |(j, _)| keep(j, &i)).map(move |(j, w)| (i as u32, j as u32, w))
            };
            let own = Some((i as u32, i as u32, loops[i])).filter(|_| loops[i] > 0.0);
            edges(usize::lt).chain(own).chain(edges(usize::gt))
        });
        Self::from_sorted(self.len(), entries.collect())
    }

    /// The weight of each node's loop; zero where it has none.
    pub fn loops(&self) -> Vec<f32> {
        (0..self.len()).map(|i| self.neighbors(i).find(|&(j, _)| j == i).map_or(0.0, |(_, w)| w)).collect()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of stored weights (each undirected edge counts twice).
    pub fn n_stored(&self) -> usize {
        self.columns.len()
    }

    /// Columns and weights of one row.
    pub fn row(&self, i: usize) -> (&[u32], &[f32]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.weights[range])
    }

    /// The neighbours of one row with their weights.
    pub fn neighbors(&self, i: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let (columns, weights) = self.row(i);
        columns.iter().map(|&j| j as usize).zip(weights.iter().copied())
    }

    /// Row sums.
    pub fn degrees(&self) -> Array1<f32> {
        (0..self.len()).map(|i| self.row(i).1.iter().map(|&w| f64::from(w)).sum::<f64>() as f32).collect()
    }

    /// This matrix times a dense one, in parallel over rows.
    pub fn multiply(&self, dense: ArrayView2<f32>) -> Array2<f32> {
        let mut product = Array2::zeros((self.len(), dense.ncols()));
        let rows = product.axis_iter_mut(Axis(0)).into_par_iter().enumerate().with_min_len(TASK_ROWS);
        rows.for_each(|(i, mut out)| {
            for (j, weight) in self.neighbors(i) {
                out.scaled_add(weight, &dense.row(j));
            }
        });
        product
    }

    /// The same graph with every edge as often as its ends weigh on average.
    pub fn weighed(&self, nodes: &[f32]) -> Self {
        self.map_weights(|i, j, w| 0.5 * w * (nodes[i] + nodes[j]))
    }

    /// The same graph with every weight `w_ij` replaced by `map(i, j, w_ij)`.
    pub fn map_weights(&self, map: impl Fn(usize, usize, f32) -> f32) -> Self {
        let mut mapped = self.clone();
        for i in 0..self.len() {
            for e in self.starts[i]..self.starts[i + 1] {
                mapped.weights[e] = map(i, self.columns[e] as usize, self.weights[e]);
            }
        }
        mapped
    }
}

/// Edges in both directions, those of each row together in the order in which they were given; and where each row starts.
fn by_row(n: usize, edges: &[(u32, u32, f32)]) -> (Vec<usize>, Vec<(u32, f32)>) {
    let mut starts = vec![0; n + 1];
    for &(i, j, _) in edges {
        starts[i as usize + 1] += 1;
        starts[j as usize + 1] += 1;
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut entries = vec![(0, 0.0); 2 * edges.len()];
    for &(i, j, weight) in edges {
        for (from, to) in [(i, j), (j, i)] {
            let place = &mut next[from as usize];
            entries[*place] = (to, weight);
            *place += 1;
        }
    }
    (starts, entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn one_directed_edge_becomes_two_halves_and_a_mutual_one_is_whole() {
        let graph = Csr::symmetrized(3, [(0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 2, 5.0)].into_iter());
        assert_eq!(graph.row(0), (&[1_u32][..], &[1.0_f32][..]));
        assert_eq!(graph.row(1), (&[0, 2][..], &[1.0, 0.5][..]));
        assert_eq!(graph.degrees(), array![1.0, 1.5, 0.5]);
        assert_eq!(graph.multiply(array![[1.0], [2.0], [4.0]].view()), array![[2.0], [3.0], [1.0]]);
    }

    #[test]
    fn the_graph_among_some_nodes_is_a_part_of_the_matrix() {
        let edges = [(0, 1, 2.0), (1, 2, 4.0), (2, 3, 6.0), (0, 3, 8.0), (1, 3, 10.0)];
        let graph = Csr::symmetrized(5, edges.into_iter());
        let whole = graph.multiply(Array2::eye(5).view());
        let nodes = [3, 0, 4, 1];
        let part = graph.induced(&nodes).multiply(Array2::eye(4).view());
        for ((a, b), &weight) in part.indexed_iter() {
            assert_eq!(weight, whole[[nodes[a], nodes[b]]]);
        }
        assert_eq!(graph.induced(&nodes).row(0).0, [1, 3]);
    }

    #[test]
    fn isolated_nodes_have_empty_rows() {
        let graph = Csr::symmetrized(4, [(0, 3, 2.0)].into_iter());
        assert_eq!(graph.degrees(), array![1.0, 0.0, 0.0, 1.0]);
        assert_eq!(graph.n_stored(), 2);
    }

    #[test]
    fn a_loop_counts_once_in_its_degree_and_stays_with_its_node() {
        let graph = Csr::symmetrized(3, [(0, 1, 2.0), (1, 2, 4.0)].into_iter()).with_loops(&[0.0, 5.0, 3.0]);
        assert_eq!(graph.row(1), (&[0, 1, 2][..], &[1.0, 5.0, 2.0][..]));
        assert_eq!((graph.loops(), graph.degrees()), (vec![0.0, 5.0, 3.0], array![1.0, 8.0, 5.0]));
        assert_eq!(graph.induced(&[2, 1]).loops(), [3.0, 5.0]);
        assert_eq!(graph.with_loops(&[0.0; 3]).loops(), [0.0; 3], "loops are replaced");
    }
}
