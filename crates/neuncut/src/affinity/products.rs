//! Inner products of rows with many others in blocks, of which a few are kept: no `n x n` matrix is ever there.

use crate::graph::Csr;
use crate::interrupt;
use crate::linalg::{Cores, matmul_into};
use ndarray::{Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

/// Rows that share their products, and rows of the others a product.
pub(super) const QUERY_BLOCK: usize = 256;
const KEY_BLOCK: usize = 1024;

/// An entry of a row: the place of the other row, and a value.
pub(super) type Entry = (u32, f32);

/// Calls `each(row, first, values)` with the products of every row of `queries` `(m, d)` and blocks of `keys` `(n, d)`, in order.
pub(super) fn for_products(
    queries: ArrayView2<f32>,
    keys: ArrayView2<f32>,
    mut each: impl FnMut(usize, usize, &[f32]),
) {
    let mut products = Array2::zeros((queries.nrows(), KEY_BLOCK));
    for first in (0..keys.nrows()).step_by(KEY_BLOCK) {
        let end = (first + KEY_BLOCK).min(keys.nrows());
        let mut products = products.slice_mut(s![.., ..end - first]);
        matmul_into(products.view_mut(), queries, keys.slice(s![first..end, ..]).t(), Cores::One);
        for (q, row) in products.rows().into_iter().enumerate() {
            each(q, first, row.to_slice().expect("rows lie in one piece"));
        }
    }
}

/// The `count` products of largest magnitude of each query with the keys, as magnitudes, largest first, ties to the smaller
/// place; query `q` is key `own + q` and left out.
pub(super) fn largest_products(
    queries: ArrayView2<f32>,
    keys: ArrayView2<f32>,
    own: usize,
    count: usize,
) -> Vec<Vec<Entry>> {
    let mut kept = vec![Largest::new(count); queries.nrows()];
    for_products(queries, keys, |q, first, products| {
        for (offset, &product) in products.iter().enumerate() {
            let value = product.abs();
            if value > kept[q].least && first + offset != own + q {
                kept[q].offer(((first + offset) as u32, value));
            }
        }
    });
    kept.into_iter().map(Largest::finish).collect()
}

/// The `count` products of largest magnitude of each query with the keys, through `weight`, which must keep signs and the order of
/// magnitudes; those of weight zero are left out. Key `i` is query `i` and left out.
pub(super) fn largest_coefficients(
    queries: ArrayView2<f32>,
    keys: ArrayView2<f32>,
    count: usize,
    weight: impl Fn(f32) -> f32 + Sync,
) -> Vec<Vec<Entry>> {
    let blocks = queries.axis_chunks_iter(Axis(0), QUERY_BLOCK).into_par_iter().enumerate();
    let interrupt = interrupt::current();
    let kept: Vec<Vec<Vec<Entry>>> = blocks
        .map(|(block, queries)| {
            interrupt.heed();
            let own = block * QUERY_BLOCK;
            let mut kept = vec![Largest::new(count); queries.nrows()];
            for_products(queries, keys, |q, first, products| {
                for (offset, &product) in products.iter().enumerate() {
                    let value = weight(product);
                    if value.abs() > kept[q].least && first + offset != own + q {
                        kept[q].offer(((first + offset) as u32, value));
                    }
                }
            });
            kept.into_iter().map(Largest::finish).collect()
        })
        .collect();
    kept.into_iter().flatten().collect()
}

/// `(A + A') / 2` of the matrix whose row `i` holds the `count` products of largest magnitude of query `i` with the keys, each
/// through `weight`, which must not decrease: a weight of zero is no edge. Key `i` is query `i` and left out.
pub(super) fn largest_graph(
    queries: ArrayView2<f32>,
    keys: ArrayView2<f32>,
    count: usize,
    weight: impl Fn(f32) -> f32,
) -> Csr {
    let interrupt = interrupt::current();
    let kept: Vec<Vec<Vec<Entry>>> = queries
        .axis_chunks_iter(Axis(0), QUERY_BLOCK)
        .into_par_iter()
        .enumerate()
        .map(|(block, queries)| {
            interrupt.heed();
            largest_products(queries, keys, block * QUERY_BLOCK, count)
        })
        .collect();
    let rows = kept.iter().flatten().enumerate();
    let edges = rows.flat_map(|(i, row)| row.iter().map(move |&(j, magnitude)| (i as u32, j, magnitude)));
    Csr::symmetrized(queries.nrows(), edges.map(|(i, j, magnitude)| (i, j, weight(magnitude))))
}

/// The largest of a stream of entries.
#[derive(Clone)]
pub(super) struct Largest {
    entries: Vec<Entry>,
    count: usize,
    /// No entry at or below this can be among them: those of equal value that came first have smaller places.
    least: f32,
}

impl Largest {
    pub fn new(count: usize) -> Self {
        Self { entries: Vec::new(), count, least: if count == 0 { f32::INFINITY } else { 0.0 } }
    }

    /// Takes an entry; they must come in the order of their places. Of values with a sign the magnitude counts.
    pub fn offer(&mut self, entry: Entry) {
        if entry.1.abs() > self.least {
            self.entries.push(entry);
            if self.entries.len() >= 2 * self.count {
                self.shrink();
            }
        }
    }

    fn shrink(&mut self) {
        if self.entries.len() > self.count {
            self.entries.select_nth_unstable_by(self.count - 1, order);
            self.entries.truncate(self.count);
            self.least = self.entries[self.count - 1].1.abs();
        }
    }

    pub fn finish(mut self) -> Vec<Entry> {
        self.shrink();
        self.entries.sort_by(order);
        self.entries
    }
}

fn order(a: &Entry, b: &Entry) -> std::cmp::Ordering {
    b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use ndarray::array;
    use rand::RngExt;

    #[test]
    fn keeps_the_largest_magnitudes_and_symmetrises() {
        let products = array![[9.0, -3.0, 1.0], [2.0, 9.0, 2.0], [0.5, 4.0, 9.0]];
        let graph = largest_graph(products.view(), Array2::eye(3).view(), 1, |magnitude| (magnitude - 2.0).max(0.0));
        // kept: 0 -> 1 (3), 1 -> 0 (2, the smaller place of a tie, of weight zero), 2 -> 1 (4)
        assert_eq!(graph.multiply(Array2::eye(3).view()), array![[0.0, 0.5, 0.0], [0.5, 0.0, 1.0], [0.0, 1.0, 0.0]]);
    }

    #[test]
    fn blocks_make_no_difference() {
        let n = 2 * QUERY_BLOCK + 7;
        let mut rng = Seed(7).stream("products");
        let rows = Array2::from_shape_fn((n, 5), |_| rng.random_range(-9..10) as f32);
        let graph = largest_graph(rows.view(), rows.view(), 4, |magnitude| magnitude);
        let whole = largest_products(rows.view(), rows.view(), 0, 4);
        let kept = |i: usize, j: usize| whole[i].iter().find(|entry| entry.0 == j as u32).map_or(0.0, |entry| entry.1);
        for i in [0, QUERY_BLOCK - 1, QUERY_BLOCK, n - 1] {
            assert!(graph.row(i).0.len() >= 4);
            assert!(graph.neighbors(i).all(|(j, weight)| weight == 0.5 * (kept(i, j) + kept(j, i))));
        }
    }

    #[test]
    fn finds_what_a_full_sort_finds() {
        let mut rng = Seed(6).stream("products");
        // few different values make ties
        let keys = Array2::from_shape_fn((2500, 3), |_| rng.random_range(-3..4) as f32);
        let queries = keys.slice(s![40..90, ..]);
        let found = largest_products(queries, keys.view(), 40, 12);
        for (q, found) in found.iter().enumerate() {
            let value = |i: usize| keys.row(i).dot(&keys.row(40 + q)).abs();
            let mut all: Vec<Entry> =
                (0..2500).filter(|&i| i != 40 + q && value(i) > 0.0).map(|i| (i as u32, value(i))).collect();
            all.sort_by(order);
            all.truncate(12);
            assert_eq!(found, &all, "row {q}");
        }
    }
}
