//! Products with a right-hand matrix that was laid out for the kernel once and is used by many tasks.
//!
//! A product with packed rows is handed out in blocks, so that what follows (a bias, a distance, a selection) is done while a
//! block is still in the first-level cache.

use super::kernel::{Kernel, LARGEST};
use ndarray::{ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;
use std::cell::Cell;

/// Blocks of rows a task: few, so that cores finish together.
const BLOCKS_A_TASK: usize = 4;
/// Below this many entries a matrix is packed on one core.
const PACK_ALONE: usize = 1 << 14;
/// Places of the inner dimension that are turned at a time where columns must become rows.
const TURNED: usize = 16;

/// No kernel has more rows.
const LARGEST_HEIGHT: usize = 14;

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

    /// The entries of one of its columns.
    fn column(&self, column: usize) -> impl Iterator<Item = &f32> {
        self.values[column..].iter().step_by(self.width).take(self.rows)
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
            fill_panel(panel, width, right.slice(s![.., first..end]));
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
    pub fn blocks_from(&self, first: usize, left: ArrayView2<f32>, mut each: impl FnMut(&mut Block)) {
        assert_eq!(left.ncols(), self.depth, "the inner dimension of a product");
        thread_local!(static LEFT: Cell<Vec<f32>> = const { Cell::new(Vec::new()) });
        let (m, height, width) = (left.nrows(), self.kernel.rows, self.kernel.columns);
        let mut packed = LEFT.take();
        pack_left(left, height, &mut packed);
        let mut values = [0.0; LARGEST];
        for p in first / width..self.panels() {
            let column = p * width;
            for row in (0..m).step_by(height) {
                let left = &packed[row * self.depth..(row + height) * self.depth];
                self.kernel.multiply(left, self.panel(p), &mut values);
                let (rows, columns) = (height.min(m - row), width.min(self.columns - column));
                each(&mut Block { row, rows, column, columns, values: &mut values, width });
            }
        }
        LEFT.set(packed);
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
        let rows = self.task_rows();
        let tasks = out.axis_chunks_iter_mut(Axis(0), rows).into_par_iter();
        tasks.zip(left.axis_chunks_iter(Axis(0), rows)).enumerate().for_each(|(task, (out, left))| {
            self.product_alone(out, left, |row, column, entries| finish(task * rows + row, column, entries));
        });
    }
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
    let shared = Shared(out.as_mut_ptr());
    let height = right.task_rows();
    rows.axis_chunks_iter(Axis(0), height).into_par_iter().enumerate().for_each(|(task, chunk)| {
        let base = task * height;
        right.blocks_from(base, chunk, |block| {
            let (row, column, columns) = (base + block.row, block.column, block.columns);
            for i in row..row + block.rows {
                let entries = block.entries(i - row);
                finish(i, column, entries);
                let first = i.max(column);
                if first < column + columns {
                    // SAFETY: i and j are below m, and the entries (i, j) and (j, i) with i <= j are written by this task only.
                    unsafe { shared.write(i * m + first, &entries[first - column..]) };
                }
            }
            for j in column.max(row)..column + columns {
                let count = block.rows.min(j - row);
                let mut turned = [0.0; LARGEST_HEIGHT];
                turned.iter_mut().zip(block.column(j - column)).for_each(|(place, &x)| *place = x);
                // SAFETY: as above.
                unsafe { shared.write(j * m + row, &turned[..count]) };
            }
        });
    });
    RIGHT.set(packed);
}

/// A matrix of which tasks write different entries.
struct Shared(*mut f32);
// SAFETY: `symmetric_product` writes each entry in one task only, and reads none.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// All places from `place` on must be inside, and no other task may write them.
    unsafe fn write(&self, place: usize, values: &[f32]) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(place).copy_from_nonoverlapping(values.as_ptr(), values.len()) }
    }
}

/// Rows in groups of `height`, each with its entries of one column side by side; the last is filled up with zeros.
fn pack_left(left: ArrayView2<f32>, height: usize, packed: &mut Vec<f32>) {
    let (m, depth) = left.dim();
    packed.clear();
    packed.resize(m.next_multiple_of(height) * depth, 0.0);
    if depth == 0 {
        return;
    }
    for (group, packed) in left.axis_chunks_iter(Axis(0), height).zip(packed.chunks_exact_mut(height * depth)) {
        match height {
            14 => pack_group::<14>(group, packed),
            6 => pack_group::<6>(group, packed),
            _ => pack_any(group, packed, height),
        }
    }
}

/// Packs a group of `H` rows that lie side by side, or each in one piece; others as they come.
fn pack_group<const H: usize>(group: ArrayView2<f32>, packed: &mut [f32]) {
    let (places, _) = packed.as_chunks_mut::<H>();
    let stride = group.strides()[1];
    if group.nrows() == H && group.strides()[0] == 1 && stride >= 0 {
        let first = group.as_ptr();
        for (d, place) in places.iter_mut().enumerate() {
            // SAFETY: the view has a column for each place, `stride` apart, of `H` adjacent rows.
            *place = unsafe { first.offset(d as isize * stride).cast::<[f32; H]>().read_unaligned() };
        }
        return;
    }
    let rows: Vec<&[f32]> = group.outer_iter().filter_map(|row| row.to_slice()).collect();
    match <[&[f32]; H]>::try_from(rows) {
        Ok(rows) => {
            let rows = rows.map(|row| &row[..places.len()]);
            for (d, place) in places.iter_mut().enumerate() {
                *place = std::array::from_fn(|i| rows[i][d]);
            }
        }
        Err(_) => pack_any(group, packed, H),
    }
}

/// Packs a group of up to `height` rows in any layout.
fn pack_any(group: ArrayView2<f32>, packed: &mut [f32], height: usize) {
    for (column, place) in group.columns().into_iter().zip(packed.chunks_exact_mut(height)) {
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

/// One panel: `width` entries for each row, zeros where the matrix has no more columns.
fn fill_panel(panel: &mut [f32], width: usize, columns: ArrayView2<f32>) {
    let n = columns.ncols();
    if n < width {
        panel.fill(0.0);
    }
    if columns.strides()[1] == 1 || n == 1 {
        for (place, row) in panel.chunks_exact_mut(width).zip(columns.rows()) {
            match row.to_slice() {
                Some(row) => copy(&mut place[..n], row),
                None => place.iter_mut().zip(row).for_each(|(place, &x)| *place = x),
            }
        }
        return;
    }
    for (chunk, part) in panel.chunks_mut(TURNED * width).zip(columns.axis_chunks_iter(Axis(0), TURNED)) {
        for (j, column) in part.columns().into_iter().enumerate() {
            for (d, &x) in column.iter().enumerate() {
                chunk[d * width + j] = x;
            }
        }
    }
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
    use ndarray::Array2;
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
