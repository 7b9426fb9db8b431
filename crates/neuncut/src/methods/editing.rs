//! Changes of a model's clusters by hand: several made one, one dropped. A file of its own holds how one is split.
//!
//! A cluster keeps its number whatever becomes of others, so that labels of before and after can be compared. Memberships of clusters that
//! were merged add up, which is exact: the network stays as it is, and its outputs are grouped. A cluster that is dropped takes its outputs
//! with it, and its rows go where they belong most among those that are left.

use super::{Level, Model, TrainingRecord};
use crate::{Error, Result};

impl Model {
    /// Whether a cluster has an output of the network; the number of one that was merged, dropped or died has none.
    pub fn is_alive(&self, cluster: u32) -> bool {
        match &self.grouping {
            Some(grouping) => grouping.group.contains(&cluster),
            None => (cluster as usize) < self.head.n_outputs(),
        }
    }

    /// Clusters that rows can be in.
    pub fn n_alive(&self) -> usize {
        (0..self.n_clusters() as u32).filter(|&cluster| self.is_alive(cluster)).count()
    }

    /// Makes one cluster of several, which has the smallest of their numbers, and the name of the largest.
    ///
    /// # Errors
    /// When there are no two, or one is not there.
    pub fn merge(&mut self, clusters: &[u32]) -> Result<()> {
        let mut clusters = clusters.to_vec();
        clusters.sort_unstable();
        clusters.dedup();
        clusters.iter().try_for_each(|&cluster| self.check_cluster("merge", cluster))?;
        let [first, others @ ..] = &clusters[..] else { return Err(no_two()) };
        if others.is_empty() {
            return Err(no_two());
        }
        let share = |cluster: u32| self.record.share(cluster as usize);
        let largest = clusters.iter().copied().max_by(|&a, &b| share(a).total_cmp(&share(b)).then(b.cmp(&a)));
        let largest = largest.expect("there are two at least");
        let total = clusters.iter().map(|&cluster| share(cluster)).sum();
        let record = &mut self.record;
        swap(&mut record.cluster_names, *first, largest);
        swap(&mut record.cluster_titles, *first, largest);
        swap(&mut record.cluster_words, *first, largest);
        swap(&mut record.medoids, *first, largest);
        swap(&mut record.typical_rows, *first, largest);
        others.iter().for_each(|&other| record.forget(other));
        put(&mut record.cluster_shares, *first, total);
        let count = self.n_clusters();
        let group = (0..count as u32).map(|cluster| if others.contains(&cluster) { *first } else { cluster }).collect();
        others.iter().for_each(|&other| self.merge_first(*first, other));
        self.regroup(&Level { group, count });
        Ok(())
    }

    /// Takes a cluster away.
    ///
    /// # Errors
    /// When it is not there, or is the last.
    pub fn drop_cluster(&mut self, cluster: u32) -> Result<()> {
        self.check_cluster("drop", cluster)?;
        if self.n_alive() < 2 {
            return Err(Error::config("drop", cluster, "left out: it is the last cluster of the model"));
        }
        let count = self.n_clusters();
        let of_output: Vec<u32> = match &self.grouping {
            Some(grouping) => grouping.group.clone(),
            None => (0..count as u32).collect(),
        };
        let kept: Vec<usize> = (0..of_output.len()).filter(|&output| of_output[output] != cluster).collect();
        self.head.select_outputs(&kept);
        self.grouping = Some(Level { group: kept.iter().map(|&output| of_output[output]).collect(), count });
        self.record.forget(cluster);
        if let Some(reach) = &mut self.reach {
            reach.renumber(|other| Some(other).filter(|&other| other != cluster));
        }
        let partner = self.record.merges.iter().find(|(a, b)| *a == cluster || *b == cluster);
        if let Some(&(a, b)) = partner {
            self.merge_first(a, b);
        }
        Ok(())
    }

    /// Renumbers its clusters without those that no row can be in.
    pub fn renumber(&mut self) {
        let count = self.n_clusters();
        let alive: Vec<usize> = (0..count).filter(|&cluster| self.is_alive(cluster as u32)).collect();
        let number = |cluster: usize| alive.iter().position(|&other| other == cluster).map(|place| place as u32);
        let mut merges = Vec::new();
        // of each group the smallest new number, where any of its clusters has one
        let mut smallest: Vec<Option<u32>> = (0..count).map(number).collect();
        for &(a, b) in &self.record.merges {
            let (one, other) = (smallest[a as usize], smallest[b as usize]);
            if let (Some(one), Some(other)) = (one, other) {
                merges.push((one.min(other), one.max(other)));
            }
            smallest[a as usize] = one.into_iter().chain(other).min();
        }
        let group = (0..count).map(|cluster| number(cluster).unwrap_or(0)).collect();
        let record = &mut self.record;
        record.merges = merges;
        select(&mut record.cluster_shares, &alive);
        select(&mut record.cluster_names, &alive);
        select(&mut record.cluster_titles, &alive);
        select(&mut record.cluster_words, &alive);
        select(&mut record.medoids, &alive);
        select(&mut record.typical_rows, &alive);
        self.regroup(&Level { group, count: alive.len() });
    }

    /// Puts the merge of two clusters before all others in the tree, which stays as it is otherwise.
    pub(super) fn merge_first(&mut self, one: u32, other: u32) {
        if self.record.merges.is_empty() {
            return;
        }
        let mut root: Vec<u32> = (0..self.n_clusters() as u32).collect();
        let before = std::mem::take(&mut self.record.merges);
        for (a, b) in std::iter::once((one, other)).chain(before) {
            let (a, b) = (root[a as usize], root[b as usize]);
            if a != b {
                let (low, high) = (a.min(b), a.max(b));
                root.iter_mut().filter(|root| **root == high).for_each(|root| *root = low);
                self.record.merges.push((low, high));
            }
        }
    }

    pub(super) fn check_cluster(&self, field: &'static str, cluster: u32) -> Result<()> {
        match self.is_alive(cluster) {
            true => Ok(()),
            false => Err(Error::config(field, cluster, format!("a cluster of the model: {}", self.alive_text()))),
        }
    }

    /// Its clusters in words.
    fn alive_text(&self) -> String {
        let last = self.n_clusters().saturating_sub(1) as u32;
        let gone: Vec<String> = (0..=last).filter(|&c| !self.is_alive(c)).map(|c| c.to_string()).collect();
        match gone.is_empty() {
            true => format!("0 to {last}"),
            false => format!("0 to {last} without {}", gone.join(", ")),
        }
    }
}

impl TrainingRecord {
    /// Leaves a cluster without rows.
    fn forget(&mut self, cluster: u32) {
        put(&mut self.cluster_shares, cluster, 0.0);
        put(&mut self.cluster_words, cluster, Vec::new());
        put(&mut self.medoids, cluster, None);
        put(&mut self.typical_rows, cluster, Vec::new());
    }
}

fn no_two() -> Error {
    Error::config("merge", "one cluster", "two or more, such as 3,7")
}

fn swap<T>(values: &mut [T], one: u32, other: u32) {
    if (one.max(other) as usize) < values.len() {
        values.swap(one as usize, other as usize);
    }
}

fn put<T>(values: &mut [T], place: u32, value: T) {
    if let Some(held) = values.get_mut(place as usize) {
        *held = value;
    }
}

fn select<T: Clone>(values: &mut Vec<T>, places: &[usize]) {
    if !values.is_empty() {
        *values = places.iter().filter_map(|&place| values.get(place).cloned()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::methods::{Config, argmax_rows};
    use crate::network::Weights;
    use ndarray::Array2;
    use rand::RngExt;

    /// Five clusters at random, with a tree.
    fn model() -> (Model, Array2<f32>) {
        let mut rng = Seed(2).stream("model");
        let mut model = Model::new(Config::new(5), 4, Weights::random(&[4, 16, 5], &mut rng));
        model.record.cluster_shares = vec![0.1, 0.3, 0.2, 0.3, 0.1];
        model.record.cluster_titles = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        model.record.merges = vec![(1, 2), (0, 4), (1, 3), (0, 1)];
        let rows = Array2::from_shape_fn((200, 4), |_| rng.random_range(-3.0_f32..3.0));
        (model, rows)
    }

    #[test]
    fn memberships_of_merged_clusters_add_up() {
        let (mut model, rows) = model();
        let before = model.memberships(rows.view()).unwrap();
        model.merge(&[3, 0]).unwrap();
        let after = model.memberships(rows.view()).unwrap();
        assert_eq!((model.n_clusters(), model.n_alive(), model.config.clusters), (5, 4, 5));
        for (before, after) in before.rows().into_iter().zip(after.rows()) {
            let expected = [before[0] + before[3], before[1], before[2], 0.0, before[4]];
            assert_eq!(after.to_vec(), expected);
        }
        assert_eq!(model.predict(rows.view()).unwrap(), argmax_rows(after.view()));
        assert_eq!(model.record.cluster_shares, [0.4, 0.3, 0.2, 0.0, 0.1]);
        assert_eq!(model.record.cluster_titles[0], "d", "the name of the larger");
        assert_eq!(model.record.merges, [(0, 3), (1, 2), (0, 4), (0, 1)]);
        let message = model.merge(&[1, 3]).unwrap_err().to_string();
        assert!(message.contains("merge is 3, but must be a cluster of the model: 0 to 4 without 3"), "{message}");
        assert!(model.merge(&[1, 1]).unwrap_err().to_string().contains("two or more"));
    }

    #[test]
    fn rows_of_a_dropped_cluster_go_to_the_next_best() {
        let (mut model, rows) = model();
        let before = model.memberships(rows.view()).unwrap();
        model.drop_cluster(2).unwrap();
        let labels = model.predict(rows.view()).unwrap();
        for (row, &label) in before.rows().into_iter().zip(&labels) {
            let best = (0..5).filter(|&c| c != 2).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
            assert_eq!(label as usize, best);
        }
        let shares = model.memberships(rows.view()).unwrap();
        assert!(shares.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-5 && row[2] == 0.0));
        [0, 1, 3].into_iter().for_each(|cluster| model.drop_cluster(cluster).unwrap());
        assert!(model.drop_cluster(4).unwrap_err().to_string().contains("last cluster"));
    }

    #[test]
    fn gaps_are_closed_on_request() {
        let (mut model, rows) = model();
        model.merge(&[1, 2]).unwrap();
        model.drop_cluster(0).unwrap();
        let before = model.predict(rows.view()).unwrap();
        model.renumber();
        let number = [9, 0, 9, 1, 2];
        let expected: Vec<u32> = before.iter().map(|&label| number[label as usize]).collect();
        assert_eq!(model.predict(rows.view()).unwrap(), expected);
        assert_eq!((model.n_clusters(), model.n_alive()), (3, 3));
        assert_eq!(model.record.cluster_titles, ["b", "d", "e"]);
        assert_eq!(model.level(2).unwrap().count, 2);
        let bytes = model.to_bytes().unwrap();
        let back = Model::from_bytes(&bytes, std::path::Path::new("model")).unwrap();
        assert_eq!(back, model);
    }
}
