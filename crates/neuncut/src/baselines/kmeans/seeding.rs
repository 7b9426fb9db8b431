//! Seeds of k-means by k-means++: rows drawn with probability proportional to their squared distance from the seeds before.
//!
//! Up to a thousand centres greedily, each the best of a few such rows. Above that a whole block is drawn at a time, each of its
//! rows with the distances at the block's beginning, and kept with the probability by which these have fallen since: that is
//! the distribution of one draw after the other, at the price of a few wide products.

use super::lloyd::{BLOCK, Centred, squared_norms};
use crate::interrupt;
use crate::linalg::Packed;
use crate::seed::Stream;
use ndarray::{Array2, Axis};
use rand::RngExt;
use rayon::prelude::*;

/// Up to this many centres seeds are chosen greedily.
const GREEDY_CENTERS: usize = 1024;
/// Most rows drawn at a time above that.
const LARGEST_DRAW: usize = 256;

/// Centres `(k, d)` for each stream.
pub(super) fn seed_centers(rows: &Centred, k: usize, streams: Vec<Stream>) -> Vec<Array2<f32>> {
    seed_rows(rows, k, streams).iter().map(|chosen| rows.rows.select(Axis(0), chosen)).collect()
}

/// The rows that they are.
pub(super) fn seed_rows(rows: &Centred, k: usize, streams: Vec<Stream>) -> Vec<Vec<usize>> {
    let targets = Targets::new(rows);
    match k > GREEDY_CENTERS {
        true => streams.into_iter().map(|rng| drawn_in_blocks(&targets, k, rng)).collect(),
        false => greedy(&targets, k, streams),
    }
}

/// The greedy seeding of one run under way.
struct Seeding {
    rng: Stream,
    /// Rows chosen as centres.
    chosen: Vec<usize>,
    /// Squared distance of each row to the nearest of them.
    nearest: Vec<f32>,
}

/// Seeds for each stream, in lockstep: the candidates of all runs are one product.
fn greedy(targets: &Targets, k: usize, streams: Vec<Stream>) -> Vec<Vec<usize>> {
    let n = targets.len();
    let trials = 2 + (k as f64).ln() as usize;
    let first = |mut rng: Stream| Seeding {
        chosen: vec![first_row(targets.rows, &mut rng)],
        nearest: vec![f32::INFINITY; n],
        rng,
    };
    let mut runs: Vec<Seeding> = streams.into_iter().map(first).collect();
    let start: Vec<usize> = runs.iter().map(|run| run.chosen[0]).collect();
    let distances = targets.distances_to(&start);
    for (run, distances) in runs.iter_mut().zip(distances.rows()) {
        run.nearest = distances.to_vec();
    }
    for _ in 1..k {
        interrupt::heed();
        let candidates: Vec<usize> = runs
            .par_iter_mut()
            .flat_map_iter(|run| draw(&targets.rows.weighed(&run.nearest), trials, &mut run.rng))
            .collect();
        let distances = targets.distances_to(&candidates);
        runs.par_iter_mut().enumerate().for_each(|(r, run)| {
            let own: Vec<_> = (r * trials..(r + 1) * trials)
                .map(|t| distances.row(t).to_slice().expect("rows lie in one piece"))
                .collect();
            // the lesser of two distances, times a weight, is the lesser of both times the weight
            let nearest = targets.rows.weighed(&run.nearest);
            let potentials: Vec<f64> =
                own.iter().map(|distances| potential(&nearest, &targets.rows.weighed(distances))).collect();
            let best = (0..trials).min_by(|&a, &b| potentials[a].total_cmp(&potentials[b])).expect("there is a trial");
            run.chosen.push(candidates[r * trials + best]);
            run.nearest.iter_mut().zip(own[best]).for_each(|(near, &new)| *near = near.min(new));
        });
    }
    runs.into_iter().map(|run| run.chosen).collect()
}

/// The row from which a run begins.
fn first_row(rows: &Centred, rng: &mut Stream) -> usize {
    match &rows.weights {
        Some(weights) => draw(weights, 1, rng)[0],
        None => rng.random_range(0..rows.rows.nrows()),
    }
}

/// Seeds drawn many at a time.
fn drawn_in_blocks(targets: &Targets, k: usize, mut rng: Stream) -> Vec<usize> {
    let mut chosen = vec![first_row(targets.rows, &mut rng)];
    let mut nearest = vec![f32::INFINITY; targets.len()];
    targets.lower(&mut nearest, &chosen);
    while chosen.len() < k {
        interrupt::heed();
        let count = chosen.len().min(LARGEST_DRAW).min(k - chosen.len());
        let kept = kept_of(targets, &draw(&targets.rows.weighed(&nearest), count, &mut rng), &nearest, &mut rng);
        targets.lower(&mut nearest, &kept);
        chosen.extend(kept);
    }
    chosen
}

/// Of rows drawn by their distances `nearest`, those that stand against the rows kept before them. The first always does.
fn kept_of(targets: &Targets, drawn: &[usize], nearest: &[f32], rng: &mut Stream) -> Vec<usize> {
    let between = targets.among(drawn);
    let mut kept: Vec<usize> = Vec::new();
    for (t, &row) in drawn.iter().enumerate() {
        let now = kept.iter().map(|&other| between[[t, other]]).fold(nearest[row], f32::min);
        if rng.random::<f32>() * nearest[row] <= now {
            kept.push(t);
        }
    }
    kept.into_iter().map(|t| drawn[t]).collect()
}

/// What is left of all distances if a row at these distances becomes a centre; partial sums in `f32` keep it fast.
fn potential(nearest: &[f32], distances: &[f32]) -> f64 {
    let parts = nearest.chunks(BLOCK).zip(distances.chunks(BLOCK));
    parts.map(|(a, b)| f64::from(a.iter().zip(b).map(|(a, b)| a.min(*b)).sum::<f32>())).sum()
}

/// Rows drawn with probability proportional to `weights` (uniformly where all are zero).
fn draw(weights: &[f32], count: usize, rng: &mut Stream) -> Vec<usize> {
    let mut sum = 0.0;
    let cumulative: Vec<f64> = weights
        .iter()
        .map(|&w| {
            sum += f64::from(w);
            sum
        })
        .collect();
    let last = weights.len() - 1;
    let one = |rng: &mut Stream| {
        let target = rng.random::<f64>() * sum;
        match sum > 0.0 {
            true => cumulative.partition_point(|&c| c <= target).min(last),
            false => rng.random_range(0..=last),
        }
    };
    (0..count).map(|_| one(rng)).collect()
}

/// The rows laid out for products with a few of them at a time, again and again.
struct Targets<'a> {
    rows: &'a Centred,
    /// Blocks of rows, each the right-hand side of products.
    blocks: Vec<Packed>,
}

impl<'a> Targets<'a> {
    fn new(rows: &'a Centred) -> Self {
        let blocks = rows.rows.axis_chunks_iter(Axis(0), BLOCK).into_par_iter();
        Self { rows, blocks: blocks.map(|block| Packed::new(block.t())).collect() }
    }

    fn len(&self) -> usize {
        self.rows.rows.nrows()
    }

    /// Squared distances `(chosen, n)` of all rows to some of them.
    fn distances_to(&self, chosen: &[usize]) -> Array2<f32> {
        let mut distances = Array2::zeros((chosen.len(), self.len()));
        let parts = distances.axis_chunks_iter_mut(Axis(1), BLOCK).into_par_iter().collect::<Vec<_>>();
        self.for_each_stretch(chosen, parts, |part, i, first, stretch| {
            let mut own = part.row_mut(i);
            let own = own.as_slice_mut().expect("rows lie in one piece");
            own[first..first + stretch.len()].copy_from_slice(stretch);
        });
        distances
    }

    /// Lowers the distances of all rows to those from some of them where these are nearer.
    fn lower(&self, nearest: &mut [f32], chosen: &[usize]) {
        let parts = nearest.par_chunks_mut(BLOCK).collect::<Vec<_>>();
        self.for_each_stretch(chosen, parts, |part, _, first, stretch| {
            part[first..].iter_mut().zip(stretch).for_each(|(near, new)| *near = near.min(*new));
        });
    }

    /// Gives `each` the distances of every block, with its part of what they are for: `(part, which of the chosen, first row in
    /// the block, distances of that row and those after)`.
    fn for_each_stretch<P: Send>(
        &self,
        chosen: &[usize],
        parts: Vec<P>,
        each: impl Fn(&mut P, usize, usize, &mut [f32]) + Sync,
    ) {
        let picked = self.rows.rows.select(Axis(0), chosen);
        let norms = squared_norms(picked.view());
        self.blocks.par_iter().zip(parts).zip(self.rows.norms.par_chunks(BLOCK)).for_each(
            |((block, mut part), row_norms)| {
                block.blocks_from(0, picked.view(), |products| {
                    let (row, first) = (products.row, products.column);
                    for i in 0..products.rows {
                        let stretch = products.entries(i);
                        for (product, row_norm) in stretch.iter_mut().zip(&row_norms[first..]) {
                            *product = (norms[row + i] + row_norm - 2.0 * *product).max(0.0);
                        }
                        each(&mut part, row + i, first, stretch);
                    }
                });
            },
        );
    }

    /// Squared distances between some of the rows.
    fn among(&self, chosen: &[usize]) -> Array2<f32> {
        let picked = self.rows.select(chosen);
        Targets::new(&picked).distances_to(&(0..chosen.len()).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn rows_are_drawn_in_proportion_to_their_weights() {
        let mut rng = Seed(3).stream("draw");
        let drawn = draw(&[1.0, 0.0, 3.0, 4.0], 8000, &mut rng);
        let share = |row: usize| drawn.iter().filter(|&&i| i == row).count() as f64 / 8000.0;
        for (row, expected) in [0.125, 0.0, 0.375, 0.5].into_iter().enumerate() {
            assert!((share(row) - expected).abs() < 0.02, "row {row}: {} for {expected}", share(row));
        }
        assert!(draw(&[0.0; 3], 100, &mut rng).iter().all(|&i| i < 3));
    }

    /// Groups on a line, far apart: draws in blocks find each of them once, as draws one by one do.
    #[test]
    fn blocks_do_not_draw_a_group_twice() {
        let line = |n: usize, groups: usize| {
            Centred::new(
                Array2::from_shape_fn((n, 1), |(i, _)| (i % groups) as f32 * 1e3 + i as f32 * 1e-4).view(),
                None,
            )
        };
        let rows = line(5000, 300);
        let chosen = drawn_in_blocks(&Targets::new(&rows), 300, Seed(1).stream("blocks"));
        let mut groups: Vec<usize> = chosen.iter().map(|row| row % 300).collect();
        groups.sort_unstable();
        groups.dedup();
        assert_eq!(groups.len(), 300);
        let equal = Centred::new(Array2::ones((20, 2)).view(), None);
        assert_eq!(drawn_in_blocks(&Targets::new(&equal), 20, Seed(1).stream("equal")).len(), 20, "equal rows end too");
    }

    /// Three rows at 0, 1 and 3, the first chosen: the next is the second with probability 1/10, in blocks as by hand.
    #[test]
    fn blocks_draw_with_the_probabilities_of_single_draws() {
        let rows = Centred::new(ndarray::array![[0.0], [1.0], [3.0]].view(), None);
        let targets = Targets::new(&rows);
        let nearest = [0.0, 1.0, 9.0];
        let mut rng = Seed(2).stream("blocks");
        let (mut pairs, mut second) = (0, 0);
        for _ in 0..20_000 {
            let kept = kept_of(&targets, &draw(&nearest, 2, &mut rng), &nearest, &mut rng);
            second += usize::from(kept[0] == 1);
            pairs += usize::from(kept == [2, 1]);
        }
        assert!((f64::from(second as u32) / 20_000.0 - 0.1).abs() < 0.01, "{second}");
        // the first draw is row 2 (9/10), the second row 1 (1/10), whose distance has not fallen: 4 from row 2 is above 1
        assert!((f64::from(pairs as u32) / 20_000.0 - 0.09).abs() < 0.01, "{pairs}");
    }
}
