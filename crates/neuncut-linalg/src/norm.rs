//! How much longer a matrix can make a vector.

use super::symmetric_product;
use ndarray::ArrayView2;

/// Squarings of the matrix of products: after `s` of them the bound is at most the `2^(s+2)`th root of the rank too large.
const SQUARINGS: i32 = 2;
/// For sums in `f32`.
const SLACK: f64 = 1.01;

/// A bound of the spectral norm of a matrix, from above: a tenth or two too large. With `G = A A'`, the square of the norm of `A` is that
/// of `G`, which is the root of that of `G G`, and so on; the last one is bounded by the square root of the sum of squares.
pub fn spectral_bound(matrix: ArrayView2<f32>) -> f32 {
    let scale = length(matrix.iter().copied());
    if !(scale > 0.0 && scale.is_finite()) {
        return scale as f32;
    }
    let scaled = matrix.mapv(|x| (f64::from(x) / scale) as f32);
    let rows = if matrix.nrows() > matrix.ncols() { scaled.t() } else { scaled.view() };
    let (mut power, mut squared) = (Vec::new(), Vec::new());
    symmetric_product(&mut power, rows, |_, _, _| {});
    let mut log = 0.0;
    for squaring in 0..SQUARINGS {
        let length = length(power.iter().copied());
        log += length.ln() / 2.0_f64.powi(squaring);
        power.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
        let Ok(rows) = ArrayView2::from_shape((rows.nrows(), rows.nrows()), &power) else { unreachable!("a square") };
        symmetric_product(&mut squared, rows, |_, _, _| {});
        std::mem::swap(&mut power, &mut squared);
    }
    log += length(power.iter().copied()).ln() / 2.0_f64.powi(SQUARINGS);
    (scale * (log / 2.0).exp() * SLACK) as f32
}

/// The root of the sum of squares.
pub fn length(values: impl Iterator<Item = f32>) -> f64 {
    values.map(|x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;
    use ndarray::{Array1, Array2};
    use rand::RngExt;

    #[test]
    fn it_is_above_what_a_matrix_does_to_any_vector_but_not_far() {
        let mut rng = generator(5);
        for (m, n) in [(40, 60), (60, 40), (7, 1), (1, 9), (33, 33)] {
            let matrix = Array2::from_shape_fn((m, n), |_| (rng.random::<f32>() - 0.5) * 1e-12);
            let bound = f64::from(spectral_bound(matrix.view()));
            let mut vector = Array1::from_elem(n, 1.0_f64);
            let wide = matrix.mapv(f64::from);
            let mut stretched = 0.0;
            for _ in 0..200 {
                let unit = &vector / vector.dot(&vector).sqrt();
                let image = wide.dot(&unit);
                stretched = image.dot(&image).sqrt();
                vector = wide.t().dot(&image);
            }
            assert!(bound >= stretched && bound < 1.3 * stretched, "{m} x {n}: {bound} for {stretched}");
        }
        assert_eq!(spectral_bound(Array2::zeros((3, 2)).view()), 0.0);
        assert!(spectral_bound(Array2::from_elem((2, 2), f32::NAN).view()).is_nan());
    }
}
