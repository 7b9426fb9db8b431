//! Which representations are tried. Where columns are measured in different units, their scales say nothing: rows as they are fall into
//! clear clusters of the one or two columns with the largest numbers, and no judge of clusters would mind.

use super::EnsembleOptions;
use crate::features::{Representation, deviations, means, variances};
use ndarray::{ArrayView2, s};

/// Rows by which correlations are measured.
const COMPARED_ROWS: usize = 1000;
/// Columns are correlated where the mean squared correlation of two of them is this many times what chance gives.
const BEYOND_CHANCE: f64 = 4.0;

/// What is tried for these rows: standardised rows alone where their columns seem to be in different units, unless the caller has decided.
pub(crate) fn representations(
    rows: ArrayView2<f32>,
    asked: Representation,
    options: &EnsembleOptions,
) -> Vec<Representation> {
    let all = asked.candidates(rows.ncols());
    let has_choice = all.len() > 1 && all.contains(&Representation::Standard);
    if has_choice && have_units(rows, options) { vec![Representation::Standard] } else { all }
}

/// Whether few columns carry the variance although columns are correlated.
fn have_units(rows: ArrayView2<f32>, options: &EnsembleOptions) -> bool {
    let variances = variances(rows);
    let varying = variances.iter().filter(|v| **v > 0.0).count();
    let effective = variances.sum().powi(2) / variances.mapv(|v| v * v).sum().max(f64::MIN_POSITIVE);
    let are_few = effective <= options.unit_columns && effective <= options.unit_share * varying as f64;
    are_few && are_correlated(rows)
}

/// Whether the mean squared correlation of two columns is more than chance. `sum_ij r_ij^2` is the squared norm of the Gram matrix of the
/// standardised rows, so that no matrix of columns by columns is needed.
fn are_correlated(rows: ArrayView2<f32>) -> bool {
    let some = rows.slice(s![..;rows.nrows().div_ceil(COMPARED_ROWS).max(1), ..]);
    let standard = (&some - &means(some)) / &deviations(some);
    let gram = standard.dot(&standard.t());
    let n = some.nrows() as f64;
    let squares = gram.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>() / (n * n);
    let columns = gram.diag().iter().map(|&g| f64::from(g)).sum::<f64>() / n; // without the constant ones
    columns > 1.5 && (squares - columns) / (columns * (columns - 1.0)) * n > BEYOND_CHANCE
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use rand::RngExt;

    fn tried(rows: &Array2<f32>) -> Vec<Representation> {
        representations(rows.view(), Representation::Auto, &EnsembleOptions::default())
    }

    /// Five noisy copies of one number, each in a unit of its own.
    fn table() -> Array2<f32> {
        let mut rng = crate::Seed(0).stream("units");
        let noise = Array2::from_shape_fn((300, 6), |_| rng.random_range(-0.5_f32..0.5));
        Array2::from_shape_fn((300, 5), |(i, j)| (noise[[i, 0]] + 0.5 * noise[[i, j + 1]]) * 10_f32.powi(j as i32))
    }

    #[test]
    fn columns_in_different_units_are_standardised() {
        assert_eq!(tried(&table()), [Representation::Standard]);
        let asked = representations(table().view(), Representation::Raw, &EnsembleOptions::default());
        assert_eq!(asked, [Representation::Raw], "whoever asks for rows as they are gets them");
    }

    #[test]
    fn columns_of_one_scale_are_left_to_the_judge() {
        let same = Array2::from_shape_fn((300, 5), |(i, j)| table()[[i, j]] / 10_f32.powi(j as i32));
        assert_eq!(tried(&same).len(), 2);
    }

    #[test]
    fn principal_components_keep_their_scales() {
        let mut rng = crate::Seed(0).stream("components");
        let components =
            Array2::from_shape_fn((300, 5), |(_, j)| rng.random_range(-0.5_f32..0.5) / 4_f32.powi(j as i32));
        assert_eq!(tried(&components).len(), 2);
    }
}
