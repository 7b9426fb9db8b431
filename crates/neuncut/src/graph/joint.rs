//! How a partition lies on a graph: the weight between the clusters at the two ends of an edge, and the criteria made of it.

use super::Csr;
use ndarray::{Array1, Array2};

/// A share of a cluster's volume that stays inside counts as at least this much in logarithms and quotients.
const LEAST_KEPT: f64 = 1e-3;

/// The joint distribution of the clusters at both ends of an edge drawn by its weight, `(k, k)`, symmetric, total one.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    weight: Array2<f64>,
    /// Row sums: each cluster's share of the volume.
    volume: Array1<f64>,
}

impl Joint {
    /// That of a partition into `k` clusters.
    pub fn of(graph: &Csr, labels: &[u32], k: usize) -> Self {
        let mut weight = Array2::<f64>::zeros((k, k));
        for (i, &label) in labels.iter().enumerate() {
            for (j, w) in graph.neighbors(i) {
                weight[[label as usize, labels[j] as usize]] += f64::from(w);
            }
        }
        let total = weight.sum();
        if total > 0.0 {
            weight /= total;
        }
        let volume = weight.sum_axis(ndarray::Axis(1));
        Self { weight, volume }
    }

    /// The joint distribution over the square roots of both volumes, whose eigenvalues are those of the random walk between clusters.
    pub fn normalized(&self) -> Array2<f64> {
        let scale = self.volume.mapv(|v| if v > 0.0 { 1.0 / v.sqrt() } else { 0.0 });
        Array2::from_shape_fn(self.weight.dim(), |(a, b)| self.weight[[a, b]] * scale[a] * scale[b])
    }

    /// The mutual information of the clusters at both ends: how much one end says about the other, in nats. It is at most the
    /// [entropy](Self::entropy), so that a giant cluster costs.
    pub fn information(&self) -> f64 {
        let terms = self.weight.indexed_iter().filter(|(_, w)| **w > 0.0);
        terms.map(|((a, b), &w)| w * (w / (self.volume[a] * self.volume[b])).ln()).sum()
    }

    /// The entropy of the clusters' volumes.
    pub fn entropy(&self) -> f64 {
        -self.volume.iter().filter(|v| **v > 0.0).map(|&v| v * v.ln()).sum::<f64>()
    }

    /// The [information](Self::information) over the [entropy](Self::entropy): one where no edge is cut, whatever the sizes.
    pub fn information_share(&self) -> f64 {
        self.information() / self.entropy().max(f64::MIN_POSITIVE)
    }

    /// The share of weight that is not cut.
    pub fn kept(&self) -> f64 {
        self.weight.diag().sum()
    }

    /// Modularity: the share that is kept, less what clusters of these volumes would keep by chance.
    pub fn modularity(&self) -> f64 {
        self.kept() - self.volume.iter().map(|v| v * v).sum::<f64>()
    }

    /// Each cluster's share of the volume, and how much of the weight stays inside.
    pub(super) fn volumes_with_kept(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.volume.iter().copied().zip(self.weight.diag().into_iter().copied())
    }

    /// The share of each cluster's volume that stays inside; none for an empty cluster.
    fn kept_shares(&self) -> impl Iterator<Item = f64> + '_ {
        self.weight.diag().into_iter().zip(&self.volume).map(|(&w, &v)| if v > 0.0 { w / v } else { 0.0 })
    }

    /// The normalized cut, Eq. (ncut1); an empty cluster counts one.
    pub fn ncut(&self) -> f64 {
        self.kept_shares().map(|kept| 1.0 - kept).sum()
    }

    /// The logarithmic cut, `-sum_c ln a_c` with `a_c` the share of a cluster's volume that stays inside.
    pub fn log_cut(&self) -> f64 {
        -self.kept_shares().map(|kept| kept.max(LEAST_KEPT).ln()).sum::<f64>()
    }

    /// The min-max cut of Ding et al., `sum_c (1 / a_c - 1)`.
    pub fn min_max_cut(&self) -> f64 {
        self.kept_shares().map(|kept| 1.0 / kept.max(LEAST_KEPT) - 1.0).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pairs joined by one edge: 0-1, 2-3 of weight two, 1-2 of weight one.
    fn two_pairs() -> Csr {
        Csr::symmetrized(4, [(0, 1, 4.0), (2, 3, 4.0), (1, 2, 2.0)].into_iter())
    }

    #[test]
    fn criteria_by_hand() {
        let joint = Joint::of(&two_pairs(), &[0, 0, 1, 1], 2);
        // of a total weight of ten, four stay in each pair and two cross
        assert_eq!(joint.weight, ndarray::array![[0.4, 0.1], [0.1, 0.4]]);
        let information = 0.8 * 1.6_f64.ln() + 0.2 * 0.4_f64.ln();
        assert!((joint.information() - information).abs() < 1e-12);
        assert!((joint.entropy() - 2.0_f64.ln()).abs() < 1e-12);
        assert!((joint.information_share() - information / 2.0_f64.ln()).abs() < 1e-12);
        assert!((joint.kept() - 0.8).abs() < 1e-12 && (joint.modularity() - 0.3).abs() < 1e-12);
        assert!((joint.ncut() - 0.4).abs() < 1e-12);
        assert!((joint.log_cut() + 2.0 * 0.8_f64.ln()).abs() < 1e-12);
        assert!((joint.min_max_cut() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn an_empty_cluster_costs_and_one_cluster_says_nothing() {
        let joint = Joint::of(&two_pairs(), &[0, 0, 1, 1], 3);
        assert!((joint.ncut() - 1.4).abs() < 1e-12);
        let single = Joint::of(&two_pairs(), &[0; 4], 1);
        assert_eq!((single.information(), single.information_share(), single.modularity()), (0.0, 0.0, 0.0));
    }

    #[test]
    fn information_prefers_equal_clusters_and_its_share_does_not_care() {
        // eight nodes in four pairs that no edge joins
        let pairs = Csr::symmetrized(8, (0..4_u32).map(|p| (2 * p, 2 * p + 1, 1.0)));
        let equal = Joint::of(&pairs, &[0, 0, 0, 0, 1, 1, 1, 1], 2);
        let unequal = Joint::of(&pairs, &[0, 0, 1, 1, 1, 1, 1, 1], 2);
        assert!(equal.information() > unequal.information() + 0.1);
        assert!((equal.information_share() - 1.0).abs() < 1e-12 && (unequal.information_share() - 1.0).abs() < 1e-12);
    }
}
