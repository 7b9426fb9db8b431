//! A graph that the user brings: co-clicks, the neighbours of another program, anything that joins rows.

use crate::data::{EdgeList, read_edges};
use crate::graph::Csr;
use crate::{Error, Result};
use std::path::Path;

/// A symmetric affinity over the training rows, with a sentence about how it came about.
///
/// Weights are scaled to a mean of one, which changes no cut but makes one edge like another's in size.
#[derive(Debug, Clone, PartialEq)]
pub struct Precomputed {
    /// The graph, one node per training row.
    pub graph: Csr,
    /// What it is, and what was done to it.
    pub note: String,
}

impl Precomputed {
    /// Reads a graph over this many rows: an edge list (`i,j,w` as text, Parquet or Arrow) or a scipy CSR matrix (`.npz`).
    ///
    /// # Errors
    /// When the file cannot be read, or as [`Precomputed::of_edges`].
    pub fn read(path: &Path, rows: usize) -> Result<Self> {
        Self::of_edges(read_edges(path)?, rows)
    }

    /// The graph of these edges over this many rows; asymmetric weights are symmetrised as `(W + W') / 2`.
    ///
    /// # Errors
    /// When an edge names a row that there is not, or the edges join no rows.
    pub fn of_edges(list: EdgeList, rows: usize) -> Result<Self> {
        let EdgeList { path, nodes, edges } = list;
        if let Some(nodes) = nodes.filter(|&nodes| nodes != rows) {
            let problem =
                format!("the graph has {nodes} rows, but {rows} are fitted: give the graph of just these rows");
            return Err(Error::data(path, problem));
        }
        if let Some(&(i, j, _)) = edges.iter().find(|&&(i, j, _)| i.max(j) as usize >= rows) {
            let remedy = "rows are counted from 0; give the graph of the rows that are fitted";
            let problem = format!("the edge {i}, {j} leads out of the {rows} rows that are fitted: {remedy}");
            return Err(Error::data(path, problem));
        }
        let edges = directed(edges);
        let one_sided = edges.iter().filter(|edge| counterpart(&edges, edge) != Some(edge.2)).count();
        let total: f64 = edges.iter().map(|edge| f64::from(edge.2)).sum();
        if edges.is_empty() {
            return Err(Error::data(
                path,
                "the graph has no edge of positive weight between two rows: there is no cut",
            ));
        }
        let mean = total / edges.len() as f64;
        let scaled = edges.iter().map(|&(i, j, weight)| (i, j, (f64::from(weight) / mean) as f32));
        let graph = Csr::symmetrized(rows, scaled);
        let alone = (0..rows).filter(|&i| graph.row(i).0.is_empty()).count();
        let mut note = format!("graph of {rows} rows with {} edges", graph.n_stored() / 2);
        if one_sided > 0 {
            note += &format!("; {one_sided} of {} entries had no equal counterpart: (W + W')/2 is used", edges.len());
        }
        if alone > 0 {
            note += &format!("; {alone} rows have no edge and follow their nearest row");
        }
        Ok(Self { graph, note })
    }
}

/// Edges between different rows of positive weight, in order; weights of an edge that is given twice are added.
fn directed(mut edges: Vec<(u32, u32, f32)>) -> Vec<(u32, u32, f32)> {
    edges.retain(|&(i, j, weight)| i != j && weight > 0.0);
    edges.sort_by_key(|&(i, j, _)| (i, j));
    edges.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 += next.2;
        }
        same
    });
    edges
}

/// The weight of the edge in the other direction.
fn counterpart(edges: &[(u32, u32, f32)], &(i, j, _): &(u32, u32, f32)) -> Option<f32> {
    edges.binary_search_by_key(&(j, i), |&(i, j, _)| (i, j)).ok().map(|place| edges[place].2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn graph(edges: &[(u32, u32, f32)], rows: usize) -> Result<Precomputed> {
        Precomputed::of_edges(EdgeList { path: "g.csv".into(), nodes: None, edges: edges.to_vec() }, rows)
    }

    #[test]
    fn a_symmetric_graph_is_taken_as_it_is_and_an_asymmetric_one_is_said_to_be() {
        let whole = graph(&[(0, 1, 3.0), (1, 0, 3.0), (1, 2, 1.0), (2, 1, 1.0), (2, 2, 9.0)], 3).unwrap();
        assert_eq!(whole.graph.degrees(), array![1.5, 2.0, 0.5]);
        assert_eq!(whole.note, "graph of 3 rows with 2 edges");
        let half = graph(&[(0, 1, 1.0), (1, 0, 3.0), (1, 2, 2.0), (0, 3, 0.0)], 4).unwrap();
        // mean weight 2: (0.5 + 1.5) / 2 and (1 + 0) / 2
        assert_eq!(half.graph.degrees(), array![1.0, 1.5, 0.5, 0.0]);
        assert!(
            half.note.contains("3 of 3 entries had no equal counterpart") && half.note.contains("1 rows have no edge")
        );
    }

    #[test]
    fn an_edge_given_twice_is_one_of_both_weights() {
        let twice = graph(&[(0, 1, 1.0), (0, 1, 2.0), (1, 0, 3.0)], 2).unwrap();
        assert_eq!(twice.note, "graph of 2 rows with 1 edges");
        assert_eq!(twice.graph.degrees(), array![1.0, 1.0]);
    }

    #[test]
    fn graphs_of_other_rows_are_refused() {
        let refusal = |edges: &[(u32, u32, f32)]| graph(edges, 3).unwrap_err().to_string();
        assert!(refusal(&[(0, 1, 1.0), (2, 3, 1.0)]).contains("the edge 2, 3 leads out of the 3 rows"));
        assert!(refusal(&[(1, 1, 1.0), (0, 1, 0.0)]).contains("no edge of positive weight"));
        let list = EdgeList { path: "g.npz".into(), nodes: Some(4), edges: vec![(0, 1, 1.0)] };
        assert!(Precomputed::of_edges(list, 3).unwrap_err().to_string().contains("has 4 rows, but 3 are fitted"));
    }
}
