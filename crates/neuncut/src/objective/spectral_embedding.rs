//! Losses whose minimum is the spectral embedding of a graph: those of SpectralNet and SpecNet2, with their gradients.
//!
//! Legend: `Y` outputs `(m, k)`; `W` affinity and `D` degrees, both divided by the sum of all degrees, so that the constant
//! function has norm one; `L = D - W`; `G = Y'DY`; `A = Y'WY`.

use crate::graph::BatchGraph;
use crate::graph::eigen::symmetric_eigen;
use crate::linalg::{cholesky, matmul};
use crate::{Error, Result};
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// A pivot of the Cholesky factor below this share of the mean squared output asks for a ridge.
const LEAST_PIVOT: f64 = 1e-9;
/// The first ridge that is tried, a share of the mean squared output; then ten times as much.
const FIRST_RIDGE: f64 = 1e-6;

/// Which loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingLoss {
    /// SpectralNet: `tr(Z'LZ)` of the outputs `Z = Y C^-T` made orthonormal, where `G = C C'` (Cholesky). It depends on the span
    /// of the outputs alone and is the sum of the Laplacian's `k` lowest eigenvalues at best.
    Orthogonalized,
    /// SpecNet2: `-2 tr(A) + tr(G^2)`, which is `|D^-1/2 W D^-1/2 - D^1/2 Y Y' D^1/2|_F^2` but for a constant.
    OrthogonalizationFree,
}

/// A loss on one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingLossValue {
    /// What is minimised.
    pub total: f64,
    /// Its gradient with respect to the outputs, `(m, k)`.
    pub gradient: Array2<f32>,
}

/// `G = Y'DY` and `A = Y'WY` of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// `G`.
    pub gram: Array2<f64>,
    /// `A`.
    pub coupled: Array2<f64>,
}

/// Products that both losses need.
struct Products {
    /// `DY` and `WY`.
    weighted: Array2<f32>,
    spread: Array2<f32>,
    moments: Moments,
}

impl Products {
    fn new(graph: &BatchGraph, outputs: ArrayView2<f32>) -> Self {
        let degrees = graph.degrees();
        let total = degrees.iter().map(|&d| f64::from(d)).sum::<f64>().max(f64::MIN_POSITIVE);
        let scale = (1.0 / total) as f32;
        let shares: Array1<f32> = degrees.mapv(|d| d * scale);
        let weighted = &outputs * &shares.insert_axis(Axis(1));
        let mut spread = graph.multiply(outputs);
        spread.mapv_inplace(|x| x * scale);
        let outputs = outputs.mapv(f64::from);
        let product = |right: &Array2<f32>| matmul(outputs.t(), right.mapv(f64::from).view());
        let moments = Moments { gram: product(&weighted), coupled: product(&spread) };
        Self { weighted, spread, moments }
    }
}

impl Moments {
    /// Those of these outputs `(m, k)` on this graph.
    pub fn of(graph: &BatchGraph, outputs: ArrayView2<f32>) -> Self {
        Products::new(graph, outputs).moments
    }

    /// The matrix `(k, k)` that turns outputs into eigenfunctions, leading first: they are orthonormal on the rows whose moments
    /// these are. Also their eigenvalues, those of `D^-1 W`.
    ///
    /// # Errors
    /// When the moments are not positive definite or their decomposition does not converge.
    pub fn eigenfunctions(&self) -> Result<(Array2<f64>, Vec<f64>)> {
        let lower = cholesky_with_ridge(&self.gram)?;
        let whitened = forward(&lower, &forward(&lower, &self.coupled).reversed_axes());
        let (values, vectors) = symmetric_eigen(whitened.view())?;
        Ok((backward(&lower, &vectors), values))
    }
}

impl EmbeddingLoss {
    /// The loss of these outputs `(m, k)` on this graph, with its gradient.
    ///
    /// # Errors
    /// When the outputs of the batch are linearly dependent.
    pub fn evaluate(self, graph: &BatchGraph, outputs: ArrayView2<f32>) -> Result<EmbeddingLossValue> {
        let Products { weighted, spread, moments: Moments { gram, coupled } } = Products::new(graph, outputs);
        let times = |left: &Array2<f32>, right: &Array2<f64>| matmul(left.view(), right.mapv(|x| x as f32).view());
        match self {
            Self::Orthogonalized => {
                let lower = cholesky_with_ridge(&gram)?;
                let inverse = backward(&lower, &forward(&lower, &Array2::eye(gram.nrows()))); // P = G^-1
                let rest = &gram - &coupled; // Y'LY
                let inner = matmul(inverse.view(), rest.view());
                // 2 L Y P - 2 D Y P (Y'LY) P
                let held = matmul((&inner - &Array2::<f64>::eye(gram.nrows())).view(), inverse.view());
                let gradient = times(&spread, &(&inverse * -2.0)) - times(&weighted, &(held * 2.0));
                Ok(EmbeddingLossValue { total: inner.diag().sum(), gradient })
            }
            Self::OrthogonalizationFree => {
                let total = -2.0 * coupled.diag().sum() + gram.iter().map(|g| g * g).sum::<f64>();
                let gradient = times(&weighted, &(&gram * 4.0)) - spread * 4.0;
                Ok(EmbeddingLossValue { total, gradient })
            }
        }
    }
}

/// The Cholesky factor of a Gram matrix, of it with a ridge where it is ill-conditioned.
fn cholesky_with_ridge(gram: &Array2<f64>) -> Result<Array2<f64>> {
    let mean = gram.diag().sum() / gram.nrows().max(1) as f64;
    if !(mean.is_finite() && mean > 0.0) {
        return Err(Error::Degenerate("the network gives nothing but zeros: lower the learning rate (--lr)".into()));
    }
    let mut ridge = 0.0;
    loop {
        let mut ridged = gram.clone();
        ridged.diag_mut().mapv_inplace(|g| g + ridge * mean);
        match cholesky(&ridged, |pivot| (pivot > LEAST_PIVOT * mean).then_some(pivot)) {
            Some(lower) => return Ok(lower),
            None => ridge = (10.0 * ridge).max(FIRST_RIDGE), // a ridge of a few times the mean always suffices
        }
    }
}

/// `C^-1 right`.
fn forward(lower: &Array2<f64>, right: &Array2<f64>) -> Array2<f64> {
    let mut solved = right.clone();
    for i in 0..lower.nrows() {
        for l in 0..i {
            let (done, mut rest) = solved.view_mut().split_at(Axis(0), i);
            rest.row_mut(0).scaled_add(-lower[[i, l]], &done.row(l));
        }
        solved.row_mut(i).mapv_inplace(|x| x / lower[[i, i]]);
    }
    solved
}

/// `C^-T right`.
fn backward(lower: &Array2<f64>, right: &Array2<f64>) -> Array2<f64> {
    let mut solved = right.clone();
    for i in (0..lower.nrows()).rev() {
        for l in i + 1..lower.nrows() {
            let (mut rest, done) = solved.view_mut().split_at(Axis(0), i + 1);
            rest.row_mut(i).scaled_add(-lower[[l, i]], &done.row(l - i - 1));
        }
        solved.row_mut(i).mapv_inplace(|x| x / lower[[i, i]]);
    }
    solved
}

#[cfg(test)]
mod tests;
