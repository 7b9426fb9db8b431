//! The bandwidth of the heat kernel: given, or measured around each row.

use crate::graph::Neighbors;
use ndarray::Array1;
use serde::{Deserialize, Serialize};

/// The neighbour whose distance is a row's own bandwidth (Zelnik-Manor and Perona's local scaling uses the seventh).
pub const LOCAL_NEIGHBOR: usize = 7;
/// No row's bandwidth is below this share of the median one, so that a pile of duplicates keeps its ties to the rest.
const FLOOR_SHARE: f32 = 0.05;

/// How far affinity reaches.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bandwidth {
    /// `a_ij = exp(-d_ij^2 / (sig_i sig_j))`, where `sig_i` is the distance of row `i` to its seventh neighbour.
    #[default]
    Auto,
    /// `a_ij = exp(-d_ij^2 / (2 sigma^2))`, Eq. (kernel).
    Sigma(f32),
}

impl Bandwidth {
    /// The factor `c_ij` of `a_ij = exp(-c_i c_j d_ij^2)`, one a row.
    pub(crate) fn row_factors(self, neighbors: &Neighbors) -> Array1<f32> {
        let n = neighbors.squared_distances.nrows();
        match self {
            Self::Sigma(sigma) => Array1::from_elem(n, std::f32::consts::FRAC_1_SQRT_2 / sigma),
            Self::Auto => local_scales(neighbors).mapv(|scale| 1.0 / scale),
        }
    }
}

/// The distance of each row to its seventh neighbour (or the last one known), never below a share of the median.
fn local_scales(neighbors: &Neighbors) -> Array1<f32> {
    let distances = &neighbors.squared_distances;
    if distances.ncols() == 0 {
        return Array1::ones(distances.nrows());
    }
    let scales = distances.column(LOCAL_NEIGHBOR.min(distances.ncols()) - 1).mapv(f32::sqrt);
    let mut positive: Vec<f32> = scales.iter().copied().filter(|&s| s > 0.0).collect();
    positive.sort_by(f32::total_cmp);
    let floor = positive.get(positive.len() / 2).map_or(1.0, |median| median * FLOOR_SHARE);
    scales.mapv(|scale| scale.max(floor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn a_given_sigma_is_the_papers_kernel() {
        let neighbors = Neighbors { indices: Array2::zeros((2, 1)), squared_distances: array![[1.0], [4.0]] };
        let c = Bandwidth::Sigma(3.0).row_factors(&neighbors);
        assert!((c[0] * c[1] - 1.0 / 18.0).abs() < 1e-7);
    }

    #[test]
    fn the_automatic_one_is_local_and_survives_duplicates() {
        let squared_distances =
            Array2::from_shape_fn((3, 8), |(i, j)| [0.0, 1.0, 4.0][i] * (j == 6 || j == 7) as u8 as f32);
        let c = Bandwidth::Auto.row_factors(&Neighbors { indices: Array2::zeros((3, 8)), squared_distances });
        assert_eq!((c[1], c[2]), (1.0, 0.5));
        assert!(c[0].is_finite() && c[0] <= 1.0 / (2.0 * FLOOR_SHARE) + 1e-3);
    }
}
