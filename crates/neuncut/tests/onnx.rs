//! The ONNX export, run by tract: labels and memberships are those of the model. `cargo xtask onnx` runs it.

use ndarray::Array2;
use neuncut::Seed;
use neuncut::clustering::Clusterer;
use neuncut::neural_cut::{Auto, Config, Model, NeuralCut};
use neuncut::rivals::Rival;
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

fn small(features: &str, representation: &str) -> Config {
    Config {
        features: features.parse().unwrap(),
        representation: representation.parse().unwrap(),
        hidden: vec![16, 16],
        epochs: Auto::Given(5),
        ..Config::new(5)
    }
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
        let fitted = NeuralCut::new(small(features, representation)).unwrap().fit(rows.view()).unwrap();
        rows.row_mut(3).fill(0.0); // unit length leaves it as it is
        agrees(&fitted.model, &rows, &format!("{features} {representation}"));
    }
}

#[test]
fn rivals_that_leave_a_model_are_written() {
    let rows = clouds(6);
    for method in ["kmeans", "spectralnet"] {
        let method = serde_json::from_value(method.into()).unwrap();
        let config = Config { method, ..small("", "auto") };
        let model = Rival::new(config).unwrap().fit(rows.view()).unwrap().model.unwrap();
        agrees(&model, &rows, method.name());
    }
}
