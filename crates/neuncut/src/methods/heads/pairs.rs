//! Pairs of near rows: what every head learns from.

use crate::graph::nearest_neighbors;
use crate::seed::Stream;
use ndarray::{Array2, ArrayView2};
use rand::RngExt;

/// The neighbours of each row, one of which is drawn as its partner.
pub(super) struct NeighborPairs {
    neighbors: Array2<u32>,
    /// Most steps of the walk to a partner.
    steps: usize,
}

impl NeighborPairs {
    /// Partners are so many nearest rows, or those reached from them in up to `steps` steps, each number of steps as likely as another.
    pub fn of(rows: ArrayView2<f32>, neighbors: usize, steps: usize) -> Self {
        Self { neighbors: nearest_neighbors(rows, neighbors).indices, steps }
    }

    /// The rows of a batch followed by a partner of each, drawn at random. A row that is alone is its own.
    pub fn with_partners(&self, batch: &[usize], rng: &mut Stream) -> Vec<usize> {
        let mut places = batch.to_vec();
        places.extend(batch.iter().map(|&row| self.partner(row, rng)));
        places
    }

    fn partner(&self, row: usize, rng: &mut Stream) -> usize {
        let count = self.neighbors.ncols();
        if count == 0 {
            return row;
        }
        let steps = if self.steps > 1 { rng.random_range(1..=self.steps) } else { 1 };
        (0..steps).fold(row, |place, _| self.neighbors[[place, rng.random_range(0..count)]] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn partners_are_neighbours_or_theirs() {
        // each row is twice as far as the one before, so that the nearest two of row i > 1 are i - 1 and i - 2
        let rows = Array2::from_shape_fn((16, 1), |(i, _)| (1 << i) as f32);
        let batch: Vec<usize> = (6..16).collect();
        for (steps, farthest) in [(1, 2), (2, 4)] {
            let pairs = NeighborPairs::of(rows.view(), 2, steps);
            let mut rng = Seed(1).stream("pairs");
            let mut seen = 0;
            for _ in 0..50 {
                let places = pairs.with_partners(&batch, &mut rng);
                assert_eq!(places[..10], batch);
                for (&row, &partner) in batch.iter().zip(&places[10..]) {
                    assert!(partner < row && row - partner <= farthest, "{row} and {partner}");
                    seen = seen.max(row - partner);
                }
            }
            assert_eq!(seen, farthest);
        }
        let alone = NeighborPairs::of(rows.slice(ndarray::s![..1, ..]), 3, 2);
        assert_eq!(alone.with_partners(&[0], &mut Seed(1).stream("pairs")), [0, 0]);
    }
}
