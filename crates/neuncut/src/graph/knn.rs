//! Nearest neighbours: exact, and near enough among very many rows.
//!
//! Above sixteen columns the distances come from blocked matrix products, `|x|^2 + |y|^2 - 2 x.y` of centred rows, each pair of
//! rows once: kept for a batch, and picked from while in the cache for many rows. The distances of the winners are then computed again by
//! differences, so that near-duplicates lose no digits. Below it differences are as fast and lose none. Ties are broken by row
//! number: the result does not depend on threads.

mod best;
mod grouped;
mod pairs;

use crate::interrupt;
use crate::linalg::{Packed, symmetric_product};
use crate::rows::{centred, squared_lengths};
use best::Best;
use grouped::search_groups;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use pairs::search_pairs;
use rayon::prelude::*;

/// Up to this many columns, distances are computed by differences.
pub(crate) const DIRECT_WIDTH: usize = 16;
/// Query rows per task, and key rows at a time: 256 x 1024 distances stay in the second-level cache.
const QUERY_BLOCK: usize = 256;
const KEY_BLOCK: usize = 1024;
/// Tasks of a product whose rows go through all keys together.
const QUERY_TASKS: usize = 6;
/// Up to this many rows the distances of all pairs are kept, each computed once: 64 megabytes.
const SQUARE_ROWS: usize = 4096;
/// Rows per task where neighbours are picked from kept distances.
const ROW_TASK: usize = 32;
/// Up to this many rows [`near_neighbors`] are the nearest: an exact search is quadratic.
pub const EXACT_ROWS: usize = 50_000;

/// The nearest other rows of each row, nearest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbors {
    /// Row numbers, `(n, s)`.
    pub indices: Array2<u32>,
    /// Squared distances, `(n, s)`.
    pub squared_distances: Array2<f32>,
}

/// The `count` nearest keys of each query, in order; `same` says that queries are keys, and leaves out the row itself.
fn search(queries: ArrayView2<f32>, keys: ArrayView2<f32>, count: usize, same: bool) -> Neighbors {
    let available = if same { keys.nrows().saturating_sub(1) } else { keys.nrows() };
    let count = count.min(available);
    if count == 0 {
        return Neighbors::zeros(queries.nrows(), 0);
    }
    if keys.ncols() <= DIRECT_WIDTH {
        return search_by_differences(queries, keys, count, same);
    }
    if same && keys.nrows() <= SQUARE_ROWS {
        return nearest_of(&squared_distances(keys), keys, count);
    }
    if same {
        return search_pairs(keys, count);
    }
    let norms = squared_lengths(keys);
    let packed = Packed::new(keys.t());
    let block = packed.task_rows() * QUERY_TASKS;
    search_blocks(queries, keys, count, block, |_, block_queries, best| {
        // ranks by |y|^2 - 2 x.y, which orders the keys of one query as the distance does
        packed.blocks_from(0, block_queries, |block| {
            let (row, column) = (block.row, block.column);
            for (r, best) in best[row..row + block.rows].iter_mut().enumerate() {
                let entries = block.entries(r);
                rank(entries, 0.0, &norms[column..]);
                best.offer(entries, column, None);
            }
        });
    })
}

/// The same by differences, for few columns.
fn search_by_differences(queries: ArrayView2<f32>, keys: ArrayView2<f32>, count: usize, same: bool) -> Neighbors {
    let columns = keys.t().as_standard_layout().into_owned(); // (d, keys): consecutive keys are adjacent
    search_blocks(queries, keys, count, QUERY_BLOCK, |first, block_queries, best| {
        let mut distances = Array2::zeros((block_queries.nrows(), KEY_BLOCK));
        for key_first in (0..keys.nrows()).step_by(KEY_BLOCK) {
            let key_range = key_first..(key_first + KEY_BLOCK).min(keys.nrows());
            let mut distances = distances.slice_mut(s![.., ..key_range.len()]);
            direct_distances(block_queries, columns.slice(s![.., key_range]), distances.view_mut());
            for (q, row) in distances.rows().into_iter().enumerate() {
                best[q].offer(row.as_slice().expect("rows lie in one piece"), key_first, same.then_some(first + q));
            }
        }
    })
}

/// Blocks of queries in parallel: `offer(first, queries, best)` goes through all keys for each.
fn search_blocks(
    queries: ArrayView2<f32>,
    keys: ArrayView2<f32>,
    count: usize,
    block: usize,
    offer: impl Fn(usize, ArrayView2<f32>, &mut [Best]) + Sync,
) -> Neighbors {
    let mut found = Neighbors::zeros(queries.nrows(), count);
    let interrupt = interrupt::current();
    found.par_blocks(block).for_each(|(first, mut indices, mut squared)| {
        interrupt.heed();
        let block_queries = queries.slice(s![first..first + indices.nrows(), ..]);
        let mut best = vec![Best::new(count); indices.nrows()];
        offer(first, block_queries, &mut best);
        for (q, best) in best.iter_mut().enumerate() {
            best.finish(block_queries.row(q), keys);
            best.write(indices.row_mut(q), squared.row_mut(q));
        }
    });
    found
}

/// Squared distances of all pairs of centred rows, `m x m`, by products; infinite on the diagonal.
pub(crate) fn squared_distances(rows: ArrayView2<f32>) -> Vec<f32> {
    let norms = squared_lengths(rows);
    let mut squared = vec![0.0; rows.nrows() * rows.nrows()];
    let interrupt = interrupt::current();
    symmetric_product(&mut squared, rows, |i, column, entries| {
        interrupt.heed();
        rank(entries, norms[i], &norms[column..]);
        if (column..column + entries.len()).contains(&i) {
            entries[i - column] = f32::INFINITY;
        }
    });
    squared
}

/// The nearest rows of each, given all squared distances.
pub(crate) fn nearest_of(squared_distances: &[f32], rows: ArrayView2<f32>, count: usize) -> Neighbors {
    let m = rows.nrows();
    let count = count.min(m.saturating_sub(1));
    let mut found = Neighbors::zeros(m, count);
    if count == 0 {
        return found;
    }
    found.par_blocks(ROW_TASK).for_each(|(first, mut indices, mut squared)| {
        let mut best = Best::new(count);
        for q in 0..indices.nrows() {
            let i = first + q;
            best.choose(&squared_distances[i * m..(i + 1) * m], i);
            best.finish(rows.row(i), rows);
            best.write(indices.row_mut(q), squared.row_mut(q));
        }
    });
    found
}

/// Products become `norm + norms - 2 products`.
#[inline(always)]
fn rank(products: &mut [f32], norm: f32, norms: &[f32]) {
    products.iter_mut().zip(norms).for_each(|(product, other)| *product = (norm + other) - 2.0 * *product);
}

impl Neighbors {
    fn zeros(n: usize, count: usize) -> Self {
        Self { indices: Array2::zeros((n, count)), squared_distances: Array2::zeros((n, count)) }
    }

    /// Blocks of rows, each with the number of its first.
    fn par_blocks(
        &mut self,
        rows: usize,
    ) -> impl IndexedParallelIterator<Item = (usize, ArrayViewMut2<'_, u32>, ArrayViewMut2<'_, f32>)> {
        let indices = self.indices.axis_chunks_iter_mut(Axis(0), rows).into_par_iter();
        let blocks = indices.zip(self.squared_distances.axis_chunks_iter_mut(Axis(0), rows)).enumerate();
        blocks.map(move |(block, (indices, squared))| (block * rows, indices, squared))
    }
}

/// Squared distances by differences; `keys` is `(d, keys)`.
fn direct_distances(queries: ArrayView2<f32>, keys: ArrayView2<f32>, mut distances: ArrayViewMut2<f32>) {
    distances.fill(0.0);
    for (query, mut out) in queries.rows().into_iter().zip(distances.rows_mut()) {
        for (&x, column) in query.iter().zip(keys.rows()) {
            out.zip_mut_with(&column, |sum, &y| *sum += (x - y) * (x - y));
        }
    }
}

/// The `count` nearest other rows of each row (fewer if there are not so many).
pub fn nearest_neighbors(rows: ArrayView2<f32>, count: usize) -> Neighbors {
    if count == 0 {
        return Neighbors::zeros(rows.nrows(), 0);
    }
    let centred = centred(rows, rows);
    search(centred.view(), centred.view(), count, true)
}

/// The same where there are at most 50,000 rows; of more at least 98% of the nearest, by a sample, with others as near in the
/// place of the rest. The second number is the share that the sample shows.
pub fn near_neighbors(rows: ArrayView2<f32>, count: usize) -> (Neighbors, f64) {
    if count == 0 || rows.nrows() <= EXACT_ROWS {
        return (nearest_neighbors(rows, count), 1.0);
    }
    search_groups(centred(rows, rows).view(), count)
}

/// The `count` nearest rows of `keys` for each row of `queries`.
pub fn nearest_in(queries: ArrayView2<f32>, keys: ArrayView2<f32>, count: usize) -> Neighbors {
    search(centred(queries, keys).view(), centred(keys, keys).view(), count, false)
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
