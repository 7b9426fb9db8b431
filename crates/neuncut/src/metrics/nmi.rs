//! Normalized mutual information.

use super::contingency::{Contingency, contingency};
use crate::Result;

/// Mutual information of the two labellings over the geometric mean of their entropies: 0 (independent) to 1 (equal).
///
/// The conventions are those of scikit-learn's `normalized_mutual_info_score(average_method="geometric")`: two
/// labellings of one cluster each are equal and score 1; one cluster against several scores 0.
///
/// # Errors
/// When the labellings are empty or differ in length.
pub fn nmi(predicted: &[u32], truth: &[u32]) -> Result<f64> {
    Ok(of_table(&contingency(predicted, truth)?))
}

pub(super) fn of_table(table: &Contingency) -> f64 {
    if table.first.len() == 1 && table.second.len() == 1 {
        return 1.0;
    }
    let information = mutual_information(table);
    if information <= f64::EPSILON {
        return 0.0;
    }
    let entropies = entropy(&table.first_sizes, table.total) * entropy(&table.second_sizes, table.total);
    (information / entropies.sqrt()).min(1.0) // rounding may exceed 1 in the last digit
}

/// `sum_ab p_ab ln(p_ab / (p_a p_b))`, in nats.
fn mutual_information(table: &Contingency) -> f64 {
    let total = table.total as f64;
    let term = |count: u64, first: u64, second: u64| {
        let count = count as f64;
        count / total * (count * total / (first as f64 * second as f64)).ln()
    };
    table.cells.iter().map(|c| term(c.count, table.first_sizes[c.first], table.second_sizes[c.second])).sum()
}

fn entropy(sizes: &[u64], total: u64) -> f64 {
    let shares = sizes.iter().map(|&size| size as f64 / total as f64);
    shares.map(|share| -share * share.ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // p = [[1/2, 0], [1/4, 1/4]], with marginals (1/2, 1/2) and (3/4, 1/4).
        let information = 0.5 * (4f64 / 3.0).ln() + 0.25 * (2f64 / 3.0).ln() + 0.25 * 2f64.ln();
        let entropies = 2f64.ln() * -(0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln());
        let value = nmi(&[0, 0, 1, 1], &[0, 0, 0, 1]).unwrap();
        assert!((value - information / entropies.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn one_cluster_cases() {
        assert_eq!(nmi(&[3, 3, 3], &[1, 1, 1]).unwrap(), 1.0);
        assert_eq!(nmi(&[3, 3, 3], &[1, 2, 1]).unwrap(), 0.0);
        assert_eq!(nmi(&[3, 1, 3], &[1, 1, 1]).unwrap(), 0.0);
        assert_eq!(nmi(&[0], &[7]).unwrap(), 1.0);
    }

    #[test]
    fn independent_labellings_score_zero() {
        assert_eq!(nmi(&[0, 0, 1, 1], &[0, 1, 0, 1]).unwrap(), 0.0);
    }
}
