//! The loss of VaDE (Jiang et al. 2017) without the reconstruction: random codes under a mixture of Gaussians; gradients in closed form.
//!
//! Legend: `n` rows, `k` clusters, codes of `p` numbers; `mu`, `log s2` the mean and log variance of a row's code, `z` one draw of it;
//! `pi` shares (the softmax of what is trained), `m`, `log l` the means and log variances of clusters. With
//! `gamma_c ~ pi_c N(z; m_c, l_c)`, whose sum is one, the loss of a row is
//! `1/2 sum_c gamma_c sum_j [log l_cj + s2_j / l_cj + (mu_j - m_cj)^2 / l_cj] - 1/2 sum_j (1 + log s2_j) + sum_c gamma_c log(gamma_c / pi_c)`.
//! It is differentiated through `gamma` too, as the authors' is.

use ndarray::{Array2, ArrayView2};

/// A share that is taken for zero has this logarithm at least.
const LEAST_LOG: f64 = -700.0;

/// A mixture of Gaussians whose parameters are trained.
#[derive(Debug, Clone, Copy)]
pub struct MixturePrior<'a> {
    /// What the softmax makes the shares of, `(1, k)`.
    pub logits: ArrayView2<'a, f32>,
    /// `m`, `(k, p)`.
    pub means: ArrayView2<'a, f32>,
    /// `log l`, `(k, p)`.
    pub log_variances: ArrayView2<'a, f32>,
}

/// The codes of the rows of a batch.
#[derive(Debug, Clone, Copy)]
pub struct RandomCodes<'a> {
    /// `mu`, `(n, p)`.
    pub means: ArrayView2<'a, f32>,
    /// `log s2`, `(n, p)`.
    pub log_variances: ArrayView2<'a, f32>,
    /// `z`, `(n, p)`.
    pub drawn: ArrayView2<'a, f32>,
}

/// The mean loss over the rows, and its gradients.
#[derive(Debug, Clone, PartialEq)]
pub struct MixturePriorValue {
    /// The mean over rows.
    pub loss: f64,
    /// With respect to the means, the log variances and the draws of the codes, `(n, p)` each.
    pub codes: [Array2<f32>; 3],
    /// With respect to the logits, the means and the log variances of the clusters.
    pub prior: [Array2<f32>; 3],
}

impl MixturePrior<'_> {
    /// The loss of random codes.
    pub fn evaluate(&self, codes: RandomCodes) -> MixturePriorValue {
        let ((n, p), k) = (codes.means.dim(), self.means.nrows());
        let share = 1.0 / n.max(1) as f64;
        let log_shares = self.log_shares();
        let means = self.means.mapv(f64::from);
        let log_variances = self.log_variances.mapv(f64::from);
        let precisions = log_variances.mapv(|l| (-l).exp());
        let mut of_codes = [(); 3].map(|()| Array2::<f32>::zeros((n, p)));
        let (mut of_means, mut of_variances) = (Array2::<f64>::zeros((k, p)), Array2::<f64>::zeros((k, p)));
        let mut of_shares = vec![0.0; k];
        let mut loss = 0.0;
        for i in 0..n {
            let number = |of: ArrayView2<f32>, j: usize| f64::from(of[[i, j]]);
            let variances: Vec<f64> = (0..p).map(|j| number(codes.log_variances, j).exp()).collect();
            // log(pi N(z)) without the constant, and what a row pays in each cluster
            let mut log_gamma = vec![0.0; k];
            let mut cost = vec![0.0; k];
            for c in 0..k {
                let (mut density, mut spread) = (0.0, 0.0);
                for j in 0..p {
                    let (l, precision) = (log_variances[[c, j]], precisions[[c, j]]);
                    let (drawn, mean) =
                        (number(codes.drawn, j) - means[[c, j]], number(codes.means, j) - means[[c, j]]);
                    density -= 0.5 * (l + drawn * drawn * precision);
                    spread += 0.5 * (l + (variances[j] + mean * mean) * precision);
                }
                (log_gamma[c], cost[c]) = (log_shares[c] + density, spread - log_shares[c]);
            }
            normalize_logs(&mut log_gamma);
            let gamma: Vec<f64> = log_gamma.iter().map(|g| g.exp()).collect();
            let paid: Vec<f64> = cost.iter().zip(&log_gamma).map(|(cost, log_gamma)| cost + log_gamma).collect();
            let mean_paid: f64 = gamma.iter().zip(&paid).map(|(gamma, paid)| gamma * paid).sum();
            loss += share * mean_paid;
            for j in 0..p {
                loss -= share * 0.5 * (1.0 + number(codes.log_variances, j));
            }
            let mut own = vec![[0.0; 3]; p];
            for c in 0..k {
                // through the membership itself
                let through = gamma[c] * (paid[c] - mean_paid);
                of_shares[c] += share * (through - gamma[c]);
                for j in 0..p {
                    let precision = precisions[[c, j]];
                    let (drawn, mean) =
                        (number(codes.drawn, j) - means[[c, j]], number(codes.means, j) - means[[c, j]]);
                    own[j][0] += gamma[c] * mean * precision;
                    own[j][1] += 0.5 * gamma[c] * variances[j] * precision;
                    own[j][2] -= through * drawn * precision;
                    of_means[[c, j]] += share * precision * (through * drawn - gamma[c] * mean);
                    let spread = 1.0 - (variances[j] + mean * mean) * precision;
                    of_variances[[c, j]] +=
                        share * 0.5 * (gamma[c] * spread + through * (drawn * drawn * precision - 1.0));
                }
            }
            for (j, own) in own.iter().enumerate() {
                of_codes[0][[i, j]] = (share * own[0]) as f32;
                of_codes[1][[i, j]] = (share * (own[1] - 0.5)) as f32;
                of_codes[2][[i, j]] = (share * own[2]) as f32;
            }
        }
        // through the softmax of the logits
        let total: f64 = of_shares.iter().sum();
        let logits = Array2::from_shape_fn((1, k), |(_, c)| (of_shares[c] - log_shares[c].exp() * total) as f32);
        let prior = [logits, of_means.mapv(|x| x as f32), of_variances.mapv(|x| x as f32)];
        MixturePriorValue { loss, codes: of_codes, prior }
    }

    /// `log pi`.
    pub fn log_shares(&self) -> Vec<f64> {
        let mut logs: Vec<f64> = self.logits.iter().map(|&x| f64::from(x)).collect();
        normalize_logs(&mut logs);
        logs
    }
}

/// Makes the exponentials of these numbers sum to one.
fn normalize_logs(logs: &mut [f64]) {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logs.iter().map(|x| (x - largest).exp()).sum();
    logs.iter_mut().for_each(|x| *x = (*x - largest - total.ln()).max(LEAST_LOG));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    fn random(rng: &mut crate::seed::Stream, rows: usize, columns: usize) -> Array2<f32> {
        Array2::from_shape_fn((rows, columns), |_| 2.0 * rng.random::<f32>() - 1.0)
    }

    fn value(parts: &[Array2<f32>; 6]) -> MixturePriorValue {
        let [means, log_variances, drawn, logits, centers, spreads] = parts.each_ref().map(|array| array.view());
        let prior = MixturePrior { logits, means: centers, log_variances: spreads };
        prior.evaluate(RandomCodes { means, log_variances, drawn })
    }

    #[test]
    fn one_standard_cluster_is_the_divergence_of_a_plain_variational_autoencoder() {
        let zeros = |rows, columns| Array2::<f32>::zeros((rows, columns));
        let (mean, log_variance) = (Array2::from_elem((1, 2), 0.6_f32), Array2::from_elem((1, 2), -1.0_f32));
        let parts = [mean.clone(), log_variance, mean, zeros(1, 1), zeros(1, 2), zeros(1, 2)];
        let by_hand = 2.0 * 0.5 * ((-1.0_f64).exp() + 0.36 - 1.0 + 1.0);
        assert!((value(&parts).loss - by_hand).abs() < 1e-6);
    }

    #[test]
    fn gradients_match_central_differences() {
        let mut rng = Seed(6).stream("mixture prior");
        let shapes = [(4, 3), (4, 3), (4, 3), (1, 5), (5, 3), (5, 3)];
        let parts = shapes.map(|(rows, columns)| random(&mut rng, rows, columns));
        let found = value(&parts);
        let gradients: Vec<&Array2<f32>> = found.codes.iter().chain(&found.prior).collect();
        for (part, gradient) in gradients.into_iter().enumerate() {
            for place in [(0, 0), (parts[part].nrows() - 1, 1)] {
                let moved = |delta: f32| {
                    let mut moved = parts.clone();
                    moved[part][place] += delta;
                    value(&moved).loss
                };
                let numeric = (moved(1e-3) - moved(-1e-3)) / 2e-3;
                let ours = f64::from(gradient[place]);
                assert!((numeric - ours).abs() < 1e-4, "part {part}: {numeric} {ours}");
            }
        }
    }
}
