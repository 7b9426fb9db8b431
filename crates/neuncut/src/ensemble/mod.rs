//! Clusters by an ensemble of partitions, chosen without labels: the start of a neural cut, and a method of its own.
//!
//! No single way is right for all data. So several [representations](Representation) of the rows, graphs of several numbers of
//! neighbours and several ways to partition them are tried; representations whose neighbourhoods fall apart are left out. A judge marks
//! each partition, and the best is taken.
//!
//! ```
//! use ndarray::Array2;
//! use neuncut::clustering::{Clusterer, Clustering};
//! use neuncut::ensemble::Ensemble;
//!
//! let rows = Array2::from_shape_fn((60, 2), |(i, j)| (i / 30) as f32 * 10.0 + ((i * 7 + j * 3) % 11) as f32 * 0.1);
//! let fitted = Ensemble::new(2).fit(rows.view())?;
//! assert_ne!(fitted.labels()[0], fitted.labels()[59]);
//! # Ok::<(), neuncut::Error>(())
//! ```

mod choice;
mod cluster_count;
mod embedding;
mod given_graph;
mod judge;
mod neighbor_graphs;
mod options;
mod partitions;
mod pieces;
mod pool;
mod soundness;
mod spreading;
mod units;

pub use choice::{Candidate, NaturalCommunities};
pub(crate) use choice::{GraphFindings, number_or_nan};
pub use cluster_count::{ClusterCount, ClusterRange, CountEvidence, CountFindings, peaks};
pub(crate) use given_graph::{find_on_graph, mean_distances};
pub(crate) use judge::Judge;
pub(crate) use neighbor_graphs::NeighborGraphs;
pub use options::EnsembleOptions;
pub(crate) use options::EnsembleTask;
pub(crate) use pieces::Pieces;
pub use pool::{Pool, PoolPartition};
pub(crate) use spreading::spread_labels;
pub(crate) use units::representations;

use crate::clustering::{Clusterer, Clustering};
use crate::features::Representation;
use crate::graph::{Csr, connected_components, near_neighbors};
use crate::interrupt::{self, stoppable};
use crate::train::{Observer, Silent};
use crate::{Error, Result, Seed};
use choice::{Choice, Partition, Trial, choose};
use ndarray::{ArrayView2, Axis};
use rand::seq::SliceRandom;
use rayon::prelude::*;
use soundness::SoundnessCheck;
use std::collections::HashMap;

/// Most rows that are clustered by the ensemble itself unless told otherwise, or this many per cluster; the others follow them.
pub(crate) const LANDMARKS: usize = 10_000;
pub(crate) const LANDMARKS_PER_CLUSTER: usize = 40;

/// The ensemble, ready to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble {
    /// Number of clusters.
    pub n_clusters: usize,
    /// How rows are represented; automatic tries several.
    pub representation: Representation,
    /// Most rows that are clustered; the others follow their nearest of these. Automatic is 10,000, or 40 per cluster if that is more.
    pub landmarks: Option<usize>,
    /// Random seed.
    pub seed: u64,
    /// Every constant.
    pub options: EnsembleOptions,
}

/// Labels, and what was seen on the way.
#[derive(Debug, Clone)]
pub struct EnsembleFitted {
    /// The partition that was chosen, such as `unit rows, 20 neighbours, Leiden`.
    pub leader: String,
    /// The representation in which it was found.
    pub representation: Representation,
    /// Every partition that was tried, the best first.
    pub candidates: Vec<Candidate>,
    /// The largest adjusted Rand index between two of the best three: low where none agree.
    pub agreement: f64,
    labels: Vec<u32>,
}

impl Clustering for EnsembleFitted {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Ensemble {
    /// The defaults for this many clusters.
    pub fn new(n_clusters: usize) -> Self {
        let options = EnsembleOptions::default();
        Self { n_clusters, representation: Representation::Auto, landmarks: None, seed: 0, options }
    }

    /// Fits the rows `(n, d)`, telling `observer` how it goes.
    ///
    /// # Errors
    /// When an option cannot be used, or the rows are fewer or less different than the clusters.
    pub fn fit_observed(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<EnsembleFitted> {
        self.fit_weighed(rows, None, observer)
    }

    /// The same with rows that weigh something each, on average one; those that weigh nothing follow the others.
    ///
    /// # Errors
    /// As [`Self::fit_observed`].
    pub fn fit_weighed(
        &self,
        rows: ArrayView2<f32>,
        weights: Option<&[f32]>,
        observer: &mut dyn Observer,
    ) -> Result<EnsembleFitted> {
        stoppable(observer.interrupt(), || self.fit_rows(rows, weights, observer))
    }

    fn fit_rows(
        &self,
        rows: ArrayView2<f32>,
        weights: Option<&[f32]>,
        observer: &mut dyn Observer,
    ) -> Result<EnsembleFitted> {
        self.options.check()?;
        let k = self.n_clusters;
        if k < 2 {
            let labels = vec![0; rows.nrows()];
            return Ok(EnsembleFitted {
                leader: "one cluster".into(),
                representation: Representation::Raw,
                candidates: Vec::new(),
                agreement: 1.0,
                labels,
            });
        }
        let mut order: Vec<usize> = (0..rows.nrows()).collect();
        order.shuffle(&mut Seed(self.seed).stream("landmarks"));
        order.retain(|&row| weights.is_none_or(|weights| weights[row] > 0.0));
        order.truncate(self.landmarks.unwrap_or(LANDMARKS.max(LANDMARKS_PER_CLUSTER * k)).max(k));
        let task = EnsembleTask {
            clusters: k,
            representation: self.representation,
            sigma: None,
            seed: self.seed,
            options: &self.options,
            weights: weights.map(|weights| order.iter().map(|&row| weights[row]).collect()),
            interrupt: interrupt::current(),
        };
        let found = find(rows, &order, &task, observer)?;
        let represented = found.representation.fit(rows)?.apply(rows.to_owned());
        let labels = spread_labels(represented.view(), &order, &found.labels);
        let Found { leader, representation, candidates, agreement, .. } = found;
        Ok(EnsembleFitted { leader, representation, candidates, agreement, labels })
    }
}

impl Clusterer for Ensemble {
    type Fitted = EnsembleFitted;

    fn fit(&self, rows: ArrayView2<f32>) -> Result<EnsembleFitted> {
        self.fit_observed(rows, &mut Silent)
    }
}

/// Labels of the landmarks, and what was seen on the way.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub labels: Vec<u32>,
    pub candidates: Vec<Candidate>,
    /// The largest adjusted Rand index between two of the best three.
    pub agreement: f64,
    /// That between the best and the best one by k-means.
    pub k_means_agreement: Option<f64>,
    /// The best partition.
    pub leader: String,
    /// Its representation.
    pub representation: Representation,
    /// What was seen of its graph.
    pub findings: GraphFindings,
    /// Different rows among the landmarks.
    pub distinct: usize,
}

impl Found {
    fn of(choice: Choice, representation: Representation) -> Self {
        let Choice { labels, candidates, agreement, k_means_agreement, leader, findings, .. } = choice;
        let distinct = labels.len();
        Self { labels, candidates, agreement, k_means_agreement, leader, representation, findings, distinct }
    }
}

/// Finds labels for the landmark rows. `rows` are all training rows, from which representations are learned.
pub(crate) fn find(
    rows: ArrayView2<f32>,
    landmarks: &[usize],
    task: &EnsembleTask,
    observer: &mut dyn Observer,
) -> Result<Found> {
    let raw = rows.select(Axis(0), landmarks);
    let repeats = Repeats::of(raw.view(), task.weights.as_deref());
    if repeats.first.len() < task.clusters {
        return Err(Error::Degenerate(format!(
            "there are only {} different rows for {} clusters: ask for fewer clusters with -k",
            repeats.first.len(),
            task.clusters
        )));
    }
    let (trials, tried) = try_representations(rows, raw.view(), &repeats, task, observer)?;
    let few = task.options.is_few(rows.ncols());
    let choice = choose(&trials, task.clusters, few, task.options)?;
    let representation = tried[choice.trial];
    let natural = trials[choice.trial].judge.natural_communities(&choice.labels, task.clusters, task.seed);
    let mut found = Found::of(choice, representation);
    found.findings.natural = natural;
    found.distinct = repeats.first.len();
    found.labels = repeats.of_row.iter().map(|&node| found.labels[node]).collect();
    Ok(found)
}

/// What each sound representation offers. `raw` are the landmarks among `rows`.
fn try_representations(
    rows: ArrayView2<f32>,
    raw: ArrayView2<f32>,
    repeats: &Repeats,
    task: &EnsembleTask,
    observer: &mut dyn Observer,
) -> Result<(Vec<Trial>, Vec<Representation>)> {
    let columns = rows.ncols();
    let (mut trials, mut tried, mut soundness) = (Vec::new(), Vec::new(), SoundnessCheck::new(task.options));
    for representation in representations(rows, task.representation, task.options) {
        if observer.interrupted() {
            return Err(Error::Interrupted);
        }
        observer.stage(&format!("start on {representation} rows"));
        let all = representation.fit(rows)?.apply(raw.to_owned());
        let nodes = if repeats.are_none() { all.clone() } else { all.select(Axis(0), &repeats.first) };
        let (neighbors, _) =
            near_neighbors(nodes.view(), task.options.most_neighbors(nodes.nrows(), columns, task.clusters));
        if soundness.passes(representation, &neighbors) {
            let graphs = NeighborGraphs::new(&neighbors, &repeats.counts, task.sigma);
            trials.push(try_rows(representation, all.view(), nodes.view(), &graphs, repeats, task)?);
            tried.push(representation);
        }
    }
    Ok((trials, tried))
}

/// Equal rows, which are one node of a graph.
struct Repeats {
    /// The first of each group of equal rows.
    first: Vec<usize>,
    /// For each row which of them it equals.
    of_row: Vec<usize>,
    /// How many rows each group has, or what they weigh; empty where all are different and weigh the same.
    counts: Vec<f32>,
}

impl Repeats {
    fn of(rows: ArrayView2<f32>, weights: Option<&[f32]>) -> Self {
        let mut seen: HashMap<Vec<u32>, usize> = HashMap::new();
        let (mut first, mut counts) = (Vec::new(), Vec::new());
        let of_row = rows.rows().into_iter().enumerate().map(|(i, row)| {
            let bits = row.iter().map(|&x| (x + 0.0).to_bits()).collect(); // + 0.0 makes both zeros one
            let group = *seen.entry(bits).or_insert_with(|| {
                first.push(i);
                counts.push(0.0);
                first.len() - 1
            });
            counts[group] += weights.map_or(1.0, |weights| weights[i]);
            group
        });
        let of_row: Vec<usize> = of_row.collect();
        if first.len() == of_row.len() && weights.is_none() {
            counts.clear();
        }
        Self { first, of_row, counts }
    }

    fn are_none(&self) -> bool {
        self.first.len() == self.of_row.len()
    }
}

/// Every partition that one representation offers. `rows` are all landmarks, `nodes` the different ones.
fn try_rows(
    representation: Representation,
    rows: ArrayView2<f32>,
    nodes: ArrayView2<f32>,
    graphs: &NeighborGraphs,
    repeats: &Repeats,
    task: &EnsembleTask,
) -> Result<Trial> {
    let few = task.options.is_few(rows.ncols());
    let mut partitions = partitions::of_rows(rows, few, task)?;
    for partition in &mut partitions {
        partition.labels = repeats.first.iter().map(|&i| partition.labels[i]).collect();
    }
    let scales = graphs.scales();
    let reach = few.then(|| Reach {
        squared: graphs.squared_reach(task.options.linkage_core),
        is_centred: representation == Representation::Raw,
    });
    let counts = task.options.graphs(nodes.nrows(), rows.ncols(), task.clusters);
    let tried: Vec<GraphTrial> = counts
        .par_iter()
        .enumerate()
        .map(|(at, &count)| {
            let graph = graphs.graph(count);
            let name = format!("{count} neighbours");
            // one graph is enough for single linkage: with more neighbours the tree is the same
            let reach = reach.as_ref().filter(|_| at == 0);
            try_graph(&graph, nodes, &scales, reach, &name, task)
        })
        .collect::<Result<_>>()?;
    // cuts are reported on the first judging graph, and so is its spectrum
    let first_judge = task.options.judges(nodes.nrows(), rows.ncols(), task.clusters)[0];
    let reported = counts.iter().position(|&count| count == first_judge).unwrap_or(0);
    let unconverged = tried.iter().map(|trial| trial.findings.unconverged).sum();
    let findings = GraphFindings { unconverged, ..tried[reported].findings.clone() };
    partitions.extend(tried.into_iter().flat_map(|trial| trial.partitions));
    let judge = Judge::over(graphs, rows.ncols(), task.clusters, task.options);
    Ok(Trial { representation: representation.to_string(), judge, partitions, findings })
}

/// How far rows reach, for linkage.
struct Reach {
    /// The squared distance of each node to a near neighbour.
    squared: ndarray::Array1<f32>,
    /// Whether the rows are centred alone: a standardised column of two values makes islands by itself.
    is_centred: bool,
}

/// What one graph offers.
struct GraphTrial {
    partitions: Vec<Partition>,
    findings: GraphFindings,
}

/// Partitions of one graph over `nodes`, each of whose distance to its own neighbours is in `scales`; single linkage where it is known
/// how far a row reaches.
fn try_graph(
    graph: &Csr,
    nodes: ArrayView2<f32>,
    scales: &ndarray::Array1<f32>,
    reach: Option<&Reach>,
    name: &str,
    task: &EnsembleTask,
) -> Result<GraphTrial> {
    let (k, options) = (task.clusters, task.options);
    let components = connected_components(graph);
    let (large_pieces, stray) = Pieces::count(&components, k, options.small_piece);
    let mut findings = GraphFindings { components: components.count(), large_pieces, stray, ..Default::default() };
    let pieces = Pieces::joined(graph, nodes, scales, k, options.small_piece);
    let mut partitions = vec![partitions::by_leiden(&pieces, name, task)];
    if partitions::can_have_eigenvectors(options, pieces.graph.len(), k) {
        let (by_eigenvectors, spectrum) = partitions::by_eigenvectors(&pieces, nodes.ncols(), name, task)?;
        partitions.extend(by_eigenvectors);
        findings.eigengap = spectrum.eigengap;
        findings.next_eigenvalue = spectrum.next_eigenvalue;
        findings.unconverged = usize::from(!spectrum.converged);
    } else if !options.eigenvectors {
        partitions.push(partitions::by_merging(&pieces, nodes, name, task)?);
    }
    if let Some(reach) = reach {
        partitions.extend(partitions::by_linkage(&pieces, nodes, reach, name, task));
    }
    Ok(GraphTrial { partitions, findings })
}

#[cfg(test)]
mod tests;
