//! Numbers rounded to sixteen bits (bfloat16), two in one place of the inner dimension.
//!
//! Processors with AVX-512 BF16 multiply and add twice as many of them at a time as of `f32`. Products of rounded numbers
//! are exact in `f32`; what rounding took away is measured as rows are rounded, and its effect is for the caller to bound.
//!
//! Which numbers share a place is free, as long as both sides of a product agree: of each group of as many as a kernel has columns,
//! the first half goes with the second one, so that rounding needs no shuffling.

use super::kernel::{Element, Kernel, LARGEST};
use super::packed::{Packed, PackedRows};
use crate::vector::wide;
use ndarray::{Array2, ArrayView2, Axis};

/// Two rounded numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(transparent)]
pub struct Pair(u32);

/// What rounding did to a row.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rounded {
    /// The squared length of the rounded row.
    squared: f32,
    /// The squared length of what rounding took away.
    off: f32,
}

impl Rounded {
    /// The length of the rounded row, from above.
    pub fn length(self) -> f32 {
        from_above(self.squared)
    }

    /// The length of what rounding took away, from above.
    pub fn off(self) -> f32 {
        from_above(self.off)
    }
}

/// The root of a sum of squares in `f32`: a thousandth more for its rounding, and what the squares of tiny numbers, which became zero, may
/// add up to in a row of any width. Numbers that are too small for instructions on pairs are much smaller still.
fn from_above(squared: f32) -> f32 {
    squared.sqrt() * 1.001 + 1e-15
}

impl Pair {
    #[inline(always)]
    pub(super) fn rounded(low: f32, high: f32) -> Self {
        Self(nearest(low) >> 16 | nearest(high))
    }

    #[inline(always)]
    pub(super) fn low(self) -> f32 {
        f32::from_bits(self.0 << 16)
    }

    #[inline(always)]
    pub(super) fn high(self) -> f32 {
        f32::from_bits(self.0 & HIGH)
    }

    /// What rounding takes away from a number.
    pub fn off(x: f32) -> f32 {
        x - Self::rounded(x, 0.0).low()
    }

    /// Whether this processor has products of pairs that are faster than those of `f32`.
    pub fn is_fast() -> bool {
        Kernel::has_pairs()
    }
}

const HIGH: u32 = 0xffff_0000;

/// The bits of the nearest number of sixteen bits, the even one of two.
#[inline(always)]
fn nearest(x: f32) -> u32 {
    let bits = x.to_bits();
    bits.wrapping_add(0x7fff + (bits >> 16 & 1)) & HIGH
}

/// Places that so many numbers take.
fn places(count: usize) -> usize {
    let group = Pair::kernel().columns;
    count / group * (group / 2) + (count % group).div_ceil(2)
}

impl Packed<Pair> {
    /// Packs a matrix `(d, columns)`, rounded.
    pub fn rounded(right: ArrayView2<f32>) -> Self {
        let mut pairs = Array2::default((places(right.nrows()), right.ncols()));
        for (column, mut pairs) in right.columns().into_iter().zip(pairs.columns_mut()) {
            let groups = column.axis_chunks_iter(Axis(0), Pair::kernel().columns);
            let rounded = groups.flat_map(|group| {
                let half = group.len().div_ceil(2);
                (0..half).map(move |p| Pair::rounded(group[p], group.get(half + p).copied().unwrap_or(0.0)))
            });
            pairs.iter_mut().zip(rounded).for_each(|(pair, rounded)| *pair = rounded);
        }
        Self::new(pairs.view())
    }

    /// The product of packed rows with this matrix, each stretch of a row through `finish(first column, stretch)`, as packed rows
    /// again: rounded, with what that did to each of them.
    ///
    /// # Panics
    /// If the inner dimensions differ.
    pub fn chain(
        &self,
        left: &PackedRows<Pair>,
        out: &mut PackedRows<Pair>,
        lengths: &mut Vec<Rounded>,
        finish: impl Fn(usize, &mut [f32]),
    ) {
        let height = Pair::kernel().rows;
        out.shape_to(left.n_rows(), places(self.columns()));
        lengths.clear();
        lengths.resize(left.n_rows().next_multiple_of(height), Rounded::default());
        let mut rounded = [Pair::default(); LARGEST_ROUNDED];
        self.blocks_of(0..self.columns(), left, |block| {
            (0..height).for_each(|i| finish(block.column, block.entries(i)));
            let half = block.columns.div_ceil(2);
            let rounded = &mut rounded[..height * half];
            round_rows(block.values(), block.width, block.columns, rounded, &mut lengths[block.row..]);
            out.put(block.row, places(block.column), ArrayView2::from_shape((height, half), rounded));
        });
    }
}

const LARGEST_ROUNDED: usize = LARGEST / 2;

impl PackedRows<Pair> {
    /// Packs rows, rounded, with what that did to each of them.
    pub fn pack_rounded(&mut self, rows: ArrayView2<f32>, lengths: &mut Vec<Rounded>) {
        let (height, group) = (Pair::kernel().rows, Pair::kernel().columns);
        let (m, d) = rows.dim();
        self.shape_to(m, places(d));
        lengths.clear();
        lengths.resize(m.next_multiple_of(height), Rounded::default());
        let mut rounded = [Pair::default(); LARGEST_ROUNDED];
        let mut values = [0.0; LARGEST];
        for (b, rows) in rows.axis_chunks_iter(Axis(0), height).enumerate() {
            let row = b * height;
            for (g, rows) in rows.axis_chunks_iter(Axis(1), group).enumerate() {
                let (columns, half) = (rows.ncols(), rows.ncols().div_ceil(2));
                values.fill(0.0);
                for (row, values) in rows.rows().into_iter().zip(values.chunks_exact_mut(group)) {
                    match row.to_slice() {
                        Some(row) => values[..columns].copy_from_slice(row),
                        None => row.iter().zip(values).for_each(|(x, value)| *value = *x),
                    }
                }
                let rounded = &mut rounded[..height * half];
                round_rows(&values[..height * group], group, columns, rounded, &mut lengths[row..]);
                self.put(row, places(g * group), ArrayView2::from_shape((height, half), rounded));
            }
        }
    }
}

wide! {
    /// Rounds the first `columns` of each row of `width` numbers, and adds to what rounding did to the row.
    fn round_rows(values: &[f32], width: usize, columns: usize, rounded: &mut [Pair], lengths: &mut [Rounded]) {
        let rounded = rounded.chunks_exact_mut(columns.div_ceil(2));
        for ((row, pairs), length) in values.chunks_exact(width).zip(rounded).zip(lengths) {
            let (low, high) = row[..columns].split_at(columns.div_ceil(2));
            if let (Ok(low), Ok(high), Ok(pairs)) = (low.try_into(), high.try_into(), <&mut [Pair; 16]>::try_from(&mut *pairs)) {
                round_whole(low, high, pairs, length);
                continue;
            }
            for (p, (pair, &low)) in pairs.iter_mut().zip(low).enumerate() {
                let high = high.get(p).copied().unwrap_or(0.0);
                *pair = Pair::rounded(low, high);
                let (low_off, high_off) = (low - pair.low(), high - pair.high());
                length.squared += pair.low() * pair.low() + pair.high() * pair.high();
                length.off += low_off * low_off + high_off * high_off;
            }
        }
    }
}

/// The same of a stretch of 32 numbers.
#[inline(always)]
fn round_whole(low: &[f32; 16], high: &[f32; 16], pairs: &mut [Pair; 16], length: &mut Rounded) {
    let (mut squared, mut off) = ([0.0_f32; 16], [0.0_f32; 16]);
    for p in 0..16 {
        pairs[p] = Pair::rounded(low[p], high[p]);
        let (x, y) = (pairs[p].low(), pairs[p].high());
        squared[p] = x * x + y * y;
        off[p] = (low[p] - x) * (low[p] - x) + (high[p] - y) * (high[p] - y);
    }
    length.squared += crate::vector::fold(squared);
    length.off += crate::vector::fold(off);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{generator, whole_numbers};
    use rand::RngExt;

    #[test]
    fn numbers_go_to_the_nearest_of_eight_bits() {
        for (x, nearest) in [
            (1.0, 1.0),
            (1.003, 1.0),
            (1.0 + 1.0 / 256.0, 1.0),
            (1.005, 1.0078125),
            (1.0 + 3.0 / 256.0, 1.015625),
            (-2.51, -2.515625),
        ] {
            let pair = Pair::rounded(x, -x);
            assert_eq!((pair.low(), pair.high()), (nearest, -nearest), "{x}");
            assert_eq!(Pair::off(x), x - nearest);
        }
    }

    #[test]
    fn a_chain_is_one_product_after_the_other() {
        for (m, a, b, c) in [(1, 1, 1, 1), (14, 32, 32, 32), (61, 17, 33, 10), (168, 51, 100, 3)] {
            let (rows, first, second) = (whole_numbers(m, a, 1), whole_numbers(a, b, 4), whole_numbers(b, c, 5));
            let halved = |column: usize, entries: &mut [f32]| {
                // small whole numbers again
                entries.iter_mut().enumerate().for_each(|(e, x)| *x = (*x / 64.0).round() + ((column + e) % 5) as f32);
            };
            let mut middle = rows.dot(&first);
            middle.rows_mut().into_iter().for_each(|mut row| halved(0, row.as_slice_mut().unwrap()));
            let (mut packed, mut next) = (PackedRows::default(), PackedRows::default());
            let (mut lengths, mut out) = (Vec::new(), Array2::zeros((m, c)));
            packed.pack_rounded(rows.view(), &mut lengths);
            check(&lengths, &rows);
            Packed::rounded(first.view()).chain(&packed, &mut next, &mut lengths, halved);
            check(&lengths, &middle);
            Packed::rounded(second.view()).end_of_chain(&next, out.view_mut(), |_, _| {});
            assert_eq!(out, middle.dot(&second), "{m} x {a} x {b} x {c}");
        }
    }

    fn check(lengths: &[Rounded], rows: &Array2<f32>) {
        for (length, row) in lengths.iter().zip(rows.rows()) {
            assert_eq!((length.squared, length.off), (row.dot(&row), 0.0));
        }
    }

    #[test]
    fn what_rounding_takes_away_is_measured() {
        let mut rng = generator(3);
        let rows = Array2::from_shape_fn((31, 77), |_| rng.random::<f32>() - 0.5);
        let mut lengths = Vec::new();
        PackedRows::default().pack_rounded(rows.view(), &mut lengths);
        for (length, row) in lengths.iter().zip(rows.rows()) {
            let off = row.mapv(Pair::off);
            let kept = &row - &off;
            assert!((length.off - off.dot(&off)).abs() < 1e-5 * length.off && length.off > 0.0);
            assert!((length.squared - kept.dot(&kept)).abs() < 1e-5 * length.squared);
        }
    }
}
