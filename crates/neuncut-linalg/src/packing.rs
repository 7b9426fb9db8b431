//! How rows and columns lie in memory for the kernel: the numbers of one place of the inner dimension side by side.

use ndarray::{ArrayView2, Axis};

/// A cache line, so that packed columns begin at one.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub(super) struct CacheLine<E>([E; 16]);

impl<E> CacheLine<E> {
    /// A line of larger or smaller entries would have padding, or begin in the middle of a cache line.
    pub const FITS: () = assert!(size_of::<E>() == 4);
}

/// Packs up to `height` rows: their entries of one column side by side, zeros where rows are missing.
pub(super) fn pack<E: Copy + Default>(group: ArrayView2<E>, packed: &mut [E], height: usize) {
    let whole = group.nrows() == height;
    match height {
        14 if whole => pack_whole::<_, 14>(group, packed),
        32 if whole => pack_whole::<_, 32>(group, packed),
        6 if whole => pack_whole::<_, 6>(group, packed),
        16 if whole => pack_whole::<_, 16>(group, packed),
        _ => pack_any(group, packed, height),
    }
}

/// Packs `H` rows that lie side by side, or each in one piece; others as they come.
fn pack_whole<E: Copy + Default, const H: usize>(group: ArrayView2<E>, packed: &mut [E]) {
    let (places, _) = packed.as_chunks_mut::<H>();
    let stride = group.strides()[1];
    if group.strides()[0] == 1 && stride >= 0 {
        let first = group.as_ptr();
        for (d, place) in places.iter_mut().enumerate() {
            // SAFETY: the view has a column for each place, `stride` apart, of `H` adjacent rows.
            *place = unsafe { first.offset(d as isize * stride).cast::<[E; H]>().read_unaligned() };
        }
        return;
    }
    let rows: [Option<&[E]>; H] = std::array::from_fn(|i| group.index_axis(Axis(0), i).to_slice());
    if rows.iter().all(Option::is_some) {
        turn(rows.map(|row| row.expect("every row lies in one piece")), places);
    } else {
        pack_any(group, packed, H);
    }
}

/// Turns rows into columns, four by four: the compiler keeps such a square in registers.
fn turn<E: Copy, const H: usize>(rows: [&[E]; H], places: &mut [[E; H]]) {
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
fn pack_any<E: Copy + Default>(group: ArrayView2<E>, packed: &mut [E], height: usize) {
    for (column, place) in group.columns().into_iter().zip(packed.chunks_exact_mut(height)) {
        place.fill(E::default());
        place.iter_mut().zip(column).for_each(|(place, &x)| *place = x);
    }
}

/// Copies in pieces of a fixed size: a call for each would take longer than the copy.
#[inline]
pub(super) fn copy(to: &mut [f32], from: &[f32]) {
    let (to, to_rest) = to.as_chunks_mut::<16>();
    let (from, from_rest) = from.as_chunks::<16>();
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    to_rest.iter_mut().zip(from_rest).for_each(|(to, from)| *to = *from);
}

/// The entries of lines.
pub(super) fn entries<E>(lines: &[CacheLine<E>]) -> &[E] {
    // SAFETY: a line is sixteen entries, and every element has the size of a number: there is no padding.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * 16) }
}

/// The same, to be changed.
pub(super) fn entries_mut<E>(lines: &mut [CacheLine<E>]) -> &mut [E] {
    // SAFETY: as above, and the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), lines.len() * 16) }
}
