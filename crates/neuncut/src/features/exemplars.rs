//! Rows become their sparse coefficients over a few exemplars.
//!
//! Of a row `x` those are the `c` of least `|c|_1 + lambda/2 |x - E'c|^2`, where the rows of `E` are the exemplars (You, Li, Robinson and
//! Vidal, ECCV 2018).

use super::ElasticDescent;
use crate::linalg::{Cores, matmul_into};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

/// Rows per task at least.
const TASK_ROWS: usize = 16;

/// The step: exemplars, and what an error weighs.
#[derive(Debug, Clone, PartialEq)]
pub struct ExemplarCode {
    exemplars: Array2<f32>,
    error_weight: f32,
    /// Products of the exemplars.
    gram: Array2<f32>,
}

impl ExemplarCode {
    /// Most exemplars: products of all pairs are kept.
    pub const MOST: usize = 8192;

    /// The step of exemplars `(m, d)` and the weight `lambda` of the error.
    pub fn new(exemplars: Array2<f32>, error_weight: f32) -> Self {
        let mut gram = Array2::zeros((exemplars.nrows(), exemplars.nrows()));
        matmul_into(gram.view_mut(), exemplars.view(), exemplars.t(), Cores::One);
        Self { exemplars, error_weight, gram }
    }

    /// The exemplars, `(m, d)`.
    pub fn exemplars(&self) -> ArrayView2<'_, f32> {
        self.exemplars.view()
    }

    /// What half the squared error weighs beside the absolute coefficients.
    pub fn error_weight(&self) -> f32 {
        self.error_weight
    }

    /// Rows `(n, d)` become coefficients `(n, m)`.
    pub(super) fn apply(&self, rows: ArrayView2<f32>, cores: Cores) -> Array2<f32> {
        let mut products = Array2::zeros((rows.nrows(), self.exemplars.nrows()));
        matmul_into(products.view_mut(), rows, self.exemplars.t(), cores);
        let mut coefficients = Array2::zeros(products.dim());
        let net = lasso(self.error_weight);
        let places = coefficients.axis_iter_mut(Axis(0)).into_par_iter().zip(products.axis_iter_mut(Axis(0)));
        let least = if cores == Cores::One { rows.nrows().max(1) } else { TASK_ROWS };
        places.with_min_len(least).for_each(|(mut coefficients, mut products)| {
            let products = products.as_slice_mut().expect("rows lie in one piece");
            net.descend(&self.gram, products, coefficients.as_slice_mut().expect("rows lie in one piece"));
        });
        coefficients
    }

    /// Whether rows of so many columns can go through and come out finite.
    pub(super) fn takes(&self, columns: usize) -> bool {
        let finite = |values: ArrayView1<f32>| values.iter().all(|x| x.is_finite());
        let weighs = self.error_weight.is_finite() && self.error_weight > 0.0;
        let fits = self.exemplars.nrows() > 0 && self.exemplars.ncols() == columns && weighs;
        fits && self.gram.rows().into_iter().all(finite) && self.gram.diag().iter().all(|&own| own > 0.0)
    }
}

/// The problem of a row. Exemplars that are nearly alike take many sweeps to share a row among them.
pub(crate) fn lasso(error_weight: f32) -> ElasticDescent {
    ElasticDescent { l1: 1.0, l2: 0.0, gamma: error_weight, sweeps: 100, steady: 1e-5 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Axis, array};

    #[test]
    fn coefficients_by_hand() {
        let code = ExemplarCode::new(array![[1.0, 0.0], [0.0, 1.0]], 10.0);
        // orthonormal exemplars: products less a tenth, zero where they are smaller
        let found = code.apply(array![[0.6, 0.8], [1.0, 0.05], [0.0, -1.0], [0.0, 0.0]].view(), Cores::One);
        let expected = array![[0.5, 0.7], [0.9, 0.0], [0.0, -0.9], [0.0, 0.0]];
        assert!((&found - &expected).iter().all(|x: &f32| x.abs() < 1e-6), "{found}");
    }

    #[test]
    fn a_row_alone_has_the_coefficients_that_it_has_among_others() {
        let rows = Array2::from_shape_fn((70, 9), |(i, j)| ((i * 7 + j * j * 5) % 23) as f32 * 0.1 - 1.0);
        let code = ExemplarCode::new(rows.select(Axis(0), &[0, 3, 8, 20, 41]), 30.0);
        let all = code.apply(rows.view(), Cores::All);
        for i in [0, 33, 69] {
            let alone = code.apply(rows.slice(ndarray::s![i..i + 1, ..]), Cores::One);
            assert!((&all.row(i) - &alone.row(0)).iter().all(|x| x.abs() < 1e-5));
        }
    }
}
