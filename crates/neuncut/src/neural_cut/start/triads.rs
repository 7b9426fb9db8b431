//! How often a neighbour's neighbour is a neighbour: where whitening brings up noise, rows that know each other become fewer.

use super::Representation;
use crate::graph::Neighbors;
use rayon::prelude::*;

/// Whitened rows are left out where they keep a smaller share than this of the triads that centred rows have.
const LEAST_SHARE: f64 = 0.89;

/// Which representations keep the triads of the centred rows, if these come first.
#[derive(Default)]
pub(super) struct TriadCheck {
    centred: Option<f64>,
}

impl TriadCheck {
    /// Whether a representation with these neighbours is worth a start.
    pub fn passes(&mut self, representation: Representation, neighbors: &Neighbors) -> bool {
        match (representation, self.centred) {
            (Representation::Raw, _) => {
                self.centred = Some(share_of_triads(neighbors));
                true
            }
            (Representation::Ridge(_), Some(centred)) => share_of_triads(neighbors) >= LEAST_SHARE * centred,
            _ => true,
        }
    }
}

/// Of all pairs of a row's neighbour and one of that neighbour's neighbours, the share whose end is a neighbour of the row too.
fn share_of_triads(neighbors: &Neighbors) -> f64 {
    let (n, count) = neighbors.indices.dim();
    let closed = |i: usize| {
        let mut own = neighbors.indices.row(i).to_vec();
        own.sort_unstable();
        let is_own = |j: &&u32| own.binary_search(j).is_ok();
        let of_neighbor = |&j: &u32| neighbors.indices.row(j as usize).iter().filter(is_own).count();
        own.iter().map(of_neighbor).sum::<usize>()
    };
    let closed: usize = (0..n).into_par_iter().map(closed).sum();
    closed as f64 / (n * count * count).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::nearest_neighbors;
    use ndarray::{Array2, array};

    fn with_indices(indices: Array2<u32>) -> Neighbors {
        Neighbors { squared_distances: Array2::zeros(indices.dim()), indices }
    }

    #[test]
    fn triads_of_four_rows_by_hand() {
        // 0, 1 and 2 know each other; 3 knows 0 and 1
        let neighbors = with_indices(array![[1, 2], [0, 2], [0, 1], [0, 1]]);
        // of four pairs each: 0 has 1-2 and 2-1, likewise 1 and 2; 3 has 0-1 and 1-0
        assert_eq!(share_of_triads(&neighbors), 8.0 / 16.0);
    }

    #[test]
    fn whitened_rows_must_keep_the_triads_of_centred_ones() {
        let line = Array2::from_shape_fn((60, 1), |(i, _)| i as f32);
        let mixed = Array2::from_shape_fn((60, 1), |(i, _)| (i * 37 % 60) as f32);
        let near = nearest_neighbors(line.view(), 4);
        // no two of these steps make a third
        let far = with_indices(Array2::from_shape_fn((60, 4), |(i, rank)| ((i + [1, 4, 16, 37][rank]) % 60) as u32));
        let again = nearest_neighbors(mixed.view(), 4);
        let mut check = TriadCheck::default();
        assert!(check.passes(Representation::Ridge(0.1), &far), "nothing to compare with");
        assert!(check.passes(Representation::Raw, &near));
        assert!(check.passes(Representation::Ridge(0.1), &again), "the same line in another order");
        assert!(!check.passes(Representation::Ridge(0.1), &far));
        assert!(check.passes(Representation::Unit, &far), "only whitened rows are asked");
    }
}
