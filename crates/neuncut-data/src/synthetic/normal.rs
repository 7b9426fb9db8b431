//! Normal noise.

use crate::seed::Stream;
use rand::RngExt;

/// Adds to every coordinate a normal number of standard deviation `scale(column)`.
///
/// Box and Muller's method gives two numbers at a time; an odd one left over is dropped, so that a row never depends on
/// how the rows before it were cut into chunks.
pub(super) fn add_normal(point: &mut [f32], stream: &mut Stream, scale: impl Fn(usize) -> f32) {
    for (pair, values) in point.chunks_mut(2).enumerate() {
        let radius = (-2.0 * (1.0 - stream.random::<f64>()).ln()).sqrt(); // 1 - u lies in (0, 1]
        let (sin, cos) = (std::f64::consts::TAU * stream.random::<f64>()).sin_cos();
        for (side, (value, direction)) in values.iter_mut().zip([cos, sin]).enumerate() {
            *value += scale(2 * pair + side) * (radius * direction) as f32;
        }
    }
}

/// The squared distance of two points.
pub(super) fn squared_distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn mean_spread_and_tails_are_normal() {
        let mut values = vec![0.0; 200_001];
        add_normal(&mut values, &mut Seed(3).stream("test"), |_| 2.0);
        let n = values.len() as f32;
        let mean = values.iter().sum::<f32>() / n;
        let variance = values.iter().map(|v| v * v).sum::<f32>() / n;
        let beyond_two_sigma = values.iter().filter(|v| v.abs() > 4.0).count() as f32 / n;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!((variance - 4.0).abs() < 0.06, "{variance}");
        assert!((beyond_two_sigma - 0.0455).abs() < 0.002, "{beyond_two_sigma}");
    }

    #[test]
    fn columns_have_their_own_spread() {
        let mut point = [1.0, 2.0, 3.0];
        add_normal(&mut point, &mut Seed(3).stream("test"), |column| if column == 1 { 1.0 } else { 0.0 });
        assert_eq!((point[0], point[2]), (1.0, 3.0));
        assert_ne!(point[1], 2.0);
    }
}
