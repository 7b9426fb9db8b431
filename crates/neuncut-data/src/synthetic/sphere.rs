//! Clusters of directions, as embeddings have them: many, in many dimensions, all of length one.

use super::generator::Cloud;
use super::normal::{add_normal, squared_distance};
use crate::Seed;
use crate::seed::Stream;
use rand::RngExt;

/// Points around random directions on the unit sphere.
pub(super) struct Sphere {
    centres: Vec<Vec<f32>>,
    /// Length of the perturbation before the point is pulled back to the sphere.
    noise: f32,
}

impl Sphere {
    pub(super) fn new(k: usize, dimension: usize, noise: f32, seed: Seed) -> Self {
        Self { centres: spread_directions(k, dimension, &mut seed.stream("synthetic centres")), noise }
    }
}

impl Cloud for Sphere {
    fn dimension(&self) -> usize {
        self.centres[0].len()
    }

    fn n_classes(&self) -> usize {
        self.centres.len()
    }

    fn draw(&self, point: &mut [f32], stream: &mut Stream) -> i32 {
        let class = stream.random_range(0..self.centres.len() as u32) as usize;
        point.copy_from_slice(&self.centres[class]);
        let spread = self.noise / (point.len() as f32).sqrt();
        add_normal(point, stream, |_| spread);
        to_unit_length(point);
        class as i32
    }
}

/// Random directions that keep a distance of 1 from one another, or less where the sphere has no room for that.
fn spread_directions(k: usize, dimension: usize, stream: &mut Stream) -> Vec<Vec<f32>> {
    let mut least = 1.0;
    let mut misses = 0;
    let mut centres: Vec<Vec<f32>> = Vec::with_capacity(k);
    while centres.len() < k {
        let mut direction = vec![0.0; dimension];
        add_normal(&mut direction, stream, |_| 1.0);
        to_unit_length(&mut direction);
        if centres.iter().all(|centre| squared_distance(centre, &direction) >= least) {
            centres.push(direction);
        } else {
            misses += 1;
            least *= if misses % 100 == 0 { 0.9 } else { 1.0 };
        }
    }
    centres
}

fn to_unit_length(point: &mut [f32]) {
    let length = point.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        point.iter_mut().for_each(|x| *x /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_directions_keep_apart() {
        let centres = spread_directions(1000, 64, &mut Seed(2).stream("test"));
        for (i, a) in centres.iter().enumerate() {
            assert!((a.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(centres[..i].iter().all(|b| squared_distance(a, b) > 0.9));
        }
    }

    #[test]
    fn a_crowded_circle_still_gets_its_directions() {
        assert_eq!(spread_directions(40, 2, &mut Seed(2).stream("test")).len(), 40);
    }
}
