//! The labels from which the network starts, found on landmark rows without any label.
//!
//! No single graph is right for all data: local scaling splits dense clusters, plain neighbours merge touching ones, whitening
//! helps digits and ruins shapes in the plane. So several [representations](Representation), [graphs](GraphSet) and
//! [embeddings](embedding) are tried. Those whose neighbourhoods [fall apart](soundness) are left out. Each partition is
//! judged on *all* graphs of its representation, not on the one that made it, and those nearly as good as the best vote.

mod agreement;
mod choice;
mod embedding;
mod given_graph;
mod graph_set;
mod pieces;
mod proposals;
mod representation;
mod soundness;
mod spreading;

pub(super) use agreement::most_agreeing;
pub use choice::Candidate;
pub(super) use given_graph::find_start_on;
pub(super) use graph_set::{GraphOptions, GraphSet};
pub use representation::Representation;
pub(super) use representation::dominant_column;
pub(super) use spreading::spread_labels;

use crate::graph::{connected_components, refine};
use crate::train::Observer;
use crate::{Error, Result};
use choice::{Partition, Tried, choose};
use ndarray::{ArrayView2, Axis};
use pieces::Pieces;
use proposals::{Proposer, by_means};
use soundness::SoundnessCheck;
use std::collections::HashMap;

/// Rounds of greedy improvement of a partition's cut on its own graph, before it votes.
const REFINE_SWEEPS: usize = 50;

/// What a start depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartOptions {
    pub clusters: usize,
    /// Whether partitions come from eigenvectors, or from small clusters that are merged.
    pub eigenvectors: bool,
    pub representation: Representation,
    pub graph: GraphOptions,
    pub seed: u64,
}

/// Labels of the landmarks, and what was seen on the way.
#[derive(Debug, Clone)]
pub(super) struct StartLabels {
    pub labels: Vec<u32>,
    pub candidates: Vec<Candidate>,
    /// Partitions that had a vote.
    pub voters: usize,
    /// The partition that agrees most with the others, such as `unit rows, plain graph, k eigenvectors`.
    pub chosen: String,
    /// Pieces the plain neighbour graph falls into.
    pub components: usize,
    /// Those large enough to be clusters.
    pub large_pieces: usize,
    /// Rows in pieces too small to be clusters.
    pub stray: usize,
    /// Eigenproblems whose bound on work was met before their precision.
    pub unconverged: usize,
    /// `1 - lambda_(k+1)` over `1 - lambda_k` on the plain graph: large where `k` clusters stand out.
    pub eigengap: f64,
    /// `lambda_(k+1)` on the plain graph.
    pub next_eigenvalue: f64,
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
    let (mut tried, mut soundness) = (Vec::new(), SoundnessCheck::default());
    for representation in options.representation.candidates(rows.ncols()) {
        if observer.interrupted() {
            return Err(Error::Interrupted);
        }
        observer.stage(&format!("start on {representation} rows"));
        let represented = representation.fit(rows)?.apply(nodes.clone());
        let neighbors = options.graph.nearest(represented.view());
        if soundness.passes(representation, &neighbors) {
            let graphs = GraphSet::over(&neighbors, options.graph);
            tried.push(try_graphs(&representation.to_string(), &graphs, represented.view(), options)?);
        }
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

/// Every partition that graphs over these rows offer, under the name of their representation.
fn try_graphs(name: &str, graphs: &GraphSet, rows: ArrayView2<f32>, options: &StartOptions) -> Result<Tried> {
    let k = options.clusters;
    let proposer = match options.eigenvectors {
        true => Proposer::eigenvectors(rows, options.seed),
        false => Proposer::merging(rows, k, options.seed)?,
    };
    let components = connected_components(graphs.first());
    let (large_pieces, stray) = Pieces::count(&components, k);
    let components = components.count();
    let representation = name.to_owned();
    let mut tried = Tried { representation, components, large_pieces, stray, ..Default::default() };
    for (g, (name, graph)) in graphs.named().enumerate() {
        let pieces = Pieces::joined(graph, rows, graphs.scales(), k);
        let proposed = proposer.propose(&pieces, k)?;
        if g < graphs.n_judges() {
            tried.next_prices.push(proposed.price_of_next);
        }
        if g == 0 {
            tried.eigengap = proposed.eigengap;
            tried.next_eigenvalue = 1.0 - proposed.price_of_next;
        }
        tried.unconverged += usize::from(!proposed.converged);
        for proposal in proposed.partitions {
            let labels = pieces.spread(&proposal.labels);
            let score = graphs.log_cut(&labels, k) + proposal.handicap;
            let (labels, _) = refine(graph, &labels, k, REFINE_SWEEPS);
            tried.partitions.push(Partition { method: format!("{name} graph, {}", proposal.method), labels, score });
        }
    }
    let means = by_means(rows, k, options.seed)?;
    let score = graphs.log_cut(&means.labels, k) + means.handicap;
    tried.partitions.push(Partition { method: means.method, labels: means.labels, score });
    Ok(tried)
}

#[cfg(test)]
mod tests;
