//! The edges of a graph over rows, from an edge list (`i,j,w`, rows counted from 0) or a sparse matrix of scipy.
//!
//! ```
//! use neuncut_data::{Scratch, read_edges};
//!
//! let folder = Scratch::create_in(&std::env::temp_dir())?;
//! let path = folder.path().join("graph.csv");
//! std::fs::write(&path, "0,1,2.5\n1,2,0.5\n")?;
//! assert_eq!(read_edges(&path)?.edges, [(0, 1, 2.5), (1, 2, 0.5)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::npz::{Npz, NpzArray};
use super::pairs::{PairTable, Place, Third, read_pairs, row_number};
use super::source::{Source, excerpt};
use crate::Result;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// What a file of edges holds.
const TABLE: PairTable = PairTable {
    subject: "an edge list has",
    refusal: "no graph: give an edge list as .csv, .tsv, .jsonl, .parquet or .arrow, or a scipy CSR matrix as .npz",
    third: "w",
    numbers: true,
};

/// Directed edges with finite, non-negative weights.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeList {
    /// The file.
    pub path: PathBuf,
    /// The number of nodes, where the file tells.
    pub nodes: Option<usize>,
    /// From, to, weight.
    pub edges: Vec<(u32, u32, f32)>,
}

impl EdgeList {
    /// A hash of the nodes and of the bits of all edges in order.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = XxHash3_64::new();
        hash.write(&self.nodes.map_or(u64::MAX, |nodes| nodes as u64).to_le_bytes());
        for (i, j, weight) in &self.edges {
            [i.to_le_bytes(), j.to_le_bytes(), weight.to_le_bytes()].iter().for_each(|bytes| hash.write(bytes));
        }
        hash.finish()
    }
}

/// Reads a graph; negative, infinite and NaN weights are refused.
///
/// # Errors
/// When the file cannot be read or is no graph, or a weight is negative, infinite or NaN.
pub fn read_edges(path: &Path) -> Result<EdgeList> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npz")) {
        return read_npz(path);
    }
    let source = Source::new(path)?;
    let edges = read_pairs(&source, &TABLE, edge)?;
    Ok(EdgeList { path: source.path, nodes: None, edges })
}

fn edge([i, j]: [u32; 2], weight: Third, place: &Place) -> Result<(u32, u32, f32)> {
    let weight = match weight {
        Third::Missing => Ok(1.0),
        Third::Text(text) => checked_weight(text.parse().unwrap_or(f64::NAN)).ok_or_else(|| excerpt(text).to_string()),
        Third::Number(number) => checked_weight(number).ok_or_else(|| excerpt(&number.to_string()).to_string()),
    };
    Ok((i, j, weight.map_err(|given| place.error(format_args!(": the weight is {given}; {WEIGHTS}")))?))
}

fn read_npz(path: &Path) -> Result<EdgeList> {
    let npz = Npz::open(path);
    let remedy = "save the matrix with scipy.sparse.save_npz(FILE, matrix.tocsr())";
    let array = |name: &str| -> Result<NpzArray> {
        npz.array(name)?.ok_or_else(|| npz.error(format!("it lacks the array {name} of a sparse matrix: {remedy}")))
    };
    let format = array("format")?.text();
    if format != "csr" {
        return Err(npz.error(format!("the matrix is stored as {}, not as csr: {remedy}", excerpt(&format))));
    }
    let whole = |name: &str| -> Result<Vec<u64>> {
        array(name)?.whole_numbers().ok_or_else(|| npz.error(format!("its {name} are not row numbers: {remedy}")))
    };
    let (shape, starts, columns) = (whole("shape")?, whole("indptr")?, whole("indices")?);
    let weights = array("data")?.numbers().ok_or_else(|| npz.error(format!("its data are not numbers: {remedy}")))?;
    let [nodes, width] = shape[..] else { return Err(npz.error(format!("its shape is {shape:?}: {remedy}"))) };
    if nodes != width {
        return Err(npz.error(format!("the matrix is {nodes} x {width}: an affinity has as many columns as rows")));
    }
    let fits = starts.len() as u64 == nodes.saturating_add(1)
        && starts.first() == Some(&0)
        && starts.is_sorted()
        && starts.last() == Some(&(columns.len() as u64))
        && columns.len() == weights.len();
    if !fits {
        return Err(npz.error(format!("its arrays contradict each other: {remedy}")));
    }
    let mut edges = Vec::with_capacity(columns.len());
    for i in 0..nodes as usize {
        for e in starts[i] as usize..starts[i + 1] as usize {
            let place = || format!("({i}, {})", columns[e]);
            let outside = || npz.error(format!("entry {} lies outside of the matrix: {remedy}", place()));
            let column = row_number(Some(columns[e]).filter(|&j| j < nodes)).ok_or_else(outside)?;
            let weight = checked_weight(weights[e].into())
                .ok_or_else(|| npz.error(format!("entry {} is {}: {WEIGHTS}", place(), weights[e])))?;
            edges.push((i as u32, column, weight));
        }
    }
    Ok(EdgeList { path: path.to_owned(), nodes: Some(nodes as usize), edges })
}

/// What weights must be.
const WEIGHTS: &str = "weights must be zero or positive and finite; remove the edge, or map distances to affinities";

/// A weight that is finite in single precision, and not negative.
fn checked_weight(weight: f64) -> Option<f32> {
    let weight = weight as f32;
    (weight >= 0.0 && weight.is_finite()).then_some(weight)
}

#[cfg(test)]
mod tests;
