//! The nearest few of many, however they come.

use crate::vector::{least, squared_distance, wide};
use ndarray::{ArrayView1, ArrayView2, ArrayViewMut1};

/// Distances at a time where all of a row are at hand.
const PART: usize = 64;
/// Up to this many neighbours are picked below a bound: of the least distance of each of `PART` groups, so many are no larger.
const FEW: usize = PART / 2;

/// The smallest few of a stream of distances, kept in order.
#[derive(Clone)]
pub(super) struct Best {
    pub found: Vec<(f32, u32)>,
    count: usize,
}

impl Best {
    pub fn new(count: usize) -> Self {
        Self { found: Vec::with_capacity(count + 1), count }
    }

    pub fn offer(&mut self, distances: &[f32], first_key: usize, skip: Option<usize>) {
        let mut worst = self.worst();
        if least(distances) > worst.0 {
            return;
        }
        for (key, &distance) in (first_key..).zip(distances) {
            if is_before((distance, key as u32), worst) && Some(key) != skip {
                self.insert(distance, key as u32);
                worst = self.worst();
            }
        }
    }

    /// Takes in one that comes before the worst.
    fn insert(&mut self, distance: f32, key: u32) {
        let place = self.found.partition_point(|&held| is_before(held, (distance, key)));
        self.found.insert(place, (distance, key));
        self.found.truncate(self.count);
    }

    /// Takes in one key if it is near enough.
    pub fn offer_one(&mut self, distance: f32, key: usize) {
        if is_before((distance, key as u32), self.worst()) {
            self.insert(distance, key as u32);
        }
    }

    /// The smallest of all distances, but for that of row `skip`.
    pub fn choose(&mut self, distances: &[f32], skip: usize) {
        self.found.clear();
        if self.count > FEW || distances.len() < 2 * PART {
            for (part, distances) in distances.chunks(PART).enumerate() {
                self.offer(distances, part * PART, Some(skip));
            }
            return;
        }
        let mut least = group_minima(distances);
        let bound = *least.select_nth_unstable_by(self.count - 1, f32::total_cmp).1;
        gather_up_to(bound, distances, &mut self.found);
        self.found.retain(|&(_, key)| key as usize != skip);
        self.found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.found.truncate(self.count);
    }

    /// The last of those held; anything comes before it while there is room.
    pub fn worst(&self) -> (f32, u32) {
        if self.found.len() < self.count { (f32::INFINITY, u32::MAX) } else { self.found[self.count - 1] }
    }

    /// Replaces the ranking values by true squared distances, and orders by them.
    pub fn finish(&mut self, query: ArrayView1<f32>, keys: ArrayView2<f32>) {
        for (distance, key) in &mut self.found {
            let key = keys.row(*key as usize);
            *distance = match (query.to_slice(), key.to_slice()) {
                (Some(query), Some(key)) => squared_distance(query, key),
                _ => query.iter().zip(key).map(|(x, y)| (x - y) * (x - y)).sum(),
            };
        }
        self.found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    pub fn write(&self, indices: ArrayViewMut1<u32>, squared: ArrayViewMut1<f32>) {
        for ((index, squared), &(distance, key)) in indices.into_iter().zip(squared).zip(&self.found) {
            (*index, *squared) = (key, distance);
        }
    }
}

/// Nearer, or as near with a lower number: what is kept does not depend on the order of offers.
fn is_before((distance, key): (f32, u32), (other, other_key): (f32, u32)) -> bool {
    distance < other || (distance == other && key < other_key)
}

/// Distances that are compared at a time.
const LANES: usize = 16;

wide! {
    /// The least of each of `PART` groups of distances: those at the same place of each part. What is left over is in none.
    fn group_minima(distances: &[f32]) -> [f32; PART] {
        let mut least = [f32::INFINITY; PART];
        for part in distances.as_chunks::<PART>().0 {
            least.iter_mut().zip(part).for_each(|(least, &x)| *least = if x < *least { x } else { *least });
        }
        least
    }
}

wide! {
    /// Appends the distances that are at most the bound, with their places.
    fn gather_up_to(bound: f32, distances: &[f32], found: &mut Vec<(f32, u32)>) {
        for (part, distances) in distances.chunks(LANES).enumerate() {
            // without branches, so that they are compared side by side
            if distances.iter().fold(false, |some, &x| some | (x <= bound)) {
                let few = (part * LANES..).zip(distances).filter(|(_, distance)| **distance <= bound);
                found.extend(few.map(|(place, &distance)| (distance, place as u32)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;
    use rand::seq::SliceRandom;

    #[test]
    fn below_a_bound_are_the_same_as_one_by_one() {
        let mut rng = Seed(4).stream("distances");
        for m in [128, 200, 1000] {
            for (count, values) in [(1, 1000), (10, 1000), (10, 3), (FEW, 50), (FEW + 1, 50)] {
                // few different values make ties
                let mut distances: Vec<f32> = (0..m).map(|_| rng.random_range(0..values) as f32).collect();
                distances[m / 3] = f32::INFINITY; // the row itself
                let (mut chosen, mut offered) = (Best::new(count), Best::new(count));
                chosen.choose(&distances, m / 3);
                offered.offer(&distances, 0, Some(m / 3));
                assert_eq!(chosen.found, offered.found, "{count} of {m}");
            }
        }
    }

    #[test]
    fn the_order_of_offers_does_not_matter() {
        let mut rng = Seed(5).stream("distances");
        let distances: Vec<f32> = (0..300).map(|_| rng.random_range(0..40) as f32).collect();
        let (mut all, mut single) = (Best::new(12), Best::new(12));
        all.offer(&distances, 0, None);
        let mut order: Vec<usize> = (0..300).collect();
        order.shuffle(&mut rng);
        order.iter().for_each(|&key| single.offer_one(distances[key], key));
        assert_eq!(all.found, single.found);
    }
}
