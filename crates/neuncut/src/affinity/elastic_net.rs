//! Elastic-net self-expression (EnSC; You, Li, Robinson and Vidal, CVPR 2016).
//!
//! Each unit row `u_j` is written by the others: `c` minimises `tau |c|_1 + (1 - tau)/2 |c|^2 + gamma/2 |u_j - U'c|^2`. The solver
//! is theirs: coordinate descent on a small support, then the rows whose product with the residual exceeds `tau`, the oracle
//! region, join the support, until there is none left. The products of many residuals with all rows are one matrix product.

use super::Affinity;
use super::products::{Entry, Largest, QUERY_BLOCK, for_products, largest_products};
use crate::features::{ElasticDescent, unit_rows};
use crate::graph::{BatchGraph, Csr};
use crate::interrupt;
use crate::linalg::{Cores, matmul_into};
use crate::{Error, Result};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

/// Rows in the first support, and most rows that join it in a round.
const FIRST_SUPPORT: usize = 60;
const LARGEST_REGION: usize = 200;
/// Most rounds, and how far above `tau` a product must be to count.
const ROUNDS: usize = 8;
const REGION_SLACK: f32 = 1e-2;
/// Most sweeps of coordinate descent over all coefficients, and the change that ends them, a share of the largest coefficient.
const SWEEPS: usize = 20;
const STEADY: f32 = 1e-4;

/// The affinity `(|C| + |C'|) / 2` of coefficients whose rows have length one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticNet {
    /// Weight of the error, in multiples of the least that gives a coefficient at all.
    pub gamma: f32,
    /// Share of the l1 norm in the penalty, `tau`.
    pub l1_share: f32,
    /// Largest coefficients kept per row.
    pub kept: usize,
}

impl Default for ElasticNet {
    /// The authors' values for images.
    fn default() -> Self {
        Self { gamma: 50.0, l1_share: 0.9, kept: 50 }
    }
}

impl ElasticNet {
    fn check(&self) -> Result<()> {
        if !(self.gamma > 1.0 && self.gamma.is_finite()) {
            return Err(Error::config("elastic-net gamma", self.gamma, "above 1: at 1 every coefficient is zero"));
        }
        if !(self.l1_share > 0.0 && self.l1_share <= 1.0) {
            return Err(Error::config("l1-share", self.l1_share, "above 0 and at most 1"));
        }
        Ok(())
    }

    /// The coefficients of each row `(n, d)`, largest first.
    ///
    /// # Errors
    /// When an option is out of its range.
    pub fn coefficients(&self, rows: ArrayView2<f32>) -> Result<Vec<Vec<(u32, f32)>>> {
        self.check()?;
        let mut units = rows.to_owned();
        unit_rows(&mut units);
        let units = units.view();
        let interrupt = interrupt::current();
        let blocks: Vec<Vec<Vec<Entry>>> = units
            .axis_chunks_iter(Axis(0), QUERY_BLOCK)
            .into_par_iter()
            .enumerate()
            .map(|(block, queries)| {
                interrupt.heed();
                self.block_coefficients(queries, units, block * QUERY_BLOCK)
            })
            .collect();
        Ok(blocks.into_iter().flatten().collect())
    }

    /// Coefficients of the rows from `first` on.
    fn block_coefficients(&self, queries: ArrayView2<f32>, units: ArrayView2<f32>, first: usize) -> Vec<Vec<Entry>> {
        let nearest = largest_products(queries, units, first, FIRST_SUPPORT);
        let mut problems: Vec<Problem> = nearest.into_iter().map(|near| Problem::new(self, near)).collect();
        let mut open: Vec<usize> = (0..problems.len()).filter(|&q| !problems[q].support.is_empty()).collect();
        for _ in 0..ROUNDS {
            let mut residuals = Array2::zeros((open.len(), units.ncols()));
            for (&q, mut residual) in open.iter().zip(residuals.rows_mut()) {
                problems[q].solve(queries.row(q), units);
                residual.assign(&problems[q].scaled_residual(queries.row(q), units));
            }
            let mut regions = vec![Largest::new(LARGEST_REGION); open.len()];
            let least = self.l1_share * (1.0 + REGION_SLACK);
            for_products(residuals.view(), units, |place, start, products| {
                for (offset, &product) in products.iter().enumerate() {
                    if product.abs() > least && start + offset != first + open[place] {
                        regions[place].offer(((start + offset) as u32, product.abs()));
                    }
                }
            });
            let grown: Vec<bool> =
                open.iter().zip(regions).map(|(&q, region)| problems[q].grow(&region.finish())).collect();
            open = open.iter().zip(&grown).filter(|(_, grown)| **grown).map(|(&q, _)| q).collect();
            if open.is_empty() {
                break;
            }
        }
        for q in open {
            problems[q].solve(queries.row(q), units); // the bound on rounds was met: the last support counts
        }
        problems.into_iter().map(|problem| problem.largest(self.kept)).collect()
    }
}

/// The elastic net of one row.
struct Problem {
    /// Rows that may have a coefficient, ascending.
    support: Vec<u32>,
    /// Their coefficients.
    coefficients: Vec<f32>,
    net: ElasticDescent,
}

impl Problem {
    /// With the rows of largest product as its first support.
    fn new(options: &ElasticNet, nearest: Vec<Entry>) -> Self {
        let largest = nearest.first().map_or(1.0, |entry| entry.1);
        let l1 = options.l1_share;
        let mut support: Vec<u32> = nearest.iter().map(|entry| entry.0).collect();
        support.sort_unstable();
        let coefficients = vec![0.0; support.len()];
        let gamma = options.gamma * l1 / largest;
        let net = ElasticDescent { l1, l2: 1.0 - l1, gamma, sweeps: SWEEPS, steady: STEADY };
        Self { support, coefficients, net }
    }

    fn dictionary(&self, units: ArrayView2<f32>) -> Array2<f32> {
        let places: Vec<usize> = self.support.iter().map(|&i| i as usize).collect();
        units.select(Axis(0), &places)
    }

    /// Coordinate descent on the support, from the coefficients that are there.
    fn solve(&mut self, row: ArrayView1<f32>, units: ArrayView2<f32>) {
        let dictionary = self.dictionary(units);
        let count = self.support.len();
        let mut gram = Array2::<f32>::zeros((count, count));
        matmul_into(gram.view_mut(), dictionary.view(), dictionary.t(), Cores::One);
        self.net.descend(&gram, &mut dictionary.dot(&row).to_vec(), &mut self.coefficients);
    }

    /// `gamma (row - U'c)`: the oracle point.
    fn scaled_residual(&self, row: ArrayView1<f32>, units: ArrayView2<f32>) -> Array1<f32> {
        let mut residual = row.to_owned();
        for (&i, &c) in self.support.iter().zip(&self.coefficients).filter(|(_, c)| **c != 0.0) {
            residual.scaled_add(-c, &units.row(i as usize));
        }
        residual * self.net.gamma
    }

    /// Takes the rows of the oracle region into the support and drops those without a coefficient; false where none is new.
    fn grow(&mut self, region: &[Entry]) -> bool {
        let new: Vec<u32> = region.iter().map(|e| e.0).filter(|i| self.support.binary_search(i).is_err()).collect();
        if new.is_empty() {
            return false;
        }
        let used = self.support.iter().zip(&self.coefficients).filter(|(_, c)| **c != 0.0).map(|(&i, &c)| (i, c));
        let mut joined: Vec<(u32, f32)> = used.chain(new.into_iter().map(|i| (i, 0.0))).collect();
        joined.sort_by_key(|entry| entry.0);
        (self.support, self.coefficients) = joined.into_iter().unzip();
        true
    }

    /// The coefficients that are not zero, largest first.
    fn largest(&self, count: usize) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.support.iter().copied().zip(self.coefficients.iter().copied()).collect();
        entries.retain(|entry| entry.1 != 0.0);
        entries.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        entries.truncate(count);
        entries
    }
}

impl Affinity for ElasticNet {
    fn neighbors(&self) -> Option<usize> {
        Some(self.kept)
    }

    /// There are few coefficients in any case: `None` keeps those.
    fn among(&self, rows: ArrayView2<f32>, neighbors: Option<usize>) -> Result<BatchGraph> {
        let coefficients = Self { kept: neighbors.unwrap_or(usize::MAX), ..*self }.coefficients(rows)?;
        let edges = coefficients.iter().enumerate().flat_map(|(i, row)| {
            let length = row.iter().map(|&(_, c)| c * c).sum::<f32>().sqrt();
            row.iter().map(move |&(j, c)| (i as u32, j, c.abs() / length))
        });
        Ok(BatchGraph::Sparse(Csr::symmetrized(rows.nrows(), edges)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    fn random(n: usize, d: usize) -> Array2<f32> {
        let mut rng = Seed(9).stream("elastic net");
        let mut rows = Array2::from_shape_fn((n, d), |_| rng.random::<f32>() - 0.5);
        unit_rows(&mut rows);
        rows
    }

    #[test]
    fn the_optimality_conditions_hold_over_all_rows() {
        let rows = random(400, 30);
        let options = ElasticNet { kept: 400, ..Default::default() };
        let found = options.coefficients(rows.view()).unwrap();
        let (l1, l2) = (0.9_f64, 0.1_f64);
        for j in [0, 17, 399] {
            let mut residual = rows.row(j).mapv(f64::from);
            for &(i, c) in &found[j] {
                residual.zip_mut_with(&rows.row(i as usize), |r, &u| *r -= f64::from(c) * f64::from(u));
            }
            let product = |i: usize| rows.row(i).iter().zip(&residual).map(|(&u, r)| f64::from(u) * r).sum::<f64>();
            let others = (0..400).filter(|&i| i != j);
            let largest = others.clone().map(|i| rows.row(i).dot(&rows.row(j)).abs()).fold(0.0, f32::max);
            let gamma = 50.0 * l1 / f64::from(largest);
            assert!(!found[j].is_empty() && found[j].iter().all(|&(i, _)| i as usize != j));
            for i in others {
                let c = found[j].iter().find(|entry| entry.0 as usize == i).map_or(0.0, |entry| f64::from(entry.1));
                let slope = gamma * product(i);
                let holds = match c == 0.0 {
                    true => slope.abs() <= l1 * 1.02, // the slack of the oracle region, and as much again
                    false => (slope - l1 * c.signum() - l2 * c).abs() < 0.02 * l1,
                };
                assert!(holds, "row {j}, coefficient {i}: {c} at slope {slope}");
            }
        }
    }

    #[test]
    fn rows_of_one_subspace_express_each_other_only() {
        let mut rng = Seed(5).stream("planes");
        let rows =
            Array2::from_shape_fn((60, 6), |(i, j)| if (j < 3) == (i < 30) { rng.random::<f32>() - 0.5 } else { 0.0 });
        let BatchGraph::Sparse(graph) = ElasticNet::default().of_batch(rows.view()).unwrap() else { panic!("sparse") };
        for i in 0..60 {
            assert!(graph.row(i).0.len() > 1 && graph.neighbors(i).all(|(j, _)| (i < 30) == (j < 30)), "row {i}");
        }
    }

    #[test]
    fn zero_rows_have_no_coefficients_and_bad_settings_are_refused() {
        let mut rows = random(20, 3);
        rows.row_mut(4).fill(0.0);
        let found = ElasticNet::default().coefficients(rows.view()).unwrap();
        assert!(found[4].is_empty() && found.iter().all(|row| row.iter().all(|entry| entry.0 != 4)));
        assert!(ElasticNet { gamma: 0.5, ..Default::default() }.coefficients(rows.view()).is_err());
        assert!(ElasticNet { l1_share: 0.0, ..Default::default() }.coefficients(rows.view()).is_err());
    }
}
