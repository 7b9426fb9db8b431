//! Coarser clusters of a model: its clusters merged two by two, as close as they are in the rows it was fitted on.

use super::{Model, TrainingRecord};
use crate::graph::{Csr, groups, merge_tree, nearest_neighbors};
use crate::{Error, Result};
use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Rows by which clusters are compared, at most, and of each cluster at least where it has as many.
const COMPARED_ROWS: usize = 5000;
const OF_EACH: usize = 20;
/// Those together at most.
const MOST_ROWS: usize = 10_000;
/// Neighbours per row.
const NEIGHBORS: usize = 15;

/// Names of clusters in a group that are named.
const NAMED: usize = 2;

/// Clusters, or outputs of a network, put into groups. A group may have none of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// The group of each cluster.
    pub group: Vec<u32>,
    /// Number of groups.
    pub count: usize,
}

impl Level {
    /// The group of a cluster.
    pub fn of(&self, cluster: u32) -> u32 {
        self.group.get(cluster as usize).copied().unwrap_or(cluster)
    }

    /// Whether it puts so many clusters into groups that there are.
    pub(crate) fn fits(&self, clusters: usize) -> bool {
        self.group.len() == clusters && self.group.iter().all(|&group| (group as usize) < self.count)
    }

    /// Memberships `(n, count)` in groups: those in their clusters `(n, k)` add up.
    pub fn memberships(&self, memberships: ArrayView2<f32>) -> Array2<f32> {
        let mut sums = Array2::zeros((memberships.nrows(), self.count));
        for (from, mut to) in memberships.rows().into_iter().zip(sums.rows_mut()) {
            for (&membership, &group) in from.iter().zip(&self.group) {
                to[group as usize] += membership;
            }
        }
        sums
    }

    /// What groups are called: as the largest two of their clusters, and how many there are beside them.
    pub fn names(&self, names: &[String], record: &TrainingRecord) -> Vec<String> {
        if names.is_empty() {
            return Vec::new();
        }
        let name = |group: usize| {
            let mut members: Vec<usize> =
                (0..names.len()).filter(|&c| self.group.get(c) == Some(&(group as u32))).collect();
            members.sort_by(|&a, &b| record.share(b).total_cmp(&record.share(a)).then(a.cmp(&b)));
            joined(&members.iter().map(|&cluster| names[cluster].as_str()).collect::<Vec<_>>()).unwrap_or_default()
        };
        (0..self.count).map(name).collect()
    }
}

/// One name for several clusters, of which `names` are in order: the first two, and how many others there are. Nothing for none.
pub fn joined(names: &[&str]) -> Option<String> {
    let (named, others) = names.split_at(names.len().min(NAMED));
    let more = if others.is_empty() { String::new() } else { format!(" +{}", others.len()) };
    (!named.is_empty()).then(|| named.join(", ") + &more)
}

impl Model {
    /// Its clusters in so many groups.
    ///
    /// # Errors
    /// When it has fewer clusters, or no tree of them, as models of earlier versions.
    pub fn level(&self, count: usize) -> Result<Level> {
        let k = self.n_clusters();
        if count == 0 || count > k {
            return Err(Error::config("level", count, format!("1 to {k}, the clusters of the model")));
        }
        if count < k && self.record.merges.len() + 1 != k {
            let must = "left out: fit it again for a tree of its clusters";
            return Err(Error::config("level", "asked of a model without one", must));
        }
        Ok(Level { group: groups(self.record.merges.iter().copied(), k, count), count })
    }

    /// Finds what its clusters are like from rows that were fitted, before its steps, and their labels: the tree of the clusters, and
    /// rows that stand for them. `fitted` says which rows of the data these are, where they are not all.
    pub(crate) fn describe_clusters(&mut self, rows: ArrayView2<f32>, labels: &[u32], fitted: Option<&[u64]>) {
        let chosen = compared(labels, self.n_clusters());
        let labels: Vec<u32> = chosen.iter().map(|&row| labels[row]).collect();
        let places: Vec<u64> = chosen.iter().map(|&row| fitted.map_or(row as u64, |fitted| fitted[row])).collect();
        let features = self.to_features().in_tiles(rows.select(Axis(0), &chosen).view());
        self.find_typical(features.view(), &labels, &places);
        self.find_merges(features.view(), &labels);
    }

    /// Finds the tree of its clusters from rows behind the feature steps and their labels.
    fn find_merges(&mut self, rows: ArrayView2<f32>, labels: &[u32]) {
        let k = self.n_clusters();
        if k < 2 || rows.nrows() < 2 {
            return;
        }
        let near = nearest_neighbors(rows, NEIGHBORS.min(rows.nrows().saturating_sub(1)));
        let edges = near.indices.indexed_iter().map(|((i, _), &j)| (i as u32, j, 1.0));
        let graph = Csr::symmetrized(rows.nrows(), edges);
        self.record.merges = merge_tree(&graph, rows, labels, k).iter().map(|merge| merge.clusters).collect();
    }
}

/// Rows of every cluster, evenly spaced: as many as its share, and some where it is small.
fn compared(labels: &[u32], k: usize) -> Vec<usize> {
    let mut members = vec![Vec::new(); k];
    labels.iter().enumerate().for_each(|(row, &label)| members[label as usize].push(row));
    let least = OF_EACH.min(MOST_ROWS / k.max(1)).max(1);
    let mut chosen = Vec::new();
    for rows in &members {
        let share = (rows.len() * COMPARED_ROWS).div_ceil(labels.len().max(1));
        let count = rows.len().min(share.max(least));
        chosen.extend((0..count).map(|i| rows[i * rows.len() / count]));
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::methods::{Config, KMeansOptions, Method, argmax_rows};

    /// Two pairs of clouds, the pairs far apart.
    fn model() -> (Model, Array2<f32>) {
        let rows = Array2::from_shape_fn((120, 2), |(i, j)| {
            let centre = [[0.0, 0.0], [3.0, 0.0], [40.0, 9.0], [43.0, 9.0]][i % 4][j];
            centre + (i / 4 * (7 + 4 * j) % 13) as f32 * 0.08
        });
        let config = Config::of(Method::KMeans(KMeansOptions::default()), 4);
        (Job::new(config).unwrap().fit(rows.view()).unwrap().model.unwrap(), rows)
    }

    #[test]
    fn a_level_is_its_clusters_merged() {
        let (model, rows) = model();
        let labels = model.predict(rows.view()).unwrap();
        let level = model.level(2).unwrap();
        let merged: Vec<u32> = labels.iter().map(|&label| level.of(label)).collect();
        assert!((0..120).all(|i| (merged[i] == merged[0]) == (i % 4 < 2)), "near clouds are one");
        let memberships = model.memberships(rows.view()).unwrap();
        let sums = level.memberships(memberships.view());
        assert_eq!(sums.dim(), (120, 2));
        assert!(sums.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-5));
        assert_eq!(argmax_rows(sums.view()), merged);
        assert_eq!(model.level(4).unwrap().group, [0, 1, 2, 3]);
        assert_eq!(model.level(1).unwrap().group, [0; 4]);
        for count in [0, 5] {
            let message = model.level(count).unwrap_err().to_string();
            assert!(message.contains("must be 1 to 4, the clusters of the model"), "{message}");
        }
        let mut old = model;
        old.record.merges.clear();
        assert!(old.level(4).is_ok() && old.level(2).unwrap_err().to_string().contains("fit it again"));
    }

    #[test]
    fn names_of_groups() {
        let level = Level { group: vec![0, 1, 0, 1, 2], count: 3 };
        let names: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        let record = TrainingRecord { cluster_shares: vec![0.1, 0.2, 0.3, 0.2, 0.2], ..Default::default() };
        assert_eq!(level.names(&names, &record), ["c, a", "b, d", "e"]);
        assert!(level.names(&[], &record).is_empty());
    }

    #[test]
    fn every_cluster_is_compared() {
        let labels: Vec<u32> = (0..20_000).map(|i| u32::from(i % 2000 == 0)).collect();
        let chosen = compared(&labels, 3);
        assert_eq!(chosen.iter().filter(|&&row| labels[row] == 1).count(), 10);
        assert!(chosen.len() < 5100 && chosen.is_sorted());
    }
}
