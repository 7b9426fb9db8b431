//! How many clusters: evidence for every number in a range, from one graph and one tree of merges, and a recommendation.
//!
//! Of the [representations](Representation) that an ensemble would try, the one whose graph of nearest neighbours has the highest modularity
//! is taken. Its small communities are merged two by two, the closest first, which gives a partition into every number of clusters
//! ([`ladder`]). Each is measured: how well halves of the rows lead to it again ([`stability`]), how much of the rows it tells, how far
//! the merges before it are from those after it, modularity, coding length, silhouette. `recommendation` says what these come to.
//!
//! ```
//! use ndarray::Array2;
//! use neuncut::ensemble::ClusterCount;
//!
//! let rows = Array2::from_shape_fn((300, 2), |(i, j)| {
//!     let (turn, reach) = (i as f32 * 2.4, ((i * 37 % 101) as f32 / 101.0).sqrt());
//!     [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]][i % 3][j] + reach * if j == 0 { turn.cos() } else { turn.sin() }
//! });
//! let found = ClusterCount::default().find(rows.view(), &mut neuncut::train::Silent)?;
//! assert_eq!(found.chosen(), 3);
//! # Ok::<(), neuncut::Error>(())
//! ```

mod findings;
mod ladder;
mod peaks;
mod range;
mod recommendation;
mod silhouette;
mod stability;

pub use findings::{CountEvidence, CountFindings};
pub use peaks::peaks;
pub use range::ClusterRange;

use super::neighbor_graphs::NeighborGraphs;
use super::pieces::Pieces;
use super::soundness::SoundnessCheck;
use super::units::representations;
use super::{EnsembleOptions, LANDMARKS, LANDMARKS_PER_CLUSTER, Repeats};
use crate::features::Representation;
use crate::graph::{Csr, Joint, Neighbors, natural_communities, nearest_neighbors};
use crate::interrupt::stoppable;
use crate::train::Observer;
use crate::{Error, Result, Seed};
use ladder::Ladder;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// The search for the number of clusters.
#[derive(Debug, Clone, Copy)]
pub struct ClusterCount {
    /// What is chosen from.
    pub range: ClusterRange,
    /// How rows are represented; automatic takes the one of several whose graph has the highest modularity.
    pub representation: Representation,
    /// Random seed.
    pub seed: u64,
}

impl Default for ClusterCount {
    fn default() -> Self {
        Self { range: ClusterRange::AUTO, representation: Representation::Auto, seed: 0 }
    }
}

impl ClusterCount {
    /// Measures every number of clusters of the rows `(n, d)`, telling `observer` how it goes. Of many rows 10,000 are looked at, or 40 for
    /// each of the most clusters if that is more.
    ///
    /// # Errors
    /// When there are too few different rows for the range, or `observer` asks to stop.
    pub fn find(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<CountFindings> {
        self.range.check()?;
        stoppable(observer.interrupt(), || self.measure(rows, observer))
    }

    fn measure(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<CountFindings> {
        observer.stage("number of clusters");
        let most_rows = LANDMARKS.max(LANDMARKS_PER_CLUSTER * self.range.most.unwrap_or(0));
        let mut order: Vec<usize> = (0..rows.nrows()).collect();
        order.shuffle(&mut Seed(self.seed).stream("landmarks"));
        order.truncate(most_rows);
        let raw = rows.select(Axis(0), &order);
        let repeats = Repeats::of(raw.view(), None);
        let (least, most) = self.range.of_rows(repeats.first.len())?;
        let options = EnsembleOptions::default();
        let network = self.best_network(rows, raw, &repeats, least, &options, observer)?;
        let evidence = network.evidence(&repeats.counts, least, most, self.seed, &options, observer)?;
        let representation = network.representation.to_string();
        Ok(CountFindings::of(evidence, representation, repeats.first.len()))
    }

    /// The representation whose graph has the highest modularity. `raw` are some of the rows.
    fn best_network(
        &self,
        rows: ArrayView2<f32>,
        raw: Array2<f32>,
        repeats: &Repeats,
        least: usize,
        options: &EnsembleOptions,
        observer: &mut dyn Observer,
    ) -> Result<Network> {
        let count = options.judges(repeats.first.len(), rows.ncols(), least)[0];
        let mut soundness = SoundnessCheck::new(options);
        let mut best: Option<(f64, Network)> = None;
        for representation in representations(rows, self.representation, options) {
            observer.go_on()?;
            let all = representation.fit(rows)?.apply(raw.clone());
            let nodes = if repeats.are_none() { all } else { all.select(Axis(0), &repeats.first) };
            let neighbors = nearest_neighbors(nodes.view(), 2 * count); // half of the rows have half of them
            if !soundness.passes(representation, &neighbors) {
                continue;
            }
            let network = Network { representation, nodes, neighbors, count };
            let modularity = network.modularity(&repeats.counts, self.seed);
            if best.as_ref().is_none_or(|(highest, _)| modularity > *highest) {
                best = Some((modularity, network));
            }
        }
        let problem = "the number of clusters cannot be chosen: noise hides the neighbours of the rows; give a number";
        best.map(|(_, network)| network).ok_or_else(|| Error::Degenerate(problem.into()))
    }
}

/// The different rows in one representation, with their neighbours.
struct Network {
    representation: Representation,
    nodes: Array2<f32>,
    neighbors: Neighbors,
    /// Neighbours per row of its graph.
    count: usize,
}

impl Network {
    fn modularity(&self, counts: &[f32], seed: u64) -> f64 {
        let graph = NeighborGraphs::new(&self.neighbors, counts, None).graph(self.count);
        let natural = natural_communities(&graph, &mut Seed(seed).stream("natural communities"));
        let found = natural.iter().max().map_or(0, |&last| last as usize + 1);
        Joint::of(&graph, &natural, found).modularity()
    }

    /// What speaks for each number of clusters from `least` to `most`.
    fn evidence(
        &self,
        counts: &[f32],
        least: usize,
        most: usize,
        seed: u64,
        options: &EnsembleOptions,
        observer: &mut dyn Observer,
    ) -> Result<Vec<CountEvidence>> {
        let graphs = NeighborGraphs::new(&self.neighbors, counts, None);
        let graph = graphs.graph(self.count);
        let climb = Climb { options, least, most, seed };
        let (pieces, ladder) = climb.ladder(&graph, self.nodes.view(), &graphs.scales());
        let spectrum = ladder.spectrum()?;
        let labels: Vec<Vec<u32>> = (least..=most).into_par_iter().map(|k| pieces.spread(&ladder.labels(k))).collect();
        observer.go_on()?;
        let stabilities = stability::of(self, counts, &climb, &labels)?;
        observer.go_on()?;
        let silhouettes = silhouette::of(self.nodes.view(), &labels);
        let of = |at: usize| {
            let (k, labels) = (least + at, &labels[at]);
            let joint = Joint::of(&graph, labels, k);
            let mut sizes = vec![0; k];
            labels.iter().for_each(|&label| sizes[label as usize] += 1);
            let distance = |l: usize| (1.0 - spectrum.get(l).copied().unwrap_or(0.0)).max(1e-9);
            CountEvidence {
                clusters: k,
                score: 0.0,
                stability: stabilities[at],
                entropy: joint.entropy(),
                coding_length: joint.coding_length(&graph),
                modularity: joint.modularity(),
                gap: ladder.gap(k),
                eigengap: distance(k) / distance(k - 1),
                silhouette: silhouettes[at],
                smallest: sizes.into_iter().min().unwrap_or(0),
            }
        };
        Ok((0..labels.len()).into_par_iter().map(of).collect())
    }
}

/// How partitions are made of a graph.
struct Climb<'a> {
    options: &'a EnsembleOptions,
    least: usize,
    most: usize,
    seed: u64,
}

impl Climb<'_> {
    /// The partitions of a graph over rows, whose distances to their own neighbours are in `scales`.
    fn ladder(&self, graph: &Csr, rows: ArrayView2<f32>, scales: &Array1<f32>) -> (Pieces, Ladder) {
        let pieces = Pieces::joined(graph, rows, scales, self.most, self.options.small_piece);
        let main = rows.select(Axis(0), pieces.main());
        let ladder = Ladder::of(&pieces.graph, main.view(), self.most, self.seed);
        (pieces, ladder)
    }
}

#[cfg(test)]
mod tests;
