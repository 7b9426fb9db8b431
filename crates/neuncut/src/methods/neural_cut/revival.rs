//! Clusters that have lost all rows are given some again.

use crate::Result;
use crate::baselines::KMeans;
use crate::clustering::{Clusterer, Clustering};
use ndarray::{ArrayView2, Axis};

/// Whether each of `k` clusters has a row.
pub(super) fn all_alive(labels: &[u32], k: usize) -> bool {
    dead(labels, k).is_empty()
}

fn dead(labels: &[u32], k: usize) -> Vec<u32> {
    let mut used = vec![false; k];
    labels.iter().for_each(|&label| used[label as usize] = true);
    (0..k as u32).filter(|&c| !used[c as usize]).collect()
}

/// Labels in which every cluster has rows: for each that has none, the cluster whose rows lie farthest around their mean, all
/// taken together, is split in two by k-means. None where nothing is left to split.
pub(super) fn revived(rows: ArrayView2<f32>, labels: &[u32], k: usize, seed: u64) -> Result<Option<Vec<u32>>> {
    let mut labels = labels.to_vec();
    for cluster in dead(&labels, k) {
        let Some(widest) = widest(rows, &labels, k) else { return Ok(None) };
        let members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == widest).collect();
        let halves = KMeans { seed, ..KMeans::new(2) }.fit(rows.select(Axis(0), &members).view())?;
        for (&i, &half) in members.iter().zip(halves.labels()) {
            if half == 1 {
                labels[i] = cluster;
            }
        }
    }
    Ok(all_alive(&labels, k).then_some(labels))
}

/// The cluster with the largest sum of squared distances to its mean; none where all are points.
fn widest(rows: ArrayView2<f32>, labels: &[u32], k: usize) -> Option<u32> {
    let spread = |c: u32| {
        let members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == c).collect();
        let rows = rows.select(Axis(0), &members).mapv(f64::from);
        rows.mean_axis(Axis(0)).map_or(0.0, |mean| (&rows - &mean).mapv(|x| x * x).sum())
    };
    let spreads: Vec<f64> = (0..k as u32).map(spread).collect();
    let best = (0..k).max_by(|&a, &b| spreads[a].total_cmp(&spreads[b]).then(b.cmp(&a)))?;
    (spreads[best] > 0.0).then_some(best as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn the_widest_cluster_is_split_until_all_live() {
        // four groups on a line; three of them are one cluster, two of four clusters are dead
        let rows = Array2::from_shape_fn((40, 1), |(i, _)| (i / 10) as f32 * 10.0 + (i % 10) as f32 * 0.1);
        let labels: Vec<u32> = (0..40).map(|i| if i < 10 { 1 } else { 3 }).collect();
        assert!(!all_alive(&labels, 4));
        let new = revived(rows.view(), &labels, 4, 0).unwrap().unwrap();
        assert!(all_alive(&new, 4));
        assert!((0..40).all(|i| new[i] == new[i / 10 * 10]), "groups stay whole: {new:?}");
    }

    #[test]
    fn equal_rows_cannot_be_split() {
        assert_eq!(revived(Array2::ones((6, 2)).view(), &[0; 6], 2, 0).unwrap(), None);
    }
}
