//! Ward's method (1963): of all clusters the two are merged whose union adds least to the sum of squares, until `k` are left.
//!
//! By chains of nearest neighbours (Murtagh 1983): a chain leads from cluster to nearest cluster until two are each other's nearest,
//! which are merged. That makes the same merges in another order. Centres take the place of a matrix of all pairs, so that memory
//! grows with the rows; time grows with their square.

use crate::clustering::{Clusterer, Clustering};
use crate::train::{Observer, Silent};
use crate::vector::squared_distance;
use crate::{Error, Result};
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

/// Clusters per task when the nearest is looked for.
const TASK_CLUSTERS: usize = 256;

/// The options of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ward {
    /// Number of clusters.
    pub n_clusters: usize,
}

/// Labels of the fitted rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WardFitted {
    labels: Vec<u32>,
}

impl Clustering for WardFitted {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Clusterer for Ward {
    type Fitted = WardFitted;

    fn fit(&self, rows: ArrayView2<f32>) -> Result<WardFitted> {
        self.fit_observed(rows, &mut Silent)
    }
}

impl Ward {
    /// Fits the rows `(n, d)`; `observer` can stop it.
    ///
    /// # Errors
    /// When there are fewer rows than clusters, or the observer asks to stop.
    pub fn fit_observed(&self, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<WardFitted> {
        let (n, k) = (rows.nrows(), self.n_clusters.max(1));
        if n < k {
            return Err(Error::too_few_rows("the data".into(), n as u64, k));
        }
        let mut clusters = Clusters::of(rows);
        let mut merges = Vec::with_capacity(n - 1);
        let mut chain: Vec<usize> = Vec::new();
        while merges.len() + 1 < n {
            observer.go_on()?;
            let Some(&last) = chain.last() else {
                chain.push(clusters.alive[0]);
                continue;
            };
            let before = chain.len().checked_sub(2).map(|at| chain[at]);
            let (nearest, cost) = clusters.nearest(last, before);
            if Some(nearest) == before {
                chain.truncate(chain.len() - 2);
                merges.push(Merge { cost, clusters: (last.min(nearest), last.max(nearest)) });
                clusters.merge(last.min(nearest), last.max(nearest));
            } else {
                chain.push(nearest);
            }
        }
        // of equal costs the merge that was made first comes first, so that no cluster is merged before it was made
        merges.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        Ok(WardFitted { labels: labels_of(n, &merges[..n - k]) })
    }
}

/// Two clusters, each by the first of its rows, and what their union adds to the sum of squares.
struct Merge {
    cost: f32,
    clusters: (usize, usize),
}

/// The clusters that are left, each in the place of its first row.
struct Clusters {
    centres: Array2<f32>,
    sizes: Vec<f32>,
    alive: Vec<usize>,
}

impl Clusters {
    fn of(rows: ArrayView2<f32>) -> Self {
        let n = rows.nrows();
        Self { centres: rows.as_standard_layout().into_owned(), sizes: vec![1.0; n], alive: (0..n).collect() }
    }

    fn centre(&self, cluster: usize) -> &[f32] {
        let columns = self.centres.ncols();
        &self.centres.as_slice().expect("centres are in standard layout")[cluster * columns..(cluster + 1) * columns]
    }

    fn cost(&self, a: usize, b: usize) -> f32 {
        let (m, n) = (self.sizes[a], self.sizes[b]);
        m * n / (m + n) * squared_distance(self.centre(a), self.centre(b))
    }

    /// The cluster whose union with this one costs least: of equals the one `before` in the chain, without which it might never end, or
    /// the first.
    fn nearest(&self, cluster: usize, before: Option<usize>) -> (usize, f32) {
        let of_task = |task: &[usize]| {
            let others =
                task.iter().filter(|&&other| other != cluster).map(|&other| (other, self.cost(cluster, other)));
            others.min_by(closer)
        };
        let tasks: Vec<_> = self.alive.par_chunks(TASK_CLUSTERS).map(of_task).collect();
        let nearest = tasks.into_iter().flatten().min_by(closer).expect("two clusters are left");
        match before.map(|before| (before, self.cost(cluster, before))) {
            Some(before) if before.1 <= nearest.1 => before,
            _ => nearest,
        }
    }

    /// Puts the union of `a` and `b` into the place of `a`, which is the smaller.
    fn merge(&mut self, a: usize, b: usize) {
        let (m, n) = (self.sizes[a], self.sizes[b]);
        let (mut first, second) = self.centres.multi_slice_mut((ndarray::s![a, ..], ndarray::s![b, ..]));
        first.zip_mut_with(&second, |x, &y| *x += (y - *x) * (n / (m + n)));
        self.sizes[a] = m + n;
        let place = self.alive.binary_search(&b).expect("a cluster is alive until it is merged");
        self.alive.remove(place);
    }
}

/// The cheaper union; of equals that with the first cluster.
fn closer(a: &(usize, f32), b: &(usize, f32)) -> std::cmp::Ordering {
    a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))
}

/// One label per row, numbered by the first row of each cluster.
fn labels_of(n: usize, merges: &[Merge]) -> Vec<u32> {
    let mut first: Vec<usize> = (0..n).collect();
    for merge in merges {
        let (a, b) = (root(&mut first, merge.clusters.0), root(&mut first, merge.clusters.1));
        first[a.max(b)] = a.min(b);
    }
    let mut numbers = vec![None; n];
    let mut count = 0;
    let label = |i| {
        let root = root(&mut first, i);
        *numbers[root].get_or_insert_with(|| {
            count += 1;
            count - 1
        })
    };
    (0..n).map(label).collect()
}

/// The first row of a row's cluster.
fn root(first: &mut [usize], mut row: usize) -> usize {
    while first[row] != row {
        first[row] = first[first[row]];
        row = first[row];
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::metrics::ari;
    use rand::RngExt;

    fn rows(n: usize, d: usize, seed: u64) -> Array2<f32> {
        let mut rng = Seed(seed).stream("ward");
        Array2::from_shape_simple_fn((n, d), || rng.random_range(-1.0..1.0))
    }

    /// Every pair looked at before every merge.
    fn by_definition(rows: ArrayView2<f32>, k: usize) -> Vec<u32> {
        let mut groups: Vec<Vec<usize>> = (0..rows.nrows()).map(|i| vec![i]).collect();
        let squares = |group: &[usize]| {
            let mean = rows.select(ndarray::Axis(0), group).mean_axis(ndarray::Axis(0)).unwrap();
            group.iter().map(|&i| (&rows.row(i) - &mean).mapv(|x| f64::from(x * x)).sum()).sum::<f64>()
        };
        while groups.len() > k {
            let mut best = (f64::INFINITY, 0, 0);
            for a in 0..groups.len() {
                for b in 0..a {
                    let union: Vec<usize> = groups[a].iter().chain(&groups[b]).copied().collect();
                    let cost = squares(&union) - squares(&groups[a]) - squares(&groups[b]);
                    if cost < best.0 {
                        best = (cost, a, b);
                    }
                }
            }
            let joined = groups.swap_remove(best.1);
            groups[best.2].extend(joined);
        }
        let mut labels = vec![0; rows.nrows()];
        groups.iter().enumerate().for_each(|(g, group)| group.iter().for_each(|&i| labels[i] = g as u32));
        labels
    }

    #[test]
    fn merges_are_those_of_the_definition() {
        for (seed, k) in [(0, 2), (1, 3), (2, 5), (3, 9)] {
            let rows = rows(40, 3, seed);
            let found = Ward { n_clusters: k }.fit(rows.view()).unwrap();
            assert_eq!(ari(found.labels(), &by_definition(rows.view(), k)).unwrap(), 1.0, "seed {seed}");
        }
    }

    #[test]
    fn equal_rows_end_in_one_cluster_and_the_ends_of_the_range_are_reached() {
        let mut rows = rows(30, 2, 4);
        for i in 10..30 {
            let row = rows.row(i % 10).to_owned();
            rows.row_mut(i).assign(&row);
        }
        let labels = Ward { n_clusters: 10 }.fit(rows.view()).unwrap().labels().to_vec();
        assert!((0..30).all(|i| labels[i] == labels[i % 10]), "{labels:?}");
        assert_eq!(Ward { n_clusters: 1 }.fit(rows.view()).unwrap().labels(), [0; 30]);
        let alone = Ward { n_clusters: 30 }.fit(rows.view()).unwrap();
        assert_eq!(alone.labels(), (0..30).collect::<Vec<u32>>());
        assert!(Ward { n_clusters: 31 }.fit(rows.view()).is_err());
    }
}
