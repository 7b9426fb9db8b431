//! Deep rivals find clouds, label new rows, and give the same on any number of threads; their models give the authors' memberships.

use crate::Seed;
use crate::features::Step;
use crate::job::Job;
use crate::methods::{Config, Method, Model};
use crate::metrics::accuracy;
use crate::objective::SubspaceLoss;
use ndarray::{Array2, s};
use rand::RngExt;

const NAMES: [&str; 4] = ["cnc", "edesc", "depict", "vade"];
const SMALL: &str = "hidden = [32, 24]\nbatch = 50\nepochs = 15";

/// Three clouds, each along a line of its own through zero, for subspaces tell them apart too.
fn clouds(n: usize) -> (Array2<f32>, Vec<u32>) {
    let mut rng = Seed(3).stream("clouds");
    let rows = Array2::from_shape_fn((n, 6), |(i, j)| {
        let noise = rng.random::<f32>() - 0.5;
        if i % 3 == j / 2 { 3.0 + noise } else { 0.6 * noise }
    });
    (rows, (0..n).map(|i| (i % 3) as u32).collect())
}

fn fit(name: &str, settings: &str, rows: &Array2<f32>) -> (Model, Vec<u32>) {
    let settings = toml::from_str(&format!("{SMALL}\n{settings}")).unwrap();
    let config = Config::of(Method::named(name).unwrap(), 3).with_settings(settings).unwrap();
    let found = Job::new(config).unwrap().fit(rows.view()).unwrap();
    (found.model.unwrap(), found.labels)
}

#[test]
fn clouds_are_found_and_new_rows_too() {
    let (rows, truth) = clouds(600);
    for name in NAMES {
        let fitted = rows.slice(s![..400, ..]).to_owned();
        let (model, labels) = fit(name, "", &fitted);
        let predicted = model.predict(rows.view()).unwrap();
        assert_eq!(predicted[..400], labels, "{name}");
        let reached = accuracy(&predicted[400..], &truth[400..]).unwrap();
        assert!(reached > 0.97, "{name}: {reached}");
        let first = model.record.history.first().unwrap();
        assert_eq!(first.stage, if name == "cnc" { "siamese" } else { "autoencoder" });
    }
}

#[test]
fn clusters_of_the_ensemble_are_a_start() {
    let (rows, truth) = clouds(300);
    for name in ["edesc", "depict", "vade"] {
        let (_, labels) = fit(name, "first-clusters = \"ensemble\"", &rows);
        let reached = accuracy(&labels, &truth).unwrap();
        assert!(reached > 0.97, "{name}: {reached}");
    }
}

#[test]
fn memberships_of_subspaces_are_shares_of_smoothed_squares() {
    let (rows, _) = clouds(120);
    let (model, _) = fit("edesc", "subspace-dimensions = 2", &rows);
    let Some(Step::Project(bases)) = model.encoding.steps.first() else { panic!("codes are projected first") };
    let codes = model.embedding(rows.view()).unwrap();
    assert_eq!(codes.ncols(), 6);
    let expected = SubspaceLoss { dimensions: 2, smoothing: 5.0 }.memberships(codes.dot(bases).view());
    let found = model.memberships(rows.view()).unwrap();
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5));
}

#[test]
fn memberships_of_a_mixture_are_those_of_its_densities() {
    use super::vade::densities;
    use crate::features::Pipeline;
    use crate::objective::MixturePrior;
    let mut rng = Seed(4).stream("densities");
    let mut random = |rows, columns| Array2::from_shape_fn((rows, columns), |_| 2.0 * rng.random::<f32>() - 1.0);
    let (logits, means, spreads, codes) = (random(1, 3), random(3, 4) + 20.0, random(3, 4), random(9, 4) + 20.0);
    let prior = MixturePrior { logits: logits.view(), means: means.view(), log_variances: spreads.view() };
    let (Pipeline { steps }, head) = densities(prior);
    let found = head.memberships(&Pipeline { steps }, codes.view());
    for (code, found) in codes.rows().into_iter().zip(found.rows()) {
        let density = |c: usize| {
            let terms = (0..4).map(|j| {
                let l = f64::from(spreads[[c, j]]);
                l + f64::from(code[j] - means[[c, j]]).powi(2) / l.exp()
            });
            (f64::from(logits[[0, c]]) - 0.5 * terms.sum::<f64>()).exp()
        };
        let total: f64 = (0..3).map(density).sum();
        assert!((0..3).all(|c| (f64::from(found[c]) - density(c) / total).abs() < 1e-4));
    }
}

#[test]
fn bad_settings_are_named() {
    let refused = |name, settings| {
        let settings = toml::from_str(settings).unwrap();
        let config = Config::of(Method::named(name).unwrap(), 5).with_settings(settings).unwrap();
        Job::new(config).unwrap_err().to_string()
    };
    assert!(refused("cnc", "balance = -1").contains("balance is -1"));
    assert!(refused("cnc", "assignment-temperature = 0").contains("assignment-temperature is 0"));
    assert!(refused("cnc", "affinity = \"graph:edges.csv\"").contains("batches are drawn uniformly"));
    assert!(refused("edesc", "subspace-dimensions = 0").contains("subspace-dimensions is 0"));
    assert!(refused("edesc", "subspace-dimensions = 1000").contains("at most 4096"));
    assert!(refused("depict", "dropout = 1").contains("dropout is 1"));
    assert!(refused("vade", "code = 0").contains("code is 0"));
    assert!(refused("vade", "pretrain-epochs = 0").contains("pretrain-epochs is 0"));
    assert!(refused("vade", "device = \"cuda\"").contains("cpu for vade"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (rows, _) = clouds(240);
    for name in NAMES {
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(name, "", &rows).0.to_bytes().unwrap())
        };
        assert!(bytes(1) == bytes(3), "{name}");
    }
}
