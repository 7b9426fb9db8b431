//! The relaxed cut loss, Eq. (our_loss), and its gradient with respect to the memberships, in closed form.
//!
//! Legend: `m` rows, `k` clusters; `W` affinity `(m, m)`; `d` degrees; `Y` memberships `(m, k)`; `s_i` what a row counts in its
//! cluster's volume (its degree for the normalized cut, one for the ratio cut); `v_l = sum_i s_i y_il` soft volumes, Eq. (soft_vol);
//! `H = Y diag(v)^-1/2`; `G = H' diag(s) H`; `R = G - I`.

use crate::graph::BatchGraph;
use crate::linalg::Packed;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Keeps the volume of an empty cluster away from zero; relative to the mean volume, so that scaling `W` changes nothing.
const VOLUME_FLOOR: f64 = 1e-7;

/// Rows per task.
const TASK_ROWS: usize = 128;

/// What the cut of a cluster is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// Its volume: the normalized cut, Eq. (ncut1).
    #[default]
    Ncut,
    /// Its size: the ratio cut, Eq. (rcut), which makes NeuRcut.
    Rcut,
}

/// How far from orthogonal memberships are punished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    /// `gamma / 2 |R|_F^2`, the paper's text.
    Squared,
    /// `gamma |R|_F / k`, the published code: an exact penalty, hard memberships at a finite gamma.
    #[default]
    Normed,
}

/// Whether the volumes are part of what is differentiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Volumes {
    /// Gradients flow through them, as in the published code.
    #[default]
    Flow,
    /// They are held fixed in a step, Algorithm 1 read literally.
    Held,
}

/// The loss of Eq. (our_loss) with its options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutLoss {
    /// Normalized or ratio cut.
    pub cut: Cut,
    /// The form of the orthogonality penalty.
    pub penalty: Penalty,
    /// Whether gradients flow through the volumes.
    pub volumes: Volumes,
    /// The penalty's weight.
    pub gamma: f32,
}

/// The loss on one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct CutLossValue {
    /// `L_lap`, the relaxed cut.
    pub lap: f64,
    /// `|R|_F^2` for the squared penalty, `|R|_F` for the normed one.
    pub orth: f64,
    /// The sum that is minimised.
    pub total: f64,
    /// Gradient of `total` with respect to the memberships, `(m, k)`.
    pub gradient: Array2<f32>,
}

impl CutLoss {
    /// The loss of these memberships `(m, k)` on this graph, with its gradient.
    pub fn evaluate(&self, graph: &BatchGraph, memberships: ArrayView2<f32>) -> CutLossValue {
        let (m, k) = memberships.dim();
        let degrees = graph.degrees();
        let shares = match self.cut {
            Cut::Ncut => degrees.clone(),
            Cut::Rcut => Array1::ones(degrees.len()),
        };
        let volumes = soft_volumes(memberships, &shares);
        // L Y = diag(d) Y - W Y
        let mut laplacian_y = graph.multiply(memberships);
        for_rows(&mut laplacian_y, |i, mut row| {
            row.zip_mut_with(&memberships.row(i), |o, &y| *o = degrees[i] * y - *o);
        });
        let quadratic = column_dots(memberships, laplacian_y.view()); // q_l = y_l' L y_l
        let lap = quadratic.iter().zip(&volumes).map(|(q, v)| q / v).sum();

        let mut scaled = memberships.to_owned(); // diag(s) Y
        for_rows(&mut scaled, |i, mut row| row *= shares[i]);
        let mut products = Array2::zeros((k, k));
        Packed::new(scaled.view()).product(products.view_mut(), memberships.t(), |_, _, _| {});
        let gram = normalized_gram(&products, &volumes);
        let (orth, penalty, slope) = self.penalty_of(&gram);

        // M = P / sqrt(v v'): 2 diag(s) Y M is the penalty's gradient with the volumes held
        let coupling =
            Array2::from_shape_fn((k, k), |(a, b)| (2.0 * slope[[a, b]] / (volumes[a] * volumes[b]).sqrt()) as f32);
        let flow = self.volume_slopes(&quadratic, &volumes, &gram, &slope);
        let doubled: Vec<f32> = volumes.iter().map(|v| (2.0 / v) as f32).collect();
        let mut gradient = Array2::zeros((m, k));
        let laplacian_y = laplacian_y.as_slice().expect("a product lies in one piece");
        Packed::new(coupling.view()).product(gradient.view_mut(), scaled.view(), |row, column, entries| {
            let through_cut = &laplacian_y[row * k + column..];
            let through_volumes = flow[column..].iter().map(|flow| shares[row] * flow);
            for (((o, ly), doubled), volume) in
                entries.iter_mut().zip(through_cut).zip(&doubled[column..]).zip(through_volumes)
            {
                *o += doubled * ly + volume;
            }
        });
        CutLossValue { lap, orth, total: lap + penalty, gradient }
    }

    /// `L_orth`, the weighted penalty, and `P = d penalty / d G`.
    fn penalty_of(&self, gram: &Array2<f64>) -> (f64, f64, Array2<f64>) {
        let k = gram.nrows();
        let gamma = f64::from(self.gamma);
        let residual = gram - &Array2::<f64>::eye(k);
        let squared = residual.iter().map(|r| r * r).sum::<f64>();
        match self.penalty {
            Penalty::Squared => (squared, 0.5 * gamma * squared, residual * gamma),
            Penalty::Normed => {
                let norm = squared.sqrt();
                let slope = if norm > 0.0 { gamma / (k as f64 * norm) } else { 0.0 };
                (norm, gamma * norm / k as f64, residual * slope)
            }
        }
    }

    /// The derivative of the loss with respect to each volume, zero where they are held.
    fn volume_slopes(&self, quadratic: &[f64], volumes: &[f64], gram: &Array2<f64>, slope: &Array2<f64>) -> Vec<f32> {
        if self.volumes == Volumes::Held {
            return vec![0.0; volumes.len()];
        }
        let through_gram = (slope * gram).sum_axis(Axis(1));
        (0..volumes.len()).map(|l| (-(quadratic[l] / volumes[l] + through_gram[l]) / volumes[l]) as f32).collect()
    }
}

/// `v_l = sum_i s_i y_il`, Eq. (soft_vol), kept from zero.
fn soft_volumes(memberships: ArrayView2<f32>, shares: &Array1<f32>) -> Vec<f64> {
    let volumes = sum_over_rows(memberships.dim(), |i, volumes| {
        for (volume, &y) in volumes.iter_mut().zip(memberships.row(i)) {
            *volume += f64::from(shares[i]) * f64::from(y);
        }
    });
    let total: f64 = volumes.iter().sum();
    let floor = (VOLUME_FLOOR * total / volumes.len() as f64).max(f64::MIN_POSITIVE);
    volumes.iter().map(|v| v + floor).collect()
}

fn column_dots(left: ArrayView2<f32>, right: ArrayView2<f32>) -> Vec<f64> {
    sum_over_rows(left.dim(), |i, sums| {
        for ((sum, &a), &b) in sums.iter_mut().zip(left.row(i)).zip(right.row(i)) {
            *sum += f64::from(a) * f64::from(b);
        }
    })
}

/// What `add` adds up over all `m` rows, `k` sums: some rows at a time on all cores, then those in order.
fn sum_over_rows((m, k): (usize, usize), add: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
    let part = |part: usize| {
        let mut sums = vec![0.0; k];
        (part * TASK_ROWS..((part + 1) * TASK_ROWS).min(m)).for_each(|i| add(i, &mut sums));
        sums
    };
    let parts: Vec<Vec<f64>> = (0..m.div_ceil(TASK_ROWS)).into_par_iter().map(part).collect();
    let mut total = vec![0.0; k];
    for part in &parts {
        total.iter_mut().zip(part).for_each(|(total, x)| *total += x);
    }
    total
}

/// Changes every row, on all cores.
fn for_rows(matrix: &mut Array2<f32>, change: impl Fn(usize, ArrayViewMut1<f32>) + Sync) {
    let rows = matrix.axis_iter_mut(Axis(0)).into_par_iter().enumerate().with_min_len(TASK_ROWS);
    rows.for_each(|(i, row)| change(i, row));
}

fn normalized_gram(products: &Array2<f32>, volumes: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn(products.dim(), |(a, b)| f64::from(products[[a, b]]) / (volumes[a] * volumes[b]).sqrt())
}

#[cfg(test)]
mod tests;
