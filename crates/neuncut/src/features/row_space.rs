//! Rows of more columns than there are rows: the space that they span, through the dual problem.
//!
//! Distances and inner products of the rows are the same in an orthonormal basis of that space, which has no more dimensions than there are
//! rows. Its basis comes from the Gram matrix `(n, n)`, so that no matrix of all columns by all columns is ever made, and a network on
//! these rows has no more inputs than it has rows to learn from.

use crate::Result;
use crate::graph::eigen::symmetric_eigen;
use crate::linalg::matmul;
use ndarray::{Array2, ArrayView2, s};

/// The eigenproblem is cubic in the rows: above this many it is left alone.
const MOST_ROWS: usize = 2000;
/// Directions with a smaller share of the largest one's squares are rounding.
const LEAST_SHARE: f64 = 1e-6;

/// Whether the rows are so few and so wide that the dual problem is the smaller one.
pub(super) fn is_wide(rows: ArrayView2<f32>) -> bool {
    rows.ncols() > rows.nrows() && rows.nrows() <= MOST_ROWS
}

/// An orthonormal basis of the space that the rows span, one column per direction, `(d, r)` with `r <= n`.
pub(super) fn basis(rows: ArrayView2<f32>) -> Result<Array2<f32>> {
    let gram = matmul(rows, rows.t()).mapv(f64::from);
    let (values, vectors) = symmetric_eigen(gram.view())?;
    let least = LEAST_SHARE * values.first().copied().unwrap_or(0.0);
    let count = values.iter().take_while(|&&value| value > least).count().max(1);
    let mut weights = vectors.slice(s![.., ..count]).to_owned();
    for (mut column, value) in weights.columns_mut().into_iter().zip(&values) {
        column.mapv_inplace(|x| if *value > 0.0 { x / value.sqrt() } else { 0.0 });
    }
    Ok(matmul(rows.t(), weights.mapv(|x| x as f32).view()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    #[test]
    fn inner_products_are_kept_in_fewer_columns() {
        let mut rng = Seed(3).stream("row space");
        let rows = Array2::from_shape_fn((12, 300), |(i, _)| rng.random::<f32>() + (i % 3) as f32);
        assert!(is_wide(rows.view()) && !is_wide(rows.t()));
        let basis = basis(rows.view()).unwrap();
        assert_eq!(basis.dim(), (300, 12));
        let narrow = matmul(rows.view(), basis.view());
        let (before, after) = (matmul(rows.view(), rows.t()), matmul(narrow.view(), narrow.t()));
        let largest = before.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
        assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-4 * largest));
    }

    #[test]
    fn rows_along_one_line_have_one_direction() {
        let rows = Array2::from_shape_fn((5, 40), |(i, j)| (i + 1) as f32 * (j % 7) as f32);
        assert_eq!(basis(rows.view()).unwrap().ncols(), 1);
        assert_eq!(basis(Array2::zeros((4, 9)).view()).unwrap(), Array2::<f32>::zeros((9, 1)), "zero rows stay zero");
    }
}
