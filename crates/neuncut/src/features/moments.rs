//! Means, second moments and principal components of rows that come in blocks, in memory that does not grow with rows.

use crate::graph::eigen::symmetric_eigen;
use crate::linalg::matmul_add;
use crate::{Error, Result};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

/// Columns a panel of the second moment: only panels on and below the diagonal are computed.
const PANEL: usize = 512;
/// An eigenvalue below this share of the largest belongs to no direction of the data.
const RANK_TOLERANCE: f64 = 1e-12;

/// Column sums and sums of squares.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    rows: u64,
    mean: Array1<f64>,
    squares: Array1<f64>,
}

impl Columns {
    pub fn new(width: usize) -> Self {
        Self { rows: 0, mean: Array1::zeros(width), squares: Array1::zeros(width) }
    }

    /// Adds rows, one at a time (Welford), so that blocks do not matter.
    pub fn add(&mut self, rows: ArrayView2<f32>) {
        for row in rows.rows() {
            self.rows += 1;
            let n = self.rows as f64;
            ndarray::Zip::from(&mut self.mean).and(&mut self.squares).and(row).for_each(|mean, squares, &x| {
                let before = f64::from(x) - *mean;
                *mean += before / n;
                *squares += before * (f64::from(x) - *mean);
            });
        }
    }

    pub fn mean(&self) -> Array1<f32> {
        self.mean.mapv(|x| x as f32)
    }

    /// The standard deviation of each column; one where it is zero, so that constant columns stay as they are.
    pub fn deviation(&self) -> Array1<f32> {
        let n = self.rows.max(1) as f64;
        self.squares.mapv(|s| if s > 0.0 { (s / n).sqrt() as f32 } else { 1.0 })
    }
}

/// Column sums and products of columns, in double precision.
#[derive(Debug, Clone)]
pub(super) struct ColumnMoments {
    rows: u64,
    sum: Array1<f64>,
    /// Valid in the panels on and below the diagonal.
    products: Array2<f64>,
}

/// Orthonormal directions of largest (raw or centred) second moment.
#[derive(Debug, Clone)]
pub(super) struct Components {
    /// One column a direction, `(d, count)`; the entry of largest magnitude is positive.
    pub directions: Array2<f64>,
    /// The second moment along each, largest first.
    pub moments: Vec<f64>,
}

impl ColumnMoments {
    pub fn new(width: usize) -> Self {
        Self { rows: 0, sum: Array1::zeros(width), products: Array2::zeros((width, width)) }
    }

    /// Adds a block of rows.
    pub fn add(&mut self, rows: ArrayView2<f32>) {
        let rows = rows.mapv(f64::from);
        self.rows += rows.nrows() as u64;
        self.sum += &rows.sum_axis(Axis(0));
        let width = rows.ncols();
        for first in (0..width).step_by(PANEL) {
            let end = (first + PANEL).min(width);
            let panel = self.products.slice_mut(s![first..end, ..end]);
            matmul_add(panel, rows.slice(s![.., first..end]).t(), rows.slice(s![.., ..end]));
        }
    }

    pub fn mean(&self) -> Array1<f64> {
        &self.sum / self.rows.max(1) as f64
    }

    /// The `count` leading components; `step` is what errors call the step.
    ///
    /// # Errors
    /// When the decomposition of the covariance does not converge.
    pub fn components(self, step: &'static str, count: usize, centered: bool) -> Result<Components> {
        let (rows, width) = (self.rows, self.sum.len());
        let mean = self.mean();
        let mut matrix = self.products;
        let n = rows.max(1) as f64;
        for i in 0..width {
            for j in 0..=i {
                let product = matrix[[i, j]] / n - if centered { mean[i] * mean[j] } else { 0.0 };
                matrix[[i, j]] = product;
                matrix[[j, i]] = product;
            }
        }
        let (mut values, vectors) = symmetric_eigen(matrix.view())?;
        drop(matrix);
        let floor = RANK_TOLERANCE * values.first().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
        let most = (rows.saturating_sub(u64::from(centered)) as usize).min(width);
        let rank = values.iter().take(most).filter(|&&value| value > floor).count();
        if count == 0 || count > rank {
            let must = format!(
                "from 1 to {rank}, the rank of the {rows} rows of {width} columns that reach it: ask for fewer components"
            );
            return Err(Error::config(step, count, must));
        }
        values.truncate(count);
        let mut directions = vectors.slice(s![.., ..count]).to_owned();
        for mut column in directions.columns_mut() {
            let largest = column.iter().fold(0.0_f64, |a, &b| if b.abs() > a.abs() { b } else { a });
            if largest < 0.0 {
                column.mapv_inplace(|x| -x);
            }
        }
        Ok(Components { directions, moments: values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::linalg::matmul;
    use rand::RngExt;

    fn random(rows: usize, width: usize) -> Array2<f32> {
        let mut rng = Seed(3).stream("moments");
        Array2::from_shape_fn((rows, width), |(_, j)| (rng.random::<f32>() - 0.3) * (1.0 + j as f32).recip())
    }

    #[test]
    fn blocks_add_up_across_panels() {
        let rows = random(40, PANEL + 30);
        let mut moments = ColumnMoments::new(rows.ncols());
        moments.add(rows.slice(s![..25, ..]));
        moments.add(rows.slice(s![25.., ..]));
        let exact = matmul(rows.mapv(f64::from).t(), rows.mapv(f64::from).view());
        for i in 0..rows.ncols() {
            for j in 0..=i {
                assert!((moments.products[[i, j]] - exact[[i, j]]).abs() < 1e-12, "{i} {j}");
            }
        }
    }

    /// Centred or not, the two leading eigenvalues, their eigenvectors in columns.
    const NUMPY: [(bool, [f64; 2], [[f64; 2]; 3]); 2] = [
        (
            false,
            [56.040258619488, 1.4],
            [[0.728094189179, -0.557086014531], [0.651949207452, 0.742781352708], [0.211757131135, -0.371390676354]],
        ),
        (
            true,
            [15.620451251018, 0.687813456296],
            [[0.569811230144, 0.333572750337], [0.800777700932, -0.430661832552], [0.184581244151, 0.838605751361]],
        ),
    ];

    /// ```text
    /// x = numpy.array([[2, 0, 1], [3, 1, 0], [5, 4, 1], [7, 5, 3], [8, 9, 2]], float)
    /// for m in (x, x - x.mean(0)): w, v = numpy.linalg.eigh(m.T @ m / 5); print(w[::-1], v[:, ::-1])
    /// ```
    #[test]
    fn components_are_those_of_numpy() {
        let rows =
            ndarray::array![[2.0_f32, 0.0, 1.0], [3.0, 1.0, 0.0], [5.0, 4.0, 1.0], [7.0, 5.0, 3.0], [8.0, 9.0, 2.0]];
        for (centered, values, vectors) in NUMPY {
            let mut moments = ColumnMoments::new(3);
            moments.add(rows.view());
            let found = moments.components("pca", 2, centered).unwrap();
            for c in 0..2 {
                assert!((found.moments[c] - values[c]).abs() < 1e-9, "{:?}", found.moments);
                for (i, vector) in vectors.iter().enumerate() {
                    assert!((found.directions[[i, c]] - vector[c]).abs() < 1e-9, "{:?}", found.directions);
                }
            }
        }
    }

    #[test]
    fn more_components_than_the_rank_are_refused() {
        let mut rows = random(30, 4);
        let twice = &rows.column(0) * 2.0;
        rows.column_mut(3).assign(&twice);
        let moments = || {
            let mut moments = ColumnMoments::new(4);
            moments.add(rows.view());
            moments
        };
        assert_eq!(moments().components("pca", 3, false).unwrap().moments.len(), 3);
        let message = moments().components("pca", 4, false).unwrap_err().to_string();
        assert!(
            message.contains("pca is 4, but must be from 1 to 3, the rank of the 30 rows of 4 columns"),
            "{message}"
        );
        assert!(moments().components("pca", 0, true).is_err());
        let mut few = ColumnMoments::new(4);
        few.add(rows.slice(s![..2, ..]));
        assert!(few.components("pca", 2, true).unwrap_err().to_string().contains("from 1 to 1"));
        assert!(ColumnMoments::new(4).components("pca", 1, true).is_err());
    }

    #[test]
    fn constant_columns_are_not_divided() {
        let mut columns = Columns::new(2);
        columns.add(ndarray::array![[5.0, 1.0], [5.0, 3.0]].view());
        assert_eq!((columns.mean().to_vec(), columns.deviation().to_vec()), (vec![5.0, 2.0], vec![1.0, 1.0]));
    }
}
