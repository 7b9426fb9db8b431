//! Which representations are worth a start, by their neighbours alone: where noise is brought up, few rows become everybody's
//! neighbours, and a neighbour's neighbour is a neighbour less often.

use super::EnsembleOptions;
use crate::features::Representation;
use crate::graph::Neighbors;
use ndarray::{ArrayView2, s};
use rayon::prelude::*;

/// Neighbours per row that are looked at.
const NEAR: usize = 10;

/// Compares representations with the centred rows, if these come first; they always pass.
pub(super) struct SoundnessCheck<'a> {
    options: &'a EnsembleOptions,
    centred: Option<Shares>,
}

struct Shares {
    triads: f64,
    orphans: f64,
}

impl<'a> SoundnessCheck<'a> {
    pub fn new(options: &'a EnsembleOptions) -> Self {
        Self { options, centred: None }
    }

    /// Whether a representation with these neighbours is worth a start.
    pub fn passes(&mut self, representation: Representation, neighbors: &Neighbors) -> bool {
        let near = neighbors.indices.ncols().min(NEAR);
        let neighbors = neighbors.indices.slice(s![.., ..near]);
        let orphans = share_of_orphans(neighbors);
        match (representation, &self.centred) {
            (Representation::Raw, _) => {
                self.centred = Some(Shares { triads: share_of_triads(neighbors), orphans });
                true
            }
            (_, Some(centred)) if orphans > self.options.most_orphans.max(centred.orphans) => false,
            (Representation::Ridge(_), Some(centred)) => {
                share_of_triads(neighbors) >= self.options.least_triads * centred.triads
            }
            _ => true,
        }
    }
}

/// The share of rows that are nobody's neighbours.
fn share_of_orphans(neighbors: ArrayView2<u32>) -> f64 {
    let mut is_known = vec![false; neighbors.nrows()];
    neighbors.iter().for_each(|&j| is_known[j as usize] = true);
    is_known.iter().filter(|&&known| !known).count() as f64 / is_known.len().max(1) as f64
}

/// Of all pairs of a row's neighbour and one of that neighbour's neighbours, the share whose end is a neighbour of the row too.
fn share_of_triads(neighbors: ArrayView2<u32>) -> f64 {
    let (n, count) = neighbors.dim();
    let closed = |i: usize| {
        let mut own = neighbors.row(i).to_vec();
        own.sort_unstable();
        let is_own = |j: &&u32| own.binary_search(j).is_ok();
        let of_neighbor = |&j: &u32| neighbors.row(j as usize).iter().filter(is_own).count();
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
        assert_eq!(share_of_triads(neighbors.indices.view()), 8.0 / 16.0);
    }

    #[test]
    fn whitened_rows_must_keep_the_triads_of_centred_ones() {
        let line = Array2::from_shape_fn((60, 1), |(i, _)| i as f32);
        let mixed = Array2::from_shape_fn((60, 1), |(i, _)| (i * 37 % 60) as f32);
        let near = nearest_neighbors(line.view(), 4);
        // no two of these steps make a third
        let far = with_indices(Array2::from_shape_fn((60, 4), |(i, rank)| ((i + [1, 4, 16, 37][rank]) % 60) as u32));
        let again = nearest_neighbors(mixed.view(), 4);
        let options = EnsembleOptions::default();
        let mut check = SoundnessCheck::new(&options);
        assert!(check.passes(Representation::Ridge(0.1), &far), "nothing to compare with");
        assert!(check.passes(Representation::Raw, &near));
        assert!(check.passes(Representation::Ridge(0.1), &again), "the same line in another order");
        assert!(!check.passes(Representation::Ridge(0.1), &far));
        assert!(check.passes(Representation::Unit, &far), "only whitened rows are asked for triads");
    }

    #[test]
    fn rows_around_hubs_are_left_out() {
        let line = nearest_neighbors(Array2::from_shape_fn((60, 1), |(i, _)| i as f32).view(), 4);
        assert_eq!(share_of_orphans(line.indices.view()), 0.0);
        // everybody knows the first five
        let hubs =
            with_indices(Array2::from_shape_fn((60, 4), |(i, rank)| if rank < i { rank } else { rank + 1 } as u32));
        assert_eq!(share_of_orphans(hubs.indices.view()), 55.0 / 60.0);
        let options = EnsembleOptions::default();
        let mut check = SoundnessCheck::new(&options);
        assert!(check.passes(Representation::Standard, &hubs), "nothing to compare with");
        assert!(check.passes(Representation::Raw, &line));
        assert!(!check.passes(Representation::Standard, &hubs));
        assert!(check.passes(Representation::Standard, &line));
        assert!(check.passes(Representation::Raw, &hubs), "centred rows are always there");
        assert!(check.passes(Representation::Standard, &hubs), "no more than of centred rows");
    }
}
