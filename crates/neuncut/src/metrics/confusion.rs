//! The confusion matrix of a clustering, its clusters ordered by the class they are matched to.

use super::assignment::matching;
use super::contingency::{Contingency, contingency};
use crate::{Error, Result};
use serde::Serialize;

/// Classes against clusters, for reports: a good clustering has its counts on the diagonal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// Label of each row of `counts`: the classes, ascending.
    pub classes: Vec<u32>,
    /// Label of each column of `counts`: first, class by class, the matched cluster; then the clusters without a class.
    /// `None` where a class has no cluster.
    pub clusters: Vec<Option<u32>>,
    /// Rows of each class (outer) in each cluster (inner).
    pub counts: Vec<Vec<u64>>,
}

/// Entries of the largest matrix that is laid out in full.
const MAX_ENTRIES: usize = 25_000_000;

/// Counts classes against clusters, the clusters ordered by the matching that gives the accuracy.
///
/// # Errors
/// When the labellings are empty or differ in length, or have too many labels for a table of both.
pub fn confusion(predicted: &[u32], truth: &[u32]) -> Result<Confusion> {
    let table = contingency(truth, predicted)?;
    let columns = column_order(&table, &matching(&table)?);
    if table.first.len().saturating_mul(columns.len()) > MAX_ENTRIES {
        let problem =
            format!("{} classes and {} clusters are too many for a table", table.first.len(), table.second.len());
        return Err(Error::Degenerate(problem + ": check that the labels are classes and not row identifiers"));
    }
    let mut place = vec![0; table.second.len()];
    for (at, cluster) in columns.iter().enumerate() {
        if let Some(cluster) = cluster {
            place[*cluster] = at;
        }
    }
    let mut counts = vec![vec![0; columns.len()]; table.first.len()];
    for cell in &table.cells {
        counts[cell.first][place[cell.second]] = cell.count;
    }
    let clusters = columns.iter().map(|cluster| cluster.map(|index| table.second[index])).collect();
    Ok(Confusion { classes: table.first, clusters, counts })
}

/// The matched cluster of every class, then those that are nobody's.
fn column_order(table: &Contingency, partner: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut unmatched = vec![true; table.second.len()];
    for cluster in partner.iter().flatten() {
        unmatched[*cluster] = false;
    }
    let rest = (0..table.second.len()).filter(|&cluster| unmatched[cluster]).map(Some);
    partner.iter().copied().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matched_clusters_are_on_the_diagonal() {
        let found = confusion(&[9, 9, 4, 4, 4, 1], &[0, 0, 1, 1, 0, 1]).unwrap();
        assert_eq!(found.classes, [0, 1]);
        assert_eq!(found.clusters, [Some(9), Some(4), Some(1)]);
        assert_eq!(found.counts, [[2, 1, 0], [0, 2, 1]]);
    }

    #[test]
    fn a_class_without_a_cluster_has_an_empty_column() {
        let found = confusion(&[3, 3, 3], &[0, 1, 1]).unwrap();
        assert_eq!(found.clusters, [None, Some(3)]);
        assert_eq!(found.counts, [[0, 1], [0, 2]]);
    }
}
