//! Rows through a function in tiles of fixed size.
//!
//! Every product inside has the shape of a full tile, whatever the caller's batch (the last tile is padded with zero rows), so
//! that a row's result is the same to the bit however rows are grouped. Tiles run in parallel, each on one core.

use ndarray::{Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

/// Rows a tile: its activations (512 wide) take half a megabyte and stay in the second-level cache.
pub const TILE_ROWS: usize = 256;

/// Applies `map`, which takes tiles `(TILE_ROWS, d)` to `(TILE_ROWS, width)` on one core, to rows `(n, d)`.
pub fn in_tiles(rows: ArrayView2<f32>, width: usize, map: impl Fn(Array2<f32>) -> Array2<f32> + Sync) -> Array2<f32> {
    let mut mapped = Array2::zeros((rows.nrows(), width));
    mapped.axis_chunks_iter_mut(Axis(0), TILE_ROWS).into_par_iter().enumerate().for_each(|(tile, mut out)| {
        let (first, count) = (tile * TILE_ROWS, out.nrows());
        let mut padded = Array2::zeros((TILE_ROWS, rows.ncols()));
        padded.slice_mut(s![..count, ..]).assign(&rows.slice(s![first..first + count, ..]));
        out.assign(&map(padded).slice(s![..count, ..]));
    });
    mapped
}
