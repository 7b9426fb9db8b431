//! A mixture of Gaussians with full covariances, fitted by expectation maximisation from k-means: clusters are ellipsoids.
//!
//! For few columns: a covariance has `d^2` entries and every row meets each of them.

use super::KMeans;
use crate::Result;
use crate::clustering::{Clusterer, Clustering};
use crate::interrupt;
use crate::linalg::cholesky;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

/// Rows per task; sums are added in the order of tasks, whatever the threads.
const TASK_ROWS: usize = 512;

/// The options of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianMixture {
    /// Number of clusters.
    pub n_clusters: usize,
    /// Starts from k-means with different seeds; the likeliest mixture is kept.
    pub restarts: usize,
    /// Most rounds per start.
    pub max_iterations: usize,
    /// A start ends where the mean log-likelihood grows by less.
    pub tolerance: f64,
    /// Added to the diagonal of each covariance, as a share of the mean variance of a column.
    pub ridge: f64,
    /// Random seed.
    pub seed: u64,
}

impl GaussianMixture {
    /// Three starts.
    pub fn new(n_clusters: usize) -> Self {
        Self { n_clusters, restarts: 3, max_iterations: 100, tolerance: 1e-4, ridge: 1e-4, seed: 0 }
    }
}

/// Labels of the fitted rows.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianMixtureFitted {
    /// The mean log-likelihood of a row.
    pub log_likelihood: f64,
    labels: Vec<u32>,
}

impl Clustering for GaussianMixtureFitted {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Clusterer for GaussianMixture {
    type Fitted = GaussianMixtureFitted;

    fn fit(&self, rows: ArrayView2<f32>) -> Result<GaussianMixtureFitted> {
        let data = rows.mapv(f64::from);
        let mean_variance = data.var_axis(Axis(0), 0.0).mean().unwrap_or(0.0);
        let ridge = (self.ridge * mean_variance).max(f64::MIN_POSITIVE);
        let mut best: Option<GaussianMixtureFitted> = None;
        for restart in 0..self.restarts.max(1) as u64 {
            let seed = self.seed.wrapping_mul(self.restarts as u64).wrapping_add(restart);
            let start = KMeans { restarts: 1, seed, ..KMeans::new(self.n_clusters) }.fit(rows)?;
            let fitted = self.climb(data.view(), start.labels(), ridge);
            if best.as_ref().is_none_or(|best| fitted.log_likelihood > best.log_likelihood) {
                best = Some(fitted);
            }
        }
        Ok(best.unwrap_or_else(|| GaussianMixtureFitted { log_likelihood: 0.0, labels: vec![0; rows.nrows()] }))
    }
}

impl GaussianMixture {
    fn climb(&self, rows: ArrayView2<f64>, start: &[u32], ridge: f64) -> GaussianMixtureFitted {
        let mut shares = Array2::<f64>::zeros((rows.nrows(), self.n_clusters));
        start.iter().enumerate().for_each(|(i, &c)| shares[[i, c as usize]] = 1.0);
        let mut before = f64::NEG_INFINITY;
        for _ in 0..self.max_iterations {
            interrupt::heed();
            let components = Component::all(rows, shares.view(), ridge);
            let likelihood = expect(rows, &components, &mut shares);
            if likelihood - before < self.tolerance {
                before = likelihood.max(before);
                break;
            }
            before = likelihood;
        }
        let most = |row: ndarray::ArrayView1<f64>| {
            (0..row.len()).rev().max_by(|&a, &b| row[a].total_cmp(&row[b])).expect("there is a component") as u32
        };
        GaussianMixtureFitted { log_likelihood: before, labels: shares.rows().into_iter().map(most).collect() }
    }
}

/// One Gaussian, ready to be evaluated.
struct Component {
    mean: Array1<f64>,
    /// The lower Cholesky factor of the covariance.
    factor: Array2<f64>,
    /// `ln weight - ln det / 2`; the constant of the dimension is left out.
    log_scale: f64,
}

impl Component {
    fn all(rows: ArrayView2<f64>, shares: ArrayView2<f64>, ridge: f64) -> Vec<Self> {
        (0..shares.ncols()).into_par_iter().map(|c| Self::of(rows, shares.column(c), ridge)).collect()
    }

    fn of(rows: ArrayView2<f64>, shares: ndarray::ArrayView1<f64>, ridge: f64) -> Self {
        let (n, d) = rows.dim();
        let total = shares.sum() + 10.0 * f64::EPSILON;
        let mean = shares.dot(&rows) / total;
        let mut covariance = Array2::<f64>::zeros((d, d));
        let mut difference = vec![0.0; d];
        for (row, &share) in rows.rows().into_iter().zip(&shares).filter(|(_, share)| **share > 1e-12) {
            for (out, (x, m)) in difference.iter_mut().zip(row.iter().zip(&mean)) {
                *out = x - m;
            }
            for a in 0..d {
                let scaled = share * difference[a];
                for b in 0..=a {
                    covariance[[a, b]] += scaled * difference[b];
                }
            }
        }
        covariance /= total;
        covariance.diag_mut().iter_mut().for_each(|v| *v += ridge);
        let factor = cholesky(&covariance, |pivot| Some(pivot.max(ridge))).expect("no pivot is refused");
        let log_determinant: f64 = factor.diag().iter().map(|pivot| 2.0 * pivot.ln()).sum();
        let log_scale = (total / n as f64).max(f64::MIN_POSITIVE).ln() - 0.5 * log_determinant;
        Self { mean, factor, log_scale }
    }

    /// The log of weight times density, without the constant of the dimension.
    fn log_density(&self, row: ndarray::ArrayView1<f64>, solved: &mut [f64]) -> f64 {
        let mut square = 0.0;
        for a in 0..row.len() {
            let mut value = row[a] - self.mean[a];
            for (factor, solved) in self.factor.row(a).iter().zip(&solved[..a]) {
                value -= factor * solved;
            }
            solved[a] = value / self.factor[[a, a]];
            square += solved[a] * solved[a];
        }
        self.log_scale - 0.5 * square
    }
}

/// Writes the share of each component in each row, and gives the mean log-likelihood.
fn expect(rows: ArrayView2<f64>, components: &[Component], shares: &mut Array2<f64>) -> f64 {
    let n = rows.nrows().max(1) as f64;
    let tasks = rows.axis_chunks_iter(Axis(0), TASK_ROWS).into_par_iter();
    let sums: Vec<f64> = tasks
        .zip(shares.axis_chunks_iter_mut(Axis(0), TASK_ROWS))
        .map(|(rows, mut shares)| {
            let mut solved = vec![0.0; rows.ncols()];
            let mut sum = 0.0;
            for (row, mut share) in rows.rows().into_iter().zip(shares.rows_mut()) {
                for (out, component) in share.iter_mut().zip(components) {
                    *out = component.log_density(row, &mut solved);
                }
                let largest = share.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
                share.mapv_inplace(|log| (log - largest).exp());
                let total = share.sum();
                share /= total;
                sum += largest + total.ln();
            }
            sum
        })
        .collect();
    sums.iter().sum::<f64>() / n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::metrics::accuracy;
    use rand::RngExt;

    /// Two long parallel ellipses, which k-means cuts across.
    #[test]
    fn long_ellipses_are_found() {
        let mut rng = Seed(0).stream("mixture test");
        let mut normal = || (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0;
        let truth: Vec<u32> = (0..600).map(|i| i % 2).collect();
        let rows =
            Array2::from_shape_fn(
                (600, 2),
                |(i, j)| {
                    if j == 0 { 8.0 * normal() } else { normal() + 6.0 * (i % 2) as f32 }
                },
            );
        let fitted = GaussianMixture::new(2).fit(rows.view()).unwrap();
        assert!(accuracy(fitted.labels(), &truth).unwrap() > 0.99);
        assert!(accuracy(KMeans::new(2).fit(rows.view()).unwrap().labels(), &truth).unwrap() < 0.7);
    }

    #[test]
    fn equal_columns_and_single_rows_do_not_break_it() {
        let rows = Array2::from_shape_fn((40, 3), |(i, _)| (i / 20) as f32 * 5.0 + (i % 20) as f32 * 0.01);
        let fitted = GaussianMixture::new(4).fit(rows.view()).unwrap();
        assert!(fitted.log_likelihood.is_finite());
    }
}
