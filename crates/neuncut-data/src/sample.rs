//! A uniform sample of a table's rows, in one pass and bounded memory.
//!
//! ```
//! use neuncut_data::{Error, Scratch, Seed, Table, TableSpec, sample_rows};
//!
//! let folder = Scratch::create_in(&std::env::temp_dir())?;
//! let path = folder.path().join("rows.csv").to_string_lossy().into_owned();
//! let text: String = (0..100).map(|i| format!("{i}.5,{}\n", i % 7)).collect();
//! std::fs::write(&path, text)?;
//!
//! let mut table = Table::open(&TableSpec { paths: vec![path], ..Default::default() })?;
//! let mut rng = Seed(0).stream("example");
//! let sample = sample_rows(&mut table, 10, &mut rng, &mut |_rows_read| Ok::<(), Error>(()))?;
//! assert_eq!((sample.rows.dim(), sample.total), ((10, 2), 100));
//! assert_eq!(sample.rows[[0, 0]], sample.indices[0] as f32 + 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::table::Table;
use crate::seed::Stream;
use crate::{Error, Result};
use ndarray::Array2;
use rand::RngExt;

/// Values read at a time.
const CHUNK_VALUES: usize = 1 << 20;

/// Rows drawn without replacement, each set of rows being equally likely.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The rows drawn, in the order of the table. (rows, width)
    pub rows: Array2<f32>,
    /// Where each of them stands in the table, counted from 0, ascending.
    pub indices: Vec<u64>,
    /// Rows in the whole table.
    pub total: u64,
    /// The table's fingerprint, see [`Table::fingerprint`].
    pub fingerprint: u64,
}

/// Reads the table to its end and keeps at most `at_most` of its rows; all of them if it has no more.
///
/// `progress` is told the number of rows read so far after every chunk; its error ends the reading.
///
/// # Errors
/// When a file cannot be read, when no row is asked for, or when `progress` says so.
pub fn sample_rows<E: From<Error>>(
    table: &mut Table,
    at_most: usize,
    rng: &mut Stream,
    progress: &mut dyn FnMut(u64) -> Result<(), E>,
) -> Result<Sample, E> {
    if at_most == 0 {
        return Err(Error::config("sample size", at_most, "at least 1").into());
    }
    sample_with(table, &[], at_most, rng, progress)
}

/// The same with some rows that are wanted in any case, ascending, which count among the `at_most`; those that the table does not have
/// are not in the sample.
///
/// # Errors
/// When a file cannot be read, or when `progress` says so.
pub fn sample_with<E: From<Error>>(
    table: &mut Table,
    wanted: &[u64],
    at_most: usize,
    rng: &mut Stream,
    progress: &mut dyn FnMut(u64) -> Result<(), E>,
) -> Result<Sample, E> {
    let width = table.width();
    let mut reservoir = Reservoir::beside(wanted, width, at_most);
    let mut chunk = Vec::new();
    let mut total = 0;
    loop {
        chunk.clear();
        let count = table.read((CHUNK_VALUES / width.max(1)).max(1), &mut chunk)?;
        if count == 0 {
            break;
        }
        reservoir.offer(&chunk, total, rng);
        total += count as u64;
        progress(total)?;
    }
    let (values, indices) = reservoir.into_order();
    let rows = Array2::from_shape_vec((indices.len(), width), values).expect("the reservoir keeps whole rows");
    Ok(Sample { rows, indices, total, fingerprint: table.fingerprint() })
}

/// Which rows [`sample_with`] keeps of a table of so many, for rows that are in memory already: ascending, counted from 0.
pub fn sample_indices(total: u64, wanted: &[u64], at_most: usize, rng: &mut Stream) -> Vec<u64> {
    let mut reservoir = Reservoir::beside(wanted, 0, at_most);
    reservoir.offer_rows(total, &[], 0, rng);
    reservoir.into_order().1
}

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
    fn offer_rows(&mut self, count: u64, chunk: &[f32], first: u64, rng: &mut Stream) {
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
    use crate::Seed;
    use crate::TableSpec;
    use crate::testing::{Dir, spec};
    use proptest::prelude::*;

    #[test]
    fn indices_are_those_of_the_rows_that_are_read() {
        for (total, at_most) in [(5, 10), (10, 10), (500, 10), (3, 1)] {
            let values: Vec<f32> = (0..total).map(|row| row as f32).collect();
            let mut reservoir = Reservoir::new(1, at_most);
            let mut rng = Seed(7).stream("sample");
            for (c, chunk) in values.chunks(3).enumerate() {
                reservoir.offer(chunk, 3 * c as u64, &mut rng);
            }
            let indices = sample_indices(total, &[], at_most, &mut Seed(7).stream("sample"));
            assert_eq!(reservoir.into_order().1, indices);
            assert_eq!(indices.len(), at_most.min(total as usize));
        }
    }

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

    /// A table whose rows hold their index and twice their index.
    fn table(dir: &Dir, rows: usize) -> TableSpec {
        let text: String = (0..rows).map(|row| format!("{row},{}\n", 2 * row)).collect();
        spec(&dir.file("a.csv", text))
    }

    fn draw(spec: &TableSpec, at_most: usize, seed: u64) -> Sample {
        let mut table = Table::open(spec).unwrap();
        sample_rows::<Error>(&mut table, at_most, &mut Seed(seed).stream("sample"), &mut |_| Ok(())).unwrap()
    }

    #[test]
    fn a_short_table_is_taken_whole() {
        let dir = Dir::new();
        let mut told = Vec::new();
        let mut table = Table::open(&table(&dir, 5)).unwrap();
        let sample = sample_rows::<Error>(&mut table, 9, &mut Seed(1).stream("s"), &mut |rows| {
            told.push(rows);
            Ok(())
        })
        .unwrap();
        assert_eq!((sample.total, sample.indices), (5, vec![0, 1, 2, 3, 4]));
        assert_eq!(sample.rows.row(4).to_vec(), [4.0, 8.0]);
        assert_eq!((sample.fingerprint, told), (table.fingerprint(), vec![5]));
    }

    #[test]
    fn rows_come_in_order_with_their_indices() {
        let dir = Dir::new();
        let sample = draw(&table(&dir, 1000), 100, 3);
        assert_eq!((sample.rows.dim(), sample.total), ((100, 2), 1000));
        assert!(sample.indices.is_sorted_by(|a, b| a < b));
        for (row, index) in sample.rows.rows().into_iter().zip(&sample.indices) {
            assert_eq!(row.to_vec(), [*index as f32, 2.0 * *index as f32]);
        }
        assert_eq!(sample.indices, draw(&table(&dir, 1000), 100, 3).indices);
        assert_ne!(sample.indices, draw(&table(&dir, 1000), 100, 4).indices);
    }

    #[test]
    fn nothing_cannot_be_sampled() {
        let dir = Dir::new();
        let mut table = Table::open(&table(&dir, 2)).unwrap();
        let error = sample_rows::<Error>(&mut table, 0, &mut Seed(1).stream("s"), &mut |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "sample size is 0, but must be at least 1");
        assert!(sample_indices(5, &[], 0, &mut Seed(1).stream("s")).is_empty());
    }

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
