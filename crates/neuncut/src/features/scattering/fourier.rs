//! The Fourier transform of filters, in double precision. Sides of filters are multiples of powers of two: they are halved as
//! long as they are even, and what is left is summed as the transform is defined.

use num_complex::Complex64;
use std::f64::consts::PI;

/// `sum over t of x_t exp(-2 pi i f t / n)` for each frequency `f`.
pub(super) fn transform(values: &[Complex64]) -> Vec<Complex64> {
    let n = values.len();
    let roots: Vec<Complex64> = (0..n).map(|t| Complex64::from_polar(1.0, -2.0 * PI * t as f64 / n as f64)).collect();
    let mut spectrum = vec![Complex64::ZERO; n];
    transform_every(1, values, &roots, &mut spectrum);
    spectrum
}

/// The transform of every `stride`-th value, the first being `values[0]`.
fn transform_every(stride: usize, values: &[Complex64], roots: &[Complex64], spectrum: &mut [Complex64]) {
    let n = spectrum.len();
    if n % 2 == 1 {
        let root = |f: usize, t: usize| roots[f * t % n * stride];
        let sum = |f| values.iter().step_by(stride).enumerate().map(|(t, x)| x * root(f, t)).sum();
        spectrum.iter_mut().enumerate().for_each(|(f, out)| *out = sum(f));
        return;
    }
    let (even, odd) = spectrum.split_at_mut(n / 2);
    transform_every(2 * stride, values, roots, even);
    transform_every(2 * stride, &values[stride..], roots, odd);
    for (f, (a, b)) in even.iter_mut().zip(odd).enumerate() {
        let turned = *b * roots[f * stride];
        (*a, *b) = (*a + turned, *a - turned);
    }
}

/// The two-dimensional transform of `rows * columns` values.
pub(super) fn transform_plane(values: &mut [Complex64], columns: usize) {
    values.chunks_exact_mut(columns).for_each(|row| row.copy_from_slice(&transform(row)));
    for c in 0..columns {
        let column: Vec<Complex64> = values.iter().skip(c).step_by(columns).copied().collect();
        let spectrum = transform(&column);
        values.iter_mut().skip(c).step_by(columns).zip(spectrum).for_each(|(value, found)| *value = found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_is_the_definition() {
        for n in [1, 2, 3, 8, 12, 40, 48, 7 * 16] {
            let values: Vec<Complex64> =
                (0..n).map(|t| Complex64::new((t * t % 11) as f64, (t * 5 % 7) as f64 - 3.0)).collect();
            let found = transform(&values);
            for (f, found) in found.iter().enumerate() {
                let turn = |t: usize| Complex64::from_polar(1.0, -2.0 * PI * (f * t % n) as f64 / n as f64);
                let expected: Complex64 = values.iter().enumerate().map(|(t, x)| x * turn(t)).sum();
                assert!((found - expected).norm() < 1e-11 * n as f64, "{n}, {f}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn a_wave_over_a_plane_has_one_frequency() {
        let (rows, columns) = (6, 8);
        let turn = |r: usize, c: usize| 2.0 * PI * (2.0 * r as f64 / rows as f64 + 3.0 * c as f64 / columns as f64);
        let mut wave: Vec<Complex64> =
            (0..rows * columns).map(|i| Complex64::from_polar(1.0, turn(i / columns, i % columns))).collect();
        transform_plane(&mut wave, columns);
        for (i, value) in wave.iter().enumerate() {
            let expected = if i == 2 * columns + 3 { (rows * columns) as f64 } else { 0.0 };
            assert!((value - expected).norm() < 1e-12 * 48.0, "{i}: {value}");
        }
    }
}
