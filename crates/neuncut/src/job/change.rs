//! What has changed since an earlier model: which of its clusters have died, and which groups of rows are new.
//!
//! A row that no earlier cluster accounts for is beyond the reach of all, or one of the rows by which a cluster has grown more than by
//! chance. As many such rows as a typical cluster has speak for one more cluster. So the rows are clustered afresh, into the clusters that
//! are left and those that may be new. An earlier cluster goes on as the group that has most of its rows, each counted by how deep it lies
//! within the cluster's reach; a group that none goes on as, and that consists of such rows to a fair part, is new.

use crate::clustering::Clustering;
use crate::ensemble::Ensemble;
use crate::methods::Config;
use crate::train::Observer;
use crate::{Error, Result};
use ndarray::ArrayView2;
use std::collections::BTreeMap;

/// A cluster with less than this share of the rows that it should have is dead. Some rows of others are always within its reach.
const LEFT: f64 = 0.1;
/// So is one with less than this share, where what is left of it is no group of its own.
const SHRUNK: f64 = 0.5;
/// Standard deviations by which the size of a cluster changes by chance.
const CHANCE: f64 = 3.0;
/// Share of such rows from which a group is new.
const NEW: f64 = 1.0 / 3.0;
/// The least size of a new group, as a share of that of a typical cluster.
const LEAST: f64 = 0.25;

/// Rows and what an earlier model says about them.
pub(super) struct Change<'a> {
    /// The label of each row where it is within reach.
    pub held: &'a [Option<u32>],
    /// How deep it lies there.
    pub depths: &'a [f32],
    /// Share of the earlier rows in each cluster.
    pub shares: &'a [f64],
    pub config: &'a Config,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Labels that still hold.
    pub held: Vec<Option<u32>>,
    /// Which new group each row is in, and how many there are.
    pub born: Vec<Option<u32>>,
    pub births: usize,
    /// The share of the rows that are like no earlier cluster and in no new group.
    pub unlike: f64,
}

impl Change<'_> {
    /// Looks for clusters that died and for new ones in the rows `(n, d)` behind the feature steps; the earlier model was fitted on so many.
    pub fn find(&self, earlier_rows: u64, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<Found> {
        let mut found = Found { held: self.held.to_vec(), born: vec![None; self.held.len()], ..Found::default() };
        let counts = self.counts();
        let expected = self.expected(&counts);
        let mut is_dead: Vec<bool> = (0..counts.len()).map(|c| counts[c] < LEFT * expected[c]).collect();
        let strange = self.strangeness(&counts, &expected, &is_dead, earlier_rows);
        let live: Vec<f64> = (0..counts.len()).filter(|&c| !is_dead[c]).map(|c| expected[c]).collect();
        let typical = median(live.clone()).unwrap_or(0.0);
        let total: f64 = strange.iter().sum();
        if typical > 0.0 && total >= LEAST * typical {
            let births = ((total / typical).round() as usize).max(1);
            if let Some(groups) = self.groups(live.len() + births, rows, observer)? {
                let compared = Comparison { change: self, groups: &groups, counts: &counts, expected: &expected };
                let is_taken = compared.successors(&mut is_dead);
                found.put_births(&groups, &is_taken, &strange, LEAST * typical);
            }
        }
        found.held.iter_mut().for_each(|label| *label = label.filter(|&label| !is_dead[label as usize]));
        let left = strange.iter().zip(&found.born).filter(|(_, born)| born.is_none()).map(|(strange, _)| strange);
        found.unlike = left.sum::<f64>() / strange.len().max(1) as f64;
        Ok(found)
    }

    /// Rows of each earlier cluster.
    fn counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.shares.len()];
        self.held.iter().flatten().for_each(|&label| counts[label as usize] += 1.0);
        counts
    }

    /// Rows that each should have, if clusters kept their shares: of the rows that are not those of clusters that came or went, as most
    /// others say.
    fn expected(&self, counts: &[f64]) -> Vec<f64> {
        let n = self.held.len() as f64;
        let there = |&(count, share): &(f64, f64)| share > 0.0 && count >= LEFT * share * n;
        let ratios = counts.iter().copied().zip(self.shares.iter().copied()).filter(there);
        let scale = median(ratios.map(|(count, share)| count / (share * n)).collect()).unwrap_or(1.0);
        self.shares.iter().map(|share| share * n * scale).collect()
    }

    /// How much of each row no earlier cluster accounts for: all of it beyond the reach of all and in clusters that died.
    fn strangeness(&self, counts: &[f64], expected: &[f64], is_dead: &[bool], earlier_rows: u64) -> Vec<f64> {
        let times = self.held.len() as f64 / earlier_rows.max(1) as f64;
        let of_cluster = |c: usize| {
            let more = counts[c] - expected[c];
            let by_chance = CHANCE * (expected[c] * (1.0 + times)).sqrt();
            match () {
                () if is_dead[c] => 1.0,
                () if more > by_chance => more / counts[c],
                () => 0.0,
            }
        };
        let of_cluster: Vec<f64> = (0..counts.len()).map(of_cluster).collect();
        self.held.iter().map(|label| label.map_or(1.0, |label| of_cluster[label as usize])).collect()
    }

    /// The rows clustered afresh; nothing where there are too few different ones.
    fn groups(&self, k: usize, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<Option<Vec<u32>>> {
        let Config { representation, seed, .. } = *self.config;
        match (Ensemble { representation, seed, ..Ensemble::new(k) }).fit_observed(rows, observer) {
            Ok(fitted) => Ok(Some(fitted.labels().to_vec())),
            Err(Error::TooFewRows { .. } | Error::Degenerate(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Earlier clusters beside the groups of a fresh clustering.
struct Comparison<'a> {
    change: &'a Change<'a>,
    groups: &'a [u32],
    counts: &'a [f64],
    expected: &'a [f64],
}

impl Comparison<'_> {
    /// Which groups an earlier cluster goes on as. One that goes on as none and has shrunk is dead.
    fn successors(&self, is_dead: &mut [bool]) -> Vec<bool> {
        let sizes = sizes(self.groups);
        let mut shared: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
        for (row, &group) in self.groups.iter().enumerate() {
            let Some(cluster) = self.change.held[row].filter(|&c| !is_dead[c as usize]) else { continue };
            let (depth, count) = shared.entry((cluster, group)).or_default();
            *depth += f64::from(self.change.depths[row]);
            *count += 1.0;
        }
        let mut is_taken = vec![false; sizes.len()];
        for cluster in (0..is_dead.len()).filter(|&c| self.expected[c] > 0.0) {
            let own = shared.range((cluster as u32, 0)..=(cluster as u32, u32::MAX));
            let deepest = own.max_by(|a, b| a.1.0.total_cmp(&b.1.0).then(b.0.cmp(a.0)));
            let Some((&(_, group), &(_, count))) = deepest else { continue };
            if 2.0 * count >= sizes[group as usize] || 2.0 * count >= self.expected[cluster] {
                is_taken[group as usize] = true;
            } else if self.counts[cluster] < SHRUNK * self.expected[cluster] {
                is_dead[cluster] = true;
            }
        }
        is_taken
    }
}

impl Found {
    /// Numbers the groups that are new, whose rows have no earlier label from then on.
    fn put_births(&mut self, groups: &[u32], is_taken: &[bool], strange: &[f64], least: f64) {
        let sizes = sizes(groups);
        let mut sums = vec![0.0; sizes.len()];
        groups.iter().zip(strange).for_each(|(&group, strange)| sums[group as usize] += strange);
        let mut number = vec![None; sizes.len()];
        for group in 0..sizes.len() {
            if !is_taken[group] && sizes[group] >= least && sums[group] >= NEW * sizes[group] {
                number[group] = Some(self.births as u32);
                self.births += 1;
            }
        }
        for (row, &group) in groups.iter().enumerate() {
            self.born[row] = number[group as usize];
            if self.born[row].is_some() {
                self.held[row] = None;
            }
        }
    }
}

fn sizes(groups: &[u32]) -> Vec<f64> {
    let mut sizes = vec![0.0; groups.iter().max().map_or(0, |&last| last as usize + 1)];
    groups.iter().for_each(|&group| sizes[group as usize] += 1.0);
    sizes
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Silent;
    use ndarray::Array2;

    /// Rows of some clouds, so many of each.
    fn clouds(centres: &[[f32; 2]], each: usize) -> Array2<f32> {
        Array2::from_shape_fn((centres.len() * each, 2), |(i, j)| {
            let (turn, reach) = (i as f32 * 2.4, ((i * 37 % 101) as f32 / 101.0).sqrt());
            centres[i % centres.len()][j] + reach * if j == 0 { turn.cos() } else { turn.sin() }
        })
    }

    fn find(held: &[Option<u32>], depths: &[f32], shares: &[f64], rows: &Array2<f32>) -> Found {
        let config = Config::new(shares.len());
        Change { held, depths, shares, config: &config }.find(300, rows.view(), &mut Silent).unwrap()
    }

    #[test]
    fn a_group_beyond_reach_is_new_and_a_cluster_with_few_rows_is_dead() {
        let rows = clouds(&[[0.0, 0.0], [6.0, 0.0], [0.0, 30.0]], 100);
        // of the third cluster of before a row is left
        let label = |i: usize| [Some(0), Some(if i == 1 { 2 } else { 1 }), None][i % 3];
        let held: Vec<Option<u32>> = (0..300).map(label).collect();
        let found = find(&held, &[0.5; 300], &[1.0 / 3.0; 3], &rows);
        assert_eq!(found.births, 1);
        assert!((0..300).all(|i| found.born[i].is_some() == (i % 3 == 2)));
        assert_eq!((found.held[0], found.held[1], found.held[4]), (Some(0), None, Some(1)));
        assert!(found.unlike < 0.01, "{}", found.unlike);
    }

    #[test]
    fn a_new_group_within_reach_is_seen_by_growth_and_the_deep_rows_stay() {
        // the last three clouds are all within the reach of the last cluster, whose own rows are the deep ones
        let centres = [[0.0, 0.0], [40.0, 0.0], [0.0, 40.0], [40.0, 40.0], [44.0, 40.0]];
        let rows = clouds(&centres, 60);
        let held: Vec<Option<u32>> = (0..300).map(|i| Some((i % 5).min(3) as u32)).collect();
        let depths: Vec<f32> = (0..300).map(|i| if i % 5 == 4 { 0.05 } else { 0.5 }).collect();
        let found = find(&held, &depths, &[0.25; 4], &rows);
        assert_eq!(found.births, 1);
        assert!((0..300).all(|i| found.born[i].is_some() == (i % 5 == 4)));
    }

    #[test]
    fn without_a_change_nothing_is_new() {
        let rows = clouds(&[[0.0, 0.0], [6.0, 0.0]], 150);
        // a few rows are always beyond
        let held: Vec<Option<u32>> = (0..300).map(|i| Some(i as u32 % 2).filter(|_| i % 100 > 0)).collect();
        let found = find(&held, &[0.5; 300], &[0.5; 2], &rows);
        assert_eq!((found.births, found.held), (0, held));
        assert!((found.unlike - 0.01).abs() < 1e-9);
    }
}
