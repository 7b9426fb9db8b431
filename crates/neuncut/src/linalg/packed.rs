//! Products with a right-hand matrix that was laid out for the kernel once and is used by many tasks.
//!
//! A product with packed rows is handed out in blocks, so that what follows (a bias, a distance, a selection) is done while a
//! block is still in the first-level cache.

use super::kernel::{Kernel, LARGEST};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, ShapeBuilder, s};
use rayon::prelude::*;
use std::cell::Cell;
use std::ops::Range;

/// Blocks of rows a task: few, so that cores finish together.
const BLOCKS_A_TASK: usize = 4;
/// Blocks of rows a task at most where all tasks are of one size: a task goes through the whole right-hand matrix once, and its rows
/// stay in the second-level cache.
const MOST_BLOCKS_A_TASK: usize = 9;
/// Below this many entries a matrix is packed on one core.
const PACK_ALONE: usize = 1 << 14;
/// Rows and columns of a square that is mirrored at a time.
const MIRRORED: usize = 32;

/// A cache line, so that packed rows begin at one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A matrix `(depth, columns)` in panels of a few columns each.
pub struct Packed {
    lines: Vec<Line>,
    depth: usize,
    columns: usize,
    kernel: &'static Kernel,
}

/// Rows `(m, depth)` as the left-hand side of a product, in groups of as many as the kernel takes at a time.
#[derive(Default)]
pub struct PackedRows {
    values: Vec<f32>,
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
    width: usize,
}

impl Block<'_> {
    /// The entries of one of its rows.
    pub fn entries(&mut self, row: usize) -> &mut [f32] {
        &mut self.values[row * self.width..row * self.width + self.columns]
    }
}

impl Default for Packed {
    fn default() -> Self {
        Self { lines: Vec::new(), depth: 0, columns: 0, kernel: Kernel::best() }
    }
}

impl Packed {
    /// Packs a matrix; transposed views may be given.
    pub fn new(right: ArrayView2<f32>) -> Self {
        let mut packed = Self::default();
        packed.pack(right);
        packed
    }

    /// Packs another matrix in the same memory.
    pub fn pack(&mut self, right: ArrayView2<f32>) {
        (self.depth, self.columns) = right.dim();
        let width = self.kernel.columns;
        let floats = self.depth * width * self.panels();
        self.lines.resize(floats.div_ceil(16), Line([0.0; 16]));
        if floats == 0 {
            return;
        }
        let (depth, columns) = (self.depth, self.columns);
        let fill = |(p, panel): (usize, &mut [f32])| {
            let (first, end) = (p * width, ((p + 1) * width).min(columns));
            pack(right.slice(s![.., first..end]).reversed_axes(), panel, width);
        };
        let panels = floats_mut(&mut self.lines, floats);
        if floats < PACK_ALONE {
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

    fn panel(&self, p: usize) -> &[f32] {
        let size = self.depth * self.kernel.columns;
        &floats(&self.lines)[p * size..(p + 1) * size]
    }

    /// Rows of the left-hand matrix that make a good task.
    pub fn task_rows(&self) -> usize {
        BLOCKS_A_TASK * self.kernel.rows
    }

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

    /// The same of rows that are packed already.
    fn blocks_of(&self, columns: Range<usize>, left: &PackedRows, mut each: impl FnMut(&mut Block)) {
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

    /// The product of packed rows with this matrix as packed rows again, each stretch of a row through `finish(first column,
    /// stretch)`: what a chain of products needs, without rows in between.
    ///
    /// # Panics
    /// If the inner dimensions differ.
    pub fn chain(&self, left: &PackedRows, out: &mut PackedRows, finish: impl Fn(usize, &mut [f32])) {
        let height = self.kernel.rows;
        out.shape_to(left.rows, self.columns);
        self.blocks_of(0..self.columns, left, |block| {
            let (first, columns) = (block.row * self.columns + block.column * height, block.columns);
            (0..height).for_each(|i| finish(block.column, block.entries(i)));
            let rows = ArrayView2::from_shape((height, columns).strides((block.width, 1)), &block.values[..]);
            let rows = rows.unwrap_or_else(|_| unreachable!("a block has all of its rows"));
            pack(rows, &mut out.values[first..first + columns * height], height);
        });
    }

    /// Writes the product of packed rows with this matrix into `out`, each stretch of a row through `finish(first column, stretch)`.
    ///
    /// # Panics
    /// If the shapes do not fit, or `out` is not contiguous.
    pub fn end_of_chain(&self, left: &PackedRows, mut out: ArrayViewMut2<f32>, finish: impl Fn(usize, &mut [f32])) {
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

impl PackedRows {
    /// Packs rows in the memory of those before; the last group is filled up with zeros. Transposed views may be given.
    pub fn pack(&mut self, rows: ArrayView2<f32>) {
        let height = Kernel::best().rows;
        self.shape_to(rows.nrows(), rows.ncols());
        if self.depth == 0 {
            return;
        }
        let groups = self.values.chunks_exact_mut(height * self.depth);
        for (group, packed) in rows.axis_chunks_iter(Axis(0), height).zip(groups) {
            pack(group, packed, height);
        }
    }

    fn shape_to(&mut self, rows: usize, depth: usize) {
        (self.rows, self.depth) = (rows, depth);
        self.values.resize(rows.next_multiple_of(Kernel::best().rows) * depth, 0.0);
    }
}

/// Packs up to `height` rows: their entries of one column side by side, zeros where rows are missing.
fn pack(group: ArrayView2<f32>, packed: &mut [f32], height: usize) {
    let whole = group.nrows() == height;
    match height {
        14 if whole => pack_whole::<14>(group, packed),
        32 if whole => pack_whole::<32>(group, packed),
        6 if whole => pack_whole::<6>(group, packed),
        16 if whole => pack_whole::<16>(group, packed),
        _ => pack_any(group, packed, height),
    }
}

/// Packs `H` rows that lie side by side, or each in one piece; others as they come.
fn pack_whole<const H: usize>(group: ArrayView2<f32>, packed: &mut [f32]) {
    let (places, _) = packed.as_chunks_mut::<H>();
    let stride = group.strides()[1];
    if group.strides()[0] == 1 && stride >= 0 {
        let first = group.as_ptr();
        for (d, place) in places.iter_mut().enumerate() {
            // SAFETY: the view has a column for each place, `stride` apart, of `H` adjacent rows.
            *place = unsafe { first.offset(d as isize * stride).cast::<[f32; H]>().read_unaligned() };
        }
        return;
    }
    let rows: [Option<&[f32]>; H] = std::array::from_fn(|i| group.index_axis(Axis(0), i).to_slice());
    if rows.iter().all(Option::is_some) {
        turn(rows.map(Option::unwrap_or_default), places);
    } else {
        pack_any(group, packed, H);
    }
}

/// Turns rows into columns, four by four: the compiler keeps such a square in registers.
fn turn<const H: usize>(rows: [&[f32]; H], places: &mut [[f32; H]]) {
    let squares = rows.map(|row| row[..places.len()].as_chunks::<4>());
    let (fours, rest) = places.as_chunks_mut::<4>();
    for (c, four) in fours.iter_mut().enumerate() {
        for i in (0..H - H % 4).step_by(4) {
            let square = [squares[i].0[c], squares[i + 1].0[c], squares[i + 2].0[c], squares[i + 3].0[c]];
            for (k, place) in four.iter_mut().enumerate() {
                let turned = [square[0][k], square[1][k], square[2][k], square[3][k]];
                place[i..i + 4].copy_from_slice(&turned);
            }
        }
        for i in H - H % 4..H {
            four.iter_mut().zip(squares[i].0[c]).for_each(|(place, x)| place[i] = x);
        }
    }
    for (k, place) in rest.iter_mut().enumerate() {
        *place = std::array::from_fn(|i| squares[i].1[k]);
    }
}

/// Packs up to `height` rows in any layout.
fn pack_any(group: ArrayView2<f32>, packed: &mut [f32], height: usize) {
    for (column, place) in group.columns().into_iter().zip(packed.chunks_exact_mut(height)) {
        place.fill(0.0);
        place.iter_mut().zip(column).for_each(|(place, &x)| *place = x);
    }
}

/// Copies in pieces of a fixed size: a call for each would take longer than the copy.
#[inline]
fn copy(to: &mut [f32], from: &[f32]) {
    let (to, to_rest) = to.as_chunks_mut::<16>();
    let (from, from_rest) = from.as_chunks::<16>();
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    to_rest.iter_mut().zip(from_rest).for_each(|(to, from)| *to = *from);
}

fn floats(lines: &[Line]) -> &[f32] {
    // SAFETY: a line is sixteen numbers without padding.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * 16) }
}

fn floats_mut(lines: &mut [Line], count: usize) -> &mut [f32] {
    let all = lines.len() * 16;
    // SAFETY: a line is sixteen numbers without padding, and the borrow is exclusive.
    let floats: &mut [f32] = unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), all) };
    &mut floats[..count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    fn whole_numbers(n: usize, d: usize, name: &str) -> Array2<f32> {
        let mut rng = Seed(1).stream(name);
        Array2::from_shape_fn((n, d), |_| rng.random_range(-9..10) as f32) // sums of their products are exact
    }

    #[test]
    fn products_of_every_shape_and_layout_are_exact() {
        for (m, d, n) in [(1, 1, 1), (3, 500, 10), (61, 17, 33), (14, 32, 32), (90, 41, 100), (2, 0, 3)] {
            let (left, right) = (whole_numbers(m, d, "left"), whole_numbers(d, n, "right"));
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
        let mut rng = Seed(2).stream("rows");
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
            let (rows, first, second) =
                (whole_numbers(m, a, "rows"), whole_numbers(a, b, "first"), whole_numbers(b, c, "second"));
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

    #[test]
    fn a_symmetric_product_is_the_whole_product() {
        for (m, d) in [(1, 3), (31, 5), (100, 20), (173, 9)] {
            let rows = whole_numbers(m, d, "rows");
            let mut out = vec![f32::NAN; 3];
            symmetric_product(&mut out, rows.view(), |i, j, entries| {
                entries.iter_mut().enumerate().for_each(|(e, x)| *x += ((i + j + e) % 7) as f32);
            });
            let expected = Array2::from_shape_fn((m, m), |(i, j)| rows.row(i).dot(&rows.row(j)) + ((i + j) % 7) as f32);
            assert_eq!(Array2::from_shape_vec((m, m), out).unwrap(), expected);
        }
    }
}
