//! A sample of rows by their weights.

use crate::seed::Stream;
use rand::RngExt;

/// Rows drawn without replacement, heavy ones more often.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedSample {
    /// Which rows these are, counted from 0, ascending.
    pub indices: Vec<u64>,
    /// What each of them stands for: its own weight or, where that is more, that of the rows like it that were not drawn.
    pub weights: Vec<f64>,
}

impl WeightedSample {
    /// Draws at most so many rows, among them those that are `wanted` in any case, which are ascending; none other has a weight of zero.
    ///
    /// Priority sampling (Duffield, Lund and Thorup, JACM 54, 2007): the rows with the largest `weight / uniform` are drawn, and each
    /// stands for the larger of its weight and the first of these priorities that was not drawn. The sum of these over any rows is an
    /// unbiased estimate of the sum of their weights.
    pub fn draw(weights: &[f64], wanted: &[u64], at_most: usize, rng: &mut Stream) -> Self {
        let priority = |&weight: &f64| weight / (1.0 - rng.random::<f64>());
        let priorities: Vec<f64> = weights.iter().map(priority).collect();
        let mut others: Vec<usize> = (0..weights.len())
            .filter(|&row| weights[row] > 0.0 && wanted.binary_search(&(row as u64)).is_err())
            .collect();
        others.sort_by(|&a, &b| priorities[b].total_cmp(&priorities[a]));
        let count = at_most.saturating_sub(wanted.len()).min(others.len());
        let threshold = others.get(count).map_or(0.0, |&row| priorities[row]);
        let wanted = wanted.iter().map(|&row| row as usize).filter(|&row| row < weights.len());
        let mut drawn: Vec<(usize, f64)> = wanted.map(|row| (row, weights[row])).collect();
        drawn.extend(others[..count].iter().map(|&row| (row, weights[row].max(threshold))));
        drawn.sort_by_key(|&(row, _)| row);
        Self {
            indices: drawn.iter().map(|&(row, _)| row as u64).collect(),
            weights: drawn.into_iter().map(|(_, weight)| weight).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn a_sample_by_weight_stands_for_all_rows() {
        let weights = [1.0, 0.0, 5.0, 2.0, 100.0, 2.0, 1.0, 3.0];
        let (mut sums, trials) = ([0.0; 8], 20_000);
        for trial in 0..trials {
            let sample = WeightedSample::draw(&weights, &[], 4, &mut Seed(trial).stream("weights"));
            assert!(sample.indices.is_sorted_by(|a, b| a < b) && sample.indices.len() == 4);
            assert!(!sample.indices.contains(&1), "it weighs nothing");
            sample.indices.iter().zip(&sample.weights).for_each(|(&row, &weight)| sums[row as usize] += weight);
        }
        for (sum, weight) in sums.iter().zip(weights) {
            assert!((sum / trials as f64 - weight).abs() < 0.1 + 0.01 * weight, "{sums:?}");
        }
        let all = WeightedSample::draw(&weights, &[1], 20, &mut Seed(1).stream("weights"));
        assert_eq!(
            (all.indices.len(), &all.weights[..]),
            (8, &weights[..]),
            "with room for all each stands for itself"
        );
        assert_eq!(WeightedSample::draw(&weights, &[1, 3], 2, &mut Seed(1).stream("weights")).indices, [1, 3]);
    }
}
