//! The ONNX export, run by tract: labels and memberships are those of the model. `cargo xtask onnx` runs it.

use ndarray::Array2;
use neuncut::Seed;
use neuncut::job::Job;
use neuncut::methods::{Config, Method, Model};
use rand::RngExt;
use tract_onnx::prelude::*;

/// Five round clouds, all coordinates a little off zero.
fn clouds(columns: usize) -> Array2<f32> {
    let mut rng = Seed(3).stream("clouds");
    let centres = Array2::from_shape_fn((5, columns), |_| 6.0 * rng.random::<f32>());
    Array2::from_shape_fn((200, columns), |(i, j)| centres[[i % 5, j]] + rng.random::<f32>())
}

/// Memberships and labels of the exported model, in batches of one size or another.
fn run(model: &Model, rows: &Array2<f32>) -> (Array2<f32>, Vec<i64>) {
    let bytes = model.to_onnx().unwrap();
    let plan = onnx().model_for_read(&mut &bytes[..]).unwrap().into_optimized().unwrap();
    let plan = plan.into_runnable().unwrap();
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for chunk in rows.axis_chunks_iter(ndarray::Axis(0), 70) {
        let flat: Vec<f32> = chunk.iter().copied().collect();
        let input = Tensor::from_shape(&[chunk.nrows(), chunk.ncols()], &flat).unwrap();
        let found = plan.run(tvec!(input.into())).unwrap();
        values.extend_from_slice(found[0].try_as_plain_ram().unwrap().as_slice::<f32>().unwrap());
        labels.extend_from_slice(found[1].try_as_plain_ram().unwrap().as_slice::<i64>().unwrap());
    }
    (Array2::from_shape_vec((rows.nrows(), model.n_clusters()), values).unwrap(), labels)
}

fn agrees(model: &Model, rows: &Array2<f32>, what: &str) {
    let ours = model.memberships(rows.view()).unwrap();
    let (theirs, labels) = run(model, rows);
    let apart = ours.iter().zip(&theirs).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
    assert!(apart < 1e-4, "{what}: memberships are {apart} apart");
    let expected: Vec<i64> = model.predict(rows.view()).unwrap().into_iter().map(i64::from).collect();
    assert_eq!(labels, expected, "{what}");
}

fn fitted(method: &str, features: &str, representation: &str, rows: &Array2<f32>) -> Model {
    let config = Config::of(Method::named(method).unwrap(), 5);
    let mut settings: serde_json::Map<_, _> = toml::from_str("hidden = [16, 16]\nepochs = 5").unwrap();
    settings.retain(|name, _| config.settings().contains_key(name));
    let (features, representation) = (features.parse().unwrap(), representation.parse().unwrap());
    let config = Config { features, representation, ..config.with_settings(settings).unwrap() };
    Job::new(config).unwrap().fit(rows.view()).unwrap().model.unwrap()
}

#[test]
fn every_representation_and_chain_is_written() {
    for (features, representation, columns) in [
        ("", "raw", 2), // few columns: Fourier features
        ("", "standard", 7),
        ("", "unit", 20),
        ("pca=6,whiten=4", "ridge=0.01", 20),
        ("standardize,autoencoder=3", "raw", 9),
    ] {
        let mut rows = clouds(columns);
        let model = fitted("neuncut", features, representation, &rows);
        rows.row_mut(3).fill(0.0); // unit length leaves it as it is
        agrees(&model, &rows, &format!("{features} {representation}"));
    }
}

#[test]
fn rivals_that_leave_a_model_are_written() {
    let rows = clouds(6);
    for method in ["kmeans", "spectralnet", "cnc", "edesc", "depict", "vade"] {
        agrees(&fitted(method, "", "auto", &rows), &rows, method);
    }
}
