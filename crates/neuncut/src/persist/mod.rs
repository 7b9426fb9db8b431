//! One safetensors file a model: weights, feature steps, configuration, record. Written whole or not at all.
//!
//! Tensors are named `layer.N.weight`, `layer.N.bias`, `feature.N.NAME` and `affinity.NAME.N...`; everything else is one JSON document under the
//! metadata key `neuncut` (a single key, because several have no fixed order in the file, and equal models must be equal bytes).

mod affinity;
mod container;
mod fitted_chain;
mod onnx;
mod steps;

use crate::data::AtomicFile;
use crate::network::{Layer, Weights};
use crate::neural_cut::{Config, Model, TrainingRecord};
use crate::{Error, Result};
use affinity::AffinityRecord;
use container::Kind;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use steps::StepRecord;

/// The version this program writes. Older ones are read; newer ones are refused by name.
pub const FORMAT_VERSION: u32 = 1;

const MODEL: Kind =
    Kind { key: "neuncut", name: "a neuncut model", remedy: "give the file that `neuncut fit -o` wrote" };

#[derive(Serialize, Deserialize)]
struct Header {
    format_version: u32,
    columns: usize,
    config: Config,
    features: Vec<StepRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    affinity: Option<AffinityRecord>,
    record: TrainingRecord,
}

/// Named arrays on their way to or from a file.
pub(crate) type Tensors = HashMap<String, (Vec<usize>, Vec<f32>)>;

impl Model {
    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut tensors = Tensors::new();
        put_weights(&self.weights, "layer", &mut tensors);
        let features = steps::to_records(&self.features, &mut tensors);
        let affinity = self.affinity.as_ref().map(|affinity| affinity::to_record(affinity, &mut tensors));
        let header = Header {
            format_version: FORMAT_VERSION,
            columns: self.columns,
            config: self.config.clone(),
            features,
            affinity,
            record: self.record.clone(),
        };
        let json =
            serde_json::to_string(&header).map_err(|e| Error::model("model", format!("cannot be written: {e}")))?;
        MODEL.to_bytes(json, &tensors)
    }

    /// Writes the model; an existing file is replaced only by a complete one.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write_to(&mut file)?;
        Ok(file.commit()?)
    }

    /// Writes the model into a file that was opened before the work began, so that a bad path is known at once; committing it
    /// is left to the caller.
    pub fn write_to(&self, file: &mut AtomicFile) -> Result<()> {
        container::write(file, &self.to_bytes()?)
    }

    /// Reads a model.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_bytes(&MODEL.read(path)?, path)
    }

    /// Reads a model from bytes; `path` is what errors name.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self> {
        let (json, mut tensors) = MODEL.parse(bytes, path)?;
        let broken = |what: String| MODEL.broken(path, what);
        let header: Header = serde_json::from_str(&json).map_err(|e| broken(format!("has a damaged header ({e})")))?;
        let features = steps::from_records(&header.features, header.columns, &mut tensors).map_err(broken)?;
        let weights = read_weights(&mut tensors, "layer").map_err(broken)?;
        let fits =
            weights.n_outputs() == header.config.clusters && weights.n_inputs() == features.n_features(header.columns);
        if !fits || !weights.is_finite() {
            return Err(broken("has weights that do not fit its configuration".into()));
        }
        let affinity = header.affinity.map(|record| affinity::from_record(&record, &mut tensors)).transpose();
        let affinity = affinity.map_err(broken)?;
        let Header { config, columns, record, .. } = header;
        Ok(Self { config, features, weights, columns, affinity, record })
    }
}

fn matrix(array: &Array2<f32>) -> (Vec<usize>, Vec<f32>) {
    (array.shape().to_vec(), array.iter().copied().collect())
}

fn vector(array: &Array1<f32>) -> (Vec<usize>, Vec<f32>) {
    (vec![array.len()], array.to_vec())
}

/// Takes a matrix out of the tensors by name.
pub(crate) fn take_matrix(tensors: &mut Tensors, name: &str) -> std::result::Result<Array2<f32>, String> {
    match tensors.remove(name) {
        Some((shape, values)) if shape.len() == 2 => {
            Array2::from_shape_vec((shape[0], shape[1]), values).map_err(|e| e.to_string())
        }
        _ => Err(format!("lacks the matrix {name}")),
    }
}

/// Takes a vector out of the tensors by name.
pub(crate) fn take_vector(tensors: &mut Tensors, name: &str) -> std::result::Result<Array1<f32>, String> {
    match tensors.remove(name) {
        Some((shape, values)) if shape.len() == 1 => Ok(Array1::from_vec(values)),
        _ => Err(format!("lacks the vector {name}")),
    }
}

/// Puts the layers of a network among the tensors, as `PREFIX.N.weight` and `PREFIX.N.bias`.
fn put_weights(weights: &Weights, prefix: &str, tensors: &mut Tensors) {
    for (l, layer) in weights.layers.iter().enumerate() {
        tensors.insert(format!("{prefix}.{l}.weight"), matrix(&layer.weight));
        tensors.insert(format!("{prefix}.{l}.bias"), vector(&layer.bias));
    }
}

fn read_weights(tensors: &mut Tensors, prefix: &str) -> std::result::Result<Weights, String> {
    let mut layers: Vec<Layer> = Vec::new();
    while tensors.contains_key(&format!("{prefix}.{}.weight", layers.len())) {
        let l = layers.len();
        let weight = take_matrix(tensors, &format!("{prefix}.{l}.weight"))?;
        let bias = take_vector(tensors, &format!("{prefix}.{l}.bias"))?;
        let fits_previous = layers.last().is_none_or(|previous| previous.bias.len() == weight.nrows());
        if bias.len() != weight.ncols() || !fits_previous {
            return Err(format!("has a layer {l} whose sizes do not fit"));
        }
        layers.push(Layer { weight, bias });
    }
    if layers.is_empty() { Err("has no layers".into()) } else { Ok(Weights { layers }) }
}
