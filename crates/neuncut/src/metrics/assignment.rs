//! The best one-to-one matching of clusters to classes, by the Hungarian method.
//!
//! Clusters and classes that share no row, directly or through others, cannot compete: the table falls into independent
//! blocks, and each is matched alone. A good clustering into 1000 clusters is then 1000 tiny problems instead of one of
//! 1000 x 1000.

use super::contingency::{Cell, Contingency};
use super::hungarian::best_matching;
use crate::{Error, Result};
use ndarray::Array2;

/// Entries of the largest block that is matched: 5000 x 5000 takes 200 MB. Time grows with the cube (1000 x 1000: under
/// half a second).
const MAX_BLOCK: usize = 25_000_000;

/// For each label of the first labelling, the label of the second (as an index) it is matched to. Only pairs that share
/// at least one row are matched, so some labels of either side may stay alone.
///
/// # Errors
/// When so many labels share rows that their table would not fit in memory.
pub fn matching(table: &Contingency) -> Result<Vec<Option<usize>>> {
    let mut partner = vec![None; table.first.len()];
    for block in blocks(table) {
        match_block(&block, &mut partner)?;
    }
    Ok(partner)
}

/// Rows that lie in matched cells.
pub(super) fn matched_rows(table: &Contingency, partner: &[Option<usize>]) -> u64 {
    table.cells.iter().filter(|cell| partner[cell.first] == Some(cell.second)).map(|cell| cell.count).sum()
}

/// The cells grouped by connected component of the graph whose nodes are labels and whose edges are cells.
fn blocks(table: &Contingency) -> Vec<Vec<Cell>> {
    let offset = table.first.len();
    let mut parent: Vec<usize> = (0..offset + table.second.len()).collect();
    for cell in &table.cells {
        let (a, b) = (root(&mut parent, cell.first), root(&mut parent, offset + cell.second));
        parent[a.max(b)] = a.min(b); // the smallest node is the root, so every root is a label of the first labelling
    }
    let mut grouped = vec![Vec::new(); offset];
    for cell in &table.cells {
        grouped[root(&mut parent, cell.first)].push(*cell);
    }
    grouped.retain(|block| !block.is_empty());
    grouped
}

/// The representative of a node's component, halving the path to it on the way.
fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

fn match_block(cells: &[Cell], partner: &mut [Option<usize>]) -> Result<()> {
    if let [only] = cells {
        partner[only.first] = Some(only.second);
        return Ok(());
    }
    let firsts = distinct(cells.iter().map(|cell| cell.first));
    let seconds = distinct(cells.iter().map(|cell| cell.second));
    check_size(firsts.len(), seconds.len())?;
    // The solver wants at most as many rows as columns.
    let tall = firsts.len() > seconds.len();
    let (height, width) = if tall { (seconds.len(), firsts.len()) } else { (firsts.len(), seconds.len()) };
    let mut counts = Array2::zeros((height, width));
    for cell in cells {
        let at = (position(&firsts, cell.first), position(&seconds, cell.second));
        counts[if tall { (at.1, at.0) } else { at }] = cell.count as i64;
    }
    for (row, column) in best_matching(counts.view()).into_iter().enumerate() {
        if counts[(row, column)] > 0 {
            let (first, second) = if tall { (column, row) } else { (row, column) };
            partner[firsts[first]] = Some(seconds[second]);
        }
    }
    Ok(())
}

fn distinct(values: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut values: Vec<usize> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn position(sorted: &[usize], value: usize) -> usize {
    sorted.partition_point(|&other| other < value)
}

fn check_size(first: usize, second: usize) -> Result<()> {
    if first.saturating_mul(second) <= MAX_BLOCK {
        return Ok(());
    }
    Err(Error::Degenerate(format!(
        "cannot match {first} clusters with {second} classes: accuracy is meant for at most a few thousand of each; \
         check that the labels are classes and not row identifiers, or score with NMI and ARI"
    )))
}

#[cfg(test)]
mod tests {
    use super::super::contingency;
    use super::*;

    /// The best matched count over every injective map, by trying them all.
    fn brute_force(counts: &[Vec<u64>]) -> u64 {
        fn best(counts: &[Vec<u64>], row: usize, used: u32) -> u64 {
            let Some(values) = counts.get(row) else { return 0 };
            let skip = best(counts, row + 1, used);
            let free = (0..values.len()).filter(|c| used & (1 << c) == 0);
            free.map(|c| values[c] + best(counts, row + 1, used | (1 << c))).fold(skip, u64::max)
        }
        best(counts, 0, 0)
    }

    fn dense(table: &Contingency) -> Vec<Vec<u64>> {
        let mut counts = vec![vec![0; table.second.len()]; table.first.len()];
        for cell in &table.cells {
            counts[cell.first][cell.second] = cell.count;
        }
        counts
    }

    proptest::proptest! {
        #[test]
        fn hungarian_is_brute_force(
            rows in proptest::collection::vec((0u32..6, 0u32..6), 1..60),
            sparse in 1u32..4,
        ) {
            // `sparse` thins the table into several blocks.
            let (first, second): (Vec<u32>, Vec<u32>) = rows.iter().map(|&(a, b)| (a, (b / sparse + a) % 6)).unzip();
            let table = contingency(&first, &second).unwrap();
            let partner = matching(&table).unwrap();
            proptest::prop_assert_eq!(matched_rows(&table, &partner), brute_force(&dense(&table)));
            let mut taken: Vec<_> = partner.into_iter().flatten().collect();
            let matched = taken.len();
            taken.sort_unstable();
            taken.dedup();
            proptest::prop_assert_eq!(taken.len(), matched, "a class was matched twice");
        }
    }

    #[test]
    fn greedy_would_lose() {
        // counts [[4, 3], [3, 0]]: greedy takes 4, the best matching 3 + 3.
        let first = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1];
        let second = [0, 0, 0, 0, 1, 1, 1, 0, 0, 0];
        let table = contingency(&first, &second).unwrap();
        assert_eq!(matching(&table).unwrap(), [Some(1), Some(0)]);
    }

    #[test]
    fn blocks_are_the_components() {
        let table = contingency(&[0, 0, 1, 2, 3], &[0, 1, 1, 5, 5]).unwrap();
        let sizes: Vec<usize> = blocks(&table).iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 2]);
    }

    #[test]
    fn too_large_a_block_is_refused() {
        assert!(check_size(5000, 5000).is_ok());
        assert!(check_size(5001, 5000).unwrap_err().to_string().contains("row identifiers"));
    }
}
