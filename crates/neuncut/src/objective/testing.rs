//! Memberships to try losses on, and the comparison of gradients with central differences.

use super::softmax;
use crate::Seed;
use ndarray::Array2;
use rand::RngExt;

/// Random memberships `(m, k)`.
pub(super) fn memberships(m: usize, k: usize) -> Array2<f32> {
    let mut rng = Seed(6).stream("memberships");
    softmax(Array2::from_shape_fn((m, k), |_| 3.0 * rng.random::<f32>()))
}

/// Asserts that a gradient with respect to memberships is that of central differences, at places of several rows and columns.
pub(super) fn assert_gradient(y: &Array2<f32>, gradient: &Array2<f32>, value: impl Fn(&Array2<f32>) -> f64) {
    let (m, k) = y.dim();
    // central differences are off by step^2 / 6, 7e-7, of the third derivative; a membership rounded to f32 (3e-8) by 3e-8 / step, 1.5e-5,
    // of the slope
    let step = 2e-3;
    for place in [(0, 0), (m / 3, k - 1), (m / 2, 1), (m - 1, k / 2)] {
        let moved = |by: f32| {
            let mut y = y.clone();
            y[place] += by;
            value(&y)
        };
        let slope = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
        let expected = f64::from(gradient[place]);
        // the most that was measured is 1.1e-5
        assert!((slope - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{place:?}: {slope} and {expected}");
    }
}
