//! Models, feature steps and settings: what the library itself reads.

use crate::target::Target;
use ndarray::{Array2, ArrayView2};
use neuncut::features::FittedChain;
use neuncut::methods::{Config, Model};
use std::path::Path;

/// Columns up to which rows are made for models and steps.
const MOST_COLUMNS: usize = 1 << 12;

/// Every target of this kind.
pub const TARGETS: [Target; 3] = [
    Target { name: "model", endings: &["safetensors"], gzip: false, body: model, on_disk: false },
    Target { name: "features", endings: &["safetensors"], gzip: false, body: features, on_disk: false },
    Target { name: "config", endings: &["toml"], gzip: false, body: config, on_disk: false },
];

/// A model: it gives finite memberships that sum to one, and is the same after another round.
fn model(path: &Path, bytes: &[u8]) {
    let Ok(model) = Model::from_bytes(bytes, path) else { return };
    if model.columns > MOST_COLUMNS {
        return;
    }
    if let Ok(memberships) = model.memberships(some_rows(model.columns).view()) {
        assert_eq!(memberships.ncols(), model.n_clusters());
        assert!(memberships.iter().all(|value| value.is_finite()), "a membership is not finite");
        let sums = memberships.rows().into_iter().map(|row| row.sum());
        assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-3), "memberships of a row do not sum to one");
    }
    let written = model.to_bytes().expect("what was read can be written");
    let again = Model::from_bytes(&written, path).expect("what was written can be read");
    assert_eq!(again.to_bytes().expect("it was written before"), written, "a model changes as it is written");
}

/// Feature steps: they give as many columns as they say.
fn features(path: &Path, bytes: &[u8]) {
    let Ok(chain) = FittedChain::from_bytes(bytes, path) else { return };
    let width = chain.pipeline.n_features(chain.columns);
    if chain.columns.max(width) <= MOST_COLUMNS {
        let rows = some_rows(chain.columns);
        let found = chain.transform(rows.view()).expect("only encoders fail, and here are none");
        assert_eq!(found.ncols(), width, "other columns than were promised");
    }
    let written = chain.to_bytes().expect("what was read can be written");
    assert!(FittedChain::from_bytes(&written, path).is_ok(), "what was written cannot be read");
}

/// A few rows that differ.
fn some_rows(columns: usize) -> Array2<f32> {
    let values: Vec<f32> = (0..3 * columns).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
    ArrayView2::from_shape((3, columns), &values).expect("the sizes agree").to_owned()
}

/// Settings: what is read is written as the same settings.
fn config(_: &Path, bytes: &[u8]) {
    let Some(config) = std::str::from_utf8(bytes).ok().and_then(|text| toml::from_str::<Config>(text).ok()) else {
        return;
    };
    if config.check().is_ok() {
        let text = toml::to_string(&config).expect("checked settings can be written");
        let again: Config = toml::from_str(&text).expect("settings that were written can be read");
        assert_eq!(toml::to_string(&again).expect("they were written before"), text);
    }
}
