//! The representation in which labels are easiest to tell by a row's place: that in which they enter the network.

use crate::Result;
use crate::features::Representation;
use crate::graph::nearest_neighbors;
use ndarray::{ArrayView2, Axis};

/// Rows and neighbours by which representations are compared.
const COMPARED_ROWS: usize = 4000;
const COMPARED_NEIGHBORS: usize = 10;

/// Of several representations of the training rows, the one in which most near neighbours have the same label. The best for the
/// start is not always the best to learn its labels from.
pub(super) fn most_agreeing(
    candidates: &[Representation],
    rows: ArrayView2<f32>,
    landmarks: &[usize],
    labels: &[u32],
) -> Result<Representation> {
    let mut best = (candidates[0], -1.0);
    if candidates.len() == 1 {
        return Ok(best.0);
    }
    let compared = &landmarks[..landmarks.len().min(COMPARED_ROWS)];
    let compared_rows = rows.select(Axis(0), compared);
    for &candidate in candidates {
        let represented = candidate.fit(rows)?.apply(compared_rows.clone());
        let neighbors = nearest_neighbors(represented.view(), COMPARED_NEIGHBORS).indices;
        let same = |(i, row): (usize, ndarray::ArrayView1<u32>)| {
            row.iter().filter(|&&j| labels[j as usize] == labels[i]).count()
        };
        let agreeing =
            neighbors.rows().into_iter().enumerate().map(same).sum::<usize>() as f64 / neighbors.len().max(1) as f64;
        if agreeing > best.1 {
            best = (candidate, agreeing);
        }
    }
    Ok(best.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn the_representation_is_the_one_that_shows_the_labels() {
        // the second column tells the labels, but is a thousand times smaller than the first
        let rows = Array2::from_shape_fn((80, 3), |(i, j)| match j {
            0 => ((i * 37) % 80) as f32 * 10.0,
            1 => (i % 2) as f32,
            _ => ((i * 11) % 7) as f32 * 0.01,
        });
        let labels: Vec<u32> = (0..80).map(|i| i % 2).collect();
        let landmarks: Vec<usize> = (0..80).collect();
        let candidates = [Representation::Raw, Representation::Standard];
        let chosen = most_agreeing(&candidates, rows.view(), &landmarks, &labels).unwrap();
        assert_eq!(chosen, Representation::Standard);
    }
}
