//! How far the rows of a cluster are from its centre: a row farther away than every one that was fitted is like nothing that the model
//! knows, however large its membership is.
//!
//! A model keeps a centre and a distance for each cluster, where distances are taken; a row costs one more distance.

use super::Model;
use crate::vector::squared_distance;
use crate::{Error, Result};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate};
use rayon::prelude::*;

/// Rounding does not put a row beyond itself.
const ROUNDING: f32 = 1.0 + 1e-4;

/// The centres of clusters and how far their rows reach.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// One centre in each row, `(m, d)`.
    pub(crate) centres: Array2<f32>,
    /// The largest squared distance of a row that was fitted to the centre of its cluster.
    pub(crate) squared: Array1<f32>,
    /// Which cluster each centre is of: one that was merged has several.
    pub(crate) cluster: Vec<u32>,
}

impl Reach {
    /// That of rows `(n, d)` in `k` clusters; clusters without rows have none.
    pub(super) fn of(rows: ArrayView2<f32>, labels: &[u32], k: usize) -> Self {
        let mut sums = Array2::<f64>::zeros((k, rows.ncols()));
        let mut counts = vec![0.0_f64; k];
        for (row, &label) in rows.rows().into_iter().zip(labels) {
            counts[label as usize] += 1.0;
            sums.row_mut(label as usize).zip_mut_with(&row, |sum, &x| *sum += f64::from(x));
        }
        let cluster: Vec<u32> = (0..k as u32).filter(|&c| counts[c as usize] > 0.0).collect();
        let centre = |(m, j): (usize, usize)| (sums[[cluster[m] as usize, j]] / counts[cluster[m] as usize]) as f32;
        let centres = Array2::from_shape_fn((cluster.len(), rows.ncols()), centre);
        let mut squared = Array1::<f32>::zeros(cluster.len());
        let mut place = vec![0; k];
        cluster.iter().enumerate().for_each(|(m, &c)| place[c as usize] = m);
        for (row, &label) in rows.rows().into_iter().zip(labels) {
            let m = place[label as usize];
            squared[m] = squared[m].max(distance(row, centres.row(m)));
        }
        Self { centres, squared, cluster }
    }

    /// How deep a row of this cluster lies within its reach, from 0 at the edge to 1 at the centre, the next where there are several; none
    /// where it is farther away than every row that was fitted.
    fn depth(&self, row: ArrayView1<f32>, cluster: u32) -> Option<f32> {
        let of_cluster = (0..self.cluster.len()).filter(|&m| self.cluster[m] == cluster);
        let depth = |m: usize| {
            let (squared, edge) = (distance(row, self.centres.row(m)), self.squared[m] * ROUNDING);
            (squared <= edge).then(|| 1.0 - squared / edge.max(f32::MIN_POSITIVE))
        };
        of_cluster.filter_map(depth).max_by(f32::total_cmp)
    }

    /// Whether it can be used for rows of so many columns.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        let count = self.cluster.len();
        let finite = self.centres.iter().chain(&self.squared).all(|value| value.is_finite());
        self.centres.dim() == (count, columns) && self.squared.len() == count && finite
    }

    /// Adds the centres of further clusters.
    pub(super) fn extend(&mut self, others: &Self) {
        let centres = concatenate(Axis(0), &[self.centres.view(), others.centres.view()]);
        self.centres = centres.expect("centres have the same columns");
        self.squared = self.squared.iter().chain(&others.squared).copied().collect();
        self.cluster.extend(&others.cluster);
    }

    /// Gives clusters other numbers; centres of those that have none are left out.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> Option<u32>) {
        let kept: Vec<usize> = (0..self.cluster.len()).filter(|&m| number(self.cluster[m]).is_some()).collect();
        self.centres = self.centres.select(Axis(0), &kept);
        self.squared = self.squared.select(Axis(0), &kept);
        self.cluster = kept.iter().filter_map(|&m| number(self.cluster[m])).collect();
    }
}

fn distance(a: ArrayView1<f32>, b: ArrayView1<f32>) -> f32 {
    match (a.to_slice(), b.to_slice()) {
        (Some(a), Some(b)) => squared_distance(a, b),
        _ => a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum(),
    }
}

impl Model {
    /// Finds how far its clusters reach from rows that were fitted, as they are behind the feature steps, and their labels.
    pub(crate) fn find_reach(&mut self, rows: ArrayView2<f32>, labels: &[u32]) {
        let represented = self.representation.transform(rows);
        let reach = Reach::of(represented.view(), labels, self.n_clusters());
        self.reach = Some(reach).filter(|reach| reach.fits(represented.ncols())); // distances of very large values are not finite
    }

    /// For each row `(n, d)` with its label whether it is farther from the centre of its cluster than every row that was fitted.
    ///
    /// # Errors
    /// When the rows are not those that the model takes, or the model is of an earlier version, which did not keep distances.
    pub fn beyond(&self, rows: ArrayView2<f32>, labels: &[u32]) -> Result<Vec<bool>> {
        Ok(self.depths(rows, labels)?.into_iter().map(|depth| depth.is_none()).collect())
    }

    /// For each row `(n, d)` with its label how deep it lies within the reach of its cluster, from 0 to 1; none where it is beyond.
    pub(crate) fn depths(&self, rows: ArrayView2<f32>, labels: &[u32]) -> Result<Vec<Option<f32>>> {
        let Some(reach) = &self.reach else {
            let must = "a model that keeps how far its clusters reach: fit it again";
            return Err(Error::config("model", "of an earlier version", must));
        };
        self.check(rows)?;
        let represented = self.to_representation().transform(rows)?;
        let depth = |(row, &label): (usize, &u32)| reach.depth(represented.row(row), label);
        Ok(labels.par_iter().enumerate().map(depth).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::methods::{Config, KMeansOptions, Method};
    use ndarray::array;

    #[test]
    fn rows_beyond_all_that_were_fitted_are_seen() {
        let rows =
            Array2::from_shape_fn((100, 2), |(i, j)| (i % 2) as f32 * 20.0 + (i / 2 * (3 + 4 * j) % 17) as f32 * 0.1);
        let config = Config::of(Method::KMeans(KMeansOptions::default()), 2);
        let fitted = Job::new(config).unwrap().fit(rows.view()).unwrap();
        let mut model = fitted.model.unwrap();
        assert!(!model.beyond(rows.view(), &fitted.labels).unwrap().contains(&true), "no row that was fitted");
        let others = array![[0.8_f32, 0.7], [10.0, 10.0], [20.5, 20.9], [-7.0, 0.0]];
        let labels = model.predict(others.view()).unwrap();
        assert_eq!(model.beyond(others.view(), &labels).unwrap(), [false, true, false, true]);
        let back = Model::from_bytes(&model.to_bytes().unwrap(), std::path::Path::new("model")).unwrap();
        assert_eq!(back.reach, model.reach);
        model.merge(&[0, 1]).unwrap();
        assert_eq!(model.beyond(others.view(), &[0; 4]).unwrap(), [false, true, false, true], "near either centre");
        model.reach = None;
        assert!(model.beyond(others.view(), &labels).unwrap_err().to_string().contains("fit it again"));
    }
}
