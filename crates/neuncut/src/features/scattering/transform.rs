//! The transform of one image: wavelets, moduli and low-passes of two layers.

use super::band::Band;
use super::filter_bank::{low_pass, morlet};
use super::fourier::Fourier;
use crate::vector::wide;
use rayon::prelude::*;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex32;

/// Everything that is the same for all images of one size.
pub(super) struct Plan {
    height: usize,
    width: usize,
    scales: usize,
    angles: usize,
    /// Fourier transforms of the padded image, halved 0, 1, ... times.
    levels: Vec<Fourier>,
    low_passes: Vec<LowPass>,
    /// `bands[w][h]`: wavelet `w = j * angles + angle` for a spectrum that was halved `h` times.
    bands: Vec<Vec<Band>>,
}

/// Memory for one image at a time, used again and again.
pub(super) struct Workspace {
    padded: Vec<f32>,
    spectrum: Vec<Complex32>,
    first_modulus: Vec<f32>,
    first_spectrum: Vec<Complex32>,
    modulus: Vec<f32>,
    filtered: Vec<Complex32>,
    image: Vec<Complex32>,
    scratch: Vec<Complex32>,
    lines: Vec<f32>,
}

impl Plan {
    /// Prepares images whose sizes are multiples of `2^scales`; they are padded by `2^scales` on each side.
    pub fn new(height: usize, width: usize, scales: usize, angles: usize) -> Self {
        let (rows, columns) = (height + (2 << scales), width + (2 << scales));
        let mut planner = FftPlanner::new();
        let bands = (0..scales * angles).into_par_iter().map(|w| {
            let (j, angle) = (w / angles, w % angles);
            let wavelet = morlet(rows, columns, j, angle, angles);
            // the first layer sees the whole image, the second one what a coarser wavelet left
            (0..j.max(1)).map(|halvings| Band::new(&wavelet.at_resolution(halvings), j - halvings)).collect()
        });
        Self {
            height,
            width,
            scales,
            angles,
            bands: bands.collect(),
            low_passes: (0..scales).map(|h| LowPass::new(rows, columns, scales, h)).collect(),
            levels: (0..scales).map(|h| Fourier::new(rows >> h, columns >> h, &mut planner)).collect(),
        }
    }

    /// Coefficients of one path: the image's size over `2^scales`.
    pub fn path_len(&self) -> usize {
        (self.height >> self.scales) * (self.width >> self.scales)
    }

    /// Paths of order 0, 1 and 2.
    pub fn paths(&self) -> [usize; 3] {
        let (j, l) = (self.scales, self.angles);
        [1, j * l, l * l * j * (j - 1) / 2]
    }

    pub fn workspace(&self) -> Workspace {
        let size = self.levels[0].len();
        let complex = |n| vec![Complex32::ZERO; n];
        Workspace {
            padded: vec![0.0; size],
            spectrum: complex(size),
            first_modulus: vec![0.0; size],
            first_spectrum: complex(size),
            modulus: vec![0.0; size],
            filtered: complex(size),
            image: complex(size),
            scratch: complex(self.levels.iter().map(Fourier::scratch_len).max().unwrap_or(0)),
            lines: vec![0.0; self.levels[0].columns],
        }
    }

    /// The coefficients of one channel of an image: `pixels[step * (y * width + x)]`. Paths follow one another in kymatio's
    /// order: order 0; order 1 by scale and angle; order 2 by first wavelet, then second.
    pub fn transform(&self, pixels: &[f32], step: usize, out: &mut [f32], space: &mut Workspace) {
        let mut paths = out.chunks_exact_mut(self.path_len());
        let [_, n_first, n_second] = self.paths();
        let (Some(zeroth), first) = (paths.next(), paths.by_ref().take(n_first).collect::<Paths>()) else { return };
        let mut second = paths.take(n_second);
        self.pad(pixels, step, &mut space.padded);
        self.low_passes[0].apply(&space.padded, &mut space.lines, zeroth);
        self.levels[0].forward(&space.padded, &mut space.image, &mut space.spectrum, &mut space.scratch);
        for (w, path) in first.into_iter().enumerate() {
            let j = w / self.angles;
            let level = &self.levels[j];
            self.bands[w][0].apply(&space.spectrum, &mut space.filtered);
            level.inverse(&mut space.filtered, &mut space.image, &mut space.scratch);
            modulus(&space.image[..level.len()], &mut space.first_modulus);
            self.low_passes[j].apply(&space.first_modulus[..level.len()], &mut space.lines, path);
            if j + 1 < self.scales {
                let modulus = &space.first_modulus[..level.len()];
                level.forward(modulus, &mut space.image, &mut space.first_spectrum, &mut space.scratch);
                let coarser = (j + 1) * self.angles..self.scales * self.angles;
                for (w2, path) in coarser.zip(&mut second) {
                    self.second_path(j, w2, path, space);
                }
            }
        }
    }

    fn second_path(&self, halvings: usize, w: usize, path: &mut [f32], space: &mut Workspace) {
        let j = w / self.angles;
        let level = &self.levels[j];
        self.bands[w][halvings].apply(&space.first_spectrum, &mut space.filtered);
        level.inverse(&mut space.filtered, &mut space.image, &mut space.scratch);
        modulus(&space.image[..level.len()], &mut space.modulus);
        self.low_passes[j].apply(&space.modulus[..level.len()], &mut space.lines, path);
    }

    /// Continues the image on all sides by reflection at its outermost pixels.
    fn pad(&self, pixels: &[f32], step: usize, padded: &mut [f32]) {
        let margin = 1 << self.scales;
        for (r, line) in padded.chunks_exact_mut(self.width + 2 * margin).enumerate() {
            let y = reflect(r as isize - margin as isize, self.height);
            for (c, value) in line.iter_mut().enumerate() {
                let x = reflect(c as isize - margin as isize, self.width);
                *value = pixels[step * (y * self.width + x)];
            }
        }
    }
}

/// The paths of one order.
type Paths<'a> = Vec<&'a mut [f32]>;

/// The pixel that stands for one outside of the image.
fn reflect(at: isize, size: usize) -> usize {
    let period = 2 * (size as isize - 1);
    let at = at.rem_euclid(period);
    at.min(period - at) as usize
}

wide! {
    fn modulus(image: &[Complex32], modulus: &mut [f32]) {
        for (m, z) in modulus.iter_mut().zip(image) {
            *m = (z.re * z.re + z.im * z.im).sqrt();
        }
    }
}

/// Averages over the whole scale and samples, as one small matrix along each axis.
struct LowPass {
    columns: usize,
    /// Each sampled row as the first of the image's rows that it sees, and their weights.
    down: Vec<(usize, Vec<f32>)>,
    /// Each sampled column as weights of all columns.
    across: Vec<Vec<f32>>,
}

impl LowPass {
    fn new(rows: usize, columns: usize, scales: usize, halvings: usize) -> Self {
        let single = |line: Vec<f64>| line.into_iter().map(|w| w as f32).collect::<Vec<_>>();
        let down = low_pass(rows, scales, halvings).into_iter().map(single).map(trimmed).collect();
        let across = low_pass(columns, scales, halvings).into_iter().map(single).collect();
        Self { columns: columns >> halvings, down, across }
    }

    fn apply(&self, image: &[f32], line: &mut [f32], out: &mut [f32]) {
        sample(&self.down, &self.across, image, &mut line[..self.columns], out);
    }
}

wide! {
    /// Weighted sums of an image's rows, and of the columns of each of these lines.
    fn sample(down: &[(usize, Vec<f32>)], across: &[Vec<f32>], image: &[f32], line: &mut [f32], out: &mut [f32]) {
        for ((first, weights), out) in down.iter().zip(out.chunks_exact_mut(across.len())) {
            let image = &image[first * line.len()..];
            let mut at = 0;
            while at < line.len() {
                at += match line.len() - at {
                    16.. => columns::<16>(image, weights, line, at),
                    8.. => columns::<8>(image, weights, line, at),
                    4.. => columns::<4>(image, weights, line, at),
                    _ => columns::<1>(image, weights, line, at),
                };
            }
            for (value, weights) in out.iter_mut().zip(across) {
                *value = dot(line, weights);
            }
        }
    }
}

/// Weighted sums of `N` columns of an image, which stay in registers; returns `N`.
#[inline(always)]
fn columns<const N: usize>(image: &[f32], weights: &[f32], line: &mut [f32], at: usize) -> usize {
    let mut sums = [0.0_f32; N];
    for (weight, row) in weights.iter().zip(image.chunks_exact(line.len())) {
        sums.iter_mut().zip(&row[at..at + N]).for_each(|(sum, x)| *sum += weight * x);
    }
    line[at..at + N].copy_from_slice(&sums);
    N
}

/// Without the weights at both ends that are too small to matter.
fn trimmed(line: Vec<f32>) -> (usize, Vec<f32>) {
    let floor = 1e-9 * line.iter().fold(0.0_f32, |a, w| a.max(w.abs()));
    let is_heard = |w: &f32| w.abs() > floor;
    let first = line.iter().position(is_heard).unwrap_or(0);
    let end = line.iter().rposition(is_heard).map_or(0, |last| last + 1);
    (first, line[first..end.max(first)].to_vec())
}

/// A dot product in eight sums, which the compiler turns into vectors.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a8.zip(b8) {
        (0..8).for_each(|i| sums[i] += x[i] * y[i]);
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reflection_does_not_repeat_the_border() {
        let seen: Vec<usize> = (-4..9).map(|at| reflect(at, 4)).collect();
        assert_eq!(seen, [2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2]);
    }

    #[test]
    fn a_constant_image_has_order_zero_alone() {
        let plan = Plan::new(16, 24, 2, 4);
        let total = plan.paths().iter().sum::<usize>() * plan.path_len();
        assert_eq!((plan.paths(), plan.path_len()), ([1, 8, 16], 24));
        let mut out = vec![f32::NAN; total];
        plan.transform(&[3.0; 16 * 24], 1, &mut out, &mut plan.workspace());
        assert!(out[..24].iter().all(|v| (v - 3.0).abs() < 1e-3));
        assert!(out[24..].iter().all(|v| v.abs() < 1e-5));
    }
}
