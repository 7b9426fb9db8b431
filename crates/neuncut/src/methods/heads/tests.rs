//! Heads on rows in plain clusters: they find them, and the same on any number of threads.

use crate::Seed;
use crate::job::Job;
use crate::methods::{Config, Method};
use crate::metrics::accuracy;
use ndarray::Array2;
use rand::RngExt;

const NAMES: [&str; 4] = ["icon", "temi", "scan", "turtle"];

/// So many rows around `k` directions in 20 dimensions, and the direction of each.
fn directions(n: usize, k: usize) -> (Array2<f32>, Vec<u32>) {
    let mut rng = Seed(2).stream("directions");
    let mut draw = |scale: f32| scale * (rng.random::<f32>() - 0.5);
    let centres = Array2::from_shape_fn((k, 20), |_| draw(1.0));
    let rows = Array2::from_shape_fn((n, 20), |(i, j)| centres[[i % k, j]] + draw(0.5));
    (rows, (0..n as u32).map(|i| i % k as u32).collect())
}

fn config(name: &str, k: usize) -> Config {
    let config = Config::of(Method::named(name).unwrap(), k);
    let mut settings: serde_json::Map<_, _> =
        toml::from_str("batch = 200\nepochs = 250\nhidden = [64, 64]\nheads = 3\nlr = 3e-3").unwrap();
    let known = config.settings();
    settings.retain(|key, _| known.contains_key(key));
    Config { seed: 3, ..config.with_settings(settings).unwrap() }
}

#[test]
fn plain_clusters_are_found() {
    let (rows, truth) = directions(800, 4);
    for name in NAMES {
        let outcome = Job::new(config(name, 4)).unwrap().fit(rows.view()).unwrap();
        let reached = accuracy(&outcome.labels, &truth).unwrap();
        assert!(reached > 0.98, "{name}: {reached}");
        let model = outcome.model.unwrap();
        assert_eq!(model.record.history.len(), 1, "{name}");
        let (fresh, truth) = directions(900, 4);
        let found = model.predict(fresh.slice(ndarray::s![800.., ..])).unwrap();
        assert!(accuracy(&found, &truth[800..]).unwrap() > 0.95, "{name}");
    }
}

#[test]
fn heads_are_the_same_on_any_number_of_threads() {
    let (rows, _) = directions(300, 4);
    for name in NAMES {
        let bytes = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let fit = || Job::new(config(name, 4)).unwrap().fit(rows.view()).unwrap().model.unwrap().to_bytes();
            pool.install(fit).unwrap()
        };
        assert_eq!(bytes(1), bytes(3), "{name}");
    }
}
