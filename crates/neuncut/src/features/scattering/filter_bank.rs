//! Morlet wavelets and the Gaussian low-pass, in the Fourier domain, as kymatio 0.3 defines them.
//!
//! A Gabor function is `exp(-u' C u + i xi (cos t, sin t) . u)` with `C` the rotated ellipse `diag(1, slant^2) / 2 sigma^2`,
//! summed over five periods each way; a Morlet wavelet is a Gabor function less the multiple of its own envelope that
//! makes the mean zero. Scale `j` has `sigma = 0.8 * 2^j` and `xi = 3/4 pi / 2^j`; the low-pass has `sigma = 0.8 * 2^(J-1)`.

use super::fourier::{transform, transform_plane};
use num_complex::Complex64;
use std::f64::consts::PI;

/// kymatio normalises with this value, not with pi: every filter is 3e-5 larger than it would be, and so must ours be to
/// agree with features that were made by kymatio.
#[allow(clippy::approx_constant, reason = "the value that kymatio uses")]
const KYMATIO_PI: f64 = 3.1415;
/// Width of the finest envelope, and frequency of the finest wavelet.
const SIGMA: f64 = 0.8;
const FREQUENCY: f64 = 0.75 * PI;
/// Copies of a filter on each side that are folded onto the image.
const PERIODS: isize = 2;
/// Beyond this exponent a Gaussian is below the precision of any coefficient.
const NEGLIGIBLE: f64 = 60.0;

/// A real filter in the Fourier domain, `rows * columns` values.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f64>,
}

impl Response {
    /// The filter for an image that was halved `halvings` times: the band that no longer exists is cut, the rest is folded.
    pub fn at_resolution(&self, halvings: usize) -> Self {
        let (rows, columns) = (self.rows >> halvings, self.columns >> halvings);
        let mut values = vec![0.0; rows * columns];
        for r in (0..self.rows).filter(|&r| !is_cut(r, self.rows, halvings)) {
            for c in (0..self.columns).filter(|&c| !is_cut(c, self.columns, halvings)) {
                values[(r % rows) * columns + c % columns] += self.values[r * self.columns + c];
            }
        }
        Self { rows, columns, values }
    }
}

/// Whether a frequency of an axis lies in the middle band that halving removes.
fn is_cut(frequency: usize, size: usize, halvings: usize) -> bool {
    let start = size >> (halvings + 1);
    let length = size - (size >> halvings);
    (start..start + length).contains(&frequency)
}

/// The wavelet of scale `j` and angle number `angle` of `angles`, for images of `rows` x `columns`.
pub(super) fn morlet(rows: usize, columns: usize, j: usize, angle: usize, angles: usize) -> Response {
    let middle = (angles as f64 / 2.0 - 1.0) as isize; // truncated towards zero
    let theta = (middle - angle as isize) as f64 * PI / angles as f64;
    let dilation = 2.0_f64.powi(j as i32);
    let gabor = Gabor { sigma: SIGMA * dilation, theta, frequency: FREQUENCY / dilation, slant: 4.0 / angles as f64 };
    let wave = gabor.sample(rows, columns);
    let envelope = Gabor { frequency: 0.0, ..gabor }.sample(rows, columns);
    let offset = wave.iter().sum::<Complex64>() / envelope.iter().sum::<Complex64>();
    let mut wavelet: Vec<Complex64> = wave.iter().zip(&envelope).map(|(w, e)| w - offset * e).collect();
    transform_plane(&mut wavelet, columns);
    Response { rows, columns, values: wavelet.iter().map(|z| z.re).collect() } // the imaginary part is zero
}

struct Gabor {
    sigma: f64,
    theta: f64,
    frequency: f64,
    slant: f64,
}

impl Gabor {
    fn sample(&self, rows: usize, columns: usize) -> Vec<Complex64> {
        let (sin, cos) = self.theta.sin_cos();
        let (s2, scale) = (self.slant * self.slant, 1.0 / (2.0 * self.sigma * self.sigma));
        let curvature = [
            (cos * cos + s2 * sin * sin) * scale,
            2.0 * sin * cos * (1.0 - s2) * scale,
            (sin * sin + s2 * cos * cos) * scale,
        ];
        let norm = self.slant / (2.0 * KYMATIO_PI * self.sigma * self.sigma);
        let value = |x: f64, y: f64| {
            let exponent = curvature[0] * x * x + curvature[1] * x * y + curvature[2] * y * y;
            let phase = self.frequency * (x * cos + y * sin);
            if exponent > NEGLIGIBLE { Complex64::ZERO } else { Complex64::from_polar((-exponent).exp(), phase) }
        };
        let mut samples = Vec::with_capacity(rows * columns);
        for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
            let xs = (-PERIODS..=PERIODS).map(|p| (r as isize + p * rows as isize) as f64);
            let total: Complex64 = xs
                .flat_map(|x| (-PERIODS..=PERIODS).map(move |p| (x, (c as isize + p * columns as isize) as f64)))
                .map(|(x, y)| value(x, y))
                .sum();
            samples.push(total * norm);
        }
        samples
    }
}

/// The low-pass along one axis of an image that was halved `halvings` times, sampled every `2^(J - halvings)` pixels, without
/// the outermost samples (they lie in the padding): a matrix of `(size / 2^J - 2)` rows and `size >> halvings` columns.
///
/// The Gaussian is round, so that the low-pass of an image is this product along each axis.
pub(super) fn low_pass(size: usize, scales: usize, halvings: usize) -> Vec<Vec<f64>> {
    let sigma = SIGMA * 2.0_f64.powi(scales as i32 - 1);
    let norm = 1.0 / (2.0 * KYMATIO_PI * sigma * sigma).sqrt();
    let gaussian = |x: f64| norm * (-x * x / (2.0 * sigma * sigma)).exp();
    let shifted = |x: usize| (-PERIODS..=PERIODS).map(move |p| (x as isize + p * size as isize) as f64);
    let full: Vec<Complex64> = (0..size).map(|x| shifted(x).map(gaussian).sum::<f64>().into()).collect();
    let length = size >> halvings;
    let mut kernel = vec![Complex64::ZERO; length];
    for (f, value) in transform(&full).iter().enumerate().filter(|&(f, _)| !is_cut(f, size, halvings)) {
        kernel[f % length] += value.re / length as f64;
    }
    let kernel = transform(&kernel); // of real values: its real part is that of the inverse
    let step = 1 << (scales - halvings);
    let sample = |p: usize| (0..length).map(|x| kernel[(p * step + length - x) % length].re).collect();
    (1..length / step - 1).map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wavelets_have_zero_mean_and_pass_their_own_frequency() {
        let wavelet = morlet(48, 48, 1, 3, 8); // angle zero: along the rows' axis
        assert!(wavelet.values[0].abs() < 1e-12);
        let peak = (0..wavelet.values.len()).max_by(|&a, &b| wavelet.values[a].total_cmp(&wavelet.values[b])).unwrap();
        assert_eq!((peak / 48, peak % 48), (9, 0)); // 48 * (3/8 pi) / 2 pi
        assert!((wavelet.values[peak] - 1.0).abs() < 5e-2, "{}", wavelet.values[peak]);
    }

    #[test]
    fn the_low_pass_keeps_a_constant_up_to_the_constant_of_pi() {
        for (size, scales, halvings) in [(48, 3, 0), (48, 3, 2), (40, 2, 1), (6, 1, 0)] {
            let rows = low_pass(size, scales, halvings);
            assert_eq!(rows.len(), (size >> scales) - 2);
            for row in rows {
                let gain = row.iter().sum::<f64>();
                assert!((gain - (PI / KYMATIO_PI).sqrt()).abs() < 2e-2, "{size} {scales} {halvings}: {gain}");
            }
        }
    }

    #[test]
    fn halving_folds_what_is_left_of_the_band() {
        let full = Response { rows: 4, columns: 4, values: (0..16).map(f64::from).collect() };
        let half = full.at_resolution(1);
        // frequencies 1 and 2 of each axis are cut: 0 and 3 are left, and 3 folds onto 1
        assert_eq!(half.values, [0.0, 3.0, 12.0, 15.0]);
        assert_eq!(full.at_resolution(0).values, full.values);
    }
}
