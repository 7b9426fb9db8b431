//! Rows in the plane, near ones near: t-SNE (van der Maaten and Hinton, 2008), exact, for a few thousand rows.
//!
//! Every row's forces are summed in the same order on any number of threads, so that the map is the same to the bit.

use ndarray::{Array2, ArrayView2};
use neuncut::features::{ArrayRows, Chain, ChainOptions};
use neuncut::train::Silent;
use neuncut::{Error, Result};
use rayon::prelude::*;

/// About so many neighbours pull at a row.
const PERPLEXITY: f64 = 30.0;
const STEPS: usize = 400;
/// Early steps in which neighbours pull harder, and how much.
const EARLY: usize = 100;
const EXAGGERATION: f32 = 12.0;
/// The map's size in units of its picture, and what stays free at the edges.
pub const WIDE: f32 = 760.0;
pub const HIGH: f32 = 620.0;
const MARGIN: f32 = 22.0;

/// Places of the rows `(n, d)` in the units of the map's picture, with one scale for both axes.
pub fn places_on_page(rows: ArrayView2<f32>) -> Result<Vec<[f32; 2]>> {
    Ok(fitted(&places(rows)?))
}

fn fitted(places: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let range = |axis: usize| {
        let values = places.iter().map(|place| place[axis]);
        values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let ((left, right), (low, high)) = (range(0), range(1));
    let unit =
        ((WIDE - 2.0 * MARGIN) / (right - left).max(1e-9)).min((HIGH - 2.0 * MARGIN) / (high - low).max(1e-9)).min(1e9);
    let tenth = |value: f32| (10.0 * value).round() / 10.0;
    let place = |place: &[f32; 2]| {
        let x = WIDE / 2.0 + unit * (place[0] - (left + right) / 2.0);
        let y = HIGH / 2.0 - unit * (place[1] - (low + high) / 2.0);
        [tenth(x), tenth(y)]
    };
    places.iter().map(place).collect()
}

/// The middle of the points of each of `k` clusters, coordinate by coordinate; none where it has no points.
pub fn median(places: &[[f32; 2]], labels: &[u32], k: usize) -> Vec<Option<[f32; 2]>> {
    let mut members = vec![[Vec::new(), Vec::new()]; k];
    for (place, &label) in places.iter().zip(labels) {
        (0..2).for_each(|axis| members[label as usize][axis].push(place[axis]));
    }
    let middle = |mut values: Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied()
    };
    members.into_iter().map(|[x, y]| Some([middle(x)?, middle(y)?])).collect()
}

/// Places of the rows `(n, d)` in the plane. Rows of one or two columns are their own places.
fn places(rows: ArrayView2<f32>) -> Result<Vec<[f32; 2]>> {
    match rows.ncols() {
        0 => Ok(vec![[0.0; 2]; rows.nrows()]),
        1 => Ok(rows.rows().into_iter().map(|row| [row[0], 0.0]).collect()),
        2 => Ok(rows.rows().into_iter().map(|row| [row[0], row[1]]).collect()),
        _ => embedded(rows),
    }
}

fn embedded(rows: ArrayView2<f32>) -> Result<Vec<[f32; 2]>> {
    let start = principal(rows)?;
    let n = rows.nrows();
    if n < 8 {
        return Ok(start);
    }
    let pull = pulls(rows);
    let mut places = start;
    let mut speed = vec![[0.0_f32; 2]; n];
    let mut gains = vec![[1.0_f32; 2]; n];
    let rate = (n as f32 / EXAGGERATION).max(50.0);
    for step in 0..STEPS {
        let (factor, momentum) = if step < EARLY { (EXAGGERATION, 0.5) } else { (1.0, 0.8) };
        let forces = forces(&places, &pull, factor);
        for i in 0..n {
            for axis in 0..2 {
                let (force, speed) = (forces[i][axis], &mut speed[i][axis]);
                let gain = &mut gains[i][axis];
                *gain = if (force > 0.0) == (*speed > 0.0) { (*gain * 0.8).max(0.01) } else { *gain + 0.2 };
                *speed = momentum * *speed - rate * *gain * force;
                places[i][axis] += *speed;
            }
        }
    }
    Ok(places)
}

/// The first two principal components, small: where the map begins.
fn principal(rows: ArrayView2<f32>) -> Result<Vec<[f32; 2]>> {
    let chain: Chain = "pca=2:centered".parse()?;
    let fitted = chain.fit(&mut ArrayRows::new(rows, None), &ChainOptions::default(), &mut Silent);
    let projected = match fitted {
        Ok(fitted) => fitted.pipeline.transform(rows),
        Err(Error::Interrupted) => return Err(Error::Interrupted),
        Err(_) => Array2::from_shape_fn((rows.nrows(), 2), |(i, j)| rows[[i, j]]), // of lower rank than two
    };
    let scale = projected.iter().fold(1e-30_f32, |most, value| most.max(value.abs()));
    Ok(projected.rows().into_iter().map(|row| [0.01 * row[0] / scale, 0.01 * row[1] / scale]).collect())
}

/// How much each pair pulls: symmetric, with a sum of one.
fn pulls(rows: ArrayView2<f32>) -> Array2<f32> {
    let n = rows.nrows();
    let squares: Vec<f32> = rows.rows().into_iter().map(|row| row.dot(&row)).collect();
    let products = neuncut_linalg::matmul(rows, rows.t());
    let perplexity = PERPLEXITY.min((n as f64 - 1.0) / 3.0);
    let mut conditional = Array2::zeros((n, n));
    conditional.outer_iter_mut().into_par_iter().enumerate().for_each(|(i, mut row)| {
        let distances: Vec<f64> =
            (0..n).map(|j| f64::from((squares[i] + squares[j] - 2.0 * products[[i, j]]).max(0.0))).collect();
        let weights = neighbourhood(&distances, i, perplexity.ln());
        row.iter_mut().zip(weights).for_each(|(out, weight)| *out = weight as f32);
    });
    let total = 2.0 * n as f32;
    Array2::from_shape_fn((n, n), |(i, j)| ((conditional[[i, j]] + conditional[[j, i]]) / total).max(1e-12))
}

/// Weights of the others around row `own` whose entropy is as asked for; found by halving.
fn neighbourhood(distances: &[f64], own: usize, entropy: f64) -> Vec<f64> {
    let least = distances.iter().enumerate().filter(|(j, _)| *j != own).map(|(_, d)| *d).fold(f64::INFINITY, f64::min);
    let weights = |sharpness: f64| -> (Vec<f64>, f64) {
        let mut weights: Vec<f64> = distances.iter().map(|d| (-sharpness * (d - least)).exp()).collect();
        weights[own] = 0.0;
        let total: f64 = weights.iter().sum::<f64>().max(1e-300);
        weights.iter_mut().for_each(|w| *w /= total);
        let found = weights.iter().filter(|w| **w > 0.0).map(|w| -w * w.ln()).sum();
        (weights, found)
    };
    let (mut low, mut high, mut sharpness) = (0.0, f64::INFINITY, 1.0 / least.max(1e-9));
    for _ in 0..50 {
        let found = weights(sharpness).1;
        if (found - entropy).abs() < 1e-4 {
            break;
        }
        if found > entropy {
            low = sharpness;
            sharpness = if high.is_finite() { (low + high) / 2.0 } else { 2.0 * sharpness };
        } else {
            high = sharpness;
            sharpness = (low + high) / 2.0;
        }
    }
    weights(sharpness).0
}

/// The gradient of the divergence, up to a factor.
fn forces(places: &[[f32; 2]], pull: &Array2<f32>, factor: f32) -> Vec<[f32; 2]> {
    let sums: Vec<f64> =
        places.par_iter().map(|a| places.iter().map(|b| f64::from(closeness(a, b))).sum::<f64>() - 1.0).collect();
    let total = sums.iter().sum::<f64>().max(1e-12) as f32;
    places
        .par_iter()
        .enumerate()
        .map(|(i, a)| {
            let mut force = [0.0_f32; 2];
            for (b, p) in places.iter().zip(pull.row(i)) {
                let near = closeness(a, b);
                let strength = 4.0 * (factor * p - near / total) * near;
                force[0] += strength * (a[0] - b[0]);
                force[1] += strength * (a[1] - b[1]);
            }
            force
        })
        .collect()
}

fn closeness(a: &[f32; 2], b: &[f32; 2]) -> f32 {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    1.0 / (1.0 + x * x + y * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stay_together() {
        // three tight groups in ten dimensions
        let rows = Array2::from_shape_fn((90, 10), |(i, j)| {
            let noise = ((i * 31 + j * 17) % 13) as f32 / 13.0;
            if j == i % 3 { 10.0 + noise } else { noise }
        });
        let places = places(rows.view()).unwrap();
        let distance = |a: usize, b: usize| {
            let (x, y) = (places[a][0] - places[b][0], places[a][1] - places[b][1]);
            (x * x + y * y).sqrt()
        };
        let (mut inside, mut between) = (0.0_f32, f32::INFINITY);
        for a in 0..90 {
            for b in 0..a {
                if a % 3 == b % 3 { inside = inside.max(distance(a, b)) } else { between = between.min(distance(a, b)) }
            }
        }
        assert!(places.iter().flatten().all(|v| v.is_finite()) && between > 0.3 * inside, "{inside} {between}");
    }

    #[test]
    fn places_fill_the_map_with_one_scale() {
        let placed = fitted(&[[0.0, 0.0], [2.0, 1.0]]);
        assert_eq!((placed[0][0], placed[1][0]), (MARGIN, WIDE - MARGIN));
        assert_eq!(placed[0][1] - placed[1][1], (WIDE - 2.0 * MARGIN) / 2.0);
        assert!(fitted(&[[1.0, 1.0]])[0].iter().all(|v| v.is_finite()));
        let middles = median(&[[0.0, 5.0], [9.0, 1.0], [1.0, 0.0]], &[1, 1, 1], 2);
        assert_eq!(middles, [None, Some([1.0, 1.0])]);
    }

    #[test]
    fn planes_and_few_or_equal_rows_are_places_too() {
        let plane = Array2::from_shape_fn((3, 2), |(i, j)| (i + j) as f32);
        assert_eq!(places(plane.view()).unwrap()[2], [2.0, 3.0]);
        for n in [1, 5, 20] {
            let equal = places(Array2::<f32>::ones((n, 4)).view()).unwrap();
            assert!(equal.len() == n && equal.iter().flatten().all(|v| v.is_finite()));
        }
    }
}
