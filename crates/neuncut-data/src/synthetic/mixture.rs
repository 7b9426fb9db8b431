//! Classes that are clouds around a centre.

use super::BACKGROUND;
use super::generator::{Cloud, cumulative, draw_class};
use super::normal::{add_normal, squared_distance};
use crate::Seed;
use crate::seed::Stream;
use rand::RngExt;

/// A mixture of axis-parallel Gaussians, and perhaps a uniform background.
pub(super) struct Mixture {
    centres: Vec<Vec<f32>>,
    /// Standard deviation of each class in each column.
    spreads: Vec<Vec<f32>>,
    /// Running sums of the classes' weights.
    weights: Vec<f32>,
    /// Share of rows scattered over the bounding box of the centres, one unit wider on every side.
    background: f32,
}

impl Mixture {
    /// `k` equal, round clouds whose centres are at least 1 apart.
    pub(super) fn blobs(k: usize, dimension: usize, noise: f32, seed: Seed) -> Self {
        Self {
            centres: spaced_centres(k, dimension, &mut seed.stream("synthetic centres")),
            spreads: vec![vec![noise; dimension]; k],
            weights: cumulative(vec![1.0; k]),
            background: 0.0,
        }
    }

    /// Every further class gets more rows, up to `ratio` times those of the first.
    pub(super) fn with_size_ratio(mut self, ratio: f32) -> Self {
        let k = self.centres.len();
        let step = |class: usize| class as f32 / (k.max(2) - 1) as f32;
        self.weights = cumulative((0..k).map(|class| ratio.powf(step(class))));
        self
    }

    /// Multiplies the spread of the classes by 0.25, 0.5, 1, 0.25, ...
    pub(super) fn with_unequal_density(mut self) -> Self {
        for (class, spreads) in self.spreads.iter_mut().enumerate() {
            spreads.iter_mut().for_each(|spread| *spread *= [0.25, 0.5, 1.0][class % 3]);
        }
        self
    }

    /// Scatters a share of the rows, of no class, all over the place.
    pub(super) fn with_background(mut self, share: f32) -> Self {
        self.background = share;
        self
    }

    /// `k` long, thin clouds side by side, 1 apart and ten times as long as they are wide.
    pub(super) fn stretched(k: usize, noise: f32) -> Self {
        Self {
            centres: (0..k).map(|class| vec![0.3 * class as f32, class as f32]).collect(),
            spreads: vec![vec![10.0 * noise, noise]; k],
            weights: cumulative(vec![1.0; k]),
            background: 0.0,
        }
    }

    fn scatter(&self, point: &mut [f32], stream: &mut Stream) {
        for (column, value) in point.iter_mut().enumerate() {
            let along = self.centres.iter().map(|centre| centre[column]);
            let (low, high) = along.fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(x), high.max(x)));
            *value = low - 1.0 + (high - low + 2.0) * stream.random::<f32>();
        }
    }
}

impl Cloud for Mixture {
    fn dimension(&self) -> usize {
        self.centres[0].len()
    }

    fn n_classes(&self) -> usize {
        self.centres.len()
    }

    fn draw(&self, point: &mut [f32], stream: &mut Stream) -> i32 {
        if self.background > 0.0 && stream.random::<f32>() < self.background {
            self.scatter(point, stream);
            return BACKGROUND;
        }
        let class = draw_class(&self.weights, stream);
        point.copy_from_slice(&self.centres[class]);
        add_normal(point, stream, |column| self.spreads[class][column]);
        class as i32
    }
}

/// `k` random centres at least 1 apart, by throwing darts into a box that grows whenever it seems full.
fn spaced_centres(k: usize, dimension: usize, stream: &mut Stream) -> Vec<Vec<f32>> {
    let mut side = 1.5 * (k as f32).powf(1.0 / dimension as f32);
    let mut misses = 0;
    let mut centres: Vec<Vec<f32>> = Vec::with_capacity(k);
    while centres.len() < k {
        let dart: Vec<f32> = (0..dimension).map(|_| side * (stream.random::<f32>() - 0.5)).collect();
        if centres.iter().all(|centre| squared_distance(centre, &dart) >= 1.0) {
            centres.push(dart);
        } else {
            misses += 1;
            side *= if misses % 100 == 0 { 1.1 } else { 1.0 };
        }
    }
    centres
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_are_spaced_in_any_dimension() {
        for (k, dimension) in [(2, 1), (50, 1), (3, 2), (50, 2), (50, 10), (20, 100)] {
            let centres = spaced_centres(k, dimension, &mut Seed(1).stream("test"));
            assert_eq!(centres.len(), k);
            for (i, a) in centres.iter().enumerate() {
                assert!(centres[..i].iter().all(|b| squared_distance(a, b) >= 1.0), "{k} centres in {dimension}");
            }
        }
    }

    #[test]
    fn sizes_run_from_one_to_the_ratio() {
        let mixture = Mixture::blobs(3, 2, 0.1, Seed(0)).with_size_ratio(50.0);
        let share = |class: usize| mixture.weights[class] - if class == 0 { 0.0 } else { mixture.weights[class - 1] };
        assert!((share(2) / share(0) - 50.0).abs() < 1e-3);
        assert!((share(1) / share(0) - 50f32.sqrt()).abs() < 1e-3);
    }
}
