//! Rows become weighted means of what is known of their nearest landmarks.
//!
//! It is how a row that was not fitted enters a graph of those that were: by its affinities to a few of them, the landmarks. Each landmark
//! has a row of `map`, such as its place in a spectral embedding or its cluster, and a row gets the mean of those, weighted by affinity.

use crate::graph::Neighbors;
use crate::graph::knn::nearest_in;
use crate::linalg::{Cores, matmul_into};
use crate::rows::{centred, squared_lengths};
use crate::vector::exp;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, s};

/// How the affinity of a row to a landmark falls with their squared distance. Of a row's affinities only the ratios matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Closeness {
    /// `exp(-factor d^2)`.
    Heat {
        /// One over twice the squared bandwidth.
        factor: f32,
    },
    /// `1 / d^2`: a row that equals a landmark gets what is known of it.
    Inverse,
    /// `d_(r+1)^2 - d^2`, where `d_(r+1)` is the distance of the first landmark that is not among the nearest: it needs no bandwidth.
    Adaptive,
}

impl Closeness {
    /// Squared distances become affinities whose largest is one.
    fn fall_off(self, mut squared: ArrayViewMut1<f32>, beyond: f32) {
        let nearest = squared.iter().copied().fold(f32::INFINITY, f32::min);
        // equal values may be infinite, and have no difference
        let affinity = |own: f32| match self {
            _ if own == nearest => 1.0,
            Self::Heat { factor } => exp(-((own - nearest) * factor)),
            Self::Inverse => nearest / own,
            Self::Adaptive => (beyond - own).max(0.0) / (beyond - nearest).max(f32::MIN_POSITIVE),
        };
        squared.mapv_inplace(|own| {
            let value = affinity(own);
            if value.is_finite() { value } else { 0.0 }
        });
    }
}

/// The step: landmarks, the affinity to them, and what is known of each.
#[derive(Debug, Clone, PartialEq)]
pub struct LandmarkMap {
    /// The landmarks, `(m, d)`.
    pub landmarks: Array2<f32>,
    /// How affinity falls with distance.
    pub closeness: Closeness,
    /// Landmarks that a row is joined to, from 1 to `m`.
    pub nearest: usize,
    /// What is known of each landmark, `(m, outputs)`.
    pub map: Array2<f32>,
}

impl LandmarkMap {
    /// Rows `(n, d)` become `(n, outputs)`.
    pub(super) fn apply(&self, rows: ArrayView2<f32>, cores: Cores) -> Array2<f32> {
        match self.closeness {
            Closeness::Heat { factor } if self.nearest == self.landmarks.nrows() => self.dense(rows, factor, cores),
            _ => self.sparse(rows),
        }
    }

    /// The same where all landmarks count: distances by products.
    fn dense(&self, rows: ArrayView2<f32>, factor: f32, cores: Cores) -> Array2<f32> {
        let mut weights = squared_distances_to(rows, self.landmarks.view(), cores);
        for mut row in weights.rows_mut() {
            Closeness::Heat { factor }.fall_off(row.view_mut(), f32::INFINITY);
            let total = row.sum();
            row /= total;
        }
        let mut mapped = Array2::zeros((rows.nrows(), self.map.ncols()));
        matmul_into(mapped.view_mut(), weights.view(), self.map.view(), cores);
        mapped
    }

    fn sparse(&self, rows: ArrayView2<f32>) -> Array2<f32> {
        let (indices, shares) = shares_of_nearest(rows, self.landmarks.view(), self.closeness, self.nearest);
        let mut mapped = Array2::zeros((rows.nrows(), self.map.ncols()));
        for (i, mut out) in mapped.rows_mut().into_iter().enumerate() {
            for (&landmark, &share) in indices.row(i).iter().zip(shares.row(i)) {
                out.scaled_add(share, &self.map.row(landmark as usize));
            }
        }
        mapped
    }

    /// Whether rows of so many columns can go through and come out finite.
    pub(super) fn takes(&self, columns: usize) -> bool {
        let finite = |values: ArrayView1<f32>| values.iter().all(|x| x.is_finite());
        let all_finite = |array: &Array2<f32>| array.rows().into_iter().all(finite);
        let falls = match self.closeness {
            Closeness::Heat { factor } => factor.is_finite() && factor >= 0.0,
            Closeness::Inverse | Closeness::Adaptive => true,
        };
        let m = self.landmarks.nrows();
        let fits = self.landmarks.ncols() == columns && self.map.nrows() == m && self.map.ncols() > 0;
        fits && falls && (1..=m).contains(&self.nearest) && all_finite(&self.landmarks) && all_finite(&self.map)
    }
}

/// The nearest landmarks of each row and its affinities to them, which sum to one; both `(n, nearest)`.
pub(crate) fn shares_of_nearest(
    rows: ArrayView2<f32>,
    landmarks: ArrayView2<f32>,
    closeness: Closeness,
    nearest: usize,
) -> (Array2<u32>, Array2<f32>) {
    let beyond = usize::from(closeness == Closeness::Adaptive);
    let Neighbors { indices, squared_distances: mut shares } = nearest_in(rows, landmarks, nearest + beyond);
    for mut row in shares.rows_mut() {
        let beyond = *row.last().expect("a row has a neighbour");
        closeness.fall_off(row.view_mut(), beyond);
        row.iter_mut().skip(nearest).for_each(|weight| *weight = 0.0);
        let total = row.sum();
        row /= total;
    }
    let kept = s![.., ..nearest.min(indices.ncols())];
    (indices.slice_move(kept), shares.slice_move(kept))
}

/// Squared distances `(n, m)` of rows to landmarks by products of centred rows; none is negative.
pub(crate) fn squared_distances_to(rows: ArrayView2<f32>, landmarks: ArrayView2<f32>, cores: Cores) -> Array2<f32> {
    let (rows, landmarks) = (centred(rows, landmarks), centred(landmarks, landmarks));
    let mut squared = Array2::zeros((rows.nrows(), landmarks.nrows()));
    matmul_into(squared.view_mut(), rows.view(), landmarks.t(), cores);
    let (own, others) = (squared_lengths(rows.view()), Array1::from(squared_lengths(landmarks.view())));
    for (mut row, own) in squared.axis_iter_mut(Axis(0)).zip(own) {
        row.zip_mut_with(&others, |product, other| *product = (own + other - 2.0 * *product).max(0.0));
    }
    squared
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Landmarks at 0, 1 and 4 on a line.
    fn line(closeness: Closeness, nearest: usize) -> LandmarkMap {
        LandmarkMap { landmarks: array![[0.0], [1.0], [4.0]], closeness, nearest, map: Array2::eye(3) }
    }

    fn assert_close(found: Array2<f32>, expected: Array2<f32>) {
        assert!((&found - &expected).iter().all(|x| x.abs() < 1e-5), "{found} for {expected}");
    }

    #[test]
    fn affinities_by_hand() {
        let row = array![[0.5], [3.0]];
        let heat = line(Closeness::Heat { factor: 0.5 }, 2).apply(row.view(), Cores::One);
        let far = (-1.5_f32).exp(); // squared distances 1 and 4
        assert_close(heat, array![[0.5, 0.5, 0.0], [0.0, far / (1.0 + far), 1.0 / (1.0 + far)]]);
        let inverse = line(Closeness::Inverse, 2).apply(array![[3.0], [1.0]].view(), Cores::One);
        assert_close(inverse, array![[0.0, 0.2, 0.8], [0.0, 1.0, 0.0]]);
        // 9 is beyond, 1 and 4 are kept: 8 to 5
        let adaptive = line(Closeness::Adaptive, 2).apply(array![[3.0]].view(), Cores::One);
        assert_close(adaptive, array![[0.0, 5.0 / 13.0, 8.0 / 13.0]]);
    }

    #[test]
    fn all_landmarks_by_products_are_all_landmarks_by_neighbours() {
        let rows = Array2::from_shape_fn((50, 20), |(i, j)| ((i * 7 + j * 5) % 23) as f32 * 0.1);
        let (landmarks, map) = (rows.slice(s![..9, ..]).to_owned(), Array2::eye(9));
        let all = LandmarkMap { landmarks, closeness: Closeness::Heat { factor: 0.3 }, nearest: 9, map };
        assert_close(all.apply(rows.view(), Cores::One), all.sparse(rows.view()));
    }

    #[test]
    fn rows_far_from_all_landmarks_come_out_finite() {
        let rows = array![[1e30_f32], [f32::MAX], [-f32::MAX], [0.0]];
        for closeness in [Closeness::Heat { factor: 1.0 }, Closeness::Inverse, Closeness::Adaptive] {
            for nearest in 1..=3 {
                let found = line(closeness, nearest).apply(rows.view(), Cores::One);
                let sums = found.sum_axis(Axis(1));
                assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{closeness:?}, {nearest}: {found}");
            }
        }
    }
}
