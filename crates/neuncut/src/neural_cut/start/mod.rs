//! The labels from which the network starts, found on landmark rows without any label.
//!
//! No single graph is right for all data: local scaling splits dense clusters, plain neighbours merge touching ones, whitening
//! helps digits and ruins shapes in the plane. So several [representations](Representation), [graphs](GraphSet) and
//! [embeddings](embedding) are tried. Each partition is judged on *all* graphs of its representation, not on the one that made it,
//! and those nearly as good as the best vote.

mod choice;
mod embedding;
mod given_graph;
mod graph_set;
mod pieces;
mod representation;

pub use choice::Candidate;
pub(super) use given_graph::{find_start_on, most_agreeing};
pub(super) use graph_set::{GraphOptions, GraphSet};
pub use representation::Representation;

use crate::baselines::KMeans;
use crate::clustering::{Clusterer, Clustering};
use crate::features::Pipeline;
use crate::graph::{EigenOptions, connected_components, refine, top_eigenpairs};
use crate::train::Observer;
use crate::{Error, Result};
use choice::{Partition, Tried, choose};
use embedding::Embedding;
use ndarray::{ArrayView2, Axis};
use pieces::Pieces;
use std::collections::HashMap;

/// Up to this many columns thin shapes ask for eigenvectors of high precision.
const PRECISE_COLUMNS: usize = 16;
/// k-means restarts on an embedding and on the rows: fewer as clusters grow in number.
const EMBEDDING_RESTARTS: usize = 20;
const ROW_RESTARTS: usize = 10;

/// Rounds of greedy improvement of a partition's cut on its own graph, before it votes.
const REFINE_SWEEPS: usize = 50;

/// What a start depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartOptions {
    pub clusters: usize,
    pub representation: Representation,
    pub graph: GraphOptions,
    pub seed: u64,
}

/// Labels of the landmarks, and what was seen on the way.
#[derive(Debug, Clone)]
pub(super) struct StartLabels {
    pub representation: Representation,
    pub labels: Vec<u32>,
    pub candidates: Vec<Candidate>,
    /// Partitions that had a vote.
    pub voters: usize,
    /// The partition that agrees most with the others, such as `plain graph, k eigenvectors`.
    pub chosen: String,
    /// Pieces the plain neighbour graph falls into.
    pub components: usize,
    /// Rows in pieces too small to be clusters.
    pub stray: usize,
    /// `1 - lambda_(k+1)` over `1 - lambda_k` on the plain graph: large where `k` clusters stand out.
    pub eigengap: f64,
    /// Distinct rows among the landmarks.
    pub distinct: usize,
}

/// Finds labels for the landmark rows. `rows` are all training rows, from which representations are learned.
pub(super) fn find_start(
    rows: ArrayView2<f32>,
    landmarks: &[usize],
    options: &StartOptions,
    observer: &mut dyn Observer,
) -> Result<StartLabels> {
    let raw = rows.select(Axis(0), landmarks);
    let (distinct, of_distinct) = distinct_rows(raw.view());
    if distinct.len() < options.clusters {
        return Err(Error::Degenerate(format!(
            "there are only {} different rows for {} clusters: ask for fewer clusters with -k",
            distinct.len(),
            options.clusters
        )));
    }
    let nodes = raw.select(Axis(0), &distinct);
    let mut tried = Vec::new();
    for representation in options.representation.candidates(rows.ncols()) {
        if observer.interrupted() {
            return Err(Error::Interrupted);
        }
        observer.stage(&format!("spectral start on {representation} rows"));
        let pipeline = representation.fit(rows)?;
        tried.push(try_representation(representation, &pipeline, nodes.view(), options)?);
    }
    let mut found = choose(tried, options.clusters)?;
    found.labels = of_distinct.iter().map(|&node| found.labels[node]).collect();
    found.distinct = distinct.len();
    Ok(found)
}

/// The first of each group of equal rows, and for each row which of them it equals.
fn distinct_rows(rows: ArrayView2<f32>) -> (Vec<usize>, Vec<usize>) {
    let mut seen: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut first = Vec::new();
    let of_row = rows.rows().into_iter().enumerate().map(|(i, row)| {
        let bits = row.iter().map(|&x| (x + 0.0).to_bits()).collect(); // + 0.0 makes both zeros one
        *seen.entry(bits).or_insert_with(|| {
            first.push(i);
            first.len() - 1
        })
    });
    let of_row = of_row.collect();
    (first, of_row)
}

/// Every partition that one representation offers.
fn try_representation(
    representation: Representation,
    pipeline: &Pipeline,
    nodes: ArrayView2<f32>,
    options: &StartOptions,
) -> Result<Tried> {
    let rows = pipeline.apply(nodes.to_owned());
    let graphs = GraphSet::new(rows.view(), options.graph);
    try_graphs(representation, &graphs, rows.view(), options.clusters, options.seed)
}

/// Every partition that graphs over these rows offer.
fn try_graphs(
    representation: Representation,
    graphs: &GraphSet,
    rows: ArrayView2<f32>,
    k: usize,
    seed: u64,
) -> Result<Tried> {
    let tolerance = if rows.ncols() <= PRECISE_COLUMNS { 1e-8 } else { 1e-5 };
    let eigen = EigenOptions { tolerance, ..Default::default() };
    let mut partitions = Vec::new();
    let mut next_values = Vec::new();
    let mut eigengap = 0.0;
    for (g, (name, graph)) in graphs.named().enumerate() {
        let pieces = Pieces::joined(graph, rows, graphs.scales(), k);
        let count = (2 * k + 1).min(pieces.graph.len());
        let pairs = top_eigenpairs(&pieces.graph, count, eigen)?;
        // an eigenvalue of 1 may come out a little larger
        let distance = |l: usize| (1.0 - pairs.values.get(l).copied().unwrap_or(0.0)).max(0.0);
        if g < graphs.n_judges() {
            next_values.push(distance(k));
        }
        if g == 0 {
            eigengap = distance(k) / distance(k - 1).max(1e-9);
        }
        for embedding in Embedding::ALL {
            let coordinates = embedding.of(&pairs, &pieces.graph, k);
            let restarts = restarts(EMBEDDING_RESTARTS, k);
            let grouped = KMeans { restarts, seed, ..KMeans::new(k) }.fit(coordinates.view())?;
            let labels = pieces.spread(grouped.labels());
            let score = graphs.log_cut(&labels, k) + embedding.handicap();
            let (labels, _) = refine(graph, &labels, k, REFINE_SWEEPS);
            partitions.push(Partition { method: format!("{name} graph, {embedding}"), labels, score });
        }
    }
    let grouped = KMeans { restarts: restarts(ROW_RESTARTS, k), seed, ..KMeans::new(k) }.fit(rows)?;
    let score = graphs.log_cut(grouped.labels(), k) + choice::HANDICAP;
    partitions.push(Partition { method: "k-means".into(), labels: grouped.labels().to_vec(), score });
    let components = connected_components(graphs.first());
    let stray = Pieces::stray(&components, k);
    Ok(Tried { representation, partitions, next_values, eigengap, components: components.count(), stray })
}

fn restarts(usual: usize, k: usize) -> usize {
    usual.min(1000 / k).max(2)
}

#[cfg(test)]
mod tests;
