//! The products of all pairs of rows, each pair once.

use super::packed::Packed;
use super::packing::copy;
use ndarray::{ArrayView2, Axis};
use rayon::prelude::*;
use std::cell::Cell;

/// Rows and columns of a square that is mirrored at a time.
const MIRRORED: usize = 32;

/// The products of all pairs of rows `(m, d)`, `m x m`: each pair once, through `finish(i, j, entries)`, where `entries` are the
/// products of row `i` with rows `j` and following. It must give the same for `i, j` and `j, i`.
pub fn symmetric_product(out: &mut Vec<f32>, rows: ArrayView2<f32>, finish: impl Fn(usize, usize, &mut [f32]) + Sync) {
    thread_local!(static RIGHT: Cell<Packed> = Cell::default());
    let m = rows.nrows();
    let mut packed = RIGHT.take();
    packed.pack(rows.t());
    let right = &packed;
    out.resize(m * m, 0.0); // no work where the buffer was used before
    let height = right.task_rows();
    let tasks = out.par_chunks_mut((height * m).max(1)).zip(rows.axis_chunks_iter(Axis(0), height));
    tasks.enumerate().for_each(|(task, (out, chunk))| {
        let base = task * height;
        right.blocks_from(base, chunk, |block| {
            let (row, column) = (block.row, block.column);
            for i in row..row + block.rows {
                let entries = block.entries(i - row);
                finish(base + i, column, entries);
                copy(&mut out[i * m + column..][..entries.len()], entries);
            }
        });
    });
    RIGHT.set(packed);
    mirror(out, m);
}

/// Gives a matrix `m x m` below its diagonal what it has above.
fn mirror(matrix: &mut [f32], m: usize) {
    let shared = Shared(matrix.as_mut_ptr());
    (0..m.div_ceil(MIRRORED)).into_par_iter().for_each(|strip| {
        let rows = strip * MIRRORED..((strip + 1) * MIRRORED).min(m);
        for first in (0..rows.end).step_by(MIRRORED) {
            for j in rows.clone() {
                for i in first..(first + MIRRORED).min(j) {
                    // SAFETY: i < j < m; entries above the diagonal are only read, and (j, i) is written by this task only.
                    unsafe { shared.copy(i * m + j, j * m + i) };
                }
            }
        }
    });
}

/// A matrix of which tasks write different entries.
struct Shared(*mut f32);
// SAFETY: `mirror` writes each entry in one task only, and reads none that is written.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// Both places must be inside, `from` must not be written by any task, and `to` by no other.
    unsafe fn copy(&self, from: usize, to: usize) {
        // SAFETY: the caller's promise.
        unsafe { *self.0.add(to) = *self.0.add(from) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::whole_numbers;
    use ndarray::Array2;

    #[test]
    fn a_symmetric_product_is_the_whole_product() {
        for (m, d) in [(1, 3), (31, 5), (100, 20), (173, 9)] {
            let rows = whole_numbers(m, d, 1);
            let mut out = vec![f32::NAN; 3];
            symmetric_product(&mut out, rows.view(), |i, j, entries| {
                entries.iter_mut().enumerate().for_each(|(e, x)| *x += ((i + j + e) % 7) as f32);
            });
            let expected = Array2::from_shape_fn((m, m), |(i, j)| rows.row(i).dot(&rows.row(j)) + ((i + j) % 7) as f32);
            assert_eq!(Array2::from_shape_vec((m, m), out).unwrap(), expected);
        }
    }
}
