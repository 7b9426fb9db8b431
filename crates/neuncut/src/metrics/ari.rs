//! The adjusted Rand index.

use super::contingency::{Contingency, contingency};
use crate::Result;

/// Agreement on pairs of rows (together in both, apart in both), corrected for chance: 1 for equal labellings, 0 on
/// average for random ones, at worst -0.5. Equals scikit-learn's `adjusted_rand_score`.
///
/// # Errors
/// When the labellings are empty or differ in length.
pub fn ari(predicted: &[u32], truth: &[u32]) -> Result<f64> {
    Ok(of_table(&contingency(predicted, truth)?))
}

/// Pairs are counted exactly: with up to 2^32 rows there are under 2^63 pairs, whose products fit an `i128`. In `f64`
/// the difference of two products near 10^16 would lose its last digits.
pub(super) fn of_table(table: &Contingency) -> f64 {
    let both = pairs(table.cells.iter().map(|cell| cell.count));
    let first_only = pairs(table.first_sizes.iter().copied()) - both;
    let second_only = pairs(table.second_sizes.iter().copied()) - both;
    if first_only == 0 && second_only == 0 {
        return 1.0;
    }
    let neither = pairs([table.total].into_iter()) - both - first_only - second_only;
    let numerator = both * neither - first_only * second_only;
    let denominator = (both + first_only) * (first_only + neither) + (both + second_only) * (second_only + neither);
    2.0 * numerator as f64 / denominator as f64
}

/// Unordered pairs within groups of the given sizes.
fn pairs(sizes: impl Iterator<Item = u64>) -> i128 {
    sizes.map(|size| i128::from(size) * (i128::from(size) - 1) / 2).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Pairs: 1 together in both, 1 only in the first, 2 only in the second, 2 apart in both.
        let value = ari(&[0, 0, 1, 1], &[0, 0, 0, 1]).unwrap();
        assert_eq!(value, 0.0); // 2 (1*2 - 1*2) / ...
        let value = ari(&[0, 0, 1, 2], &[0, 0, 1, 1]).unwrap();
        assert!((value - 4.0 / 7.0).abs() < 1e-15); // both 1, second only 1, apart 4: 2*4 / (1*4 + 2*5)
    }

    #[test]
    fn trivial_labellings() {
        assert_eq!(ari(&[0, 0, 0], &[5, 5, 5]).unwrap(), 1.0);
        assert_eq!(ari(&[0, 1, 2], &[5, 6, 7]).unwrap(), 1.0);
        assert_eq!(ari(&[0, 1, 2], &[5, 5, 5]).unwrap(), 0.0);
        assert_eq!(ari(&[0], &[1]).unwrap(), 1.0);
    }

    #[test]
    fn the_worst_case_is_minus_a_half() {
        assert_eq!(ari(&[0, 0, 1, 1], &[0, 1, 0, 1]).unwrap(), -0.5);
    }

    #[test]
    fn four_billion_rows_do_not_overflow() {
        let half = 1u64 << 31;
        let cell = |first, second, count| super::super::Cell { first, second, count };
        let table = Contingency {
            first: vec![0, 1],
            second: vec![0, 1],
            first_sizes: vec![half, half],
            second_sizes: vec![half, half],
            cells: vec![cell(0, 0, half - 1), cell(0, 1, 1), cell(1, 0, 1), cell(1, 1, half - 1)],
            total: 2 * half,
        };
        assert!((of_table(&table) - 1.0).abs() < 1e-8);
    }
}
