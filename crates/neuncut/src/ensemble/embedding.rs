//! Coordinates of the nodes of a graph from its leading eigenvectors.

use crate::features::unit_rows;
use crate::graph::{Csr, Eigenpairs};
use ndarray::Array2;
use std::fmt;

/// Two embeddings with opposite strengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Embedding {
    /// `D^-1/2 v` of the first k eigenvectors: right where k clusters stand out.
    RandomWalk,
    /// The first 2k, each divided by `1 + e_l / (fade e_k)` with `e = 1 - lambda`, rows made unit: right where they do not.
    Faded,
}

impl Embedding {
    pub const ALL: [Self; 2] = [Self::RandomWalk, Self::Faded];

    /// Coordinates `(n, k)` or `(n, 2k)`.
    pub fn of(self, pairs: &Eigenpairs, graph: &Csr, k: usize, fade: f64) -> Array2<f32> {
        let n = pairs.vectors.nrows();
        match self {
            Self::RandomWalk => {
                let degrees = graph.degrees();
                let scale = |i: usize| 1.0 / f64::from(degrees[i].max(f32::MIN_POSITIVE)).sqrt();
                let used = k.min(pairs.values.len());
                // scaled to unit mean square, so that f32 is comfortable
                let norm = (n as f64).sqrt();
                Array2::from_shape_fn((n, used), |(i, l)| (pairs.vectors[[i, l]] * scale(i) * norm) as f32)
            }
            Self::Faded => {
                let used = (2 * k).min(pairs.values.len());
                let distance = |l: usize| (1.0 - pairs.values[l]).max(0.0) + 1e-6;
                let own = distance(k.min(used) - 1);
                let factors: Vec<f64> = (0..used).map(|l| 1.0 / (1.0 + distance(l) / (fade * own))).collect();
                let mut coordinates =
                    Array2::from_shape_fn((n, used), |(i, l)| (pairs.vectors[[i, l]] * factors[l]) as f32);
                unit_rows(&mut coordinates);
                coordinates
            }
        }
    }
}

impl fmt::Display for Embedding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::RandomWalk => "k eigenvectors",
            Self::Faded => "2k faded eigenvectors",
        })
    }
}
