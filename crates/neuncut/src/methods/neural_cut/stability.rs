//! Whether other seeds find the same clusters.

use crate::Result;
use crate::metrics::ari;
use serde::{Deserialize, Serialize};

/// How much several fits of the same rows agree.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// Fits, each with a seed of its own.
    pub fits: usize,
    /// Adjusted Rand index of two fits, the mean over all pairs.
    pub mean_ari: f64,
    /// The least of them.
    pub least_ari: f64,
}

impl Stability {
    /// The agreement of labels of the same rows; there must be two at least.
    pub(super) fn of(fits: &[Vec<u32>]) -> Result<Self> {
        let mut values = Vec::new();
        for (a, one) in fits.iter().enumerate() {
            for other in &fits[..a] {
                values.push(ari(one, other)?);
            }
        }
        let mean_ari = values.iter().sum::<f64>() / values.len().max(1) as f64;
        Ok(Self { fits: fits.len(), mean_ari, least_ari: values.iter().copied().fold(f64::INFINITY, f64::min) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_matter_and_the_least_is_the_least() {
        let same = [vec![0, 0, 1, 1], vec![1, 1, 0, 0]];
        assert_eq!(Stability::of(&same).unwrap(), Stability { fits: 2, mean_ari: 1.0, least_ari: 1.0 });
        let other = [vec![0, 0, 1, 1], vec![1, 1, 0, 0], vec![0, 1, 0, 1]];
        let found = Stability::of(&other).unwrap();
        assert!(found.least_ari < 0.1 && found.mean_ari < 0.5 && found.fits == 3, "{found:?}");
    }
}
