//! The Cholesky factor of small symmetric matrices.

use ndarray::Array2;

/// The lower triangular factor of a symmetric matrix, of which the lower triangle is read. `pivot` is given what a pivot would be and
/// says what it is, or none, and then there is no factor.
pub fn cholesky(matrix: &Array2<f64>, pivot: impl Fn(f64) -> Option<f64>) -> Option<Array2<f64>> {
    let mut lower = Array2::zeros(matrix.dim());
    for i in 0..matrix.nrows() {
        for j in 0..=i {
            let known: f64 = (0..j).map(|l| lower[[i, l]] * lower[[j, l]]).sum();
            let left = matrix[[i, j]] - known;
            lower[[i, j]] = if i == j { pivot(left)?.sqrt() } else { left / lower[[j, j]] };
        }
    }
    Some(lower)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_factor_times_itself_is_the_matrix() {
        let matrix = array![[4.0, f64::NAN], [2.0, 5.0]]; // the upper triangle is not read
        assert_eq!(cholesky(&matrix, Some), Some(array![[2.0, 0.0], [1.0, 2.0]]));
    }

    #[test]
    fn pivots_are_refused_or_raised() {
        let singular = array![[1.0, 1.0], [1.0, 1.0]];
        assert_eq!(cholesky(&singular, |pivot| (pivot > 1e-9).then_some(pivot)), None);
        assert_eq!(cholesky(&singular, |pivot| Some(pivot.max(0.25))), Some(array![[1.0, 0.0], [1.0, 0.5]]));
    }
}
