//! The losses of EDESC (Cai et al. 2022): how strongly codes lie in subspaces, and how the bases stay apart; gradients in closed form.
//!
//! Legend: `n` rows, `k` subspaces of `m` dimensions; `D` their bases side by side `(p, k m)`; `P = Z D` what codes `Z` are there,
//! `(n, k m)`; `e_ic` the squared length of the `c`-th block of row `i` of `P`; `eta` the smoothing; `u_ic = e_ic + eta m`;
//! `s_ic = u_ic / sum_c u_ic` memberships.

use crate::linalg::matmul;
use ndarray::{Array2, ArrayView2};

/// How subspaces become memberships.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SubspaceLoss {
    /// `m`, the dimensions of each.
    pub dimensions: usize,
    /// `eta`: the larger, the more even the memberships.
    pub smoothing: f64,
}

impl SubspaceLoss {
    /// `eta m`, what is added to the squared length in each subspace.
    pub fn offset(&self) -> f64 {
        self.smoothing * self.dimensions as f64
    }

    /// `s`, `(n, k)`, of projected codes `(n, k m)`.
    pub fn memberships(&self, projected: ArrayView2<f32>) -> Array2<f32> {
        let mut memberships = self.smoothed(projected);
        for mut row in memberships.rows_mut() {
            let total = row.sum();
            row /= total;
        }
        memberships.mapv(|s| s as f32)
    }

    /// `u`, `(n, k)`.
    fn smoothed(&self, projected: ArrayView2<f32>) -> Array2<f64> {
        let m = self.dimensions;
        Array2::from_shape_fn((projected.nrows(), projected.ncols() / m), |(i, c)| {
            let block = projected.row(i);
            let lengths = (c * m..(c + 1) * m).map(|j| f64::from(block[j]) * f64::from(block[j]));
            self.offset() + lengths.sum::<f64>()
        })
    }

    /// The mean over rows of the divergence `KL(targets, s)`, and its gradient with respect to the projected codes `(n, k m)`.
    pub fn divergence(&self, projected: ArrayView2<f32>, targets: ArrayView2<f32>) -> (f64, Array2<f32>) {
        let (n, m) = (projected.nrows().max(1) as f64, self.dimensions);
        let smoothed = self.smoothed(projected);
        let mut gradient = projected.to_owned();
        let mut loss = 0.0;
        for ((mut own, u), t) in gradient.rows_mut().into_iter().zip(smoothed.rows()).zip(targets.rows()) {
            let total = u.sum();
            let sharpness: f64 = t.iter().map(|&t| f64::from(t)).sum();
            for (c, (&u, &t)) in u.iter().zip(t).enumerate() {
                let t = f64::from(t);
                if t > 0.0 {
                    loss += t * (t * total / u).ln() / n;
                }
                // of the squared length; those of its numbers are twice it
                let slope = (sharpness / total - t / u) / n;
                (c * m..(c + 1) * m).for_each(|j| own[j] = (2.0 * slope * f64::from(own[j])) as f32);
            }
        }
        (loss, gradient)
    }

    /// How far directions are from length one, and blocks from being orthogonal to one another, with the gradient with respect to
    /// the bases `(p, k m)`.
    pub fn dependence(&self, bases: ArrayView2<f32>) -> (f64, Array2<f32>) {
        let bases = bases.mapv(f64::from);
        let products = matmul(bases.t(), bases.view());
        let m = self.dimensions;
        let lengths = Array2::from_shape_fn(products.dim(), |(a, b)| if a == b { products[[a, b]] - 1.0 } else { 0.0 });
        let across =
            Array2::from_shape_fn(products.dim(), |(a, b)| if a / m == b / m { 0.0 } else { products[[a, b]] });
        let (mut loss, mut slope) = (0.0, Array2::zeros(products.dim()));
        for part in [lengths, across] {
            let norm = part.iter().map(|x| x * x).sum::<f64>().sqrt();
            loss += norm;
            if norm > 0.0 {
                slope += &(part / norm);
            }
        }
        (loss, matmul(bases.view(), slope.view()).mapv(|x| (2.0 * x) as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use ndarray::array;
    use rand::RngExt;

    const LOSS: SubspaceLoss = SubspaceLoss { dimensions: 2, smoothing: 5.0 };

    #[test]
    fn memberships_by_hand() {
        let found = LOSS.memberships(array![[3.0_f32, 1.0, 0.0, 2.0]].view());
        assert!((found[[0, 0]] - 20.0 / 34.0).abs() < 1e-6 && (found[[0, 1]] - 14.0 / 34.0).abs() < 1e-6);
        let (loss, gradient) = LOSS.divergence(array![[3.0_f32, 1.0, 0.0, 2.0]].view(), found.view());
        assert!(loss.abs() < 1e-6 && gradient.iter().all(|g| g.abs() < 1e-6), "targets that are met");
        let (loss, gradient) = LOSS.dependence(Array2::eye(4).view());
        assert_eq!((loss, gradient), (0.0, Array2::zeros((4, 4))));
    }

    fn assert_slopes(at: &Array2<f32>, loss: impl Fn(&Array2<f32>) -> (f64, Array2<f32>)) {
        let (_, gradient) = loss(at);
        for place in [(0, 0), (2, 5), (3, 3)] {
            let moved = |delta: f32| {
                let mut moved = at.clone();
                moved[place] += delta;
                loss(&moved).0
            };
            let numeric = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!((numeric - f64::from(gradient[place])).abs() < 1e-4, "{numeric} {}", gradient[place]);
        }
    }

    #[test]
    fn gradients_match_central_differences() {
        let mut rng = Seed(2).stream("subspaces");
        let projected = Array2::from_shape_fn((5, 6), |_| 4.0 * rng.random::<f32>() - 2.0);
        let bases = Array2::from_shape_fn((4, 6), |_| rng.random::<f32>() - 0.5);
        let targets = crate::objective::self_training_targets(
            LOSS.memberships(Array2::from_shape_fn((5, 6), |_| rng.random::<f32>()).view()).view(),
        );
        assert_slopes(&projected, |at| LOSS.divergence(at.view(), targets.view()));
        assert_slopes(&bases, |at| LOSS.dependence(at.view()));
    }
}
