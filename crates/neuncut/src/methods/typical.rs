//! Rows that stand for a cluster: its medoid, and its most typical rows.

use super::{Inference, Model};
use ndarray::{ArrayView1, ArrayView2, Axis};

/// Typical rows that a model remembers of each cluster.
const KEPT: usize = 5;

/// Of the more confident half of some rows, those nearest to their mean: confidence alone has many equals.
pub fn typical_rows(features: ArrayView2<f32>, confidence: &[f32], rows: &[usize], most: usize) -> Vec<usize> {
    let mut rows = rows.to_vec();
    rows.sort_by(|&a, &b| confidence[b].total_cmp(&confidence[a]).then(a.cmp(&b)));
    rows.truncate(rows.len().div_ceil(2));
    nearest_to_mean(features, &rows, most)
}

/// The rows nearest to the mean of all, the nearest first. The first one is the medoid: no other row has a smaller sum of squared
/// distances to them.
fn nearest_to_mean(features: ArrayView2<f32>, rows: &[usize], most: usize) -> Vec<usize> {
    let Some(mean) = features.select(Axis(0), rows).mean_axis(Axis(0)) else { return Vec::new() };
    let mut near: Vec<(f32, usize)> = rows.iter().map(|&row| (squared(features.row(row), mean.view()), row)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near.into_iter().take(most).map(|(_, row)| row).collect()
}

fn squared(a: ArrayView1<f32>, b: ArrayView1<f32>) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

impl Model {
    /// Remembers a medoid and typical rows of every cluster: `features` are rows behind the feature steps, with their labels, and
    /// `places` says which rows of the data they are.
    pub(crate) fn find_typical(&mut self, features: ArrayView2<f32>, labels: &[u32], places: &[u64]) {
        let inference = Inference::new(self.encoding.route(), &self.head).grouped(self.grouping.as_ref());
        let memberships = inference.memberships_of_encoded(features);
        let confidence: Vec<f32> =
            labels.iter().enumerate().map(|(i, &label)| memberships[[i, label as usize]]).collect();
        let mut members = vec![Vec::new(); self.n_clusters()];
        labels.iter().enumerate().for_each(|(row, &label)| members[label as usize].push(row));
        let place = |row: usize| places[row];
        self.record.medoids =
            members.iter().map(|rows| nearest_to_mean(features, rows, 1).first().copied().map(place)).collect();
        let typical =
            |rows: &Vec<usize>| typical_rows(features, &confidence, rows, KEPT).into_iter().map(place).collect();
        self.record.typical_rows = members.iter().map(typical).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::methods::{Config, KMeansOptions, Method};
    use ndarray::{Array2, array};

    #[test]
    fn typical_rows_are_confident_and_central() {
        let features = array![[0.0_f32], [1.0], [2.0], [9.0], [0.9]];
        let confidence = [0.9, 0.95, 0.51, 0.9, 0.99];
        // the mean of the confident half, rows 4 and 1, is 0.95: equals go by number
        assert_eq!(typical_rows(features.view(), &confidence, &[0, 1, 2, 4], 1), [1]);
        assert!(typical_rows(features.view(), &confidence, &[], 3).is_empty());
    }

    #[test]
    fn a_medoid_has_the_smallest_sum_of_squared_distances() {
        let rows = Array2::from_shape_fn((90, 3), |(i, j)| (i % 2 * 20) as f32 + (i * (7 + 5 * j) % 23) as f32 * 0.3);
        let job = Job::new(Config::of(Method::KMeans(KMeansOptions::default()), 2)).unwrap();
        let outcome = job.fit(rows.view()).unwrap();
        let record = outcome.model.unwrap().record;
        for (cluster, medoid) in record.medoids.iter().enumerate() {
            let members: Vec<usize> = (0..90).filter(|&row| outcome.labels[row] == cluster as u32).collect();
            let sum = |&row: &usize| members.iter().map(|&other| squared(rows.row(row), rows.row(other))).sum::<f32>();
            let least = members.iter().copied().min_by(|a, b| sum(a).total_cmp(&sum(b)));
            assert_eq!(*medoid, least.map(|row| row as u64));
            let typical = &record.typical_rows[cluster];
            assert!(typical.len() == KEPT && typical.iter().all(|&row| members.contains(&(row as usize))));
        }
    }
}
