//! Scaling of rows.

use ndarray::{Array2, ArrayView2};

/// Scales each row to Euclidean length one; a zero row stays zero.
pub fn unit_rows(rows: &mut Array2<f32>) {
    for mut row in rows.rows_mut() {
        let length = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        if length > 0.0 {
            row.mapv_inplace(|x| (f64::from(x) / length) as f32);
        }
    }
}

/// The mean square of all entries.
pub fn mean_square(rows: ArrayView2<f32>) -> f64 {
    rows.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / rows.len().max(1) as f64
}
