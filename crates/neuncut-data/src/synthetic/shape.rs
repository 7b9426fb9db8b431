//! The shapes by name, their parameters and their usual noise.

use super::bridge::Bridge;
use super::curves::{Curve, Curves};
use super::embedding::Embedding;
use super::generator::{Cloud, Generator};
use super::mixture::Mixture;
use super::sphere::Sphere;
use crate::{Error, Result, Seed};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What to draw. Two columns unless said otherwise; classes are equally likely unless said otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Shape {
    /// Two concentric rings, of radius 1 and 0.5.
    Rings,
    /// Two interlocking C's.
    DoubleC,
    /// Two interlocking half circles.
    Moons,
    /// Round clouds at random places, at least 1 apart.
    Blobs {
        /// Number of clouds.
        k: usize,
        /// Columns.
        dimension: usize,
    },
    /// Spirals wound into each other.
    Spirals {
        /// Number of spirals, at most 4.
        arms: usize,
    },
    /// Blobs of unequal size: the last has `ratio` times the rows of the first.
    UnequalSizes {
        /// Number of clouds.
        k: usize,
        /// Rows of the largest over rows of the smallest.
        ratio: f32,
    },
    /// Blobs as large in number, but some four times as wide as others.
    UnequalDensity {
        /// Number of clouds.
        k: usize,
    },
    /// Parallel clouds ten times as long as wide.
    Stretched {
        /// Number of clouds.
        k: usize,
    },
    /// Blobs among scattered rows that belong to no class, labelled [`BACKGROUND`](super::BACKGROUND).
    Scattered {
        /// Number of clouds.
        k: usize,
        /// Share of scattered rows, 0 to 1.
        share: f32,
    },
    /// Clusters of directions on the unit sphere, as embeddings have them.
    Sphere {
        /// Number of clusters.
        k: usize,
        /// Columns.
        dimension: usize,
    },
    /// Thin, parallel, horizontal stripes.
    Stripes {
        /// Number of stripes.
        k: usize,
    },
    /// Closed, wavy curves, one inside the other, all equally dense.
    Nested {
        /// Number of curves.
        k: usize,
    },
    /// Two discs that touch by a thin bridge.
    Bridge,
    /// Another shape in a random plane (or subspace) of a larger space, with noise in all other directions.
    Embedded {
        /// The shape.
        shape: Box<Shape>,
        /// Columns of the larger space.
        dimension: usize,
        /// Standard deviation of the noise in every other direction.
        irrelevant: f32,
    },
}

impl Shape {
    /// The names [`Shape::from_str`] knows.
    pub const NAMES: [&'static str; 4] = ["rings", "double-c", "moons", "blobs"];

    /// A stream of rows of this shape; `noise` is by default [`Shape::usual_noise`].
    ///
    /// # Errors
    /// When the noise or a parameter of the shape cannot be used.
    pub fn generator(&self, noise: Option<f32>, seed: Seed) -> Result<Generator> {
        let noise = noise.unwrap_or_else(|| self.usual_noise());
        if !(noise.is_finite() && noise >= 0.0) {
            return Err(Error::config("noise", noise, "a finite number, 0 or more"));
        }
        self.check()?;
        Ok(Generator::new(self.cloud(noise, seed), seed))
    }

    /// Noise (a standard deviation) that blurs the shape and leaves a clean gap between its classes.
    pub fn usual_noise(&self) -> f32 {
        match self {
            Self::Rings | Self::DoubleC => 0.04,
            Self::Moons => 0.05,
            Self::Spirals { .. } => 0.02,
            Self::Stripes { .. } | Self::Nested { .. } | Self::Bridge => 0.03,
            Self::Blobs { .. } | Self::UnequalSizes { .. } | Self::UnequalDensity { .. } => 0.1,
            Self::Stretched { .. } => 0.1,
            Self::Scattered { .. } => 0.08,
            Self::Sphere { .. } => 0.5,
            Self::Embedded { shape, .. } => shape.usual_noise(),
        }
    }

    fn cloud(&self, noise: f32, seed: Seed) -> Box<dyn Cloud> {
        match *self {
            Self::Rings => Box::new(Curves::new(Curve::Rings, noise)),
            Self::DoubleC => Box::new(Curves::new(Curve::DoubleC, noise)),
            Self::Moons => Box::new(Curves::new(Curve::Moons, noise)),
            Self::Spirals { arms } => Box::new(Curves::new(Curve::Spirals { arms }, noise)),
            Self::Stripes { k } => Box::new(Curves::new(Curve::Stripes { k }, noise)),
            Self::Nested { k } => Box::new(Curves::new(Curve::Nested { k }, noise)),
            Self::Blobs { k, dimension } => Box::new(Mixture::blobs(k, dimension, noise, seed)),
            Self::UnequalSizes { k, ratio } => Box::new(Mixture::blobs(k, 2, noise, seed).with_size_ratio(ratio)),
            Self::UnequalDensity { k } => Box::new(Mixture::blobs(k, 2, noise, seed).with_unequal_density()),
            Self::Stretched { k } => Box::new(Mixture::stretched(k, noise)),
            Self::Scattered { k, share } => Box::new(Mixture::blobs(k, 2, noise, seed).with_background(share)),
            Self::Sphere { k, dimension } => Box::new(Sphere::new(k, dimension, noise, seed)),
            Self::Bridge => Box::new(Bridge { noise }),
            Self::Embedded { ref shape, dimension, irrelevant } => {
                Box::new(Embedding::new(shape.cloud(noise, seed), dimension, irrelevant, seed))
            }
        }
    }

    fn check(&self) -> Result<()> {
        let at_least = |field, given: usize, least: usize| match given >= least {
            true => Ok(()),
            false => Err(Error::config(field, given, format!("{least} or more"))),
        };
        let between = |field, given: f32, low: f32, high: f32| match (low..=high).contains(&given) {
            true => Ok(()),
            false => Err(Error::config(field, given, format!("from {low} to {high}"))),
        };
        match self {
            Self::Rings | Self::DoubleC | Self::Moons | Self::Bridge => Ok(()),
            Self::Spirals { arms } => between("arms", *arms as f32, 1.0, 4.0),
            Self::UnequalDensity { k } | Self::Stretched { k } | Self::Stripes { k } | Self::Nested { k } => {
                at_least("k", *k, 1)
            }
            Self::UnequalSizes { k, ratio } => at_least("k", *k, 1).and(between("ratio", *ratio, 1.0, 1e6)),
            Self::Scattered { k, share } => at_least("k", *k, 1).and(between("share", *share, 0.0, 1.0)),
            Self::Blobs { k, dimension } => at_least("k", *k, 1).and(at_least("dimension", *dimension, 1)),
            Self::Sphere { k, dimension } => at_least("k", *k, 1).and(at_least("dimension", *dimension, 2)),
            Self::Embedded { shape, dimension, irrelevant } => shape
                .check()
                .and(at_least("dimension", *dimension, shape.dimension()))
                .and(between("irrelevant", *irrelevant, 0.0, 1e6)),
        }
    }

    /// Columns of a row.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Blobs { dimension, .. } | Self::Sphere { dimension, .. } | Self::Embedded { dimension, .. } => {
                *dimension
            }
            _ => 2,
        }
    }
}

impl FromStr for Shape {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "rings" => Ok(Self::Rings),
            "double-c" => Ok(Self::DoubleC),
            "moons" => Ok(Self::Moons),
            "blobs" => Ok(Self::Blobs { k: 3, dimension: 2 }),
            _ => Err(Error::config("shape", name, format!("one of {}", Self::NAMES.join(", ")))),
        }
    }
}

/// Shapes, easy to hard, on which a clustering method must hold up; each with a name for reports.
pub fn quality_family() -> Vec<(String, Shape)> {
    let embedded = |shape: Shape, dimension| Shape::Embedded { shape: Box::new(shape), dimension, irrelevant: 0.05 };
    let mut family = vec![
        ("rings".to_owned(), Shape::Rings),
        ("double-c".to_owned(), Shape::DoubleC),
        ("moons".to_owned(), Shape::Moons),
        ("sizes 1:50".to_owned(), Shape::UnequalSizes { k: 3, ratio: 50.0 }),
        ("unequal density".to_owned(), Shape::UnequalDensity { k: 3 }),
        ("stretched".to_owned(), Shape::Stretched { k: 3 }),
        ("blobs, 5% scattered".to_owned(), Shape::Scattered { k: 3, share: 0.05 }),
        ("stripes".to_owned(), Shape::Stripes { k: 5 }),
        ("nested".to_owned(), Shape::Nested { k: 3 }),
        ("bridge".to_owned(), Shape::Bridge),
    ];
    family.extend([2, 3].map(|arms| (format!("{arms} spirals"), Shape::Spirals { arms })));
    family.extend([2, 3, 10, 50].map(|k| (format!("{k} blobs"), Shape::Blobs { k, dimension: 2 })));
    family.extend([10, 100].map(|d| (format!("rings in {d} dimensions"), embedded(Shape::Rings, d))));
    let blobs = Shape::Blobs { k: 5, dimension: 2 };
    family.extend([10, 100].map(|d| (format!("5 blobs in {d} dimensions"), embedded(blobs.clone(), d))));
    let spheres = [(10, 64), (100, 128), (1000, 768)];
    family.extend(spheres.map(|(k, dimension)| (format!("sphere {k} x {dimension}"), Shape::Sphere { k, dimension })));
    family
}
