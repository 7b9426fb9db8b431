//! Random Fourier features for rows of few columns: a network sees thin spirals and stripes that plain coordinates hide.

use crate::linalg::{Cores, matmul_into};
use crate::seed::Stream;
use ndarray::{Array1, Array2, Axis, concatenate};
use rand::RngExt;
use std::f32::consts::{SQRT_2, TAU};

/// `x / rms`, followed by `sqrt(2) cos(w . x + b)` for random `w` at widths from a few neighbour distances to the whole data.
#[derive(Debug, Clone, PartialEq)]
pub struct FourierFeatures {
    /// What the rows themselves are multiplied by.
    pub scale: f32,
    /// One column a feature, `(d, features)`.
    pub frequencies: Array2<f32>,
    /// `(features,)`.
    pub phases: Array1<f32>,
}

impl FourierFeatures {
    /// `count` features whose widths are spaced evenly in logarithm between `finest` and `coarsest`; the latter is also the root mean
    /// square of the rows.
    pub fn random(columns: usize, count: usize, finest: f32, coarsest: f32, rng: &mut Stream) -> Self {
        let ratio = (finest / coarsest).min(1.0).ln();
        let width = |f: usize| coarsest * (ratio * f as f32 / (count.max(2) - 1) as f32).exp();
        let frequencies = Array2::from_shape_fn((columns, count), |(_, f)| normal(rng) / width(f));
        let phases = (0..count).map(|_| TAU * rng.random::<f32>()).collect();
        Self { scale: 1.0 / coarsest, frequencies, phases }
    }

    /// Rows `(n, d)` to `(n, d + features)`.
    pub fn apply(&self, rows: &Array2<f32>, cores: Cores) -> Array2<f32> {
        let mut waves = Array2::zeros((rows.nrows(), self.phases.len()));
        matmul_into(waves.view_mut(), rows.view(), self.frequencies.view(), cores);
        for mut row in waves.rows_mut() {
            row.zip_mut_with(&self.phases, |x, &phase| *x = SQRT_2 * (*x + phase).cos());
        }
        let scaled = rows * self.scale;
        concatenate(Axis(1), &[scaled.view(), waves.view()]).unwrap_or(waves)
    }
}

/// A standard normal number (Box and Muller).
fn normal(rng: &mut Stream) -> f32 {
    let radius = (-2.0 * (1.0 - rng.random::<f32>()).ln()).sqrt();
    radius * (TAU * rng.random::<f32>()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn inner_products_of_features_approximate_a_gaussian_kernel() {
        // E[2 cos(w.x + b) cos(w.y + b)] = exp(-|x - y|^2 / (2 width^2))
        let features = FourierFeatures::random(2, 20_000, 0.5, 0.5, &mut Seed(1).stream("fourier"));
        let rows = ndarray::array![[0.1, 0.2], [0.4, 0.6]];
        let mapped = features.apply(&rows, Cores::One);
        assert_eq!(mapped.dim(), (2, 20_002));
        assert_eq!(mapped[[1, 0]], 0.8);
        let product =
            mapped.row(0).iter().skip(2).zip(mapped.row(1).iter().skip(2)).map(|(a, b)| a * b).sum::<f32>() / 20_000.0;
        assert!((product - (-0.25_f32 / 0.5).exp()).abs() < 0.02, "{product}");
    }
}
