//! Clustering accuracy: the share of rows on which the clusters, renamed in the best way, agree with the classes.

use super::assignment::{matched_rows, matching};
use super::contingency::{Contingency, contingency};
use crate::Result;

/// Share of rows whose cluster is matched to their class, under the best one-to-one matching of clusters to classes.
///
/// The numbers of clusters and classes may differ: rows of those left without a partner count as wrong.
/// The cost is one pass over the rows, then that of matching the labels (well under a second for 1000 clusters).
///
/// # Errors
/// When the labellings are empty or differ in length, or both have many thousands of labels.
pub fn accuracy(predicted: &[u32], truth: &[u32]) -> Result<f64> {
    of_table(&contingency(predicted, truth)?)
}

pub(super) fn of_table(table: &Contingency) -> Result<f64> {
    let partner = matching(table)?;
    Ok(matched_rows(table, &partner) as f64 / table.total as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(accuracy(&[1, 1, 0, 0], &[0, 0, 1, 1]).unwrap(), 1.0);
        assert_eq!(accuracy(&[0, 0, 0, 1], &[0, 0, 1, 1]).unwrap(), 0.75);
        assert_eq!(accuracy(&[0, 0, 0, 0], &[0, 0, 1, 1]).unwrap(), 0.5);
    }

    #[test]
    fn more_clusters_than_classes_and_fewer() {
        // Cluster 2 has no partner, so its two rows are wrong.
        let (many, few) = ([0, 0, 0, 2, 2, 1, 1, 1], [0, 0, 0, 0, 0, 1, 1, 1]);
        assert_eq!(accuracy(&many, &few).unwrap(), 0.75);
        assert_eq!(accuracy(&few, &many).unwrap(), 0.75);
    }

    #[test]
    fn a_thousand_random_clusters_can_be_matched() {
        // No structure at all: one dense 1000 x 1000 block, the worst case.
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % 1000) as u32
        };
        let (first, second): (Vec<u32>, Vec<u32>) = (0..1_000_000).map(|_| (draw(), draw())).unzip();
        let value = accuracy(&first, &second).unwrap();
        assert!(value > 0.003 && value < 0.01, "{value}");
    }

    #[test]
    fn a_label_for_every_row_is_no_quadratic_trap() {
        let first: Vec<u32> = (0..100_000).collect();
        let second: Vec<u32> = (0..100_000).rev().collect();
        assert_eq!(accuracy(&first, &second).unwrap(), 1.0);
    }
}
