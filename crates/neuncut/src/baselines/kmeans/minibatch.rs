//! Many rows: restarts on a sample, then mini-batches of all rows (Sculley 2010).

use super::KMeans;
use super::lloyd::{Centred, pass};
use crate::Seed;
use ndarray::{Array2, Axis};
use rand::seq::{SliceRandom, index};

/// Rows of the sample on which the restarts run, at least; and rows of it a cluster.
const SAMPLE: usize = 50_000;
const SAMPLE_PER_CLUSTER: usize = 256;
/// Rows a mini-batch, at least; and rows of it a cluster.
const BATCH: usize = 8192;
const BATCH_PER_CLUSTER: usize = 32;
/// Most passes over the rows.
const MOST_PASSES: usize = 10;
/// Passes end when the mean distance in a pass falls by less than this share.
const LEAST_GAIN: f64 = 1e-3;

/// Centres `(k, d)` of centred rows.
pub(super) fn fit(options: &KMeans, rows: &Centred) -> Array2<f32> {
    let (n, k) = (rows.rows.nrows(), options.n_clusters);
    let mut rng = Seed(options.seed).stream("k-means mini-batches");
    let sampled = SAMPLE.max(SAMPLE_PER_CLUSTER * k).min(n / 4).max(k);
    let mut sample = index::sample(&mut rng, n, sampled).into_vec();
    sample.sort_unstable();
    let mut centers = options.best_run(&rows.select(&sample));
    let batch = BATCH.max(BATCH_PER_CLUSTER * k).min(n);
    let mut order: Vec<usize> = (0..n).collect();
    let mut seen = vec![0.0; k];
    let mut previous = f64::INFINITY;
    for _ in 0..MOST_PASSES {
        order.shuffle(&mut rng);
        let mut inertia = 0.0;
        for chosen in order.chunks(batch) {
            let found = pass(&rows.select(chosen), &[&centers]);
            let sums = &found[0];
            inertia += sums.inertia;
            for (c, mut center) in centers.axis_iter_mut(Axis(0)).enumerate() {
                if sums.counts[c] > 0.0 {
                    seen[c] += sums.counts[c];
                    let (count, all) = (sums.counts[c], seen[c]);
                    center
                        .zip_mut_with(&sums.sums.row(c), |x, &sum| *x += ((sum - count * f64::from(*x)) / all) as f32);
                }
            }
        }
        if previous - inertia <= LEAST_GAIN * inertia {
            break;
        }
        previous = inertia;
    }
    // one full step: every centre is the mean of its rows
    let found = pass(rows, &[&centers]);
    found[0].means(rows, &centers)
}
