//! Model files of every version that was ever written: each is read, and gives what it gave when it was written.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ndarray::Array2;
use neuncut::data::{ColumnNames, Scratch, Table, TableSpec};
use neuncut::features::FittedChain;
use neuncut::methods::{Model, argmax_rows};
use std::path::PathBuf;

/// Kernels of other processors round differently.
const TOLERANCE: f32 = 1e-4;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

fn table(name: &str) -> Array2<f32> {
    // a column called label is left out unless it is asked for
    let (paths, columns) = (vec![path(name).display().to_string()], Some(vec!["*".into()]));
    let spec = TableSpec { paths, columns, header: Some(true), ..Default::default() };
    let mut table = Table::open(&spec).unwrap();
    let mut values = Vec::new();
    while table.read(1000, &mut values).unwrap() > 0 {}
    Array2::from_shape_vec((values.len() / table.width(), table.width()), values).unwrap()
}

fn assert_close(found: &Array2<f32>, expected: &Array2<f32>, what: &str) {
    assert_eq!(found.dim(), expected.dim(), "{what}");
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart < TOLERANCE, "{what}: {apart} apart");
}

#[test]
fn models_of_every_version_label_rows_as_they_did() {
    for version in ["v1", "v2", "v3", "v4"] {
        let later: &[&str] = match version {
            "v3" => &["leiden", "lsc"],
            "v4" => &["leiden", "lsc", "edesc", "vade"],
            _ => &[],
        };
        for method in [&["neuncut", "kmeans", "spectralnet"], later].concat() {
            let name = format!("{version}/{method}");
            let model = Model::load(&path(&format!("{name}.safetensors"))).unwrap();
            let (rows, written) = (table("rows.csv"), table(&format!("{name}.csv")));
            let labels: Vec<u32> = written.column(0).iter().map(|&label| label as u32).collect();
            let memberships = written.slice_move(ndarray::s![.., 1..]);
            assert_eq!(model.predict(rows.view()).unwrap(), labels, "{name}");
            assert_eq!(argmax_rows(memberships.view()), labels, "{name}");
            assert_close(&model.memberships(rows.view()).unwrap(), &memberships, &name);
            let rows = if method == "leiden" { 60 } else { 300 }; // those of leiden are in the file
            assert_eq!((model.record.trained_rows, model.config.method.name()), (rows, method));
            // written again, by the version of today, it is the same model
            let bytes = model.to_bytes().unwrap();
            assert_eq!(Model::from_bytes(&bytes, &path("again")).unwrap(), model, "{name}");
        }
        let columns = Model::load(&path(&format!("{version}/kmeans.safetensors"))).unwrap().column_names;
        let names: Vec<String> = (1..=8).map(|column| format!("x{column}")).collect();
        assert_eq!(columns, if version == "v1" { ColumnNames::Unnamed } else { ColumnNames::Named(names) });
        let model = Model::load(&path(&format!("{version}/spectralnet.safetensors"))).unwrap();
        let embedding = model.embedding(table("rows.csv").view()).unwrap();
        assert_close(&embedding, &table(&format!("{version}/embedding.csv")), "embedding");
    }
}

#[test]
#[cfg(not(feature = "onnx"))]
fn encoders_are_refused_by_a_build_without_them() {
    let refused = Model::load(&path("../encoders/v5.safetensors")).unwrap_err().to_string();
    assert!(refused.contains("v5.safetensors: has an encoder") && refused.contains("`--features onnx`"), "{refused}");
    let refused = FittedChain::load(&path("../encoders/v2-steps.safetensors")).unwrap_err().to_string();
    assert!(refused.contains("v2-steps.safetensors: has an encoder"), "{refused}");
}

#[test]
fn a_record_of_other_clusters_is_refused() {
    let model = Model::load(&path("v4/kmeans.safetensors")).unwrap();
    let refused = |change: fn(&mut Model)| {
        let mut changed = model.clone();
        change(&mut changed);
        Model::from_bytes(&changed.to_bytes().unwrap(), &path("changed")).unwrap_err().to_string()
    };
    let messages = [
        refused(|model| model.record.cluster_shares.push(0.1)),
        refused(|model| model.record.merges = vec![(0, model.n_clusters() as u32)]),
    ];
    for message in messages {
        assert!(message.contains("has a record of other clusters than it has"), "{message}");
    }
}

#[test]
fn labels_of_the_fitted_rows_are_kept_beside_the_model() {
    let model = Model::load(&path("v4/kmeans.safetensors")).unwrap();
    let folder = Scratch::create_in(&std::env::temp_dir()).unwrap();
    let file = folder.path().join("model.safetensors");
    let labels: Vec<u32> = (0..50).map(|row| row % model.n_clusters() as u32).collect();
    model.save_with_labels(&file, &labels).unwrap();
    assert_eq!(Model::load_with_labels(&file).unwrap(), (model.clone(), Some(labels)));
    // they are no part of the model: it is written again without them
    assert_eq!(Model::load(&file).unwrap().to_bytes().unwrap(), model.to_bytes().unwrap());
    model.save(&file).unwrap();
    assert_eq!(Model::load_with_labels(&file).unwrap().1, None);
    model.save_with_labels(&file, &[model.n_clusters() as u32]).unwrap();
    let refused = Model::load_with_labels(&file).unwrap_err().to_string();
    assert!(refused.contains("has labels of clusters that it does not have"), "{refused}");
}

#[test]
fn feature_steps_of_every_version_give_what_they_gave() {
    let steps = FittedChain::load(&path("v1/steps.safetensors")).unwrap();
    assert_close(&steps.pipeline.transform(table("rows.csv").view()), &table("v1/steps.csv"), "features");
}
