//! Scaling of rows.

use crate::vector::wide;
use ndarray::{Array2, ArrayView2};

/// Rows whose lengths are summed up side by side: a sum is one chain, which alone would wait for each of its additions.
const AT_ONCE: usize = 8;

/// Scales each row to Euclidean length one; a zero row stays zero.
pub fn unit_rows(rows: &mut Array2<f32>) {
    let width = rows.ncols().max(1);
    if !rows.is_standard_layout() {
        *rows = rows.as_standard_layout().into_owned();
    }
    let values = rows.as_slice_mut().expect("rows lie in one piece");
    values.chunks_mut(AT_ONCE * width).for_each(|rows| make_unit(rows, width));
}

wide! {
    /// The same for up to `AT_ONCE` rows of `width` entries.
    fn make_unit(rows: &mut [f32], width: usize) {
        let mut sums = [0.0_f64; AT_ONCE];
        if rows.len() == AT_ONCE * width {
            let rows: [&[f32]; AT_ONCE] = std::array::from_fn(|i| &rows[i * width..(i + 1) * width]);
            for column in 0..width {
                sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum += f64::from(row[column]) * f64::from(row[column]));
            }
        } else {
            let lengths = rows.chunks_exact(width).map(|row| row.iter().map(|&x| f64::from(x) * f64::from(x)).sum());
            sums.iter_mut().zip(lengths).for_each(|(sum, length)| *sum = length);
        }
        for (row, length) in rows.chunks_exact_mut(width).zip(sums.map(f64::sqrt)) {
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
            }
        }
    }
}

/// The mean square of all entries.
pub fn mean_square(rows: ArrayView2<f32>) -> f64 {
    rows.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / rows.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_same_bits_alone_and_among_others() {
        for (n, d) in [(1, 3), (8, 5), (21, 50), (16, 1), (3, 0)] {
            let rows =
                Array2::from_shape_fn(
                    (n, d),
                    |(i, j)| if i == 2 { 0.0 } else { ((i * 31 + j * 17) % 101) as f32 - 50.3 },
                );
            let (mut whole, mut turned) = (rows.clone(), rows.t().as_standard_layout().into_owned().reversed_axes());
            unit_rows(&mut whole);
            unit_rows(&mut turned);
            assert_eq!(whole, turned);
            for (row, whole) in rows.rows().into_iter().zip(whole.rows()) {
                let length = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
                let expected = row.mapv(|x| if length > 0.0 { (f64::from(x) / length) as f32 } else { x });
                assert_eq!(whole, expected);
            }
        }
    }
}
