//! Partitions of rows and of graphs over them.

use super::choice::Partition;
use super::embedding::Embedding;
use super::options::EnsembleTask;
use super::pieces::Pieces;
use super::{EnsembleOptions, Reach};
use crate::baselines::{GaussianMixture, KMeans};
use crate::clustering::{Clusterer, Clustering};
use crate::graph::{EigenOptions, LongEdge, islands, linkage, merge_clusters, refine};
use crate::graph::{leiden_until, top_eigenpairs_until};
use crate::{Result, Seed};
use ndarray::ArrayView2;

/// Up to this many columns thin shapes ask for eigenvectors of high precision.
const PRECISE_COLUMNS: usize = 16;
/// Small clusters for each cluster asked for, rows that one has at least on average, Lloyd iterations for them, and rounds of their
/// improvement on the graph.
const SMALL_PER_CLUSTER: usize = 30;
const ROWS_PER_SMALL: usize = 8;
const SMALL_ITERATIONS: usize = 20;
const SMALL_SWEEPS: usize = 20;

/// How k-means on rows is called.
pub(super) const K_MEANS: &str = "k-means";

/// What the spectrum of a graph says.
pub(super) struct Spectrum {
    /// `1 - lambda_(k+1)` over `1 - lambda_k`.
    pub eigengap: f64,
    /// `lambda_(k+1)`.
    pub next_eigenvalue: f64,
    /// Whether the eigenvectors are as precise as was asked.
    pub converged: bool,
}

/// k-means on the rows, and with few columns a mixture of Gaussians.
pub(super) fn of_rows(rows: ArrayView2<f32>, few: bool, task: &EnsembleTask) -> Result<Vec<Partition>> {
    let (k, options, seed) = (task.clusters, task.options, task.seed);
    let means = KMeans { restarts: restarts(options.row_restarts, k), seed, ..KMeans::new(k) };
    let named =
        |method: &str, labels: &[u32]| Partition { method: method.into(), labels: labels.to_vec(), are_islands: false };
    let mut partitions = vec![named(K_MEANS, means.fit_weighed(rows, task.weights.as_deref())?.labels())];
    if few && k <= options.mixture_clusters {
        let mixture = GaussianMixture { seed, ..GaussianMixture::new(k) };
        partitions.push(named("mixture of Gaussians", mixture.fit(rows)?.labels()));
    }
    Ok(partitions)
}

/// k-means on the leading eigenvectors of a graph, in two embeddings.
pub(super) fn by_eigenvectors(
    pieces: &Pieces,
    columns: usize,
    name: &str,
    task: &EnsembleTask,
) -> Result<(Vec<Partition>, Spectrum)> {
    let (k, options) = (task.clusters, task.options);
    let count = (2 * k + 1).min(pieces.graph.len());
    let tolerance = if columns <= PRECISE_COLUMNS { 1e-8 } else { 1e-5 };
    let precision = EigenOptions { tolerance, ..Default::default() };
    let pairs = top_eigenpairs_until(task.interrupt.clone(), &pieces.graph, count, precision)?;
    // an eigenvalue of 1 may come out a little larger
    let distance = |l: usize| (1.0 - pairs.values.get(l).copied().unwrap_or(0.0)).max(0.0);
    let spectrum = Spectrum {
        eigengap: distance(k) / distance(k - 1).max(1e-9),
        next_eigenvalue: 1.0 - distance(k),
        converged: pairs.converged,
    };
    let partition = |embedding: Embedding| {
        task.interrupt.heed();
        let coordinates = embedding.of(&pairs, &pieces.graph, k, options.fade);
        let restarts = restarts(options.embedding_restarts, k);
        let labels = KMeans { restarts, seed: task.seed, ..KMeans::new(k) }.fit(coordinates.view())?.labels().to_vec();
        Ok(Partition { method: format!("{name}, {embedding}"), labels: pieces.spread(&labels), are_islands: false })
    };
    Ok((Embedding::ALL.into_iter().map(partition).collect::<Result<_>>()?, spectrum))
}

/// Communities by the Leiden algorithm.
pub(super) fn by_leiden(pieces: &Pieces, name: &str, task: &EnsembleTask) -> Partition {
    let rng = &mut Seed(task.seed).stream(&format!("leiden {name}"));
    let labels = leiden_until(task.interrupt.clone(), &pieces.graph, task.clusters, rng);
    Partition { method: format!("{name}, Leiden"), labels: pieces.spread(&labels), are_islands: false }
}

/// Linkage along the edges of a graph: single linkage with each edge as long as its ends are apart or as the rows around either are
/// thin, where it finds as many clusters as are asked for; and islands, which no judge can better, where there are any.
pub(super) fn by_linkage(
    pieces: &Pieces,
    rows: ArrayView2<f32>,
    reach: &Reach,
    name: &str,
    task: &EnsembleTask,
) -> Vec<Partition> {
    let (main, k, options) = (pieces.main(), task.clusters, task.options);
    let edges = |is_thin: bool| -> Vec<LongEdge> {
        let of_node = |(m, &i): (usize, &usize)| {
            pieces.graph.neighbors(m).filter(move |&(other, _)| m < other).map(move |(other, _)| {
                let j = main[other];
                let squared = rows.row(i).iter().zip(rows.row(j)).map(|(x, y)| (x - y) * (x - y)).sum::<f32>();
                let length = if is_thin { squared.max(reach.squared[i]).max(reach.squared[j]) } else { squared };
                LongEdge { from: m as u32, to: other as u32, length }
            })
        };
        main.iter().enumerate().flat_map(of_node).collect()
    };
    let least = ((options.linkage_least_share * rows.nrows() as f64 / k as f64) as usize).max(2);
    let labels = linkage(main.len(), edges(true), k, least);
    let found = labels.iter().max().map_or(0, |&last| last as usize + 1);
    let linked = (found == k).then_some(("single linkage", labels, false));
    let squared_gap = (options.islands_gap * options.islands_gap) as f32;
    let apart = reach.is_centred.then(|| islands(main.len(), edges(false), k, least, squared_gap)).flatten();
    let apart = apart.map(|labels| ("islands", labels, true));
    let partition = |(method, labels, are_islands): (&str, Vec<u32>, bool)| {
        let labels = pieces.spread(&labels);
        Partition { method: format!("{name}, {method}"), labels, are_islands }
    };
    linked.into_iter().chain(apart).map(partition).collect()
}

/// Small clusters of the rows, improved on the graph and merged two by two where their Ncut stays lowest: no eigenvectors.
pub(super) fn by_merging(pieces: &Pieces, rows: ArrayView2<f32>, name: &str, task: &EnsembleTask) -> Result<Partition> {
    let k = task.clusters;
    let count = (SMALL_PER_CLUSTER * k).min(rows.nrows() / ROWS_PER_SMALL).max(k);
    let means = KMeans { restarts: 1, max_iterations: SMALL_ITERATIONS, seed: task.seed, ..KMeans::new(count) };
    let small = means.fit(rows)?;
    task.interrupt.heed();
    let labels: Vec<u32> = pieces.main().iter().map(|&i| small.labels()[i]).collect();
    let (improved, _) = refine(&pieces.graph, &labels, count, SMALL_SWEEPS);
    let merged = merge_clusters(&pieces.graph, &improved, k);
    let method = format!("{name}, merged small clusters");
    Ok(Partition { method, labels: pieces.spread(&merged.labels), are_islands: false })
}

/// Whether the eigenvectors of every graph can be computed in bounded time: with many clusters they cannot.
pub(super) fn can_have_eigenvectors(options: &EnsembleOptions, nodes: usize, k: usize) -> bool {
    options.eigenvectors && 2 * k * nodes <= options.eigenvector_entries
}

fn restarts(usual: usize, k: usize) -> usize {
    usual.min(1000 / k).max(1)
}
