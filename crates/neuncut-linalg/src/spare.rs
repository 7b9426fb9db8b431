//! Large buffers that are used again: memory given back to the system between two training steps would have to be cleared anew.
//!
//! They are kept for all threads together, since a step's parts do not always run on the same one.
//!
//! ```
//! use neuncut_linalg::spare;
//!
//! let buffer = spare::take(100_000); // any numbers may be in it
//! assert_eq!(buffer.len(), 100_000);
//! let place = buffer.as_ptr();
//! spare::give(buffer);
//! assert_eq!(spare::take(90_000).as_ptr(), place);
//! ```

use ndarray::Array2;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Buffers kept, and the numbers in a kept one: smaller ones the allocator keeps by itself, the largest has 16 megabytes.
const KEPT: usize = 8;
const SMALLEST: usize = 1 << 12;
const LARGEST: usize = 4 << 20;

static SPARE: Spare = Spare(Mutex::new(Vec::new()));

struct Spare(Mutex<Vec<Vec<f32>>>);

impl Spare {
    fn buffers(&self) -> MutexGuard<'_, Vec<Vec<f32>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, length: usize) -> Vec<f32> {
        let fits = |buffer: &Vec<f32>| buffer.capacity() >= length && buffer.capacity() <= 2 * length;
        let mut spare = self.buffers();
        let kept = spare.iter().position(fits).map(|place| spare.swap_remove(place));
        drop(spare);
        let mut buffer = kept.unwrap_or_default();
        buffer.resize(length, 0.0);
        buffer
    }

    fn give(&self, buffer: Vec<f32>) {
        if (SMALLEST..=LARGEST).contains(&buffer.capacity()) {
            let mut spare = self.buffers();
            if spare.len() == KEPT {
                spare.remove(0);
            }
            spare.push(buffer);
        }
    }
}

/// A buffer of so many numbers, which may be any.
pub fn take(length: usize) -> Vec<f32> {
    SPARE.take(length)
}

/// The same as a matrix.
pub fn matrix(rows: usize, columns: usize) -> Array2<f32> {
    let matrix = Array2::from_shape_vec((rows, columns), take(rows * columns));
    matrix.unwrap_or_else(|_| unreachable!("the buffer has the matrix's size"))
}

/// Takes back a buffer that is no longer used.
pub fn give(buffer: Vec<f32>) {
    SPARE.give(buffer);
}

/// Takes back a matrix.
pub fn give_matrix(matrix: Array2<f32>) {
    give(matrix.into_raw_vec_and_offset().0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_with_the_size_that_is_asked_for() {
        let spare = Spare(Mutex::new(Vec::new()));
        spare.give(vec![1.0; 10_000]);
        let again = spare.take(9000);
        assert_eq!(again, [1.0; 9000]);
        spare.give(again);
        assert_eq!(spare.take(10).len(), 10, "one that is much too large stays");
        assert_eq!(spare.take(10_000), [&[1.0; 9000][..], &[0.0; 1000]].concat());
        spare.give(vec![0.0; 5]);
        assert_eq!(spare.buffers().len(), 0, "small ones are not kept");
        (0..3 * KEPT).for_each(|_| spare.give(vec![0.0; SMALLEST]));
        assert!(spare.buffers().len() <= KEPT);
    }
}
