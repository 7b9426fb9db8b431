//! Coordinate descent on the elastic net of one row, given the Gram matrix of what it is expressed by.

use ndarray::{Array2, ArrayView1};

/// Most sweeps over the coefficients that are not zero after each over all.
const INNER_SWEEPS: usize = 10;

/// `l1 |c|_1 + l2/2 |c|^2 + gamma/2 |u - U'c|^2` of a row `u` and the rows of `U`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ElasticDescent {
    pub l1: f32,
    pub l2: f32,
    pub gamma: f32,
    /// Most sweeps over all coefficients.
    pub sweeps: usize,
    /// The change that ends them, a share of the largest coefficient.
    pub steady: f32,
}

/// `errors - by column`.
fn shift(errors: &mut [f32], column: ArrayView1<f32>, by: f32) {
    if let Some(column) = column.to_slice() {
        errors.iter_mut().zip(column).for_each(|(error, g)| *error -= by * g);
    }
}

impl ElasticDescent {
    /// Lowers it from the coefficients that are there, over the first `coefficients.len()` columns of `gram`, `U U'`: after each sweep over
    /// all of them, some over those that are not zero. `products` are `U u` and become those with what is left of the row.
    pub fn descend(&self, gram: &Array2<f32>, products: &mut [f32], coefficients: &mut [f32]) {
        for (i, &coefficient) in coefficients.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            shift(products, gram.row(i), coefficient);
        }
        for _ in 0..self.sweeps {
            if self.sweep(gram, products, coefficients, true) {
                break;
            }
            for _ in 0..INNER_SWEEPS {
                if self.sweep(gram, products, coefficients, false) {
                    break;
                }
            }
        }
    }

    /// Minimises over one coefficient after another; true where none moved by more than a small share of the largest.
    fn sweep(&self, gram: &Array2<f32>, errors: &mut [f32], coefficients: &mut [f32], all: bool) -> bool {
        let (mut largest, mut moved) = (0.0_f32, 0.0_f32);
        for i in 0..coefficients.len() {
            let old = coefficients[i];
            if !all && old == 0.0 {
                continue;
            }
            let own = gram[[i, i]];
            let pull = self.gamma * (errors[i] + own * old);
            let new = pull.signum() * (pull.abs() - self.l1).max(0.0) / (self.l2 + self.gamma * own);
            if new != old {
                coefficients[i] = new;
                shift(errors, gram.row(i), new - old);
                moved = moved.max((new - old).abs());
            }
            largest = largest.max(new.abs());
        }
        moved <= self.steady * largest
    }
}
