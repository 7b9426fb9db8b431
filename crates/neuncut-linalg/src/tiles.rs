//! Rows through a function in tiles of fixed size.
//!
//! Every product inside has the shape of a full tile, whatever the caller's batch (the last tile is padded with zero rows), so
//! that a row's result is the same to the bit however rows are grouped. Tiles run in parallel, each on one core.
//!
//! ```
//! use ndarray::{Array2, Axis};
//! use neuncut_linalg::tiles::{TILE_ROWS, in_tiles};
//!
//! let rows = Array2::<f32>::ones((TILE_ROWS + 10, 3));
//! let sums = in_tiles(rows.view(), 1, |tile| {
//!     assert_eq!(tile.dim(), (TILE_ROWS, 3)); // the second is padded with rows of zeros
//!     tile.sum_axis(Axis(1)).insert_axis(Axis(1))
//! });
//! assert_eq!(sums, Array2::from_elem((TILE_ROWS + 10, 1), 3.0));
//! ```

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

/// Rows a tile: whole blocks of every kernel of `linalg` (14, 6 or 4 rows each); what goes into and comes out of a layer 512 wide
/// stays in a second-level cache of a megabyte.
pub const TILE_ROWS: usize = 168;

/// Applies `map`, which takes tiles `(TILE_ROWS, d)` to `(TILE_ROWS, width)` on one core, to rows `(n, d)`.
pub fn in_tiles(rows: ArrayView2<f32>, width: usize, map: impl Fn(Array2<f32>) -> Array2<f32> + Sync) -> Array2<f32> {
    for_tiles(rows, width, |tile, mut out| {
        let mapped = map(padded(tile));
        out.assign(&mapped.slice(s![..tile.nrows(), ..]));
    })
}

/// Calls `fill` with each tile of up to `TILE_ROWS` rows and the rows of the result `(n, width)` that belong to it.
pub fn for_tiles(
    rows: ArrayView2<f32>,
    width: usize,
    fill: impl Fn(ArrayView2<f32>, ArrayViewMut2<f32>) + Sync,
) -> Array2<f32> {
    let mut mapped = Array2::zeros((rows.nrows(), width));
    let tiles = mapped.axis_chunks_iter_mut(Axis(0), TILE_ROWS).into_par_iter();
    tiles.zip(rows.axis_chunks_iter(Axis(0), TILE_ROWS)).for_each(|(out, tile)| fill(tile, out));
    mapped
}

/// A copy of a tile, filled up with zero rows.
pub fn padded(tile: ArrayView2<f32>) -> Array2<f32> {
    if tile.nrows() == TILE_ROWS {
        return tile.to_owned();
    }
    let mut padded = Array2::zeros((TILE_ROWS, tile.ncols()));
    padded.slice_mut(s![..tile.nrows(), ..]).assign(&tile);
    padded
}
