//! How the representation enters the network.

use crate::Seed;
use crate::affinity::LOCAL_NEIGHBOR;
use crate::features::{FourierFeatures, Step, mean_square};
use crate::graph::nearest_neighbors;
use ndarray::{ArrayView2, Axis};

/// Up to this many columns the network also sees Fourier features: the finest width in neighbour distances.
const FOURIER_COLUMNS: usize = 4;
const FINEST_WIDTH: f32 = 4.0;

/// Scaled to unit mean square; few columns have so many Fourier `features` beside them, whose finest width is tied to the distance of
/// neighbours among the landmarks.
pub(super) fn input_encoding(
    representation: ArrayView2<f32>,
    landmarks: &[usize],
    features: usize,
    seed: Seed,
) -> Step {
    let columns = representation.ncols();
    let rms = mean_square(representation).max(1e-30).sqrt() as f32;
    if columns > FOURIER_COLUMNS || features == 0 {
        return Step::Scale(1.0 / rms);
    }
    let neighbors = nearest_neighbors(representation.select(Axis(0), landmarks).view(), LOCAL_NEIGHBOR);
    let mut distances: Vec<f32> =
        neighbors.squared_distances.columns().into_iter().next_back().map_or(vec![], |c| c.to_vec());
    distances.sort_by(f32::total_cmp);
    let spacing = distances.get(distances.len() / 2).map_or(rms, |d| d.sqrt());
    let finest = (FINEST_WIDTH * spacing).clamp(1e-3 * rms, rms);
    let coarsest = rms * (columns as f32).sqrt();
    let mut rng = seed.stream("fourier");
    Step::Fourier(FourierFeatures::random(columns, features, finest, coarsest, &mut rng))
}
