//! The contrastive loss of a Siamese network, Eq. (siamese), and its gradient in closed form.

use ndarray::{Array2, ArrayView2};

/// Codes of joined rows are drawn together; of others, pushed apart up to this distance.
const MARGIN: f64 = 1.0;

/// Two rows of a batch, and whether they are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// One row.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Whether they are neighbours.
    pub joined: bool,
}

/// The mean loss over the pairs, and its gradient with respect to the codes `(n, p)`.
pub fn contrastive(codes: ArrayView2<f32>, pairs: &[Pair]) -> (f64, Array2<f32>) {
    let mut gradient = Array2::zeros(codes.dim());
    let mut loss = 0.0;
    let share = 1.0 / pairs.len().max(1) as f64;
    for &Pair { first, second, joined } in pairs {
        let difference = &codes.row(first) - &codes.row(second);
        let squared: f64 = difference.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        // the loss of the pair, and the factor of the difference in its gradient
        let (value, factor) = if joined {
            (squared, 2.0)
        } else {
            let distance = squared.sqrt();
            let short = (MARGIN - distance).max(0.0);
            // where both codes are one point there is no direction to push in
            (short * short, if distance > 0.0 { -2.0 * short / distance } else { 0.0 })
        };
        loss += share * value;
        let factor = (share * factor) as f32;
        gradient.row_mut(first).scaled_add(factor, &difference);
        gradient.row_mut(second).scaled_add(-factor, &difference);
    }
    (loss, gradient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use ndarray::array;
    use rand::RngExt;

    #[test]
    fn pairs_by_hand() {
        let codes = array![[0.0, 0.0], [0.3, 0.4], [3.0, 0.0]];
        let pair = |first, second, joined| Pair { first, second, joined };
        let (loss, gradient) = contrastive(codes.view(), &[pair(0, 1, true), pair(1, 0, false), pair(0, 2, false)]);
        assert!((loss - (0.25 + 0.25 + 0.0) / 3.0).abs() < 1e-7);
        assert_eq!(gradient.row(2), array![0.0, 0.0], "far enough apart");
        let (_, same) = contrastive(array![[1.0], [1.0]].view(), &[pair(0, 1, false)]);
        assert_eq!(same, array![[0.0], [0.0]]);
    }

    /// Eq. (siamese) in f64.
    fn plain_loss(codes: &Array2<f64>, pairs: &[Pair]) -> f64 {
        let of = |pair: &Pair| {
            let difference = &codes.row(pair.first) - &codes.row(pair.second);
            let squared = difference.dot(&difference);
            if pair.joined { squared } else { (1.0 - squared.sqrt()).max(0.0).powi(2) }
        };
        pairs.iter().map(of).sum::<f64>() / pairs.len() as f64
    }

    #[test]
    fn gradient_matches_central_differences_in_f64() {
        let mut rng = Seed(8).stream("contrastive");
        let codes = Array2::from_shape_fn((7, 3), |_| rng.random::<f32>() - 0.5);
        let pairs: Vec<Pair> =
            (0..7).flat_map(|i| (0..i).map(move |j| Pair { first: i, second: j, joined: (i + j) % 3 == 0 })).collect();
        let (loss, gradient) = contrastive(codes.view(), &pairs);
        let codes = codes.mapv(f64::from);
        assert!((loss - plain_loss(&codes, &pairs)).abs() < 1e-6);
        for place in [(0, 0), (3, 1), (6, 2)] {
            let moved = |delta: f64| {
                let mut codes = codes.clone();
                codes[place] += delta;
                plain_loss(&codes, &pairs)
            };
            let numeric = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((numeric - f64::from(gradient[place])).abs() < 1e-5, "{numeric} {}", gradient[place]);
        }
    }
}
