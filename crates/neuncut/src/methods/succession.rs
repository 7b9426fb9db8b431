//! A fit after an earlier one: which clusters are still there, and the numbers and names that they keep.
//!
//! Clusters are matched one to one by the rows they share. A pair is one cluster where it holds at least half of the rows of either side;
//! what is left is a birth or a death. A number is never used again: births are numbered after all clusters that there ever were, and the
//! number of a cluster that died stays without rows.

use super::{Level, Model};
use crate::Result;
use crate::metrics::{contingency, matching};
use serde::{Deserialize, Serialize};

/// What became of the clusters of an earlier model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Succession {
    /// The file of the earlier model.
    pub earlier: String,
    /// Clusters that are still there.
    pub kept: Vec<Kept>,
    /// Clusters that are new.
    pub births: Vec<u32>,
    /// Clusters that had rows before and have none now.
    pub deaths: Vec<u32>,
    /// Share of the fitted rows whose cluster the earlier model gives another number.
    pub moved: f64,
    /// How far the shares of clusters have shifted: the population stability index, `sum (now - then) ln (now / then)`.
    pub shift: f64,
}

/// A cluster that is still there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Its number, in both models.
    pub cluster: u32,
    /// Its share of the rows that the earlier model was fitted on.
    pub share_then: f64,
    /// Its share of the rows that this one was fitted on.
    pub share_now: f64,
    /// Of the rows that the earlier model gives it, the share that are still in it.
    pub rows_kept: f64,
    /// Its term of the shift.
    pub shift: f64,
}

/// A share below this counts as this much in the shift, where its logarithm is taken.
const LEAST_SHARE: f64 = 1e-4;

impl Succession {
    /// What became of the clusters of `earlier`, which gives the fitted rows the labels `then`; `now` are those of the new fit.
    pub(crate) fn of(earlier: &Model, then: &[u32], now: &[u32]) -> Result<(Self, Vec<Option<u32>>)> {
        let table = contingency(now, then)?;
        let partner = matching(&table)?;
        let count = |first: usize, second: usize| {
            let cell = table.cells.iter().find(|cell| cell.first == first && cell.second == second);
            cell.map_or(0, |cell| cell.count)
        };
        let is_one = |first: usize, second: usize| {
            let both = 2 * count(first, second);
            both >= table.first_sizes[first] || both >= table.second_sizes[second]
        };
        let clusters = now.iter().max().map_or(0, |&last| last as usize + 1);
        let mut number = vec![None; clusters];
        let mut succession = Self::default();
        for (first, second) in partner.iter().enumerate() {
            let Some(second) = second.filter(|&second| is_one(first, second)) else { continue };
            let cluster = table.second[second];
            number[table.first[first] as usize] = Some(cluster);
            let share_then = earlier.record.cluster_shares.get(cluster as usize).copied().unwrap_or_default();
            let share_now = table.first_sizes[first] as f64 / table.total as f64;
            succession.kept.push(Kept {
                cluster,
                share_then,
                share_now,
                rows_kept: count(first, second) as f64 / table.second_sizes[second] as f64,
                shift: shift(share_then, share_now),
            });
        }
        succession.kept.sort_by_key(|kept| kept.cluster);
        let is_kept = |cluster: u32| succession.kept.iter().any(|kept| kept.cluster == cluster);
        let then_shares = earlier.record.cluster_shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        succession.deaths =
            then_shares.map(|(cluster, _)| cluster as u32).filter(|&cluster| !is_kept(cluster)).collect();
        Ok((succession, number))
    }
}

fn shift(then: f64, now: f64) -> f64 {
    let (then, now) = (then.max(LEAST_SHARE), now.max(LEAST_SHARE));
    (now - then) * (now / then).ln()
}

impl Model {
    /// Gives its clusters the numbers and names that they have in `earlier`, as far as they are the same by the rows that both label: `then`
    /// are the labels of the fitted rows by `earlier`, `labels` those of this model, which are changed with it.
    pub(crate) fn succeed(&mut self, earlier: &Self, then: &[u32], labels: &mut [u32]) -> Result<()> {
        let (mut succession, mut numbers) = Succession::of(earlier, then, labels)?;
        let mut next = earlier.n_clusters() as u32;
        numbers.resize(self.n_clusters(), None); // clusters without rows are births without rows
        let numbers: Vec<u32> = numbers
            .into_iter()
            .map(|number| {
                number.unwrap_or_else(|| {
                    succession.births.push(next);
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let count = next as usize;
        labels.iter_mut().for_each(|label| *label = numbers[*label as usize]);
        succession.moved =
            labels.iter().zip(then).filter(|(now, then)| now != then).count() as f64 / labels.len().max(1) as f64;
        let mut shares = vec![0.0; count];
        for (cluster, &number) in numbers.iter().enumerate() {
            shares[number as usize] = self.record.cluster_shares.get(cluster).copied().unwrap_or_default();
        }
        let gone = succession.deaths.iter().map(|&dead| (earlier.record.cluster_shares[dead as usize], 0.0));
        let born = succession.births.iter().map(|&born| (0.0, shares[born as usize]));
        succession.shift = succession.kept.iter().map(|kept| kept.shift).sum::<f64>()
            + gone.chain(born).map(|(then, now)| shift(then, now)).sum::<f64>();
        self.record.cluster_shares = shares;
        self.regroup(&Level { group: numbers, count });
        let names = |names: &[String]| -> Vec<String> {
            let own = |cluster: usize| names.get(cluster).cloned().unwrap_or_else(|| cluster.to_string());
            if names.is_empty() { Vec::new() } else { (0..count).map(own).collect() }
        };
        self.record.cluster_names = names(&earlier.record.cluster_names);
        self.record.cluster_titles = names(&earlier.record.cluster_titles);
        self.record.succession = Some(succession);
        Ok(())
    }

    /// Gives its clusters other numbers, or makes one of several. Where that is an order alone, the outputs of the network change places.
    pub(crate) fn regroup(&mut self, numbers: &Level) {
        let of_output: Vec<u32> = match &self.grouping {
            Some(grouping) => grouping.group.iter().map(|&cluster| numbers.of(cluster)).collect(),
            None => numbers.group.clone(),
        };
        let mut output_of = vec![None; numbers.count];
        of_output.iter().enumerate().for_each(|(output, &cluster)| output_of[cluster as usize] = Some(output));
        let order: Option<Vec<usize>> = output_of.into_iter().collect();
        self.grouping = match order.filter(|order| order.len() == of_output.len()) {
            Some(order) => {
                self.head.select_outputs(&order);
                None
            }
            None => Some(Level { group: of_output, count: numbers.count }),
        };
        if let Some(reach) = &mut self.reach {
            reach.renumber(|cluster| numbers.group.get(cluster as usize).copied());
        }
        self.config.clusters = numbers.count;
    }
}
