//! Eigenvectors become labels without k-means: cluster-QR, and rotations towards indicators.

use crate::graph::eigen::symmetric_eigen;
use crate::linalg::matmul;
use crate::{Result, Seed};
use ndarray::{Array1, Array2, ArrayView1, Axis, s};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// How eigenvectors become labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// k-means of their rows.
    #[default]
    KMeans,
    /// Pivoted QR picks one row per cluster, and the others follow (Damle, Minden and Ying 2019). Nothing is random.
    ClusterQr,
    /// The rotation that brings unit rows nearest to indicators (Yu and Shi 2003).
    Discretize,
    /// The rotation that brings eigenvectors nearest to indicators scaled by the volumes of their clusters (Chen, Nie, Huang and Yang 2017).
    Rotation,
}

/// How rows of eigenvectors are scaled before they are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum RowNorm {
    /// Both ways are tried, and the labels of lower cut are kept.
    #[default]
    Auto,
    /// To length one (Ng, Jordan and Weiss 2002).
    Unit,
    /// Not at all (Shi and Malik 2000).
    None,
}

/// Rounds of the search for a rotation, and the change of its value that ends them.
const ROUNDS: usize = 100;
const STEADY: f64 = 1e-10;

/// Makes rows unit; a row of zeros stays.
pub(super) fn unit_rows(rows: &mut Array2<f64>) {
    for mut row in rows.rows_mut() {
        let norm = row.dot(&row).sqrt();
        row.mapv_inplace(|x| if norm > 0.0 { x / norm } else { 0.0 });
    }
}

/// Labels by cluster-QR of the first `k` columns.
pub(super) fn cluster_qr(vectors: &Array2<f64>, k: usize) -> Result<Vec<u32>> {
    let vectors = vectors.slice(s![.., ..k]);
    let picked = vectors.select(Axis(0), &pivots(&vectors.to_owned(), k));
    let turned = matmul(vectors, orthogonal_factor(&picked.t().to_owned())?.view());
    Ok(turned.rows().into_iter().map(|row| argmax(row.mapv(f64::abs).view())).collect())
}

/// The rows that pivoted QR of the transpose takes first: each is the one farthest from the span of those before it.
fn pivots(vectors: &Array2<f64>, k: usize) -> Vec<usize> {
    let mut left = vectors.clone();
    let mut picked = Vec::with_capacity(k);
    for _ in 0..k {
        let norms: Array1<f64> = left.rows().into_iter().map(|row| row.dot(&row)).collect();
        let pivot = argmax(norms.view()) as usize;
        picked.push(pivot);
        if norms[pivot] > 0.0 {
            let direction = left.row(pivot).mapv(|x| x / norms[pivot].sqrt());
            for mut row in left.rows_mut() {
                let along = row.dot(&direction);
                row.scaled_add(-along, &direction);
            }
        }
    }
    picked
}

/// Labels by discretisation of the first `k` columns.
pub(super) fn discretize(vectors: &Array2<f64>, k: usize, seed: u64) -> Result<Vec<u32>> {
    let mut rows = vectors.slice(s![.., ..k]).to_owned();
    unit_rows(&mut rows);
    let mut rotation = first_rotation(&rows, k, seed);
    let mut labels = Vec::new();
    let mut previous = f64::NEG_INFINITY;
    for _ in 0..ROUNDS {
        labels = matmul(rows.view(), rotation.view()).rows().into_iter().map(argmax).collect::<Vec<u32>>();
        let mut sums = Array2::<f64>::zeros((k, k)); // indicators' times rows
        for (row, &label) in rows.rows().into_iter().zip(&labels) {
            sums.row_mut(label as usize).scaled_add(1.0, &row);
        }
        rotation = orthogonal_factor(&sums)?.reversed_axes();
        let value = (&sums * &rotation.t()).sum(); // the sum of the singular values
        if value - previous <= STEADY * value.abs() {
            break;
        }
        previous = value;
    }
    Ok(labels)
}

/// Labels by the rotation `R` of the first `k` eigenfunctions `f` that brings `D^1/2 f R` nearest to the scaled indicators
/// `D^1/2 Y (Y'DY)^-1/2`, where `D` holds the masses of rows: the vertices' degrees, or ones for the ratio cut. Where both sides have
/// orthonormal columns, that is the largest `sum_c sum_(i in c) d_i (f R)_ic / sqrt(v_c)` over labels and rotations, and each is found by
/// turns while the other is held. It starts at the labels of [`discretize`].
pub(super) fn rotate(functions: &Array2<f64>, masses: &[f64], k: usize, seed: u64) -> Result<Vec<u32>> {
    let labels = discretize(functions, k, seed)?;
    let rows = functions.slice(s![.., ..k]);
    rotate_from(&rows.to_owned(), masses, labels)
}

/// The same from given labels.
pub(super) fn rotate_from(rows: &Array2<f64>, masses: &[f64], mut labels: Vec<u32>) -> Result<Vec<u32>> {
    let k = rows.ncols();
    let mut previous = f64::NEG_INFINITY;
    for _ in 0..ROUNDS {
        let mut sums = Array2::<f64>::zeros((k, k)); // scaled indicators' times rows
        let mut volumes = vec![0.0; k];
        for ((row, &label), &mass) in rows.rows().into_iter().zip(&labels).zip(masses) {
            sums.row_mut(label as usize).scaled_add(mass, &row);
            volumes[label as usize] += mass;
        }
        for (mut sum, &volume) in sums.rows_mut().into_iter().zip(&volumes) {
            sum *= if volume > 0.0 { 1.0 / volume.sqrt() } else { 0.0 };
        }
        let rotation = orthogonal_factor(&sums)?.reversed_axes();
        let mut aligned = Aligned { turned: matmul(rows.view(), rotation.view()), masses, sums: vec![0.0; k], volumes };
        let value = aligned.relabel(&mut labels);
        if value - previous <= STEADY * value.abs() {
            break;
        }
        previous = value;
    }
    Ok(labels)
}

/// Rotated rows, and what their clusters add up to.
struct Aligned<'a> {
    turned: Array2<f64>,
    masses: &'a [f64],
    /// `sum_(i in c) d_i (f R)_ic` of each cluster.
    sums: Vec<f64>,
    volumes: Vec<f64>,
}

impl Aligned<'_> {
    /// Puts one row after another where the alignment is largest, the first of equals; gives the alignment.
    fn relabel(&mut self, labels: &mut [u32]) -> f64 {
        for (i, &label) in labels.iter().enumerate() {
            self.sums[label as usize] += self.masses[i] * self.turned[[i, label as usize]];
        }
        for (i, label) in labels.iter_mut().enumerate() {
            self.add(i, *label as usize, -1.0);
            let gains: Array1<f64> = (0..self.sums.len()).map(|c| self.gain(i, c)).collect();
            *label = argmax(gains.view());
            self.add(i, *label as usize, 1.0);
        }
        (0..self.sums.len()).map(|c| alignment(self.sums[c], self.volumes[c])).sum()
    }

    fn add(&mut self, i: usize, cluster: usize, sign: f64) {
        self.sums[cluster] += sign * self.masses[i] * self.turned[[i, cluster]];
        self.volumes[cluster] += sign * self.masses[i];
    }

    /// How much the alignment of a cluster grows by a row.
    fn gain(&self, i: usize, cluster: usize) -> f64 {
        let (sum, volume) = (self.sums[cluster], self.volumes[cluster]);
        let more = self.masses[i];
        alignment(sum + more * self.turned[[i, cluster]], volume + more) - alignment(sum, volume)
    }
}

/// Of a cluster; nothing where it is empty, up to rounding.
fn alignment(sum: f64, volume: f64) -> f64 {
    if volume > 1e-12 { sum / volume.sqrt() } else { 0.0 }
}

/// Rows as orthogonal to each other as can be found, the first of them random.
fn first_rotation(rows: &Array2<f64>, k: usize, seed: u64) -> Array2<f64> {
    let mut rotation = Array2::zeros((k, k));
    let mut row = Seed(seed).stream("discretisation").random_range(0..rows.nrows());
    let mut alignment = Array1::<f64>::zeros(rows.nrows());
    for c in 0..k {
        rotation.column_mut(c).assign(&rows.row(row));
        alignment += &rows.dot(&rows.row(row)).mapv(f64::abs);
        row = argmax(alignment.mapv(|a| -a).view()) as usize;
    }
    rotation
}

/// An orthogonal matrix nearest to a square one: `M (M'M)^-1/2`, completed where columns depend on each other.
fn orthogonal_factor(matrix: &Array2<f64>) -> Result<Array2<f64>> {
    let (values, vectors) = symmetric_eigen(matmul(matrix.t(), matrix.view()).view())?;
    let floor = values[0].max(f64::MIN_POSITIVE) * 1e-14;
    let mut scaled = vectors.clone();
    for (mut column, &value) in scaled.columns_mut().into_iter().zip(&values) {
        column.mapv_inplace(|x| if value > floor { x / value.sqrt() } else { 0.0 });
    }
    let mut factor = matmul(matrix.view(), matmul(scaled.view(), vectors.t()).view());
    let missing: Vec<usize> = (0..values.len()).filter(|&c| values[c] <= floor).collect();
    if !missing.is_empty() {
        let mut left = matmul(matrix.view(), scaled.view());
        for c in missing {
            let direction = outside(&left);
            for ((i, j), entry) in factor.indexed_iter_mut() {
                *entry += direction[i] * vectors[[j, c]];
            }
            left.column_mut(c).assign(&direction);
        }
    }
    Ok(factor)
}

/// A unit vector orthogonal to columns that are orthonormal or zero: of the axes the one that is farthest from their span.
fn outside(columns: &Array2<f64>) -> Array1<f64> {
    let inside: Array1<f64> = columns.rows().into_iter().map(|row| -row.dot(&row)).collect();
    let axis = argmax(inside.view()) as usize;
    let mut direction = -columns.dot(&columns.row(axis));
    direction[axis] += 1.0;
    let length = direction.dot(&direction).sqrt();
    direction / length
}

/// The place of the largest entry, the first of equals.
fn argmax(row: ArrayView1<f64>) -> u32 {
    let better = |best: (usize, f64), (i, &x): (usize, &f64)| if x > best.1 { (i, x) } else { best };
    row.iter().enumerate().fold((0, f64::NEG_INFINITY), better).0 as u32
}
