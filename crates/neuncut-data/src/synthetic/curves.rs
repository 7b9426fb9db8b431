//! Classes that are curves in the plane: rings, C's, moons, spirals, stripes.

use super::generator::{Cloud, cumulative, draw_class};
use super::normal::add_normal;
use crate::seed::Stream;
use rand::RngExt;
use std::f32::consts::{PI, TAU};

/// One curve per class, each point moved off it by normal noise.
pub(super) struct Curves {
    curve: Curve,
    /// Running sums of the classes' weights.
    weights: Vec<f32>,
    noise: f32,
}

/// Which curve; each maps a class and a place `t` in [0, 1) on it to a point.
#[derive(Clone, Copy)]
pub(super) enum Curve {
    Rings,
    DoubleC,
    Moons,
    Spirals { arms: usize },
    Stripes { k: usize },
    Nested { k: usize },
}

impl Curves {
    pub(super) fn new(curve: Curve, noise: f32) -> Self {
        Self { curve, weights: cumulative((0..curve.n_classes()).map(|class| curve.weight(class))), noise }
    }
}

impl Cloud for Curves {
    fn dimension(&self) -> usize {
        2
    }

    fn n_classes(&self) -> usize {
        self.curve.n_classes()
    }

    fn draw(&self, point: &mut [f32], stream: &mut Stream) -> i32 {
        let class = draw_class(&self.weights, stream);
        point.copy_from_slice(&self.curve.at(class, stream.random::<f32>()));
        add_normal(point, stream, |_| self.noise);
        class as i32
    }
}

impl Curve {
    fn n_classes(self) -> usize {
        match self {
            Self::Rings | Self::DoubleC | Self::Moons => 2,
            Self::Spirals { arms: k } | Self::Stripes { k } | Self::Nested { k } => k,
        }
    }

    /// Nested curves get rows in proportion to their length, so that all are equally dense; else every class gets the
    /// same.
    fn weight(self, class: usize) -> f32 {
        if let Self::Nested { .. } = self { (class + 1) as f32 } else { 1.0 }
    }

    fn at(self, class: usize, t: f32) -> [f32; 2] {
        match self {
            Self::Rings => polar([1.0, 0.5][class], TAU * t),
            Self::DoubleC => double_c(class, t),
            Self::Moons => moon(class, t),
            Self::Spirals { arms } => spiral(class, arms, t),
            Self::Stripes { .. } => [4.0 * t, 0.5 * class as f32],
            Self::Nested { .. } => polar(0.5 * (class + 1) as f32 * (1.0 + 0.2 * (3.0 * TAU * t).sin()), TAU * t),
        }
    }
}

fn polar(radius: f32, angle: f32) -> [f32; 2] {
    [radius * angle.cos(), radius * angle.sin()]
}

/// Three quarters of a circle, open to the right; the second class is its mirror image, moved so that an arm of each
/// lies in the other's mouth. The two come no closer than 0.53.
fn double_c(class: usize, t: f32) -> [f32; 2] {
    let [x, y] = polar(1.0, PI / 4.0 + 1.5 * PI * t);
    if class == 0 { [x, y] } else { [1.0 - x, y - 0.8] }
}

/// Two half circles, the usual "two moons".
fn moon(class: usize, t: f32) -> [f32; 2] {
    let [x, y] = polar(1.0, PI * t);
    if class == 0 { [x, y] } else { [1.0 - x, 0.5 - y] }
}

/// One turn of an arm, from radius 0.25 to 1. The root spreads points evenly along the curve, not along the angle.
fn spiral(arm: usize, arms: usize, t: f32) -> [f32; 2] {
    let along = (0.0625 + 0.9375 * t).sqrt(); // radius from 0.25 to 1, evenly by its square
    polar(along, TAU * ((along - 0.25) / 0.75 + arm as f32 / arms as f32))
}

#[cfg(test)]
mod tests {
    use super::super::normal::squared_distance;
    use super::*;

    /// The smallest distance between the noiseless curves of two classes.
    fn gap(curve: Curve) -> f32 {
        let points = |class| (0..800).map(move |i| curve.at(class, i as f32 / 800.0)).collect::<Vec<_>>();
        let classes: Vec<_> = (0..curve.n_classes()).map(points).collect();
        let pairs = classes.iter().enumerate().flat_map(|(i, a)| classes[..i].iter().map(move |b| (a, b)));
        let closest =
            pairs.flat_map(|(a, b)| a.iter().flat_map(move |p| b.iter().map(move |q| squared_distance(p, q))));
        closest.fold(f32::INFINITY, f32::min).sqrt()
    }

    #[test]
    fn curves_keep_their_distance() {
        let wanted = [
            (Curve::Rings, 0.5),
            (Curve::DoubleC, 0.53),
            (Curve::Moons, 0.5),
            (Curve::Spirals { arms: 2 }, 0.3),
            (Curve::Spirals { arms: 3 }, 0.2),
            (Curve::Stripes { k: 5 }, 0.5),
            (Curve::Nested { k: 4 }, 0.35),
        ];
        for (at, (curve, least)) in wanted.into_iter().enumerate() {
            assert!(gap(curve) > least - 1e-3, "curve {at}: {}", gap(curve));
        }
    }

    #[test]
    fn the_two_cs_interlock() {
        // An end of each arc lies inside the other's circle: no straight line parts them.
        let inside = |point: [f32; 2], centre: [f32; 2]| squared_distance(&point, &centre) < 0.5;
        assert!(inside(double_c(0, 1.0), [1.0, -0.8]));
        assert!(inside(double_c(1, 0.0), [0.0, 0.0]));
    }
}
