//! A shape hidden in more dimensions, all others being noise.

use super::generator::Cloud;
use super::normal::add_normal;
use crate::Seed;
use crate::seed::Stream;

/// An inner shape, noise in every further dimension, and a random rotation of the whole.
pub(super) struct Embedding {
    inner: Box<dyn Cloud>,
    /// Rows are orthonormal: (dimension, dimension).
    rotation: Vec<Vec<f32>>,
    /// Standard deviation of the dimensions that say nothing.
    irrelevant: f32,
}

impl Embedding {
    pub(super) fn new(inner: Box<dyn Cloud>, dimension: usize, irrelevant: f32, seed: Seed) -> Self {
        Self { inner, rotation: random_rotation(dimension, &mut seed.stream("synthetic rotation")), irrelevant }
    }
}

impl Cloud for Embedding {
    fn dimension(&self) -> usize {
        self.rotation.len()
    }

    fn n_classes(&self) -> usize {
        self.inner.n_classes()
    }

    fn draw(&self, point: &mut [f32], stream: &mut Stream) -> i32 {
        let mut hidden = vec![0.0; point.len()];
        let (shape, rest) = hidden.split_at_mut(self.inner.dimension());
        let class = self.inner.draw(shape, stream);
        add_normal(rest, stream, |_| self.irrelevant);
        for (value, axis) in hidden.iter().zip(&self.rotation) {
            point.iter_mut().zip(axis).for_each(|(out, along)| *out += value * along);
        }
        class
    }
}

/// Gram and Schmidt's method on normal vectors gives rotations (and reflections) without a preferred direction.
fn random_rotation(dimension: usize, stream: &mut Stream) -> Vec<Vec<f32>> {
    let mut axes: Vec<Vec<f32>> = Vec::with_capacity(dimension);
    while axes.len() < dimension {
        let mut axis = vec![0.0; dimension];
        add_normal(&mut axis, stream, |_| 1.0);
        for _ in 0..2 {
            // Twice is enough to be orthogonal to the last bit.
            axes.iter().for_each(|other| remove_component(&mut axis, other));
        }
        let length = dot(&axis, &axis).sqrt();
        if length > 1e-3 {
            axis.iter_mut().for_each(|x| *x /= length);
            axes.push(axis);
        }
    }
    axes
}

fn remove_component(axis: &mut [f32], unit: &[f32]) {
    let along = dot(axis, unit);
    axis.iter_mut().zip(unit).for_each(|(x, y)| *x -= along * y);
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_are_orthonormal() {
        let axes = random_rotation(100, &mut Seed(5).stream("test"));
        for (i, a) in axes.iter().enumerate() {
            assert!((dot(a, a) - 1.0).abs() < 1e-5);
            assert!(axes[..i].iter().all(|b| dot(a, b).abs() < 1e-5));
        }
    }
}
