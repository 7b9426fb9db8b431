//! Greedy k-means++: each centre is the best of a few rows drawn with probability proportional to their squared distance.

use super::lloyd::{BLOCK, Centred, squared_norms};
use crate::linalg::{Cores, matmul_into};
use crate::seed::Stream;
use ndarray::{Array2, Axis};
use rand::RngExt;
use rayon::prelude::*;

/// The seeding of one run under way.
struct Seeding {
    rng: Stream,
    /// Rows chosen as centres.
    chosen: Vec<usize>,
    /// Squared distance of each row to the nearest of them.
    nearest: Vec<f32>,
}

/// Centres `(k, d)` for each stream, in lockstep: the candidates of all runs are one product.
pub(super) fn seed_centers(rows: &Centred, k: usize, streams: Vec<Stream>) -> Vec<Array2<f32>> {
    let n = rows.rows.nrows();
    let trials = 2 + (k as f64).ln() as usize;
    let first =
        |mut rng: Stream| Seeding { chosen: vec![rng.random_range(0..n)], nearest: vec![f32::INFINITY; n], rng };
    let mut runs: Vec<Seeding> = streams.into_iter().map(first).collect();
    let start: Vec<usize> = runs.iter().map(|run| run.chosen[0]).collect();
    let distances = distances_to(rows, &start);
    for (run, distances) in runs.iter_mut().zip(distances.rows()) {
        run.nearest = distances.to_vec();
    }
    for _ in 1..k {
        let candidates: Vec<usize> =
            runs.par_iter_mut().flat_map_iter(|run| draw(&run.nearest, trials, &mut run.rng)).collect();
        let distances = distances_to(rows, &candidates);
        runs.par_iter_mut().enumerate().for_each(|(r, run)| {
            let own: Vec<_> =
                (r * trials..(r + 1) * trials).map(|t| distances.row(t).to_slice().unwrap_or(&[])).collect();
            let potentials: Vec<f64> = own.iter().map(|distances| potential(&run.nearest, distances)).collect();
            let best = (0..trials).min_by(|&a, &b| potentials[a].total_cmp(&potentials[b])).unwrap_or(0);
            run.chosen.push(candidates[r * trials + best]);
            run.nearest.iter_mut().zip(own[best]).for_each(|(near, &new)| *near = near.min(new));
        });
    }
    runs.iter().map(|run| rows.rows.select(Axis(0), &run.chosen)).collect()
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

/// Squared distances `(chosen, n)` of all rows to some of them.
fn distances_to(rows: &Centred, chosen: &[usize]) -> Array2<f32> {
    let picked = rows.rows.select(Axis(0), chosen);
    let picked_norms = squared_norms(picked.view());
    let mut distances = Array2::zeros((chosen.len(), rows.rows.nrows()));
    let blocks = distances.axis_chunks_iter_mut(Axis(1), BLOCK).into_par_iter();
    blocks.zip(rows.rows.axis_chunks_iter(Axis(0), BLOCK)).enumerate().for_each(|(b, (mut out, block))| {
        let mut products = Array2::zeros((chosen.len(), block.nrows()));
        matmul_into(products.view_mut(), picked.view(), block.t(), Cores::One);
        let norms = &rows.norms[b * BLOCK..b * BLOCK + block.nrows()];
        for ((mut out, products), norm) in out.rows_mut().into_iter().zip(products.rows()).zip(&picked_norms) {
            for ((out, product), row_norm) in out.iter_mut().zip(products).zip(norms) {
                *out = (norm + row_norm - 2.0 * product).max(0.0);
            }
        }
    });
    distances
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
}
