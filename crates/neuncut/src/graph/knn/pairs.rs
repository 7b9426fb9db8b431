//! Neighbours among many rows, each pair of rows multiplied once.
//!
//! Rows are split into tiles, and tiles meet as players of a tournament do: in a round each meets one other, so that a task has both
//! of its tiles for itself.

use super::best::Best;
use super::{Neighbors, rank};
use crate::interrupt::{self, Interrupt};
use crate::linalg::Packed;
use crate::rows::squared_lengths;
use crate::vector::wide;
use ndarray::{ArrayView2, s};
use rayon::prelude::*;
use std::mem::take;
use std::ops::Range;

/// Rows a tile: whole groups and panels of the kernels, and packed they stay in the second-level cache.
const TILE: usize = 448;

/// The `count` nearest other rows of each row.
pub(super) fn search_pairs(rows: ArrayView2<f32>, count: usize) -> Neighbors {
    let pairs =
        Pairs { rows, norms: squared_lengths(rows), packed: Packed::new(rows.t()), interrupt: interrupt::current() };
    let mut tiles: Vec<Vec<Best>> =
        (0..pairs.tiles()).map(|tile| vec![Best::new(count); pairs.range(tile).len()]).collect();
    tiles.par_iter_mut().enumerate().for_each(|(tile, best)| pairs.within(tile, best));
    for round in 0..rounds(tiles.len()) {
        let mut meetings: Vec<_> =
            meetings(tiles.len(), round).map(|(a, b)| ((a, take(&mut tiles[a])), (b, take(&mut tiles[b])))).collect();
        meetings.par_iter_mut().for_each(|(a, b)| pairs.between((a.0, &mut a.1), (b.0, &mut b.1)));
        for (tile, best) in meetings.into_iter().flat_map(|(a, b)| [a, b]) {
            tiles[tile] = best;
        }
    }
    drop(pairs.packed);
    let mut found = Neighbors::zeros(rows.nrows(), count);
    found.par_blocks(TILE).zip(tiles).for_each(|((first, mut indices, mut squared), best)| {
        for (q, mut best) in best.into_iter().enumerate() {
            best.finish(rows.row(first + q), rows);
            best.write(indices.row_mut(q), squared.row_mut(q));
        }
    });
    found
}

/// Rounds until each of so many tiles has met each other.
fn rounds(tiles: usize) -> usize {
    tiles.next_multiple_of(2) - 1
}

/// Who meets whom in a round: one stays, the others go round in a circle; of an odd number one rests.
fn meetings(tiles: usize, round: usize) -> impl Iterator<Item = (usize, usize)> {
    let circle = rounds(tiles);
    let opposite = move |i: usize| ((round + i) % circle, (round + circle - i) % circle);
    let with_last = (circle < tiles).then_some((round, circle));
    with_last.into_iter().chain((1..=circle / 2).map(opposite))
}

/// Rows ready to be multiplied with one another.
struct Pairs<'a> {
    rows: ArrayView2<'a, f32>,
    norms: Vec<f32>,
    packed: Packed,
    interrupt: Interrupt,
}

impl Pairs<'_> {
    fn tiles(&self) -> usize {
        self.rows.nrows().div_ceil(TILE)
    }

    fn range(&self, tile: usize) -> Range<usize> {
        tile * TILE..((tile + 1) * TILE).min(self.rows.nrows())
    }

    /// Offers the rows of a tile to one another.
    fn within(&self, tile: usize, best: &mut [Best]) {
        self.interrupt.heed();
        let range = self.range(tile);
        self.packed.blocks_in(range.clone(), self.rows.slice(s![range.clone(), ..]), |block| {
            for i in 0..block.rows {
                let (row, column) = (block.row + i, block.column);
                let entries = block.entries(i);
                // ranks by |y|^2 - 2 x.y, which orders the keys of one query as the distance does
                rank(entries, 0.0, &self.norms[column..]);
                best[row].offer(entries, column, Some(range.start + row));
            }
        });
    }

    /// Offers the rows of two tiles to each other.
    fn between(&self, (a, best_a): (usize, &mut [Best]), (b, best_b): (usize, &mut [Best])) {
        self.interrupt.heed();
        let (rows_a, rows_b) = (self.range(a), self.range(b));
        let mut worst: Vec<f32> = best_b.iter().map(|best| best.worst().0).collect();
        self.packed.blocks_in(rows_b.clone(), self.rows.slice(s![rows_a.clone(), ..]), |block| {
            for i in 0..block.rows {
                let (row, column) = (block.row + i, block.column);
                let (key, first) = (rows_a.start + row, column - rows_b.start);
                let norm = self.norms[key];
                let entries = block.entries(i);
                if any_in_reach(entries, norm, &worst[first..]) {
                    for (offset, product) in entries.iter().enumerate() {
                        let at = first + offset;
                        best_b[at].offer_one(norm - 2.0 * product, key);
                        worst[at] = best_b[at].worst().0;
                    }
                }
                rank(entries, 0.0, &self.norms[column..]);
                best_a[row].offer(entries, column, None);
            }
        });
    }
}

wide! {
    /// Whether `norm - 2 product` is up to its bound for any product. Without branches, so that they are compared side by side.
    fn any_in_reach(products: &[f32], norm: f32, bounds: &[f32]) -> bool {
        products.iter().zip(bounds).fold(false, |some, (product, bound)| some | (norm - 2.0 * product <= *bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::graph::knn::search_blocks;
    use ndarray::Array2;
    use rand::RngExt;

    #[test]
    fn all_tiles_meet_once_and_never_two_at_a_time() {
        for tiles in 1..12 {
            let mut met = Array2::<i32>::zeros((tiles, tiles));
            for round in 0..rounds(tiles) {
                let mut busy = vec![false; tiles];
                for (a, b) in meetings(tiles, round) {
                    assert!(!busy[a] && !busy[b] && a != b);
                    (busy[a], busy[b]) = (true, true);
                    met[[a.min(b), a.max(b)]] += 1;
                }
            }
            for ((a, b), &times) in met.indexed_iter() {
                assert_eq!(times, i32::from(a < b), "{a} and {b} of {tiles}");
            }
        }
    }

    /// Numbers of few digits, so that products are exact and ties are many.
    #[test]
    fn the_same_neighbours_as_row_by_row() {
        let mut rng = Seed(8).stream("pairs");
        for n in [3, TILE, TILE + 5, 3 * TILE + 100] {
            let rows = Array2::from_shape_fn((n, 20), |_| rng.random_range(-2_i8..3) as f32);
            let count = 7.min(n - 1);
            let expected = search_blocks(rows.view(), rows.view(), count, 64, |first, queries, best| {
                for (q, query) in queries.rows().into_iter().enumerate() {
                    for (key, other) in rows.rows().into_iter().enumerate().filter(|&(key, _)| key != first + q) {
                        let rank = other.dot(&other) - 2.0 * query.dot(&other);
                        best[q].offer_one(rank, key);
                    }
                }
            });
            assert_eq!(search_pairs(rows.view(), count), expected, "{n} rows");
        }
    }
}
