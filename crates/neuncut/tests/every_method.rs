//! Every method, in each of its forms, on rows that have little to cluster: labels or one clear sentence, no panic and no hang.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ndarray::Array2;
use neuncut::job::Job;
use neuncut::{Config, Method, Result};
use std::sync::mpsc;
use std::time::Duration;

/// A fit of so few rows takes far less.
const PATIENCE: Duration = Duration::from_secs(120);

/// Networks that are trained in no time.
const SMALL: &str = "hidden = [8]\nepochs = 2\nbatch = 64\nsenet-layers = [8, 4]\nsenet-steps = 5\nrestarts = 2\nmembers = 3\nheads = 2";

/// Settings with which a method takes another way through its code, behind its name.
const FORMS: [&str; 27] = [
    "neuncut affinity = 'self-expressive'",
    "neuncut affinity = 'siamese'",
    "neuncut affinity = 'senet'",
    "neuncut init = 'random'",
    "neuncut init = 'k-means'",
    "neuncut init = 'overcluster'",
    "neuncut objective = 'log'",
    "ncut affinity = 'self-expressive'",
    "ncut rounding = 'cluster-qr'",
    "ncut rounding = 'discretize'",
    "ncut rounding = 'rotation'",
    "leiden resolution = 1.0",
    "rotation rotation = 'discretize'",
    "nsc nonnegative-start = 'nndsvd'",
    "nsc nonnegative-start = 'random'",
    "senet-sc coefficients = 'closed-form'",
    "senet-sc coefficient-graph = 'second-order'",
    "senet-sc coefficients = 'closed-form'\ncoefficient-graph = 'second-order'",
    "autosc placement = 'anchors'",
    "nystrom anchor-choice = 'leverage'",
    "uspec anchor-choice = 'k-means++'",
    "uspec anchor-choice = 'random'",
    "bipartite layers = 3",
    "icon head-start = 'ensemble'",
    "edesc first-clusters = 'ensemble'",
    "depict first-clusters = 'ensemble'",
    "vade first-clusters = 'ensemble'",
];

/// All methods, and what has a form of its own.
fn every_form() -> impl Iterator<Item = &'static str> {
    Method::NAMES.into_iter().chain(FORMS)
}

/// A method with small networks, in the form that is named.
fn config(form: &str, k: usize) -> Config {
    let (name, own) = form.split_once(' ').unwrap_or((form, ""));
    let config = Config::of(Method::named(name).unwrap(), k);
    let mut settings: serde_json::Map<_, _> = toml::from_str(SMALL).unwrap();
    let known = config.settings();
    settings.retain(|key, _| known.contains_key(key));
    settings.extend(toml::from_str::<serde_json::Map<_, _>>(own).unwrap());
    config.with_settings(settings).unwrap()
}

/// The labels of a fit that comes to its end in time.
fn labels(name: &str, k: usize, rows: &Array2<f32>, what: &str) -> Result<Vec<u32>> {
    let (send, receive) = mpsc::channel();
    let (job, owned) = (Job::new(config(name, k)).unwrap(), rows.clone());
    std::thread::spawn(move || {
        let outcome = job.fit(owned.view());
        let _ = send.send(outcome.map(|outcome| {
            if let Some(model) = &outcome.model {
                // what was fitted can be labelled again, far rows too
                let again = model.predict(owned.view()).unwrap();
                assert_eq!(again, outcome.labels);
                let far = owned.mapv(|x| 1e6 * (x + 1.0));
                assert!(model.memberships(far.view()).unwrap().iter().all(|share| share.is_finite()));
                let bytes = model.to_bytes().unwrap();
                let back = neuncut::methods::Model::from_bytes(&bytes, std::path::Path::new("model")).unwrap();
                assert_eq!(back.predict(owned.view()).unwrap(), again);
            }
            outcome.labels
        }));
    });
    receive.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{name}, {what}, k = {k}: {error}"))
}

/// Labels below `k` for every row, or a sentence.
fn check(name: &str, k: usize, rows: &Array2<f32>, what: &str) -> Option<Vec<u32>> {
    match labels(name, k, rows, what) {
        Ok(labels) => {
            assert_eq!(labels.len(), rows.nrows(), "{name}, {what}");
            assert!(labels.iter().all(|&label| (label as usize) < k), "{name}, {what}, k = {k}: {labels:?}");
            Some(labels)
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.len() > 20 && !text.contains("panic"), "{name}, {what}, k = {k}: {text}");
            None
        }
    }
}

#[test]
fn rows_with_little_to_cluster_give_labels_or_a_sentence() {
    let constant = Array2::from_elem((12, 3), 2.5);
    let duplicates = Array2::from_shape_fn((60, 3), |(i, j)| ((i % 5) * (j + 2)) as f32);
    let spread = |i: usize, j: usize| ((i * (j + 3) * 37) % 61) as f32 * 0.01;
    let apart = Array2::from_shape_fn((60, 3), |(i, j)| (i % 4) as f32 * 1e4 + spread(i, j));
    let plain = Array2::from_shape_fn((30, 3), |(i, j)| spread(i, j) + (i % 3) as f32);
    let huge = plain.mapv(|x| x * 1e18);
    for name in every_form() {
        assert!(check(name, 2, &constant, "constant rows").is_none(), "{name}: equal rows have no clusters");
        check(name, 1, &constant, "constant rows");
        check(name, 3, &duplicates, "duplicates");
        check(name, 8, &duplicates, "fewer different rows than clusters");
        check(name, 2, &apart, "more pieces than clusters");
        check(name, 6, &apart, "fewer pieces than clusters");
        check(name, 1, &plain, "one cluster");
        check(name, 30, &plain, "as many clusters as rows");
        check(name, 3, &huge, "huge values");
        check(name, 1, &Array2::from_elem((1, 3), 1.0), "one row");
        assert!(check(name, 31, &plain, "more clusters than rows").is_none(), "{name}");
    }
}

#[test]
fn what_is_plain_is_found_by_every_method() {
    // three clouds far apart, on lines through zero so that subspaces tell them apart too
    let rows = Array2::from_shape_fn((90, 3), |(i, j)| {
        let along = 5.0 + (i / 3) as f32 * 0.05;
        if i % 3 == j { along } else { ((i * (j + 3) * 37) % 61) as f32 * 1e-3 }
    });
    for name in every_form() {
        let labels =
            check(name, 3, &rows, "three clouds").unwrap_or_else(|| panic!("{name} has labels for three clouds"));
        // networks of two epochs need not have learnt anything yet, and random memberships lead nsc to poorer optima
        let untrained = config(name, 3).settings().contains_key("epochs")
            || (name.starts_with("senet-sc") && !name.contains("closed-form"));
        let free = untrained || name == "nsc nonnegative-start = 'random'";
        assert!(free || (0..90).all(|i| labels[i] == labels[i % 3]), "{name}: {labels:?}");
    }
}
