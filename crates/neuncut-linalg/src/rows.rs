//! What is done to many rows at once, on all cores and with sums in a fixed order.
//!
//! ```
//! use ndarray::array;
//! use neuncut_linalg::rows::{centred, column_sums, gather, squared_lengths};
//!
//! let rows = array![[1.0_f32, 2.0], [3.0, 4.0]];
//! assert_eq!(gather(rows.view(), &[1, 1]), array![[3.0, 4.0], [3.0, 4.0]]);
//! assert_eq!(column_sums(rows.view()), array![4.0, 6.0]);
//! assert_eq!(centred(rows.view(), rows.view()), array![[-1.0, -1.0], [1.0, 1.0]]);
//! assert_eq!(squared_lengths(rows.view()), [5.0, 25.0]);
//! ```

use crate::vector::{squared_length, wide};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

/// Rows per task.
const TASK_ROWS: usize = 128;

/// A copy of some rows, in this order.
pub fn gather(rows: ArrayView2<f32>, chosen: &[usize]) -> Array2<f32> {
    let mut gathered = Array2::zeros((chosen.len(), rows.ncols()));
    let tasks = gathered.axis_chunks_iter_mut(Axis(0), TASK_ROWS).into_par_iter().zip(chosen.par_chunks(TASK_ROWS));
    tasks.for_each(|(mut out, chosen)| {
        out.rows_mut().into_iter().zip(chosen).for_each(|(mut out, &row)| out.assign(&rows.row(row)));
    });
    gathered
}

/// The sum of each column.
pub fn column_sums(rows: ArrayView2<f32>) -> Array1<f32> {
    let part = |rows: ArrayView2<f32>| {
        let mut sums = vec![0.0; rows.ncols()];
        for row in rows.rows() {
            match row.to_slice() {
                Some(row) => add(&mut sums, row),
                None => sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x),
            }
        }
        sums
    };
    let parts: Vec<Vec<f32>> = rows.axis_chunks_iter(Axis(0), TASK_ROWS).into_par_iter().map(part).collect();
    let mut total = vec![0.0; rows.ncols()];
    parts.iter().for_each(|part| add(&mut total, part));
    Array1::from_vec(total)
}

/// `rows` less the column means of `reference`: keeps `|x|^2 + |y|^2 - 2 x.y` free of cancellation.
pub fn centred(rows: ArrayView2<f32>, reference: ArrayView2<f32>) -> Array2<f32> {
    let mut centred = Array2::zeros(rows.dim());
    let mean = column_sums(reference) / reference.nrows().max(1) as f32;
    let tasks = centred.axis_iter_mut(Axis(0)).into_par_iter().zip(rows.axis_iter(Axis(0)));
    tasks.with_min_len(TASK_ROWS).for_each(|(mut out, row)| {
        out.iter_mut().zip(row).zip(&mean).for_each(|((out, x), mean)| *out = x - mean);
    });
    centred
}

/// The squared length of each row.
pub fn squared_lengths(rows: ArrayView2<f32>) -> Vec<f32> {
    let rows = rows.axis_iter(Axis(0)).into_par_iter().with_min_len(TASK_ROWS);
    rows.map(|row| row.as_slice().map_or_else(|| row.dot(&row), squared_length)).collect()
}

wide! {
    /// Adds one row to another.
    fn add(sums: &mut [f32], row: &[f32]) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn rows_are_gathered_summed_and_centred() {
        let rows = array![[1.0, 2.0], [3.0, 5.0], [5.0, 11.0]];
        assert_eq!(gather(rows.view(), &[2, 0, 2]), array![[5.0, 11.0], [1.0, 2.0], [5.0, 11.0]]);
        assert_eq!(column_sums(rows.view()), array![9.0, 18.0]);
        assert_eq!(centred(rows.view(), rows.view()), array![[-2.0, -4.0], [0.0, -1.0], [2.0, 5.0]]);
        assert_eq!(squared_lengths(rows.view()), [5.0, 34.0, 146.0]);
        let many = Array2::from_shape_fn((1000, 3), |(i, j)| (i % 7 * (j + 1)) as f32);
        assert_eq!(column_sums(many.view()), many.sum_axis(Axis(0)));
    }
}
