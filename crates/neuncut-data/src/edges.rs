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

use super::columns::numbered;
use super::npz::{Npz, NpzArray};
use super::readers::delimited::{Delimited, field_text, looks_like_names};
use super::readers::{self, Batches};
use super::source::{Format, Source, excerpt};
use crate::{Error, Result};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_cast::cast;
use arrow_schema::{DataType, Schema};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// What to do about a file that is none of those that are read.
const FORMATS: &str = "give an edge list as .csv, .tsv, .jsonl, .parquet or .arrow, or a scipy CSR matrix as .npz";

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
    let edges = match source.format {
        Format::Csv | Format::Tsv | Format::Txt => read_text(&source)?,
        Format::Parquet | Format::Arrow | Format::Json => {
            let batches = readers::table_batches(&source, &mut |schema| choose_fields(&source, schema))?;
            batches.map_or(Ok(Vec::new()), |batches| read_batches(&source, batches))?
        }
        _ => return Err(source.error(format!("a file of this format holds no graph: {FORMATS}"))),
    };
    Ok(EdgeList { path: source.path, nodes: None, edges })
}

/// The columns of an edge list: those called `i`, `j` and `w`, or else the first two or three.
fn choose(source: &Source, names: &[String]) -> Result<Vec<usize>> {
    let called = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    match (called("i"), called("j")) {
        (Some(i), Some(j)) => Ok([i, j].into_iter().chain(called("w")).collect()),
        _ if names.len() == 2 || names.len() == 3 => Ok((0..names.len()).collect()),
        _ => Err(source.error("an edge list has the columns i, j and w: name them so, or write only these three")),
    }
}

fn choose_fields(source: &Source, schema: &Schema) -> Result<Vec<usize>> {
    choose(source, &schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>())
}

fn read_text(source: &Source) -> Result<Vec<(u32, u32, f32)>> {
    let mut records = Delimited::open(source, looks_like_names)?;
    let names = records.names.clone().unwrap_or_else(|| numbered(records.width));
    let chosen = choose(source, &names)?;
    let mut edges = Vec::new();
    while let Some((record, line)) = records.next()? {
        let field = |column: usize| field_text(&record[chosen[column]]);
        let node = |column: usize| {
            let text = field(column);
            node_number(text.parse().ok()).ok_or_else(|| bad_node(source, "line", line, &text))
        };
        let weight = match chosen.len() {
            2 => Some(1.0),
            _ => checked_weight(field(2).parse().unwrap_or(f64::NAN)),
        };
        let weight = weight.ok_or_else(|| bad_weight(source, "line", line, &field(2)))?;
        edges.push((node(0)?, node(1)?, weight));
    }
    Ok(edges)
}

fn read_batches(source: &Source, mut batches: Batches) -> Result<Vec<(u32, u32, f32)>> {
    let mut edges = Vec::new();
    while let Some(columns) = batches.next(source)? {
        for (c, column) in columns.iter().enumerate() {
            let kind = column.data_type();
            if if c < 2 { !kind.is_integer() } else { !kind.is_numeric() } {
                let (name, must) = (batches.name(c), if c < 2 { "whole numbers" } else { "numbers" });
                return Err(source.error(format!("column {name} ({kind}) must hold {must}: convert it and save again")));
            }
        }
        let broken = |error: arrow_schema::ArrowError| source.error(format!("{error}: save the edge list again"));
        let converted = |column: usize, kind: &DataType| cast(&columns[column], kind).map_err(broken);
        let nodes = [converted(0, &DataType::UInt64)?, converted(1, &DataType::UInt64)?];
        let weights = columns.get(2).map(|_| converted(2, &DataType::Float64)).transpose()?;
        let before = edges.len();
        for e in 0..nodes[0].len() {
            let row = (before + e) as u64 + 1;
            let node = |side: usize| {
                let given = (!nodes[side].is_null(e)).then(|| nodes[side].as_primitive::<UInt64Type>().value(e));
                node_number(given).ok_or_else(|| bad_node(source, "row", row, "missing or negative"))
            };
            let weight = weights.as_ref().map_or(1.0, |weights| match weights.is_null(e) {
                true => f64::NAN,
                false => weights.as_primitive::<Float64Type>().value(e),
            });
            let checked = checked_weight(weight).ok_or_else(|| bad_weight(source, "row", row, &weight.to_string()))?;
            edges.push((node(0)?, node(1)?, checked));
        }
    }
    Ok(edges)
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
            let column = node_number(Some(columns[e]).filter(|&j| j < nodes)).ok_or_else(outside)?;
            let weight = checked_weight(weights[e].into())
                .ok_or_else(|| npz.error(format!("entry {} is {}: {WEIGHTS}", place(), weights[e])))?;
            edges.push((i as u32, column, weight));
        }
    }
    Ok(EdgeList { path: path.to_owned(), nodes: Some(nodes as usize), edges })
}

/// What weights must be.
const WEIGHTS: &str = "weights must be zero or positive and finite; remove the edge, or map distances to affinities";

/// A row number that fits the graph's type.
pub(crate) fn node_number(number: Option<u64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok()).filter(|&number| number < u32::MAX)
}

/// A weight that is finite in single precision, and not negative.
fn checked_weight(weight: f64) -> Option<f32> {
    let weight = weight as f32;
    (weight >= 0.0 && weight.is_finite()).then_some(weight)
}

pub(crate) fn bad_node(source: &Source, unit: &str, place: u64, text: &str) -> Error {
    let problem = format!("{unit} {place}: {} is not a row number; rows are counted from 0", excerpt(text));
    source.error(problem)
}

fn bad_weight(source: &Source, unit: &str, place: u64, text: &str) -> Error {
    source.error(format!("{unit} {place}: the weight is {}; {WEIGHTS}", excerpt(text)))
}

#[cfg(test)]
mod tests;
