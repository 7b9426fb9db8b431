//! Lloyd's iterations of several runs in lockstep.
//!
//! A pass multiplies blocks of rows by the centres of all runs under way, finds each row's nearest centre and adds the row
//! to its sum. Rows are split into a number of tasks that depends on their number alone, and the tasks' sums are added in
//! order: the result does not depend on threads.

use crate::interrupt;
use crate::linalg::{Cores, matmul_into};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rayon::prelude::*;
use std::borrow::Cow;

/// Rows a product: their distances to some hundred centres stay in the second-level cache.
pub(super) const BLOCK: usize = 256;
/// Rows summed in `f32` before their sum goes to `f64`; and the tasks of a pass.
const LARGEST_UNIT: usize = 4096;
const TASKS: usize = 16;

/// Rows less their column means, which keeps `|x|^2 + |c|^2 - 2 x.c` free of cancellation, with their squared norms.
pub(super) struct Centred {
    pub rows: Array2<f32>,
    pub norms: Vec<f32>,
    pub mean: Array1<f32>,
    /// What each row weighs; all the same where there are none.
    pub weights: Option<Vec<f32>>,
}

impl Centred {
    pub fn new(rows: ArrayView2<f32>, weights: Option<&[f32]>) -> Self {
        let mut sums = Array1::<f64>::zeros(rows.ncols());
        for row in rows.rows() {
            sums.zip_mut_with(&row, |sum, &x| *sum += f64::from(x));
        }
        let mean = sums.mapv(|sum| (sum / rows.nrows().max(1) as f64) as f32);
        let rows = &rows - &mean;
        let norms = squared_norms(rows.view());
        Self { rows, norms, mean, weights: weights.map(<[f32]>::to_vec) }
    }

    /// What a row weighs.
    fn weight(&self, row: usize) -> f32 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Distances of all rows, each as often as the row weighs.
    pub fn weighed<'a>(&self, distances: &'a [f32]) -> Cow<'a, [f32]> {
        match &self.weights {
            Some(weights) => distances.iter().zip(weights).map(|(distance, weight)| distance * weight).collect(),
            None => distances.into(),
        }
    }

    /// Some of the rows, with the same mean taken off.
    pub fn select(&self, chosen: &[usize]) -> Self {
        let norms = chosen.iter().map(|&i| self.norms[i]).collect();
        let weights = self.weights.as_ref().map(|weights| chosen.iter().map(|&i| weights[i]).collect());
        Self { rows: self.rows.select(Axis(0), chosen), norms, mean: self.mean.clone(), weights }
    }
}

pub(super) fn squared_norms(rows: ArrayView2<f32>) -> Vec<f32> {
    rows.axis_iter(Axis(0)).into_par_iter().with_min_len(BLOCK).map(|row| row.dot(&row)).collect()
}

/// A finished run.
pub(super) struct Run {
    /// `(k, d)`, of centred rows.
    pub centers: Array2<f32>,
    /// Of the rows to these centres.
    pub inertia: f64,
}

/// What a pass over the rows found for one run.
#[derive(Clone)]
pub(super) struct Sums {
    /// Sum of each cluster's rows, `(k, d)`.
    pub sums: Array2<f64>,
    /// What the rows of each cluster weigh: their number, where all weigh the same.
    pub counts: Vec<f64>,
    /// Sum of squared distances to the nearest centre.
    pub inertia: f64,
    /// The row farthest from its centre, and its squared distance.
    farthest: (usize, f32),
}

impl Sums {
    fn new(k: usize, d: usize) -> Self {
        Self { sums: Array2::zeros((k, d)), counts: vec![0.0; k], inertia: 0.0, farthest: (0, 0.0) }
    }

    fn add(&mut self, other: &Self) {
        self.sums += &other.sums;
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
        self.inertia += other.inertia;
        if other.farthest.1 > self.farthest.1 {
            self.farthest = other.farthest;
        }
    }

    /// Cluster means. The first empty cluster takes the row farthest from its centre, further ones wait for the next pass.
    pub fn means(&self, rows: &Centred, old: &Array2<f32>) -> Array2<f32> {
        let mut far = (self.farthest.1 > 0.0).then_some(self.farthest.0);
        let mut centers = old.clone();
        for (c, mut center) in centers.rows_mut().into_iter().enumerate() {
            if self.counts[c] > 0.0 {
                center.zip_mut_with(&self.sums.row(c), |x, &sum| *x = (sum / self.counts[c]) as f32);
            } else if let Some(row) = far.take() {
                center.assign(&rows.rows.row(row));
            }
        }
        centers
    }
}

/// Runs Lloyd's iterations from each set of centres until the inertia falls by no more than `tolerance` of itself.
pub(super) fn descend(rows: &Centred, seeds: Vec<Array2<f32>>, most: usize, tolerance: f64) -> Vec<Run> {
    let mut runs: Vec<Run> = seeds.into_iter().map(|centers| Run { centers, inertia: f64::INFINITY }).collect();
    let mut active: Vec<usize> = (0..runs.len()).collect();
    for iteration in 0..=most {
        let centers: Vec<&Array2<f32>> = active.iter().map(|&r| &runs[r].centers).collect();
        let found = pass(rows, &centers);
        let mut still = Vec::new();
        for (&r, sums) in active.iter().zip(&found) {
            let run = &mut runs[r];
            let settled = run.inertia - sums.inertia <= tolerance * sums.inertia && run.inertia.is_finite();
            run.inertia = sums.inertia;
            if !settled && iteration < most {
                run.centers = sums.means(rows, &run.centers);
                still.push(r);
            }
        }
        active = still;
        if active.is_empty() {
            break;
        }
    }
    runs
}

/// Assigns all rows to the nearest centre of each run.
pub(super) fn pass(rows: &Centred, centers: &[&Array2<f32>]) -> Vec<Sums> {
    let (k, d) = centers[0].dim();
    let stacked = Stacked::new(centers);
    let n = rows.rows.nrows();
    let unit = n.div_ceil(TASKS).next_multiple_of(BLOCK).clamp(BLOCK, LARGEST_UNIT);
    let per_task = n.div_ceil(unit).div_ceil(TASKS) * unit;
    let interrupt = interrupt::current();
    let tasks: Vec<Vec<Sums>> = (0..n.div_ceil(per_task))
        .into_par_iter()
        .map(|task| {
            let (first, end) = (task * per_task, ((task + 1) * per_task).min(n));
            let mut total = vec![Sums::new(k, d); centers.len()];
            for first in (first..end).step_by(unit) {
                interrupt.heed();
                stacked.pass_unit(rows, first..(first + unit).min(end), &mut total);
            }
            total
        })
        .collect();
    let mut total = vec![Sums::new(k, d); centers.len()];
    for task in &tasks {
        total.iter_mut().zip(task).for_each(|(sum, part)| sum.add(part));
    }
    total
}

/// The centres of all runs in one matrix.
struct Stacked {
    /// `-2 c`, `(d, runs k)`.
    columns: Array2<f32>,
    /// `|c|^2`.
    norms: Vec<f32>,
    k: usize,
}

impl Stacked {
    fn new(centers: &[&Array2<f32>]) -> Self {
        let views: Vec<_> = centers.iter().map(|c| c.view()).collect();
        let all = ndarray::concatenate(Axis(0), &views).expect("centres of all restarts have the columns of the rows");
        let norms = squared_norms(all.view());
        Self { columns: all.t().mapv(|c| -2.0 * c), norms, k: centers[0].nrows() }
    }

    /// Adds what the rows of a unit have to say. Their sums are kept in `f32` until the end of the unit.
    fn pass_unit(&self, rows: &Centred, unit: std::ops::Range<usize>, total: &mut [Sums]) {
        let d = rows.rows.ncols();
        let mut sums = Array2::<f32>::zeros((self.norms.len(), d));
        let mut products = Array2::zeros((BLOCK, self.norms.len()));
        for first in unit.clone().step_by(BLOCK) {
            let end = (first + BLOCK).min(unit.end);
            let mut products = products.slice_mut(s![..end - first, ..]);
            let block = rows.rows.slice(s![first..end, ..]);
            matmul_into(products.view_mut(), block, self.columns.view(), Cores::One);
            for (offset, (row, products)) in block.rows().into_iter().zip(products.rows()).enumerate() {
                let row = row.to_slice().expect("rows lie in one piece");
                let products = products.to_slice().expect("rows lie in one piece");
                let weight = rows.weight(first + offset);
                for (r, total) in total.iter_mut().enumerate() {
                    let runs = r * self.k..(r + 1) * self.k;
                    let (c, distance) = smallest(&products[runs.clone()], &self.norms[runs]);
                    let squared = (distance + rows.norms[first + offset]).max(0.0) * weight;
                    total.inertia += f64::from(squared);
                    total.counts[c] += f64::from(weight);
                    if squared > total.farthest.1 {
                        total.farthest = (first + offset, squared);
                    }
                    let mut sum = sums.row_mut(r * self.k + c);
                    if let Some(sum) = sum.as_slice_mut() {
                        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x); // 1 * x is x
                    }
                }
            }
        }
        for (r, total) in total.iter_mut().enumerate() {
            let own = sums.slice(s![r * self.k..(r + 1) * self.k, ..]);
            total.sums.zip_mut_with(&own, |sum, &x| *sum += f64::from(x));
        }
    }
}

/// The place and value of the least sum of two entries, the first of equals.
fn smallest(products: &[f32], norms: &[f32]) -> (usize, f32) {
    let mut best = (0, f32::INFINITY);
    for (c, (product, norm)) in products.iter().zip(norms).enumerate() {
        let distance = product + norm;
        if distance < best.1 {
            best = (c, distance);
        }
    }
    best
}
