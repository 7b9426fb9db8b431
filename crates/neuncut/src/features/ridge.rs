//! Ridge whitening of unit rows: the map under which closed-form self-expression is an inner product.

use super::normalize::unit_rows;
use crate::graph::eigen::symmetric_eigen;
use crate::linalg::{Cores, matmul, matmul_into};
use crate::{Error, Result};
use ndarray::{Array2, ArrayView2};

/// `z = (C + lam tr(C) I)^-1/2 u`, made unit again, where `u` is the unit row and `C` the uncentred second moment of unit rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeWhitening {
    /// The symmetric `(d, d)` map.
    pub map: Array2<f32>,
}

impl RidgeWhitening {
    /// Learns the map from training rows `(n, d)`; `ridge` is `lam`.
    ///
    /// # Errors
    /// When the ridge is not positive, or every row is zero.
    pub fn fit(rows: ArrayView2<f32>, ridge: f32) -> Result<Self> {
        if !(ridge > 0.0 && ridge.is_finite()) {
            return Err(Error::config("ridge", ridge, "a positive number, such as 0.01"));
        }
        let mut units = rows.to_owned();
        unit_rows(&mut units);
        let moment = matmul(units.t(), units.view()).mapv(f64::from) / rows.nrows().max(1) as f64;
        let shift = f64::from(ridge) * moment.diag().sum();
        if shift <= 0.0 {
            return Err(Error::Degenerate("every row is zero: there is nothing to cluster".into()));
        }
        let (values, vectors) = symmetric_eigen(moment.view())?;
        let mut scaled = vectors.clone();
        for (mut column, value) in scaled.columns_mut().into_iter().zip(&values) {
            column.mapv_inplace(|x| x / (value.max(0.0) + shift).sqrt());
        }
        // scaled so that the largest direction keeps its length: the result is made unit anyway, this keeps f32 comfortable
        let gain = (values[0].max(0.0) + shift).sqrt();
        Ok(Self { map: matmul(scaled.view(), vectors.t()).mapv(|x| (x * gain) as f32) })
    }

    /// Whitens rows in place.
    pub fn apply(&self, rows: &mut Array2<f32>) {
        self.apply_on(rows, Cores::All);
    }

    pub(super) fn apply_on(&self, rows: &mut Array2<f32>, cores: Cores) {
        unit_rows(rows);
        let mut whitened = Array2::zeros(rows.dim());
        matmul_into(whitened.view_mut(), rows.view(), self.map.view(), cores);
        unit_rows(&mut whitened);
        *rows = whitened;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    #[test]
    fn a_small_ridge_whitens_the_second_moment() {
        let mut rng = Seed(2).stream("ridge");
        let mut rows = Array2::from_shape_fn((4000, 3), |(_, j)| (rng.random::<f32>() - 0.5) * [4.0, 1.0, 0.25][j]);
        let map = RidgeWhitening::fit(rows.view(), 1e-6).unwrap();
        unit_rows(&mut rows);
        let whitened = matmul(rows.view(), map.map.view());
        let moment = matmul(whitened.t(), whitened.view());
        let scale = moment[[0, 0]];
        for ((i, j), &value) in moment.indexed_iter() {
            let expected = if i == j { scale } else { 0.0 };
            assert!((value - expected).abs() < 2e-2 * scale, "{i} {j} {value} {scale}");
        }
    }

    #[test]
    fn a_large_ridge_leaves_unit_rows_as_they_are() {
        let rows = ndarray::array![[3.0_f32, 4.0], [1.0, 0.0], [0.0, 0.0]];
        let mut mapped = rows.clone();
        RidgeWhitening::fit(rows.view(), 1e6).unwrap().apply(&mut mapped);
        assert!((mapped[[0, 0]] - 0.6).abs() < 1e-4 && (mapped[[0, 1]] - 0.8).abs() < 1e-4);
        assert_eq!(mapped.row(2).sum(), 0.0);
    }

    #[test]
    fn zero_data_and_a_bad_ridge_are_refused() {
        assert!(RidgeWhitening::fit(Array2::zeros((3, 2)).view(), 0.1).is_err());
        assert!(RidgeWhitening::fit(Array2::ones((3, 2)).view(), 0.0).is_err());
    }
}
