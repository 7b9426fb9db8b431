//! The largest entries of each row of a matrix that is too large to hold, made in blocks of rows.

use crate::graph::Csr;
use ndarray::{Array2, ArrayView1, Axis};
use rayon::prelude::*;
use std::ops::Range;

/// Rows made at a time: 256 x 20,000 entries are 20 megabytes.
const BLOCK: usize = 256;

/// `(A + A') / 2` of the matrix whose rows hold the `count` largest entries of `|C|`; `rows_of` makes rows of `C`, and the
/// diagonal is left out.
pub(super) fn largest_entries(n: usize, count: usize, rows_of: impl Fn(Range<usize>) -> Array2<f32>) -> Csr {
    let mut edges = Vec::new();
    for first in (0..n).step_by(BLOCK) {
        let block = rows_of(first..(first + BLOCK).min(n));
        let kept: Vec<Vec<(u32, f32)>> = block
            .axis_iter(Axis(0))
            .into_par_iter()
            .enumerate()
            .map(|(b, row)| largest_of_row(row, first + b, count))
            .collect();
        for (b, row) in kept.iter().enumerate() {
            edges.extend(row.iter().map(|&(j, weight)| ((first + b) as u32, j, weight)));
        }
    }
    Csr::symmetrized(n, edges.into_iter())
}

/// The `count` largest magnitudes beside the diagonal with their places, ties to the smaller place.
fn largest_of_row(row: ArrayView1<f32>, diagonal: usize, count: usize) -> Vec<(u32, f32)> {
    let others = row.iter().enumerate().filter(|&(j, _)| j != diagonal);
    let mut entries: Vec<(u32, f32)> = others.map(|(j, &c)| (j as u32, c.abs())).collect();
    if count < entries.len() {
        entries.select_nth_unstable_by(count, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        entries.truncate(count);
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{array, s};

    #[test]
    fn keeps_the_largest_magnitudes_and_symmetrises() {
        let c = array![[9.0, -3.0, 1.0], [2.0, 9.0, 2.0], [0.5, 4.0, 9.0]];
        let graph = largest_entries(3, 1, |rows| c.slice(s![rows, ..]).to_owned());
        // kept: 0 -> 1 (3), 1 -> 0 (2, the smaller place of a tie), 2 -> 1 (4)
        assert_eq!(graph.multiply(Array2::eye(3).view()), array![[0.0, 2.5, 0.0], [2.5, 0.0, 2.0], [0.0, 2.0, 0.0]]);
    }

    #[test]
    fn blocks_make_no_difference() {
        let n = 2 * BLOCK + 7;
        let c = Array2::from_shape_fn((n, n), |(i, j)| ((i * 7919 + j * 104_729) % 1009) as f32 - 500.0);
        let rows_of = |rows: Range<usize>| c.slice(s![rows, ..]).to_owned();
        let graph = largest_entries(n, 4, rows_of);
        let kept =
            |i: usize, j: usize| largest_of_row(c.row(i), i, 4).iter().find(|e| e.0 == j as u32).map_or(0.0, |e| e.1);
        for (i, j) in [(0, 5), (BLOCK, 3), (n - 1, 0), (BLOCK - 1, n - 2)] {
            let found = graph.neighbors(i).find(|&(other, _)| other == j).map_or(0.0, |(_, w)| w);
            assert_eq!(found, 0.5 * (kept(i, j) + kept(j, i)));
        }
        assert!((0..n).all(|i| graph.row(i).0.len() >= 4));
    }
}
