//! Large buffers that are used again: memory given back to the system between two training steps would have to be cleared anew.

use ndarray::Array2;
use std::cell::Cell;

/// Buffers kept a thread, and the numbers in a kept one at most: 16 megabytes.
const KEPT: usize = 8;
const LARGEST: usize = 4 << 20;

thread_local!(static SPARE: Cell<Vec<Vec<f32>>> = const { Cell::new(Vec::new()) });

/// A buffer of so many numbers, which may be any.
pub(crate) fn take(length: usize) -> Vec<f32> {
    let mut spare = SPARE.take();
    let fits = |buffer: &Vec<f32>| buffer.capacity() >= length && buffer.capacity() <= 2 * length;
    let mut buffer = match spare.iter().position(fits) {
        Some(place) => spare.swap_remove(place),
        None => Vec::new(),
    };
    SPARE.set(spare);
    buffer.resize(length, 0.0);
    buffer
}

/// The same as a matrix.
pub(crate) fn matrix(rows: usize, columns: usize) -> Array2<f32> {
    let matrix = Array2::from_shape_vec((rows, columns), take(rows * columns));
    matrix.unwrap_or_else(|_| unreachable!("the buffer has the matrix's size"))
}

/// Takes back a buffer that is no longer used.
pub(crate) fn give(buffer: Vec<f32>) {
    let mut spare = SPARE.take();
    if buffer.capacity() <= LARGEST {
        if spare.len() == KEPT {
            spare.remove(0);
        }
        spare.push(buffer);
    }
    SPARE.set(spare);
}

/// Takes back a matrix.
pub(crate) fn give_matrix(matrix: Array2<f32>) {
    give(matrix.into_raw_vec_and_offset().0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_with_the_size_that_is_asked_for() {
        give(vec![1.0; 100]);
        let again = take(90);
        assert_eq!(again, [1.0; 90]);
        give(again);
        assert_eq!(take(10).len(), 10, "one that is much too large stays");
        assert_eq!(take(100), [&[1.0; 90][..], &[0.0; 10]].concat());
        (0..3 * KEPT).for_each(|_| give(vec![0.0; 5]));
        assert!(SPARE.take().len() <= KEPT);
    }
}
