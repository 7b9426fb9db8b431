//! The contingency table: how many rows have both label `a` in one labelling and label `b` in the other.

use crate::{Error, Result};
use std::collections::HashMap;
use std::hash::Hash;

/// One non-zero entry of a [`Contingency`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Index into [`Contingency::first`].
    pub first: usize,
    /// Index into [`Contingency::second`].
    pub second: usize,
    /// Rows that have both labels; never 0.
    pub count: u64,
}

/// Non-zero counts of two labellings of the same rows. Its size is at most the number of rows, however many labels
/// there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contingency {
    /// Distinct labels of the first labelling, ascending.
    pub first: Vec<u32>,
    /// Distinct labels of the second labelling, ascending.
    pub second: Vec<u32>,
    /// Rows of each label of the first labelling.
    pub first_sizes: Vec<u64>,
    /// Rows of each label of the second labelling.
    pub second_sizes: Vec<u64>,
    /// Non-zero counts, ordered by `first`, then `second`.
    pub cells: Vec<Cell>,
    /// Number of rows.
    pub total: u64,
}

/// Counts the pairs of labels of two labellings of the same rows.
///
/// # Errors
/// When the labellings are empty or differ in length.
pub fn contingency(first: &[u32], second: &[u32]) -> Result<Contingency> {
    check_lengths(first.len(), second.len())?;
    let counts = count_pairs(first, second); // (a, b, count), ascending
    let names_of = |labels: &mut dyn Iterator<Item = u32>| {
        let mut names: Vec<u32> = labels.collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let first_names = names_of(&mut counts.iter().map(|c| c.0));
    let second_names = names_of(&mut counts.iter().map(|c| c.1));
    let mut table = Contingency {
        first_sizes: vec![0; first_names.len()],
        second_sizes: vec![0; second_names.len()],
        first: first_names,
        second: second_names,
        cells: Vec::with_capacity(counts.len()),
        total: first.len() as u64,
    };
    for (a, b, count) in counts {
        table.push(a, b, count);
    }
    Ok(table)
}

impl Contingency {
    fn push(&mut self, a: u32, b: u32, count: u64) {
        let first = self.first.partition_point(|&name| name < a);
        let second = self.second.partition_point(|&name| name < b);
        self.first_sizes[first] += count;
        self.second_sizes[second] += count;
        self.cells.push(Cell { first, second, count });
    }
}

/// Numbers arbitrary labels 0, 1, 2, ... in the order of their first appearance.
pub fn encode<T: Hash + Eq>(labels: &[T]) -> Vec<u32> {
    let mut codes: HashMap<&T, u32> = HashMap::new();
    labels
        .iter()
        .map(|label| {
            let next = codes.len() as u32;
            *codes.entry(label).or_insert(next)
        })
        .collect()
}

pub(super) fn check_lengths(first: usize, second: usize) -> Result<()> {
    let short = |what: &str, rows: usize, needed: usize, remedy: &str| Error::TooFewRows {
        what: what.into(),
        rows: rows as u64,
        needed: needed as u64,
        remedy: remedy.into(),
    };
    let same = "give both labellings one label per row, for the same rows in the same order";
    match first.cmp(&second) {
        std::cmp::Ordering::Less => Err(short("the first labelling", first, second, same)),
        std::cmp::Ordering::Greater => Err(short("the second labelling", second, first, same)),
        std::cmp::Ordering::Equal if first == 0 => {
            Err(short("the labelling", 0, 1, "nothing can be scored without labels"))
        }
        std::cmp::Ordering::Equal => Ok(()),
    }
}

/// Small consecutive labels are counted in an array; labels of any value in a hash map: both in time linear in the
/// rows.
fn count_pairs(first: &[u32], second: &[u32]) -> Vec<(u32, u32, u64)> {
    let extent = |labels: &[u32]| labels.iter().max().map_or(0, |&label| label as usize + 1);
    let (height, width) = (extent(first), extent(second));
    if height.saturating_mul(width) <= 4096.max(first.len().saturating_mul(2)) {
        count_in_array(first, second, height, width)
    } else {
        count_in_map(first, second)
    }
}

fn count_in_array(first: &[u32], second: &[u32], height: usize, width: usize) -> Vec<(u32, u32, u64)> {
    let mut counts = vec![0u64; height * width];
    for (&a, &b) in first.iter().zip(second) {
        counts[a as usize * width + b as usize] += 1;
    }
    let cells = counts.into_iter().enumerate().filter(|&(_, count)| count > 0);
    cells.map(|(at, count)| ((at / width) as u32, (at % width) as u32, count)).collect()
}

fn count_in_map(first: &[u32], second: &[u32]) -> Vec<(u32, u32, u64)> {
    let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
    for (&a, &b) in first.iter().zip(second) {
        *counts.entry((a, b)).or_insert(0) += 1;
    }
    let mut cells: Vec<_> = counts.into_iter().map(|((a, b), count)| (a, b, count)).collect();
    cells.sort_unstable(); // a hash map's order varies from run to run
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        let table = contingency(&[5, 5, 5, 2, 2], &[0, 0, 9, 9, 9]).unwrap();
        assert_eq!((table.first.as_slice(), table.second.as_slice(), table.total), (&[2, 5][..], &[0, 9][..], 5));
        assert_eq!((table.first_sizes.as_slice(), table.second_sizes.as_slice()), (&[2, 3][..], &[2, 3][..]));
        let cells: Vec<_> = table.cells.iter().map(|c| (c.first, c.second, c.count)).collect();
        assert_eq!(cells, [(0, 1, 2), (1, 0, 2), (1, 1, 1)]);
    }

    #[test]
    fn array_and_map_agree() {
        let first: Vec<u32> = (0..500u32).map(|i| i * i % 13).collect();
        let second: Vec<u32> = (0..500u32).map(|i| i * 7 % 11).collect();
        assert_eq!(count_in_array(&first, &second, 13, 11), count_in_map(&first, &second));
    }

    #[test]
    fn labels_of_any_value_take_little_memory() {
        let table = contingency(&[0, u32::MAX, u32::MAX], &[u32::MAX, 0, 0]).unwrap();
        assert_eq!(table.cells.len(), 2);
        assert_eq!(table.first, [0, u32::MAX]);
    }

    #[test]
    fn encoding_follows_first_appearance() {
        assert_eq!(encode(&["b", "a", "b", "c"]), [0, 1, 0, 2]);
        assert_eq!(encode(&[-1i64, 4, -1]), [0, 1, 0]);
        assert!(encode::<u8>(&[]).is_empty());
    }

    #[test]
    fn errors_name_the_shorter_labelling() {
        let text = |a: &[u32], b: &[u32]| contingency(a, b).unwrap_err().to_string();
        assert!(text(&[1], &[1, 2]).contains("the first labelling has 1 rows, but 2 are needed"));
        assert!(text(&[1, 2], &[1]).contains("the second labelling has 1 rows, but 2 are needed"));
        assert!(text(&[], &[]).contains("has 0 rows"));
    }
}
