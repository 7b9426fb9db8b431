//! Exact nearest neighbours.
//!
//! Above sixteen columns the distances come from blocked matrix products, `|x|^2 + |y|^2 - 2 x.y` of centred rows, and
//! the distances of the winners are then computed again by differences, so that near-duplicates lose no digits. Below it
//! differences are as fast and lose none. Ties are broken by row number: the result does not depend on threads.

use crate::linalg::{Cores, matmul_into};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

/// Up to this many columns, distances are computed by differences.
const DIRECT_WIDTH: usize = 16;
/// Query rows a task, and key rows a product: 256 x 1024 distances stay in the second-level cache.
const QUERY_BLOCK: usize = 256;
const KEY_BLOCK: usize = 1024;

/// The nearest other rows of each row, nearest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbors {
    /// Row numbers, `(n, s)`.
    pub indices: Array2<u32>,
    /// Squared distances, `(n, s)`.
    pub squared_distances: Array2<f32>,
}

/// The `count` nearest keys of each query, in order; `skip_same` leaves out key `i` for query `i` (the row itself).
fn search(queries: ArrayView2<f32>, keys: ArrayView2<f32>, count: usize, skip_same: bool) -> Neighbors {
    let n = queries.nrows();
    let available = if skip_same { keys.nrows().saturating_sub(1) } else { keys.nrows() };
    let count = count.min(available);
    let mut indices = Array2::zeros((n, count));
    let mut squared_distances = Array2::zeros((n, count));
    if count == 0 {
        return Neighbors { indices, squared_distances };
    }
    let key_norms: Array1<f32> = keys.axis_iter(Axis(0)).map(|row| row.dot(&row)).collect();
    let columns = keys.t().as_standard_layout().into_owned(); // (d, keys): consecutive keys are adjacent
    let blocks = indices
        .axis_chunks_iter_mut(Axis(0), QUERY_BLOCK)
        .into_par_iter()
        .zip(squared_distances.axis_chunks_iter_mut(Axis(0), QUERY_BLOCK));
    blocks.enumerate().for_each(|(block, (mut indices, mut squared))| {
        let first = block * QUERY_BLOCK;
        let block_queries = queries.slice(s![first..first + indices.nrows(), ..]);
        let mut best = vec![Best::new(count); indices.nrows()];
        let mut distances = Array2::zeros((indices.nrows(), KEY_BLOCK));
        for key_first in (0..keys.nrows()).step_by(KEY_BLOCK) {
            let key_range = key_first..(key_first + KEY_BLOCK).min(keys.nrows());
            let mut distances = distances.slice_mut(s![.., ..key_range.len()]);
            let block_keys = columns.slice(s![.., key_range.clone()]);
            if keys.ncols() <= DIRECT_WIDTH {
                direct_distances(block_queries, block_keys, distances.view_mut());
            } else {
                // ranks by |y|^2 - 2 x.y, which orders the keys of one query as the distance does
                matmul_into(distances.view_mut(), block_queries, block_keys, Cores::One);
                for mut row in distances.rows_mut() {
                    row.zip_mut_with(&key_norms.slice(s![key_range.clone()]), |dot, norm| *dot = norm - 2.0 * *dot);
                }
            }
            for (q, row) in distances.rows().into_iter().enumerate() {
                best[q].offer(row.as_slice().unwrap_or(&[]), key_first, skip_same.then_some(first + q));
            }
        }
        for (q, best) in best.iter_mut().enumerate() {
            best.finish(block_queries.row(q), keys);
            for (rank, &(distance, key)) in best.found.iter().enumerate() {
                indices[[q, rank]] = key;
                squared[[q, rank]] = distance;
            }
        }
    });
    Neighbors { indices, squared_distances }
}

/// Squared distances by differences; `keys` is `(d, keys)`.
fn direct_distances(queries: ArrayView2<f32>, keys: ArrayView2<f32>, mut distances: ndarray::ArrayViewMut2<f32>) {
    distances.fill(0.0);
    for (query, mut out) in queries.rows().into_iter().zip(distances.rows_mut()) {
        for (&x, column) in query.iter().zip(keys.rows()) {
            out.zip_mut_with(&column, |sum, &y| *sum += (x - y) * (x - y));
        }
    }
}

/// The smallest few of a stream of distances, kept in order.
#[derive(Clone)]
struct Best {
    found: Vec<(f32, u32)>,
    count: usize,
}

impl Best {
    fn new(count: usize) -> Self {
        Self { found: Vec::with_capacity(count + 1), count }
    }

    fn offer(&mut self, distances: &[f32], first_key: usize, skip: Option<usize>) {
        let mut worst = self.worst();
        for (offset, &distance) in distances.iter().enumerate() {
            if distance < worst {
                let key = first_key + offset;
                if Some(key) == skip {
                    continue;
                }
                let place = self.found.partition_point(|&(d, _)| d <= distance);
                self.found.insert(place, (distance, key as u32));
                self.found.truncate(self.count);
                worst = self.worst();
            }
        }
    }

    fn worst(&self) -> f32 {
        if self.found.len() < self.count { f32::INFINITY } else { self.found[self.count - 1].0 }
    }

    /// Replaces the ranking values by true squared distances, and orders by them.
    fn finish(&mut self, query: ndarray::ArrayView1<f32>, keys: ArrayView2<f32>) {
        for (distance, key) in &mut self.found {
            let key = keys.row(*key as usize);
            *distance = query.iter().zip(key).map(|(x, y)| (x - y) * (x - y)).sum();
        }
        self.found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
}

/// The `count` nearest other rows of each row (fewer if there are not so many).
pub fn nearest_neighbors(rows: ArrayView2<f32>, count: usize) -> Neighbors {
    let centred = centred(rows, rows);
    search(centred.view(), centred.view(), count, true)
}

/// The `count` nearest rows of `keys` for each row of `queries`.
pub fn nearest_in(queries: ArrayView2<f32>, keys: ArrayView2<f32>, count: usize) -> Neighbors {
    search(centred(queries, keys).view(), centred(keys, keys).view(), count, false)
}

/// `rows` less the column means of `reference`: keeps `|x|^2 + |y|^2 - 2 x.y` free of cancellation.
fn centred(rows: ArrayView2<f32>, reference: ArrayView2<f32>) -> Array2<f32> {
    match reference.mean_axis(Axis(0)) {
        Some(mean) => &rows - &mean,
        None => rows.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    fn random(n: usize, d: usize, offset: f32) -> Array2<f32> {
        let mut rng = Seed(3).stream("knn test");
        Array2::from_shape_fn((n, d), |_| rng.random::<f32>() + offset)
    }

    fn naive(rows: &Array2<f32>, count: usize) -> Vec<Vec<usize>> {
        let distance = |i: usize, j: usize| -> f64 {
            rows.row(i).iter().zip(rows.row(j)).map(|(&x, &y)| (f64::from(x) - f64::from(y)).powi(2)).sum()
        };
        (0..rows.nrows())
            .map(|i| {
                let mut others: Vec<usize> = (0..rows.nrows()).filter(|&j| j != i).collect();
                others.sort_by(|&a, &b| distance(i, a).total_cmp(&distance(i, b)).then(a.cmp(&b)));
                others[..count].to_vec()
            })
            .collect()
    }

    #[test]
    fn finds_what_a_full_sort_finds_in_low_and_high_dimensions() {
        for (d, offset) in [(2, 0.0), (40, 0.0), (40, 100.0)] {
            let rows = random(700, d, offset);
            let found = nearest_neighbors(rows.view(), 6);
            for (i, expected) in naive(&rows, 6).iter().enumerate() {
                let got: Vec<usize> = found.indices.row(i).iter().map(|&j| j as usize).collect();
                assert_eq!(&got, expected, "row {i} of {d} columns");
            }
        }
    }

    #[test]
    fn duplicates_are_neighbours_at_distance_zero_and_a_row_is_never_its_own() {
        let rows = Array2::from_shape_fn((30, 20), |(i, _)| (i / 10) as f32);
        let found = nearest_neighbors(rows.view(), 5);
        assert!(found.squared_distances.iter().all(|&d| d == 0.0));
        for (i, row) in found.indices.rows().into_iter().enumerate() {
            assert!(row.iter().all(|&j| j as usize != i && j as usize / 10 == i / 10));
        }
    }

    #[test]
    fn asks_for_no_more_neighbours_than_there_are() {
        let rows = random(3, 2, 0.0);
        assert_eq!(nearest_neighbors(rows.view(), 10).indices.dim(), (3, 2));
        assert_eq!(nearest_in(rows.view(), rows.view(), 10).indices.dim(), (3, 3));
    }
}
