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
    /// Of the fitted rows for which the labels of the earlier model hold, the share that are in another cluster now.
    pub moved: f64,
    /// How far the shares of clusters have shifted: the population stability index, `sum (now - then) ln (now / then)`.
    pub shift: f64,
    /// Where the number of clusters followed from the rows: the share of them that are like no earlier cluster and in no new one.
    pub unlike: f64,
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
    /// Of the rows that the earlier model gives it and that are within its reach, the share that are still in it.
    pub rows_kept: f64,
    /// Its term of the shift.
    pub shift: f64,
}

/// A share below this counts as this much in the shift, where its logarithm is taken.
const LEAST_SHARE: f64 = 1e-4;

impl Succession {
    /// What became of the clusters of `earlier`, which gives the fitted rows the labels `then` where these hold; `now` are those of the new
    /// fit. For each of its clusters that is one of `earlier` its number there.
    fn of(
        earlier: &Model,
        then: &[Option<u32>],
        now: &[u32],
        weights: Option<&[f32]>,
        clusters: usize,
    ) -> Result<(Self, Vec<Option<u32>>)> {
        let (mut succession, mut number) = (Self::default(), vec![None; clusters]);
        let (mut sizes, mut masses) = (vec![0_u64; clusters], vec![0.0; clusters]);
        for (row, &label) in now.iter().enumerate() {
            sizes[label as usize] += 1;
            masses[label as usize] += weights.map_or(1.0, |weights| f64::from(weights[row]));
        }
        let mass: f64 = masses.iter().sum();
        let (own, held): (Vec<u32>, Vec<u32>) =
            now.iter().zip(then).filter_map(|(&now, then)| then.map(|then| (now, then))).unzip();
        if held.is_empty() {
            return Ok((succession, number)); // not a row is like those of the earlier model
        }
        let table = contingency(&own, &held)?;
        let partner = matching(&table)?;
        for cell in table.cells.iter().filter(|cell| partner[cell.first] == Some(cell.second)) {
            let (own, cluster) = (table.first[cell.first] as usize, table.second[cell.second]);
            let is_one = 2 * cell.count >= sizes[own] || 2 * cell.count >= table.second_sizes[cell.second];
            if !is_one {
                continue;
            }
            number[own] = Some(cluster);
            let share_then = earlier.record.share(cluster as usize);
            let share_now = masses[own] / mass;
            succession.kept.push(Kept {
                cluster,
                share_then,
                share_now,
                rows_kept: cell.count as f64 / table.second_sizes[cell.second] as f64,
                shift: shift(share_then, share_now),
            });
        }
        succession.kept.sort_by_key(|kept| kept.cluster);
        Ok((succession, number))
    }

    /// Clusters that had rows before and are none of those kept.
    fn find_deaths(&mut self, shares_then: &[f64]) {
        let is_kept = |cluster: u32| self.kept.iter().any(|kept| kept.cluster == cluster);
        let had_rows = (0..shares_then.len() as u32).filter(|&cluster| shares_then[cluster as usize] > 0.0);
        self.deaths = had_rows.filter(|&cluster| !is_kept(cluster)).collect();
    }
}

fn shift(then: f64, now: f64) -> f64 {
    let (then, now) = (then.max(LEAST_SHARE), now.max(LEAST_SHARE));
    (now - then) * (now / then).ln()
}

impl Model {
    /// Gives its clusters the numbers and names that they have in `earlier`, as far as they are the same by the rows that both label: `then`
    /// are the labels of the fitted rows by `earlier` where they hold, `labels` those of this model, which are changed with it, `weights` what the rows weigh.
    pub(crate) fn succeed(
        &mut self,
        earlier: &Self,
        then: &[Option<u32>],
        labels: &mut [u32],
        weights: Option<&[f32]>,
    ) -> Result<()> {
        let (mut succession, numbers) = Succession::of(earlier, then, labels, weights, self.n_clusters())?;
        succession.find_deaths(&earlier.record.cluster_shares);
        let mut next = earlier.n_clusters() as u32;
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
        let held = labels.iter().zip(then).filter_map(|(&now, then)| then.map(|then| (now, then)));
        let (held, moved) = held.fold((0, 0), |(all, moved), (now, then)| (all + 1, moved + usize::from(now != then)));
        succession.moved = moved as f64 / held.max(1) as f64;
        let mut shares = vec![0.0; count];
        for (cluster, &number) in numbers.iter().enumerate() {
            shares[number as usize] = self.record.share(cluster);
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
        self.record.cluster_names.clone_from(&earlier.record.cluster_names);
        self.record.label_new_clusters(count);
        self.record.cluster_titles = names(&earlier.record.cluster_titles);
        self.record.titles_by_person = earlier.record.titles_by_person;
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
