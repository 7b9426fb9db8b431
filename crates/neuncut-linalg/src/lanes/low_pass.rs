//! The average over the whole scale, sampled: one small matrix along each axis.

use super::registers::{Lanes, Vector, on_lanes};

/// Samples along a column whose sums are made side by side.
const SIDE: usize = 4;

/// For images of one size.
pub struct LowPass {
    rows: usize,
    columns: usize,
    /// For `SIDE` samples along a column, their weights of each row; zero where samples are missing.
    down: Vec<Vec<[f32; SIDE]>>,
    /// Each sampled column as weights of all columns.
    across: Vec<Vec<f32>>,
    /// Samples along a column.
    samples: usize,
}

impl LowPass {
    /// Samples that are weighted sums: `down` holds, for each sample along a column, the weights of all rows, and `across` for each
    /// sample along a row those of all columns.
    ///
    /// # Panics
    /// If there are no samples along an axis.
    pub fn new(down: &[Vec<f64>], across: &[Vec<f64>]) -> Self {
        let weight = |sample: usize, row: usize| down.get(sample).map_or(0.0, |weights| weights[row] as f32);
        let (rows, samples) = (down[0].len(), down.len());
        let side = |first: usize| (0..rows).map(|row| std::array::from_fn(|i| weight(first + i, row))).collect();
        Self {
            rows,
            columns: across[0].len(),
            down: (0..samples).step_by(SIDE).map(side).collect(),
            across: across.iter().map(|line| line.iter().map(|&w| w as f32).collect()).collect(),
            samples,
        }
    }

    /// Memory for [`LowPass::apply`].
    pub fn lines(&self) -> Vec<Lanes> {
        vec![Lanes::ZERO; SIDE * self.columns]
    }

    /// The samples of an image, row by row.
    ///
    /// # Panics
    /// If the image or `lines` is too small.
    pub fn apply(&self, image: &[Lanes], lines: &mut [Lanes], out: &mut [Lanes]) {
        sample(self, &image[..self.rows * self.columns], &mut lines[..SIDE * self.columns], out);
    }
}

on_lanes! {
    fn sample = sample_of(pass: &LowPass, image: &[Lanes], lines: &mut [Lanes], out: &mut [Lanes])
}

#[inline(always)]
fn sample_of<V: Vector>(pass: &LowPass, image: &[Lanes], lines: &mut [Lanes], out: &mut [Lanes]) {
    let (width, across) = (pass.columns, pass.across.len());
    for (number, (weights, out)) in pass.down.iter().zip(out.chunks_mut(SIDE * across)).enumerate() {
        for x in 0..width {
            let mut sums = [V::all(0.0); SIDE];
            for (weights, row) in weights.iter().zip(image.chunks_exact(width)) {
                let value = V::load(&row[x]);
                for (sum, &weight) in sums.iter_mut().zip(weights) {
                    *sum = *sum + value * V::all(weight);
                }
            }
            for (i, sum) in sums.into_iter().enumerate() {
                sum.store(&mut lines[i * width + x]);
            }
        }
        let wanted = SIDE.min(pass.samples - number * SIDE);
        for (line, out) in lines.chunks_exact(width).take(wanted).zip(out.chunks_exact_mut(across)) {
            for (value, weights) in out.iter_mut().zip(&pass.across) {
                let mut sum = V::all(0.0);
                for (x, &weight) in line.iter().zip(weights) {
                    sum = sum + V::load(x) * V::all(weight);
                }
                sum.store(value);
            }
        }
    }
}
