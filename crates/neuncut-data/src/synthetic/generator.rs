//! A stream of labelled rows.

use crate::Seed;
use crate::seed::Stream;
use rand::RngExt;

/// A distribution of labelled points.
pub(super) trait Cloud: Send {
    /// Columns of a row.
    fn dimension(&self) -> usize;
    /// Number of classes, without the background.
    fn n_classes(&self) -> usize;
    /// Draws one point into `point` (of `dimension` zeros) and returns its class. All randomness comes from the stream.
    fn draw(&self, point: &mut [f32], stream: &mut Stream) -> i32;
}

/// Draws rows of a [`Shape`](super::Shape) for as long as it is asked to.
///
/// A row depends on the shape, the noise, the seed and its place in the stream, and on nothing else.
pub struct Generator {
    cloud: Box<dyn Cloud>,
    stream: Stream,
}

impl Generator {
    pub(super) fn new(cloud: Box<dyn Cloud>, seed: Seed) -> Self {
        Self { cloud, stream: seed.stream("synthetic points") }
    }

    /// Columns of a row.
    pub fn dimension(&self) -> usize {
        self.cloud.dimension()
    }

    /// Number of classes; labels are 0, 1, ... below it, and [`BACKGROUND`](super::BACKGROUND) in shapes that have
    /// some.
    pub fn n_classes(&self) -> usize {
        self.cloud.n_classes()
    }

    /// Appends the next `n` rows (row-major) and their labels.
    pub fn fill(&mut self, n: usize, rows: &mut Vec<f32>, labels: &mut Vec<i32>) {
        let dimension = self.dimension();
        rows.reserve(n * dimension);
        labels.reserve(n);
        for _ in 0..n {
            let start = rows.len();
            rows.resize(start + dimension, 0.0);
            labels.push(self.cloud.draw(&mut rows[start..], &mut self.stream));
        }
    }
}

/// A class drawn with probability proportional to its weight; `cumulative` ends with the sum of all weights.
pub(super) fn draw_class(cumulative: &[f32], stream: &mut Stream) -> usize {
    let total = cumulative.last().copied().unwrap_or(1.0);
    let at = stream.random::<f32>() * total;
    cumulative.partition_point(|&bound| bound <= at).min(cumulative.len().saturating_sub(1))
}

/// Running sums, for [`draw_class`].
pub(super) fn cumulative(weights: impl IntoIterator<Item = f32>) -> Vec<f32> {
    weights
        .into_iter()
        .scan(0.0, |sum, weight| {
            Some({
                *sum += weight;
                *sum
            })
        })
        .collect()
}
