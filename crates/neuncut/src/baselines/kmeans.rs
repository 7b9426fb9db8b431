//! k-means: greedy k-means++ seeding, Lloyd's iterations on matrix products, the best of several restarts.

use crate::clustering::{Clusterer, Clustering, Inductive};
use crate::linalg::{Cores, matmul_into};
use crate::seed::Stream;
use crate::{Error, Result, Seed};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rand::RngExt;
use rayon::prelude::*;

/// Rows a product in the assignment step.
const BLOCK: usize = 1024;

/// k-means with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans {
    /// Number of clusters.
    pub n_clusters: usize,
    /// Independent runs; the one with the least inertia is kept.
    pub restarts: usize,
    /// Most Lloyd iterations a run.
    pub max_iterations: usize,
    /// A run stops when the inertia falls by less than this share.
    pub tolerance: f64,
    /// Random seed.
    pub seed: u64,
}

impl KMeans {
    /// Ten restarts, as is usual.
    pub fn new(n_clusters: usize) -> Self {
        Self { n_clusters, restarts: 10, max_iterations: 100, tolerance: 1e-5, seed: 0 }
    }
}

/// Centres and the labels of the fitted rows.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeansFitted {
    /// `(k, d)`.
    pub centers: Array2<f32>,
    /// Sum of squared distances of rows to their centres.
    pub inertia: f64,
    labels: Vec<u32>,
}

impl Clustering for KMeansFitted {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Inductive for KMeansFitted {
    fn predict(&self, rows: ArrayView2<f32>) -> Result<Vec<u32>> {
        Ok(assign(rows, &squared_norms(rows), self.centers.view()).labels)
    }
}

impl Clusterer for KMeans {
    type Fitted = KMeansFitted;

    fn fit(&self, rows: ArrayView2<f32>) -> Result<KMeansFitted> {
        if self.n_clusters == 0 {
            return Err(Error::config("k", 0, "at least 1"));
        }
        if rows.nrows() < self.n_clusters {
            return Err(Error::TooFewRows {
                what: "the data".into(),
                rows: rows.nrows() as u64,
                needed: self.n_clusters as u64,
                remedy: "ask for fewer clusters".into(),
            });
        }
        let norms = squared_norms(rows);
        let run =
            |restart: usize| self.one_run(rows, &norms, &mut Seed(self.seed).stream(&format!("k-means {restart}")));
        let better = |a: KMeansFitted, b: KMeansFitted| if b.inertia < a.inertia { b } else { a };
        // reduce keeps the order of restarts, so the winner does not depend on threads
        (0..self.restarts.max(1))
            .into_par_iter()
            .map(run)
            .reduce_with(better)
            .ok_or_else(|| Error::config("restarts", 0, "at least 1"))
    }
}

impl KMeans {
    fn one_run(&self, rows: ArrayView2<f32>, norms: &Array1<f32>, rng: &mut Stream) -> KMeansFitted {
        let mut centers = seed_centers(rows, norms, self.n_clusters, rng);
        let mut assigned = assign(rows, norms, centers.view());
        for _ in 0..self.max_iterations {
            centers = means(rows, &assigned, self.n_clusters);
            let next = assign(rows, norms, centers.view());
            let gain = assigned.inertia() - next.inertia();
            let settled = next.labels == assigned.labels || gain <= self.tolerance * assigned.inertia();
            assigned = next;
            if settled {
                break;
            }
        }
        let inertia = assigned.inertia();
        KMeansFitted { centers, inertia, labels: assigned.labels }
    }
}

/// The nearest centre of each row, and the squared distance to it.
struct Assignment {
    labels: Vec<u32>,
    squared: Vec<f32>,
}

impl Assignment {
    fn inertia(&self) -> f64 {
        self.squared.iter().map(|&d| f64::from(d)).sum()
    }
}

fn squared_norms(rows: ArrayView2<f32>) -> Array1<f32> {
    rows.rows().into_iter().map(|row| row.dot(&row)).collect()
}

fn assign(rows: ArrayView2<f32>, norms: &Array1<f32>, centers: ArrayView2<f32>) -> Assignment {
    let center_norms = squared_norms(centers);
    let blocks: Vec<(Vec<u32>, Vec<f32>)> = rows
        .axis_chunks_iter(Axis(0), BLOCK)
        .into_par_iter()
        .enumerate()
        .map(|(block, chunk)| {
            let mut products = Array2::zeros((chunk.nrows(), centers.nrows()));
            matmul_into(products.view_mut(), chunk, centers.t(), Cores::One);
            let nearest = |(i, row): (usize, ndarray::ArrayView1<f32>)| {
                let mut best = (0_u32, f32::INFINITY);
                for (c, (&dot, &norm)) in row.iter().zip(&center_norms).enumerate() {
                    let distance = norm - 2.0 * dot;
                    if distance < best.1 {
                        best = (c as u32, distance);
                    }
                }
                (best.0, (best.1 + norms[block * BLOCK + i]).max(0.0))
            };
            products.rows().into_iter().enumerate().map(nearest).unzip()
        })
        .collect();
    let mut assignment =
        Assignment { labels: Vec::with_capacity(rows.nrows()), squared: Vec::with_capacity(rows.nrows()) };
    for (labels, squared) in blocks {
        assignment.labels.extend(labels);
        assignment.squared.extend(squared);
    }
    assignment
}

/// Cluster means; an empty cluster takes the row farthest from its centre.
fn means(rows: ArrayView2<f32>, assigned: &Assignment, k: usize) -> Array2<f32> {
    let mut sums = Array2::<f64>::zeros((k, rows.ncols()));
    let mut counts = vec![0_usize; k];
    for (row, &label) in rows.rows().into_iter().zip(&assigned.labels) {
        sums.row_mut(label as usize).zip_mut_with(&row, |sum, &x| *sum += f64::from(x));
        counts[label as usize] += 1;
    }
    let mut centers = Array2::zeros((k, rows.ncols()));
    let mut far = farthest_first(assigned, counts.iter().filter(|&&c| c == 0).count());
    for (c, mut center) in centers.rows_mut().into_iter().enumerate() {
        if counts[c] > 0 {
            center.zip_mut_with(&sums.row(c), |x, &sum| *x = (sum / counts[c] as f64) as f32);
        } else if let Some(row) = far.pop() {
            center.assign(&rows.row(row));
        }
    }
    centers
}

fn farthest_first(assigned: &Assignment, count: usize) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..assigned.squared.len()).collect();
    order.sort_by(|&a, &b| assigned.squared[b].total_cmp(&assigned.squared[a]).then(a.cmp(&b)));
    order.truncate(count);
    order
}

/// Greedy k-means++: each centre is the best of a few rows drawn with probability proportional to their squared distance.
fn seed_centers(rows: ArrayView2<f32>, norms: &Array1<f32>, k: usize, rng: &mut Stream) -> Array2<f32> {
    let n = rows.nrows();
    let trials = 2 + (k as f64).ln() as usize;
    let mut centers = Array2::zeros((k, rows.ncols()));
    centers.row_mut(0).assign(&rows.row(rng.random_range(0..n)));
    let mut nearest = distances_to(rows, norms, centers.slice(s![..1, ..])).index_axis(Axis(1), 0).to_owned();
    for c in 1..k {
        let candidates = draw(&nearest, trials, rng);
        let picked = rows.select(Axis(0), &candidates);
        let distances = distances_to(rows, norms, picked.view());
        let potential =
            |t: usize| -> f64 { nearest.iter().zip(distances.column(t)).map(|(&a, &b)| f64::from(a.min(b))).sum() };
        let potentials: Vec<f64> = (0..trials).map(potential).collect();
        let best = (0..trials).min_by(|&a, &b| potentials[a].total_cmp(&potentials[b])).unwrap_or(0);
        centers.row_mut(c).assign(&picked.row(best));
        nearest.zip_mut_with(&distances.column(best), |a, &b| *a = a.min(b));
    }
    centers
}

/// Rows drawn with probability proportional to `weights` (uniformly where all are zero).
fn draw(weights: &Array1<f32>, count: usize, rng: &mut Stream) -> Vec<usize> {
    let mut sum = 0.0;
    let cumulative: Vec<f64> = weights
        .iter()
        .map(|&w| {
            sum += f64::from(w);
            sum
        })
        .collect();
    let last = weights.len() - 1;
    let one = |rng: &mut Stream| match sum > 0.0 {
        true => cumulative.partition_point(|&c| c <= rng.random::<f64>() * sum).min(last),
        false => rng.random_range(0..=last),
    };
    (0..count).map(|_| one(rng)).collect()
}

/// Squared distances `(n, centers)`.
fn distances_to(rows: ArrayView2<f32>, norms: &Array1<f32>, centers: ArrayView2<f32>) -> Array2<f32> {
    let center_norms = squared_norms(centers);
    let mut distances = Array2::zeros((rows.nrows(), centers.nrows()));
    matmul_into(distances.view_mut(), rows, centers.t(), Cores::One);
    for (mut row, &norm) in distances.rows_mut().into_iter().zip(norms) {
        row.zip_mut_with(&center_norms, |d, &c| *d = (norm + c - 2.0 * *d).max(0.0));
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three_groups() -> Array2<f32> {
        let mut rng = Seed(1).stream("groups");
        Array2::from_shape_fn((300, 2), |(i, j)| [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]][i % 3][j] + rng.random::<f32>())
    }

    #[test]
    fn separated_groups_are_found_and_new_rows_labelled_alike() {
        let rows = three_groups();
        let fitted = KMeans::new(3).fit(rows.view()).unwrap();
        let labels = fitted.labels();
        assert!((3..300).all(|i| labels[i] == labels[i % 3]) && labels[0] != labels[1] && labels[1] != labels[2]);
        assert_eq!(fitted.predict(rows.view()).unwrap(), labels);
        assert!((fitted.inertia - 300.0 / 6.0).abs() < 10.0, "two uniform coordinates of variance 1/12 each");
    }

    #[test]
    fn the_same_on_any_number_of_threads() {
        let rows = three_groups();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| KMeans::new(7).fit(rows.view()).unwrap())
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn duplicates_and_too_few_rows() {
        let fitted = KMeans::new(3).fit(Array2::ones((5, 2)).view()).unwrap();
        assert!(fitted.inertia.abs() < 1e-6);
        assert!(KMeans::new(3).fit(Array2::ones((2, 2)).view()).is_err());
        assert!(KMeans::new(0).fit(Array2::ones((2, 2)).view()).is_err());
    }
}
