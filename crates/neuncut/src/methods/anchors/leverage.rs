//! Leverage scores of rows: how much of a row the heat kernel of the others leaves open, and so how much it adds as an anchor.
//!
//! The score of row `i` is `(K (K + lambda I)^-1)_ii` of the heat kernel `K` among all rows (Alaoui and Mahoney, NeurIPS 2015). `K` is known by
//! some of its columns, as Nyström's method knows it (Musco and Musco, NeurIPS 2017): those of every few rows.

use super::nystrom::{affinities, power};
use super::transfer::{heat_factor, mean_squared_distance};
use crate::Result;
use crate::graph::eigen::symmetric_eigen;
use crate::linalg::matmul;
use crate::seed::Stream;
use ndarray::{ArrayView1, ArrayView2, Axis};
use rand::RngExt;

/// Columns by which the kernel is known.
const COLUMNS: usize = 500;

/// The scores of rows `(n, d)`, where about `count` are to be drawn: `lambda` is the sum of the eigenvalues that as many leave out, over their
/// number, or the least of those that are known.
pub(super) fn leverage_scores(rows: ArrayView2<f32>, count: usize) -> Result<Vec<f64>> {
    let n = rows.nrows();
    let known: Vec<usize> = (0..n).step_by(n.div_ceil(COLUMNS)).collect();
    let known = rows.select(Axis(0), &known);
    let factor = heat_factor(mean_squared_distance(rows, known.view()));
    // K is about F F' with F = B A^-1/2
    let root = power(&affinities(known.view(), known.view(), factor), -0.5)?;
    let features = matmul(affinities(rows, known.view(), factor).view(), root.view());
    let (values, vectors) = symmetric_eigen(matmul(features.t(), features.view()).view())?;
    let left: f64 = values.iter().skip(count).map(|value| value.max(0.0)).sum();
    let least = values.iter().copied().filter(|&value| value > 0.0).fold(f64::INFINITY, f64::min);
    let ridge = if left > 0.0 { left / count as f64 } else { least };
    let turned = matmul(features.view(), vectors.view());
    let score = |row: ArrayView1<f64>| {
        row.iter().zip(&values).map(|(&x, &value)| x * x / (value.max(0.0) + ridge)).sum::<f64>()
    };
    Ok(turned.rows().into_iter().map(score).collect())
}

/// So many different places, each drawn with a probability that grows with its weight.
pub(super) fn draw_without_return(weights: &[f64], count: usize, rng: &mut Stream) -> Vec<usize> {
    // the largest of u^(1 / w) for uniform u, as Efraimidis and Spirakis draw
    let mut keys: Vec<(f64, usize)> =
        weights.iter().enumerate().map(|(i, &w)| (rng.random::<f64>().ln() / w.max(f64::MIN_POSITIVE), i)).collect();
    keys.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    keys.truncate(count);
    keys.into_iter().map(|(_, i)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use ndarray::Array2;

    #[test]
    fn scores_are_those_of_the_whole_kernel() {
        // all columns are known: compare with K (K + ridge I)^-1 by its eigenvectors
        let mut rng = Seed(1).stream("leverage test");
        let rows = Array2::from_shape_fn((40, 12), |_| rng.random::<f32>()); // no eigenvalue is near zero
        let scores = leverage_scores(rows.view(), 10).unwrap();
        let kernel = affinities(rows.view(), rows.view(), heat_factor(mean_squared_distance(rows.view(), rows.view())));
        let (values, vectors) = symmetric_eigen(kernel.view()).unwrap();
        let ridge = values[10..].iter().map(|value| value.max(0.0)).sum::<f64>() / 10.0;
        for (i, &found) in scores.iter().enumerate() {
            let expected: f64 = (0..40).map(|c| vectors[[i, c]].powi(2) * values[c] / (values[c] + ridge)).sum();
            assert!((found - expected).abs() < 1e-3, "row {i}: {found} for {expected}");
        }
    }

    #[test]
    fn a_row_by_itself_is_drawn_before_those_of_a_crowd() {
        let rows =
            Array2::from_shape_fn((200, 2), |(i, j)| if i == 117 { 9.0 } else { (i * (j + 3) % 17) as f32 * 0.01 });
        let scores = leverage_scores(rows.view(), 5).unwrap();
        let most = (0..200).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        assert_eq!(most, Some(117));
        let drawn = draw_without_return(&scores, 5, &mut Seed(0).stream("test"));
        assert!(drawn.contains(&117) && drawn.len() == 5, "{drawn:?}");
    }
}
