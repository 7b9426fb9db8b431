//! The transform of a few images: wavelets, moduli and low-passes of two layers.

use super::filter_bank::{Response, low_pass, morlet};
use crate::linalg::lanes::{Band, ComplexLanes, Fourier, FourierBuffers, LANES, Lanes, LowPass};
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    /// Those that are not in use.
    workspaces: Mutex<Vec<Workspace>>,
}

/// Memory for a few images at a time, used again and again: to have it cleared for every tile took a tenth of the time.
struct Workspace {
    padded: Vec<Lanes>,
    spectrum: Vec<ComplexLanes>,
    first_modulus: Vec<Lanes>,
    first_spectrum: Vec<ComplexLanes>,
    modulus: Vec<Lanes>,
    scratch: FourierBuffers,
    lines: Vec<Lanes>,
    coefficients: Vec<Lanes>,
}

impl Plan {
    /// Prepares images whose sizes are multiples of `2^scales`; they are padded by `2^scales` on each side.
    pub fn new(height: usize, width: usize, scales: usize, angles: usize) -> Self {
        let (rows, columns) = (height + (2 << scales), width + (2 << scales));
        let bands = (0..scales * angles).into_par_iter().map(|w| {
            let (j, angle) = (w / angles, w % angles);
            let wavelet = morlet(rows, columns, j, angle, angles);
            // the first layer sees the whole image, the second one what a coarser wavelet left
            (0..j.max(1)).map(|halvings| band(&wavelet.at_resolution(halvings), j - halvings)).collect()
        });
        Self {
            height,
            width,
            scales,
            angles,
            bands: bands.collect(),
            low_passes: (0..scales)
                .map(|h| LowPass::new(&low_pass(rows, scales, h), &low_pass(columns, scales, h)))
                .collect(),
            levels: (0..scales).map(|h| Fourier::new(rows >> h, columns >> h)).collect(),
            workspaces: Mutex::default(),
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

    fn workspace(&self) -> Workspace {
        if let Some(kept) = self.kept_workspaces().pop() {
            return kept;
        }
        let size = self.levels[0].len();
        let (real, complex) = (|n| vec![Lanes::ZERO; n], |n| vec![ComplexLanes::ZERO; n]);
        Workspace {
            padded: real(size),
            spectrum: complex(size),
            first_modulus: real(size),
            first_spectrum: complex(size),
            modulus: real(size),
            scratch: self.levels[0].scratch(),
            lines: self.low_passes[0].lines(),
            coefficients: real(self.paths().iter().sum::<usize>() * self.path_len()),
        }
    }

    fn kept_workspaces(&self) -> MutexGuard<'_, Vec<Workspace>> {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The coefficients of one channel of up to [`LANES`] images, image `i` as `pixels[i][step * (y * width + x)]`. Paths follow one
    /// another in kymatio's order: order 0; order 1 by scale and angle; order 2 by first wavelet, then second.
    pub fn transform(&self, pixels: &[&[f32]], step: usize, out: &mut [&mut [f32]]) {
        let mut space = self.workspace();
        let mut coefficients = std::mem::take(&mut space.coefficients);
        let mut paths = coefficients.chunks_exact_mut(self.path_len());
        let [_, n_first, n_second] = self.paths();
        let (Some(zeroth), first) = (paths.next(), paths.by_ref().take(n_first).collect::<Vec<_>>()) else { return };
        let mut second = paths.take(n_second);
        self.pad(pixels, step, &mut space.padded);
        self.low_passes[0].apply(&space.padded, &mut space.lines, zeroth);
        self.levels[0].forward(&space.padded, &mut space.spectrum, &mut space.scratch);
        for (w, path) in first.into_iter().enumerate() {
            let j = w / self.angles;
            let level = &self.levels[j];
            level.moduli(&self.bands[w][0], &space.spectrum, &mut space.first_modulus, &mut space.scratch);
            self.low_passes[j].apply(&space.first_modulus, &mut space.lines, path);
            if j + 1 < self.scales {
                level.forward(&space.first_modulus, &mut space.first_spectrum, &mut space.scratch);
                let coarser = (j + 1) * self.angles..self.scales * self.angles;
                for (w2, path) in coarser.zip(&mut second) {
                    self.second_path(j, w2, path, &mut space);
                }
            }
        }
        for (first, some) in (0..).step_by(LANES).zip(coefficients.chunks(LANES)) {
            for (lane, out) in out.iter_mut().enumerate() {
                out[first..].iter_mut().zip(some).for_each(|(out, value)| *out = value.0[lane]);
            }
        }
        space.coefficients = coefficients;
        self.kept_workspaces().push(space);
    }

    fn second_path(&self, halvings: usize, w: usize, path: &mut [Lanes], space: &mut Workspace) {
        let j = w / self.angles;
        let band = &self.bands[w][halvings];
        self.levels[j].moduli(band, &space.first_spectrum, &mut space.modulus, &mut space.scratch);
        self.low_passes[j].apply(&space.modulus, &mut space.lines, path);
    }

    /// Continues the images on all sides by reflection at their outermost pixels.
    fn pad(&self, pixels: &[&[f32]], step: usize, padded: &mut [Lanes]) {
        let margin = 1 << self.scales;
        for (r, line) in padded.chunks_exact_mut(self.width + 2 * margin).enumerate() {
            let y = reflect(r as isize - margin as isize, self.height);
            for (c, value) in line.iter_mut().enumerate() {
                let x = reflect(c as isize - margin as isize, self.width);
                let at = step * (y * self.width + x);
                *value = Lanes(std::array::from_fn(|lane| pixels.get(lane).map_or(0.0, |pixels| pixels[at])));
            }
        }
    }
}

/// The filter with subsampling by `2^halvings` along each axis.
fn band(filter: &Response, halvings: usize) -> Band {
    Band::new(filter.rows, filter.columns, &filter.values, halvings)
}

/// The pixel that stands for one outside of the image.
fn reflect(at: isize, size: usize) -> usize {
    let period = 2 * (size as isize - 1);
    let at = at.rem_euclid(period);
    at.min(period - at) as usize
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
        plan.transform(&[&[3.0; 16 * 24]], 1, &mut [&mut out]);
        assert!(out[..24].iter().all(|v| (v - 3.0).abs() < 1e-3));
        assert!(out[24..].iter().all(|v| v.abs() < 1e-5));
    }
}
