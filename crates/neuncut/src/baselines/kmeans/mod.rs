//! k-means: greedy k-means++ seeding, Lloyd's iterations on matrix products, the best of several restarts.
//!
//! Restarts go in lockstep: one product of the rows with the centres of all of them, so that the rows are read once an
//! iteration and the product is wide enough to be fast. The best is then followed until it stands still. Above
//! [`KMeans::minibatch_above`] rows the restarts see a sample, and the best is refined in mini-batches of all rows.

mod lloyd;
mod minibatch;
mod seeding;

use crate::clustering::{Clusterer, Clustering, Inductive};
use crate::linalg::{Cores, matmul_into};
use crate::network::Layer;
use crate::tiles::in_tiles;
use crate::{Error, Result, Seed, TableError};
use lloyd::{BLOCK, Centred, Run, descend};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;
use seeding::{seed_centers, seed_rows};

/// Centres of restarts in one product: more would leave the second-level cache.
const STACKED: usize = 512;

/// k-means with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans {
    /// Number of clusters.
    pub n_clusters: usize,
    /// Independent runs; the one with the least inertia is kept.
    pub restarts: usize,
    /// Most Lloyd iterations a run, and as many again for the best.
    pub max_iterations: usize,
    /// A run stops when the inertia falls by less than this share.
    pub tolerance: f64,
    /// Above this many rows, mini-batches are used.
    pub minibatch_above: usize,
    /// Random seed.
    pub seed: u64,
}

impl KMeans {
    /// Ten restarts, as is usual; mini-batches above a quarter of a million rows.
    pub fn new(n_clusters: usize) -> Self {
        Self { n_clusters, restarts: 10, max_iterations: 100, tolerance: 1e-5, minibatch_above: 250_000, seed: 0 }
    }

    /// The rows `(n, d)` from which the first run begins: as many as clusters, drawn by k-means++, of which some may be equal.
    ///
    /// # Errors
    /// When there are fewer rows than clusters.
    pub fn plus_plus(&self, rows: ArrayView2<f32>) -> Result<Vec<usize>> {
        self.check(rows)?;
        let stream = Seed(self.seed).stream("k-means 0");
        Ok(seed_rows(&Centred::new(rows, None), self.n_clusters, vec![stream])
            .pop()
            .expect("one stream, one set of seeds"))
    }

    /// Fits rows `(n, d)` that weigh something each, in seeds, means and inertia; without weights all the same.
    ///
    /// # Errors
    /// When there are fewer rows than clusters.
    pub fn fit_weighed(&self, rows: ArrayView2<f32>, weights: Option<&[f32]>) -> Result<KMeansFitted> {
        self.check(rows)?;
        let centred = Centred::new(rows, weights);
        let centers = match rows.nrows() > self.minibatch_above {
            true => minibatch::fit(self, &centred),
            false => self.best_run(&centred),
        };
        let mean = centred.mean.clone();
        drop(centred);
        Ok(KMeansFitted::new(rows, mean, centers, weights))
    }

    fn check(&self, rows: ArrayView2<f32>) -> Result<()> {
        if self.n_clusters == 0 {
            return Err(Error::config("k", 0, "at least 1"));
        }
        if self.restarts == 0 {
            return Err(Error::config("restarts", 0, "at least 1"));
        }
        if rows.nrows() < self.n_clusters {
            return Err(Error::TooFewRows {
                what: "the data".into(),
                rows: rows.nrows() as u64,
                needed: self.n_clusters as u64,
                remedy: "ask for fewer clusters".into(),
            });
        }
        Ok(())
    }

    /// The best of all restarts on these rows, followed until it stands still.
    fn best_run(&self, rows: &Centred) -> Array2<f32> {
        let together = (STACKED / self.n_clusters).clamp(1, self.restarts);
        let restarts: Vec<usize> = (0..self.restarts).collect();
        let mut best: Option<Run> = None;
        for group in restarts.chunks(together) {
            let streams = group.iter().map(|restart| Seed(self.seed).stream(&format!("k-means {restart}")));
            let seeds = seed_centers(rows, self.n_clusters, streams.collect());
            for run in descend(rows, seeds, self.max_iterations, self.tolerance) {
                if best.as_ref().is_none_or(|best| run.inertia < best.inertia) {
                    best = Some(run);
                }
            }
        }
        let centers = best.map_or_else(|| Array2::zeros((self.n_clusters, rows.rows.ncols())), |best| best.centers);
        descend(rows, vec![centers.clone()], self.max_iterations, 0.0).pop().map_or(centers, |run| run.centers)
    }
}

/// Centres and the labels of the fitted rows.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeansFitted {
    /// `(k, d)`.
    pub centers: Array2<f32>,
    /// Sum of squared distances of rows to their centres; of rows with weights their weighted mean, times the rows.
    pub inertia: f64,
    /// Column means of the fitted rows.
    pub mean: Array1<f32>,
    labels: Vec<u32>,
    head: Layer,
}

impl KMeansFitted {
    fn new(rows: ArrayView2<f32>, mean: Array1<f32>, centred: Array2<f32>, weights: Option<&[f32]>) -> Self {
        let head = Layer {
            weight: centred.t().mapv(|c| 2.0 * c),
            bias: centred.rows().into_iter().map(|c| -c.dot(&c)).collect(),
        };
        let mut fitted = Self { centers: centred + &mean, inertia: 0.0, mean, labels: Vec::new(), head };
        fitted.labels = fitted.nearest(rows);
        fitted.inertia = inertia(rows, fitted.centers.view(), &fitted.labels, weights);
        fitted
    }

    /// The layer whose largest output is the nearest centre, `2 x.c - |c|^2`, for rows less [`Self::mean`].
    pub fn head(&self) -> &Layer {
        &self.head
    }

    /// In tiles of fixed size, so that a row's label does not depend on the rows around it.
    fn nearest(&self, rows: ArrayView2<f32>) -> Vec<u32> {
        let label = |mut tile: Array2<f32>| {
            tile -= &self.mean;
            let mut scores = Array2::zeros((tile.nrows(), self.head.bias.len()));
            matmul_into(scores.view_mut(), tile.view(), self.head.weight.view(), Cores::One);
            scores += &self.head.bias;
            // a label is exact in f32 up to 2^24 clusters
            let nearest = scores.rows().into_iter().map(|row| {
                let best = row
                    .iter()
                    .enumerate()
                    .fold((0, f32::NEG_INFINITY), |best, (c, &score)| if score > best.1 { (c, score) } else { best });
                best.0 as f32
            });
            Array1::from_iter(nearest).insert_axis(Axis(1))
        };
        in_tiles(rows, 1, label).iter().map(|&label| label as u32).collect()
    }
}

/// The sum of squared distances by differences, which lose no digits.
fn inertia(rows: ArrayView2<f32>, centers: ArrayView2<f32>, labels: &[u32], weights: Option<&[f32]>) -> f64 {
    let blocks: Vec<f64> = rows
        .axis_chunks_iter(Axis(0), BLOCK)
        .into_par_iter()
        .zip(labels.par_chunks(BLOCK))
        .enumerate()
        .map(|(block, (chunk, labels))| {
            let of_row = |(at, (row, &label)): (usize, (ndarray::ArrayView1<f32>, &u32))| -> f64 {
                let center = centers.row(label as usize);
                let squared = f64::from(row.iter().zip(center).map(|(x, c)| (x - c) * (x - c)).sum::<f32>());
                weights.map_or(squared, |weights| squared * f64::from(weights[block * BLOCK + at]))
            };
            chunk.rows().into_iter().zip(labels).enumerate().map(of_row).sum()
        })
        .collect();
    let sum: f64 = blocks.iter().sum();
    let all = |weights: &[f32]| weights.iter().copied().map(f64::from).sum::<f64>();
    weights.map_or(sum, |weights| sum * rows.nrows() as f64 / all(weights))
}

impl Clustering for KMeansFitted {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Inductive for KMeansFitted {
    fn predict(&self, rows: ArrayView2<f32>) -> Result<Vec<u32>> {
        if rows.ncols() != self.centers.ncols() {
            return Err(Error::Table(TableError::Width {
                what: "the data".into(),
                given: rows.ncols(),
                expected: self.centers.ncols(),
                remedy: "give the columns k-means was fitted on".into(),
            }));
        }
        Ok(self.nearest(rows))
    }
}

impl Clusterer for KMeans {
    type Fitted = KMeansFitted;

    fn fit(&self, rows: ArrayView2<f32>) -> Result<KMeansFitted> {
        self.fit_weighed(rows, None)
    }
}

#[cfg(test)]
mod tests;
