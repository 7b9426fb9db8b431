//! A wavelet ready for use: product with a spectrum and subsampling in one pass over the frequencies where it is not zero.

use super::filter_bank::Response;
use crate::vector::wide;
use rustfft::num_complex::Complex32;

/// Responses below this share of the peak are left out: far below the rounding of a coefficient.
const NEGLIGIBLE: f64 = 1e-8;

/// Neighbouring frequencies that fold onto neighbouring frequencies.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: usize,
    to: usize,
    length: usize,
}

/// A wavelet that takes a spectrum to that of the filtered and subsampled image.
#[derive(Debug, Clone)]
pub(super) struct Band {
    spans: Vec<Span>,
    /// The gain of each frequency twice: of its real and of its imaginary part.
    gains: Vec<f32>,
    outputs: usize,
}

impl Band {
    /// The filter with subsampling by `2^halvings` along each axis. Gains include the factors of the subsampling and of the inverse
    /// transform that follows, so that neither is applied again.
    pub fn new(filter: &Response, halvings: usize) -> Self {
        let (rows, columns) = (filter.rows >> halvings, filter.columns >> halvings);
        let scale = 1.0 / filter.values.len() as f64; // 1 / (4^halvings * rows * columns)
        let floor = NEGLIGIBLE * filter.values.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
        let value = |kx: usize, ky: usize| filter.values[ky * filter.columns + kx];
        let (mut spans, mut gains) = (Vec::new(), Vec::new());
        for kx in 0..filter.columns {
            for block in 0..1 << halvings {
                let block = block * rows..(block + 1) * rows;
                let is_heard = |&ky: &usize| value(kx, ky).abs() > floor;
                let (Some(first), Some(last)) = (block.clone().find(is_heard), block.clone().rev().find(is_heard))
                else {
                    continue;
                };
                let to = (kx % columns) * rows + first - block.start;
                spans.push(Span { from: kx * filter.rows + first, to, length: last + 1 - first });
                gains.extend((first..=last).flat_map(|ky| [(value(kx, ky) * scale) as f32; 2]));
            }
        }
        Self { spans, gains, outputs: rows * columns }
    }

    /// Filters a spectrum; both are transposed, see [`super::fourier`].
    pub fn apply(&self, spectrum: &[Complex32], filtered: &mut [Complex32]) {
        let filtered = &mut filtered[..self.outputs];
        filtered.fill(Complex32::ZERO);
        add_products(&self.spans, &self.gains, parts(spectrum), parts_mut(filtered));
    }
}

wide! {
    /// Adds the frequencies of each span times their gains to those that they fold onto, all as real and imaginary parts.
    fn add_products(spans: &[Span], gains: &[f32], spectrum: &[f32], filtered: &mut [f32]) {
        let mut gains = gains;
        for span in spans {
            let (mine, rest) = gains.split_at(2 * span.length);
            gains = rest;
            let source = &spectrum[2 * span.from..][..2 * span.length];
            let target = &mut filtered[2 * span.to..][..2 * span.length];
            for ((out, x), gain) in target.iter_mut().zip(source).zip(mine) {
                *out += x * gain;
            }
        }
    }
}

/// Real and imaginary parts by turns.
fn parts(values: &[Complex32]) -> &[f32] {
    // SAFETY: a complex number is laid out as its real part and its imaginary part, two numbers of this type.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), 2 * values.len()) }
}

/// Real and imaginary parts by turns.
fn parts_mut(values: &mut [Complex32]) -> &mut [f32] {
    // SAFETY: as in `parts`, and the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), 2 * values.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_every_frequency_onto_its_alias() {
        let filter = Response { rows: 4, columns: 2, values: (1..=8).map(f64::from).collect() };
        let spectrum = [Complex32::ONE; 8];
        let mut filtered = vec![Complex32::ZERO; 2];
        Band::new(&filter, 1).apply(&spectrum, &mut filtered);
        // output (ky) 0 takes ky 0 and 2 of both columns, 1 takes 1 and 3; all over 8
        assert_eq!(
            filtered,
            [Complex32::from((1.0 + 2.0 + 5.0 + 6.0) / 8.0), Complex32::from((3.0 + 4.0 + 7.0 + 8.0) / 8.0)]
        );
    }
}
