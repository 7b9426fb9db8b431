//! Nearest neighbours and k-means on rows that peers read from the same file.

use crate::options::Options;
use ndarray::Array2;
use neuncut::baselines::KMeans;
use neuncut::clustering::Clusterer;
use neuncut::data::writers::create_matrix;
use neuncut::data::{Table, TableSpec};
use neuncut::graph::nearest_neighbors;
use neuncut::{Error, Result, Seed};
use rand::RngExt;
use serde_json::{Value, json};
use std::time::Instant;

/// Directions in which the rows of a group vary.
const DIRECTIONS: usize = 20;
const GROUPS: usize = 50;
/// Rows whose neighbours are printed, to be compared with a peer's.
const SHOWN: usize = 1000;

/// Writes `--rows` rows of `--dim` columns to `--out`: groups that vary in a few directions, and a little in all.
pub fn data(options: &Options) -> Result<Value> {
    let (n, d) = (options.get("rows", 70_000)?, options.get("dim", 500)?);
    let mut rng = Seed(0).stream("bench groups");
    let mut normal = move || (0..4).map(|_| rng.random::<f32>()).sum::<f32>() - 2.0;
    let centers = Array2::from_shape_fn((GROUPS, d), |_| normal());
    let directions = Array2::from_shape_fn((DIRECTIONS, d), |_| normal());
    let mut writer = create_matrix(options.required("out")?, d)?;
    let mut done = 0;
    while done < n {
        let count = (n - done).min(10_000);
        let weights = Array2::from_shape_fn((count, DIRECTIONS), |_| normal());
        let mut rows = neuncut_linalg::matmul(weights.view(), directions.view());
        for (i, mut row) in rows.rows_mut().into_iter().enumerate() {
            let center = centers.row((done + i) % GROUPS);
            row.zip_mut_with(&center, |x, c| *x += c + 0.3 * normal());
        }
        writer.write(rows.view())?;
        done += count;
    }
    writer.finish()?;
    Ok(json!({ "job": "data", "rows": n, "dim": d }))
}

/// The rows of `--data`, or the first `--rows` of them.
pub fn read(options: &Options) -> Result<Array2<f32>> {
    let paths = options.text("data").map(str::to_owned).into_iter().collect();
    let mut table = Table::open(&TableSpec { paths, ..Default::default() })?;
    let mut values = Vec::new();
    let most = options.get("rows", usize::MAX)?;
    while values.len() / table.width() < most && table.read(most.min(10_000), &mut values)? > 0 {}
    let width = table.width();
    values.truncate(values.len().min(most.saturating_mul(width)));
    Array2::from_shape_vec((values.len() / width, width), values).map_err(|e| Error::Degenerate(e.to_string()))
}

/// Seconds for the ten nearest neighbours of every row of `--data`.
pub fn knn(options: &Options) -> Result<Value> {
    let rows = read(options)?;
    let begin = Instant::now();
    let found = nearest_neighbors(rows.view(), options.get("neighbors", 10)?);
    let seconds = begin.elapsed().as_secs_f64();
    let shown: Vec<Vec<u32>> = found.indices.rows().into_iter().take(SHOWN).map(|row| row.to_vec()).collect();
    Ok(json!({ "job": "knn", "seconds": seconds, "neighbors": shown }))
}

/// Seconds of k-means with ten restarts on `--data`, and its inertia.
pub fn kmeans(options: &Options) -> Result<Value> {
    let rows = read(options)?;
    let kmeans = KMeans { restarts: options.get("restarts", 10)?, ..KMeans::new(options.get("clusters", 10)?) };
    let begin = Instant::now();
    let fitted = kmeans.fit(rows.view())?;
    Ok(json!({ "job": "kmeans", "seconds": begin.elapsed().as_secs_f64(), "inertia": fitted.inertia }))
}
