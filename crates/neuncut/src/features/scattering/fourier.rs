//! Two-dimensional Fourier transforms of one size. Spectra are kept transposed, `(columns, rows)`: one transposition is saved
//! each way, and filters are stored to match.

use crate::vector::wide;
use rustfft::num_complex::Complex32;
use rustfft::{Fft, FftPlanner};
use std::sync::Arc;

/// Transforms of images of `rows` x `columns`; no factor is applied either way.
pub(super) struct Fourier {
    pub rows: usize,
    pub columns: usize,
    forward_row: Arc<dyn Fft<f32>>,
    forward_column: Arc<dyn Fft<f32>>,
    inverse_row: Arc<dyn Fft<f32>>,
    inverse_column: Arc<dyn Fft<f32>>,
}

impl Fourier {
    pub fn new(rows: usize, columns: usize, planner: &mut FftPlanner<f32>) -> Self {
        Self {
            rows,
            columns,
            forward_row: planner.plan_fft_forward(columns),
            forward_column: planner.plan_fft_forward(rows),
            inverse_row: planner.plan_fft_inverse(columns),
            inverse_column: planner.plan_fft_inverse(rows),
        }
    }

    /// Values in an image.
    pub fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// Scratch that the transforms need.
    pub fn scratch_len(&self) -> usize {
        let transforms = [&self.forward_row, &self.forward_column, &self.inverse_row, &self.inverse_column];
        transforms.iter().map(|fft| fft.get_inplace_scratch_len()).max().unwrap_or(0)
    }

    /// The spectrum `(columns, rows)` of a real image whose sizes are even. Two rows make one complex row, and half of the
    /// spectrum is the mirror image of the other half.
    pub fn forward(
        &self,
        image: &[f32],
        work: &mut [Complex32],
        spectrum: &mut [Complex32],
        scratch: &mut [Complex32],
    ) {
        let (rows, columns) = (self.rows, self.columns);
        let packed = &mut work[..self.len() / 2];
        for (pair, source) in packed.chunks_exact_mut(columns).zip(image.chunks_exact(2 * columns)) {
            let (even, odd) = source.split_at(columns);
            for ((z, &re), &im) in pair.iter_mut().zip(even).zip(odd) {
                *z = Complex32 { re, im };
            }
        }
        self.forward_row.process_with_scratch(packed, scratch);
        for kx in 0..=columns / 2 {
            let mirror = (columns - kx) % columns;
            let line = &mut spectrum[kx * rows..(kx + 1) * rows];
            for (two, row) in line.chunks_exact_mut(2).zip(packed.chunks_exact(columns)) {
                let (z, m) = (row[kx], row[mirror]);
                two[0] = Complex32 { re: 0.5 * (z.re + m.re), im: 0.5 * (z.im - m.im) };
                two[1] = Complex32 { re: 0.5 * (z.im + m.im), im: 0.5 * (m.re - z.re) };
            }
        }
        let known = (columns / 2 + 1) * rows;
        self.forward_column.process_with_scratch(&mut spectrum[..known], scratch);
        let (half, rest) = spectrum[..self.len()].split_at_mut(known);
        for (line, kx) in rest.chunks_exact_mut(rows).zip(columns / 2 + 1..) {
            let source = &half[(columns - kx) * rows..][..rows];
            line[0] = source[0].conj();
            for (z, m) in line[1..].iter_mut().zip(source[1..].iter().rev()) {
                *z = m.conj();
            }
        }
    }

    /// The image of a spectrum `(columns, rows)`, which is used up.
    pub fn inverse(&self, spectrum: &mut [Complex32], image: &mut [Complex32], scratch: &mut [Complex32]) {
        let (spectrum, image) = (&mut spectrum[..self.len()], &mut image[..self.len()]);
        self.inverse_column.process_with_scratch(spectrum, scratch);
        transpose(spectrum, self.rows, image, self.columns);
        self.inverse_row.process_with_scratch(image, scratch);
    }
}

wide! {
    /// Turns lines of `length` into lines of `width`, in squares of four by four as far as they go.
    fn transpose(source: &[Complex32], length: usize, target: &mut [Complex32], width: usize) {
        let (squares, high) = (width - width % 4, length - length % 4);
        for x in (0..squares).step_by(4) {
            for y in (0..high).step_by(4) {
                let square: [[Complex32; 4]; 4] = std::array::from_fn(|dx| {
                    let line = &source[(x + dx) * length + y..][..4];
                    [line[0], line[1], line[2], line[3]]
                });
                for dy in 0..4 {
                    let line = &mut target[(y + dy) * width + x..][..4];
                    line.copy_from_slice(&[square[0][dy], square[1][dy], square[2][dy], square[3][dy]]);
                }
            }
        }
        for y in 0..length {
            for x in if y < high { squares..width } else { 0..width } {
                target[y * width + x] = source[x * length + y];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::TAU;

    #[test]
    fn agrees_with_the_sum_by_definition_and_comes_back() {
        let (rows, columns) = (6, 4);
        let image: Vec<f32> = (0..24).map(|i| ((i * 7 + 3) % 11) as f32).collect();
        let fourier = Fourier::new(rows, columns, &mut FftPlanner::new());
        let mut scratch = vec![Complex32::ZERO; fourier.scratch_len()];
        let (mut work, mut spectrum) = (vec![Complex32::ZERO; 24], vec![Complex32::ZERO; 24]);
        fourier.forward(&image, &mut work, &mut spectrum, &mut scratch);
        for kx in 0..columns {
            for ky in 0..rows {
                let sum: Complex32 = (0..24)
                    .map(|i| {
                        let turn =
                            (ky * (i / columns)) as f32 / rows as f32 + (kx * (i % columns)) as f32 / columns as f32;
                        Complex32::from_polar(image[i], -TAU * turn)
                    })
                    .sum();
                assert!((spectrum[kx * rows + ky] - sum).norm() < 1e-4, "{kx} {ky}");
            }
        }
        fourier.inverse(&mut spectrum, &mut work, &mut scratch);
        for (z, x) in work.iter().zip(&image) {
            assert!((z / 24.0 - x).norm() < 1e-5);
        }
    }
}
