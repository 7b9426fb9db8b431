//! A sample of rows that come by one chunk after another, of which nobody knows how many there are.

use crate::seed::Stream;
use rand::RngExt;

/// Li's Algorithm L (ACM TOMS 20, 1994): it draws how many rows to pass over, so that those cost nothing.
pub struct Reservoir {
    width: usize,
    /// Rows that are kept in any case, ascending, and how many of them have come by.
    wanted: Vec<u64>,
    seen: usize,
    /// Their values.
    taken: Vec<f32>,
    /// Most of the other rows.
    at_most: usize,
    values: Vec<f32>,
    indices: Vec<u64>,
    /// The next row to be taken once the reservoir is full, and Li's `W`: the largest key of a kept row.
    next: u64,
    w: f64,
}

impl Reservoir {
    /// An empty reservoir of at most so many rows.
    pub fn new(width: usize, at_most: usize) -> Self {
        Self::beside(&[], width, at_most)
    }

    /// The same with some rows that are kept in any case, ascending, which count among the `at_most`.
    pub fn beside(wanted: &[u64], width: usize, at_most: usize) -> Self {
        let (wanted, at_most) = (wanted.to_vec(), at_most.saturating_sub(wanted.len()));
        Self {
            width,
            wanted,
            seen: 0,
            taken: Vec::new(),
            at_most,
            values: Vec::new(),
            indices: Vec::new(),
            next: 0,
            w: 1.0,
        }
    }

    /// Considers the rows of a chunk, the first of which has the given index in the table.
    pub fn offer(&mut self, chunk: &[f32], first: u64, rng: &mut Stream) {
        self.offer_rows((chunk.len() / self.width) as u64, chunk, first, rng);
    }

    /// Takes what is wanted, and considers the rows between as if they were all: they are counted without those that are wanted.
    pub(crate) fn offer_rows(&mut self, count: u64, chunk: &[f32], first: u64, rng: &mut Stream) {
        let (mut from, width) = (0, self.width);
        while let Some(row) = self.wanted.get(self.seen).map(|&row| row - first).filter(|&row| row < count) {
            let at = row as usize * width;
            self.consider(row - from, &chunk[from as usize * width..at], first + from - self.seen as u64, rng);
            self.taken.extend_from_slice(&chunk[at..at + width]);
            (self.seen, from) = (self.seen + 1, row + 1);
        }
        self.consider(count - from, &chunk[from as usize * width..], first + from - self.seen as u64, rng);
    }

    /// Considers so many rows, which have no values where the width is zero.
    fn consider(&mut self, count: u64, chunk: &[f32], first: u64, rng: &mut Stream) {
        if self.at_most == 0 {
            return;
        }
        let filling = ((self.at_most - self.indices.len()) as u64).min(count) as usize;
        if filling > 0 {
            self.values.extend_from_slice(&chunk[..filling * self.width]);
            self.indices.extend((0..filling as u64).map(|row| first + row));
            if self.indices.len() == self.at_most {
                self.next = first + filling as u64 - 1;
                self.skip(rng);
            }
        }
        while self.indices.len() == self.at_most && self.next < first + count {
            let (slot, row) = (rng.random_range(0..self.at_most), (self.next - first) as usize);
            let kept = &mut self.values[slot * self.width..(slot + 1) * self.width];
            kept.copy_from_slice(&chunk[row * self.width..(row + 1) * self.width]);
            self.indices[slot] = self.next;
            self.skip(rng);
        }
    }

    /// Draws the next row to be taken.
    fn skip(&mut self, rng: &mut Stream) {
        // In (0, 1], so that the logarithms are finite.
        let mut uniform = || 1.0 - rng.random::<f64>();
        self.w *= (uniform().ln() / self.at_most as f64).exp();
        let passed = (uniform().ln() / (-self.w).ln_1p()).floor();
        self.next = self.next.saturating_add(passed as u64).saturating_add(1);
    }

    /// The rows in the order of the table; they are moved within the memory that they have.
    pub fn into_order(mut self) -> (Vec<f32>, Vec<u64>) {
        self.wanted.truncate(self.seen);
        if self.seen > 0 {
            self.indices.iter_mut().for_each(|index| *index = place_beside(&self.wanted, *index));
            self.values.append(&mut self.taken);
            self.indices.append(&mut self.wanted);
        }
        let mut order: Vec<usize> = (0..self.indices.len()).collect();
        order.sort_unstable_by_key(|&slot| self.indices[slot]);
        permute(&mut self.values, self.width, &mut order);
        self.indices.sort_unstable();
        (self.values, self.indices)
    }
}

/// Where a row stands among all, which is the given one of those that are not wanted.
fn place_beside(wanted: &[u64], index: u64) -> u64 {
    // the k-th wanted row stands before it where no more than `index` others do before that row
    let (mut low, mut high) = (0, wanted.len());
    while low < high {
        let middle = (low + high) / 2;
        if wanted[middle] - middle as u64 <= index { low = middle + 1 } else { high = middle }
    }
    index + low as u64
}

/// Row `i` becomes what row `order[i]` was, one cycle after another. `order` is used up.
fn permute(values: &mut [f32], width: usize, order: &mut [usize]) {
    let mut held = vec![0.0; width];
    for start in 0..order.len() {
        held.copy_from_slice(&values[start * width..(start + 1) * width]);
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == start || from == place {
                values[place * width..(place + 1) * width].copy_from_slice(&held);
                break;
            }
            values.copy_within(from * width..(from + 1) * width, place * width);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Seed, sample_indices};
    use proptest::prelude::*;

    /// Whatever the chunks, wanted rows are there and the others are as likely as one another.
    #[test]
    fn wanted_rows_are_kept_beside_a_uniform_sample_of_the_others() {
        let wanted = [0, 4, 5, 19];
        let values: Vec<f32> = (0..20).map(|row| row as f32).collect();
        let mut hits = [0_u32; 20];
        for trial in 0..8000 {
            let mut rng = Seed(trial).stream("wanted");
            let mut reservoir = Reservoir::beside(&wanted, 1, 8);
            for (c, chunk) in values.chunks(1 + trial as usize % 7).enumerate() {
                reservoir.offer(chunk, (c * (1 + trial as usize % 7)) as u64, &mut rng);
            }
            let (kept, indices) = reservoir.into_order();
            assert!(kept.iter().zip(&indices).all(|(value, index)| *value == *index as f32));
            assert_eq!(indices, sample_indices(20, &wanted, 8, &mut Seed(trial).stream("wanted")));
            assert!(indices.len() == 8 && wanted.iter().all(|row| indices.contains(row)), "{indices:?}");
            indices.iter().for_each(|&index| hits[index as usize] += 1);
        }
        // 4 of the 16 others: Binomial(8000, 1/4), standard deviation 39
        assert!(
            (0..20).filter(|row| !wanted.contains(row)).all(|row| hits[row as usize].abs_diff(2000) < 160),
            "{hits:?}"
        );
        let few = sample_indices(20, &[3, 7], 2, &mut Seed(1).stream("s"));
        assert_eq!(few, [3, 7], "no room for others");
        assert_eq!(sample_indices(5, &[3, 7], 3, &mut Seed(1).stream("s")).len(), 2, "row 7 is not there");
    }

    /// Every row is drawn equally often, and every pair of neighbours as often as independence of place demands.
    #[test]
    fn the_sample_is_uniform_whatever_the_chunks() {
        let (rows, at_most, trials) = (20usize, 5usize, 20_000u32);
        let values: Vec<f32> = (0..rows).map(|row| row as f32).collect();
        for chunk in [1, 7, 20] {
            let mut rng = Seed(chunk as u64).stream("uniform");
            let (mut hits, mut pairs) = (vec![0u32; rows], 0u32);
            for _ in 0..trials {
                let mut reservoir = Reservoir::new(1, at_most);
                for (index, part) in values.chunks(chunk).enumerate() {
                    reservoir.offer(part, (index * chunk) as u64, &mut rng);
                }
                let (kept, indices) = reservoir.into_order();
                assert!(kept.iter().zip(&indices).all(|(value, index)| *value == *index as f32));
                indices.iter().for_each(|&index| hits[index as usize] += 1);
                pairs += indices.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() as u32;
            }
            // Binomial(20000, 1/4): standard deviation 61. Chi-squared with 19 degrees of freedom: 43.8 at 0.1 %.
            let expected = f64::from(trials) * at_most as f64 / rows as f64;
            let chi: f64 = hits.iter().map(|&hit| (f64::from(hit) - expected).powi(2) / expected).sum();
            assert!(chi < 43.8, "chunk {chunk}: {chi} {hits:?}");
            // 19 pairs, each with probability (5 * 4) / (20 * 19): one a trial; standard deviation below 0.01.
            assert!((f64::from(pairs) / f64::from(trials) - 1.0).abs() < 0.03, "chunk {chunk}: {pairs}");
        }
    }

    proptest! {
        #[test]
        fn permuting_in_place_is_gathering(keys in prop::collection::vec(any::<u32>(), 0..40)) {
            let mut order: Vec<usize> = (0..keys.len()).collect();
            order.sort_by_key(|&index| keys[index]);
            let mut values: Vec<f32> = (0..2 * keys.len()).map(|value| value as f32).collect();
            let gathered: Vec<f32> = order.iter().flat_map(|&row| [values[2 * row], values[2 * row + 1]]).collect();
            permute(&mut values, 2, &mut order);
            prop_assert_eq!(values, gathered);
        }
    }
}
