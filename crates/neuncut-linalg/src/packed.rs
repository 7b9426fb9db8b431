//! Products with a right-hand matrix that was laid out for the kernel once and is used by many tasks.
//!
//! A product with packed rows is handed out in blocks, so that what follows (a bias, a distance, a selection) is done while a
//! block is still in the first-level cache.

use super::kernel::{Element, Kernel, LARGEST};
use super::packing::{CacheLine, copy, entries, entries_mut, pack};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, ShapeBuilder, ShapeError, s};
use rayon::prelude::*;
use std::cell::Cell;
use std::ops::Range;

/// Blocks of rows per task: few, so that cores finish together.
const BLOCKS_A_TASK: usize = 4;
/// Blocks of rows per task at most where all tasks are of one size: a task goes through the whole right-hand matrix once, and its rows
/// stay in the second-level cache.
const MOST_BLOCKS_A_TASK: usize = 9;
/// Below this many entries a matrix is packed on one core.
const PACK_ALONE: usize = 1 << 14;

/// A matrix `(depth, columns)` in panels of a few columns each.
pub struct Packed<E: Element = f32> {
    lines: Vec<CacheLine<E>>,
    depth: usize,
    columns: usize,
    kernel: &'static Kernel<E>,
}

/// Rows `(m, depth)` as the left-hand side of a product, in groups of as many as the kernel takes at a time.
#[derive(Default)]
pub struct PackedRows<E = f32> {
    values: Vec<E>,
    rows: usize,
    depth: usize,
}

/// A block of a product.
pub struct Block<'a> {
    /// The row of its first entry.
    pub row: usize,
    /// Its rows.
    pub rows: usize,
    /// The column of its first entry.
    pub column: usize,
    /// Its columns.
    pub columns: usize,
    values: &'a mut [f32; LARGEST],
    /// Entries from one row to the next.
    pub(super) width: usize,
}

impl Block<'_> {
    /// The entries of one of its rows.
    pub fn entries(&mut self, row: usize) -> &mut [f32] {
        &mut self.values[row * self.width..row * self.width + self.columns]
    }

    /// All rows, `width` entries each, whether or not the matrices fill them.
    pub(super) fn values(&self) -> &[f32] {
        &self.values[..]
    }
}

impl<E: Element> Default for Packed<E> {
    fn default() -> Self {
        Self { lines: Vec::new(), depth: 0, columns: 0, kernel: E::kernel() }
    }
}

impl<E: Element> Packed<E> {
    /// Packs a matrix; transposed views may be given.
    pub fn new(right: ArrayView2<E>) -> Self {
        let mut packed = Self::default();
        packed.pack(right);
        packed
    }

    /// Packs another matrix in the same memory.
    pub fn pack(&mut self, right: ArrayView2<E>) {
        (self.depth, self.columns) = right.dim();
        let width = self.kernel.columns;
        let count = self.depth * width * self.panels();
        let () = CacheLine::<E>::FITS;
        self.lines.resize_with(count.div_ceil(16), CacheLine::default);
        if count == 0 {
            return;
        }
        let (depth, columns) = (self.depth, self.columns);
        let fill = |(p, panel): (usize, &mut [E])| {
            let (first, end) = (p * width, ((p + 1) * width).min(columns));
            pack(right.slice(s![.., first..end]).reversed_axes(), panel, width);
        };
        let panels = &mut entries_mut(&mut self.lines)[..count];
        if count < PACK_ALONE {
            panels.chunks_exact_mut(depth * width).enumerate().for_each(fill);
        } else {
            panels.par_chunks_exact_mut(depth * width).enumerate().for_each(fill);
        }
    }

    /// Rows, the inner dimension of products.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    fn panels(&self) -> usize {
        self.columns.div_ceil(self.kernel.columns)
    }

    fn panel(&self, p: usize) -> &[E] {
        let size = self.depth * self.kernel.columns;
        &entries(&self.lines)[p * size..(p + 1) * size]
    }

    /// Rows of the left-hand matrix that make a good task.
    pub fn task_rows(&self) -> usize {
        BLOCKS_A_TASK * self.kernel.rows
    }

    /// The product of packed rows with the columns of a range (a few more may come before and after), on the calling thread: `each` is
    /// given one block after another, panel by panel.
    ///
    /// # Panics
    /// If the inner dimensions differ.
    pub(super) fn blocks_of(&self, columns: Range<usize>, left: &PackedRows<E>, mut each: impl FnMut(&mut Block)) {
        assert_eq!(left.depth, self.depth, "the inner dimension of a product");
        let (m, height, width) = (left.rows, self.kernel.rows, self.kernel.columns);
        let mut values = [0.0; LARGEST];
        for p in columns.start / width..columns.end.div_ceil(width) {
            let column = p * width;
            let (panel, next) = (self.panel(p), self.panel((p + 1).min(self.panels() - 1)));
            for (b, row) in (0..m).step_by(height).enumerate() {
                let left = &left.values[row * self.depth..(row + height) * self.depth];
                // each block brings a part of the next panel nearer, first one half, then the other
                let ahead = &next[b % 2 * (next.len() / 2)..];
                self.kernel.multiply(left, panel, &mut values, ahead);
                let (rows, columns) = (height.min(m - row), width.min(self.columns - column));
                each(&mut Block { row, rows, column, columns, values: &mut values, width });
            }
        }
    }

    /// Writes the product of packed rows with this matrix into `out`, each stretch of a row through `finish(first column, stretch)`.
    ///
    /// # Panics
    /// If the shapes do not fit, or `out` is not contiguous.
    pub fn end_of_chain(&self, left: &PackedRows<E>, mut out: ArrayViewMut2<f32>, finish: impl Fn(usize, &mut [f32])) {
        assert_eq!(out.dim(), (left.rows, self.columns), "the shape of a product");
        let Some(out) = out.as_slice_mut() else { panic!("the result of a product must be contiguous") };
        self.blocks_of(0..self.columns, left, |block| {
            for i in 0..block.rows {
                let first = (block.row + i) * self.columns + block.column;
                let column = block.column;
                let entries = block.entries(i);
                finish(column, entries);
                copy(&mut out[first..first + entries.len()], entries);
            }
        });
    }
}

impl Packed {
    /// The product of `left` `(m, depth)` with the columns from `first` on (a few more may come before), on the calling thread:
    /// `each` is given one block after another, panel by panel.
    ///
    /// # Panics
    /// If the inner dimensions differ.
    pub fn blocks_from(&self, first: usize, left: ArrayView2<f32>, each: impl FnMut(&mut Block)) {
        self.blocks_in(first..self.columns, left, each);
    }

    /// The same with the columns of a range (a few more may come before and after).
    pub fn blocks_in(&self, columns: Range<usize>, left: ArrayView2<f32>, each: impl FnMut(&mut Block)) {
        thread_local!(static LEFT: Cell<PackedRows> = Cell::default());
        let mut packed = LEFT.take();
        packed.pack(left);
        self.blocks_of(columns, &packed, each);
        LEFT.set(packed);
    }

    /// The product of packed rows with this matrix as packed rows again, each stretch of a row through `finish(first column,
    /// stretch)`: what a chain of products needs, without rows in between.
    ///
    /// # Panics
    /// If the inner dimensions differ.
    pub fn chain(&self, left: &PackedRows, out: &mut PackedRows, finish: impl Fn(usize, &mut [f32])) {
        let height = self.kernel.rows;
        out.shape_to(left.rows, self.columns);
        self.blocks_of(0..self.columns, left, |block| {
            (0..height).for_each(|i| finish(block.column, block.entries(i)));
            let shape = (height, block.columns).strides((block.width, 1));
            out.put(block.row, block.column, ArrayView2::from_shape(shape, block.values()));
        });
    }

    /// Writes `left` times this matrix into `out`, each stretch of a row through `finish(row, first column, stretch)`, on the
    /// calling thread.
    ///
    /// # Panics
    /// If the shapes do not fit, or `out` is not contiguous.
    pub fn product_alone(
        &self,
        mut out: ArrayViewMut2<f32>,
        left: ArrayView2<f32>,
        finish: impl Fn(usize, usize, &mut [f32]),
    ) {
        assert_eq!(out.dim(), (left.nrows(), self.columns), "the shape of a product");
        let Some(out) = out.as_slice_mut() else { panic!("the result of a product must be contiguous") };
        self.blocks_from(0, left, |block| {
            let (row, column) = (block.row, block.column);
            for i in 0..block.rows {
                let first = (row + i) * self.columns + column;
                let entries = block.entries(i);
                finish(row + i, column, entries);
                copy(&mut out[first..first + entries.len()], entries);
            }
        });
    }

    /// The same on all cores.
    pub fn product(
        &self,
        mut out: ArrayViewMut2<f32>,
        left: ArrayView2<f32>,
        finish: impl Fn(usize, usize, &mut [f32]) + Sync,
    ) {
        let height = self.kernel.rows;
        let blocks = out.nrows().div_ceil(height);
        // as many tasks for each core, all of nearly the same size
        let tasks =
            blocks.div_ceil(MOST_BLOCKS_A_TASK).next_multiple_of(rayon::current_num_threads()).clamp(1, blocks.max(1));
        let mut parts = Vec::with_capacity(tasks);
        let (mut out, mut left, mut first) = (out.view_mut(), left, 0);
        for task in 1..=tasks {
            let end = (task * blocks / tasks * height).min(first + out.nrows());
            let (part, rest) = out.split_at(Axis(0), end - first);
            let (rows, rows_left) = left.split_at(Axis(0), end - first);
            parts.push((first, part, rows));
            (out, left, first) = (rest, rows_left, end);
        }
        parts.into_par_iter().for_each(|(first, out, left)| {
            self.product_alone(out, left, |row, column, entries| finish(first + row, column, entries));
        });
    }
}

/// `left` times `right` on all cores, by the kernel of this module. Transposed views may be given.
pub fn product(left: ArrayView2<f32>, right: ArrayView2<f32>) -> Array2<f32> {
    let mut out = Array2::zeros((left.nrows(), right.ncols()));
    Packed::new(right).product(out.view_mut(), left, |_, _, _| {});
    out
}

impl<E: Element> PackedRows<E> {
    /// Packs rows in the memory of those before; the last group is filled up with zeros. Transposed views may be given.
    pub fn pack(&mut self, rows: ArrayView2<E>) {
        let height = E::kernel().rows;
        self.shape_to(rows.nrows(), rows.ncols());
        if self.depth == 0 {
            return;
        }
        let groups = self.values.chunks_exact_mut(height * self.depth);
        for (group, packed) in rows.axis_chunks_iter(Axis(0), height).zip(groups) {
            pack(group, packed, height);
        }
    }

    /// Packs a whole group of rows, the first of them `row`, at the places from `place` on.
    pub(super) fn put(&mut self, row: usize, place: usize, group: Result<ArrayView2<E>, ShapeError>) {
        let group = group.unwrap_or_else(|_| unreachable!("a block has all of its rows"));
        let first = row * self.depth + place * group.nrows();
        pack(group, &mut self.values[first..first + group.len()], group.nrows());
    }

    /// Rows.
    pub(super) fn n_rows(&self) -> usize {
        self.rows
    }

    pub(super) fn shape_to(&mut self, rows: usize, depth: usize) {
        (self.rows, self.depth) = (rows, depth);
        self.values.resize(rows.next_multiple_of(E::kernel().rows) * depth, E::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{generator, whole_numbers};
    use rand::RngExt;

    #[test]
    fn products_of_every_shape_and_layout_are_exact() {
        for (m, d, n) in [(1, 1, 1), (3, 500, 10), (61, 17, 33), (14, 32, 32), (90, 41, 100), (2, 0, 3)] {
            let (left, right) = (whole_numbers(m, d, 2), whole_numbers(d, n, 3));
            let expected = left.dot(&right) + 1.0;
            let turned = right.t().as_standard_layout().into_owned();
            let left_turned = left.t().as_standard_layout().into_owned();
            for right in [right.view(), turned.t()] {
                let packed = Packed::new(right);
                for left in [left.view(), left_turned.t()] {
                    let mut out = Array2::from_elem((m, n), f32::NAN);
                    packed.product(out.view_mut(), left, |_, _, entries| entries.iter_mut().for_each(|x| *x += 1.0));
                    assert_eq!(out, expected, "{m} x {d} x {n}");
                }
            }
        }
    }

    #[test]
    fn a_row_has_the_same_bits_alone_and_among_others() {
        let mut rng = generator(2);
        let rows = Array2::from_shape_fn((100, 77), |_| rng.random::<f32>() - 0.5);
        let packed = Packed::new(rows.slice(s![..77, ..50]));
        let mut whole = Array2::zeros((100, 50));
        packed.product(whole.view_mut(), rows.view(), |_, _, _| {});
        for i in [0, 13, 14, 55, 99] {
            let mut alone = Array2::zeros((1, 50));
            packed.product_alone(alone.view_mut(), rows.slice(s![i..=i, ..]), |_, _, _| {});
            assert_eq!(alone.row(0), whole.row(i));
        }
    }

    #[test]
    fn a_chain_is_one_product_after_the_other() {
        for (m, a, b, c) in [(1, 1, 1, 1), (14, 32, 32, 32), (61, 17, 33, 10), (168, 50, 100, 3)] {
            let (rows, first, second) = (whole_numbers(m, a, 1), whole_numbers(a, b, 4), whole_numbers(b, c, 5));
            let shift = |column: usize, entries: &mut [f32]| {
                entries.iter_mut().enumerate().for_each(|(e, x)| *x += ((column + e) % 5) as f32);
            };
            let shifted = |mut product: Array2<f32>| {
                product.rows_mut().into_iter().for_each(|mut row| shift(0, row.as_slice_mut().unwrap()));
                product
            };
            let expected = shifted(shifted(rows.dot(&first)).dot(&second));
            let (mut packed, mut next, mut out) = (PackedRows::default(), PackedRows::default(), Array2::zeros((m, c)));
            packed.pack(rows.view());
            Packed::new(first.view()).chain(&packed, &mut next, shift);
            Packed::new(second.view()).end_of_chain(&next, out.view_mut(), shift);
            assert_eq!(out, expected, "{m} x {a} x {b} x {c}");
        }
    }
}
