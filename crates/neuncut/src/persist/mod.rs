//! One safetensors file a model: weights, feature steps, configuration, record. Written whole or not at all.
//!
//! Tensors are named `layer.N.weight`, `layer.N.bias` and `feature.N.NAME`; everything else is one JSON document under the
//! metadata key `neuncut` (a single key, because several have no fixed order in the file, and equal models must be equal bytes).

mod steps;

use crate::data::AtomicFile;
use crate::network::{Layer, Weights};
use crate::neural_cut::{Config, Model, TrainingRecord};
use crate::{Error, Result};
use ndarray::{Array1, Array2};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use steps::StepRecord;

/// The version this program writes. Older ones are read; newer ones are refused by name.
pub const FORMAT_VERSION: u32 = 1;
/// The metadata key of the JSON document.
const KEY: &str = "neuncut";
/// No model is larger than this: a guard against reading a data file as a model.
const LARGEST: u64 = 4 << 30;

#[derive(Serialize, Deserialize)]
struct Header {
    format_version: u32,
    columns: usize,
    config: Config,
    features: Vec<StepRecord>,
    record: TrainingRecord,
}

/// Named arrays on their way to or from a file.
pub(crate) type Tensors = HashMap<String, (Vec<usize>, Vec<f32>)>;

impl Model {
    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut tensors = Tensors::new();
        for (l, layer) in self.weights.layers.iter().enumerate() {
            tensors.insert(format!("layer.{l}.weight"), matrix(&layer.weight));
            tensors.insert(format!("layer.{l}.bias"), vector(&layer.bias));
        }
        let features =
            self.features.steps.iter().enumerate().map(|(s, step)| steps::to_record(s, step, &mut tensors)).collect();
        let header = Header {
            format_version: FORMAT_VERSION,
            columns: self.columns,
            config: self.config.clone(),
            features,
            record: self.record.clone(),
        };
        let json =
            serde_json::to_string(&header).map_err(|e| Error::model("model", format!("cannot be written: {e}")))?;
        let bytes: HashMap<&String, (&Vec<usize>, Vec<u8>)> = tensors
            .iter()
            .map(|(name, (shape, values))| (name, (shape, values.iter().flat_map(|v| v.to_le_bytes()).collect())))
            .collect();
        let views = bytes
            .iter()
            .map(|(name, (shape, data))| Ok((name.as_str(), TensorView::new(Dtype::F32, shape.to_vec(), data)?)))
            .collect::<std::result::Result<Vec<_>, safetensors::SafeTensorError>>();
        views
            .and_then(|views| safetensors::serialize(views, Some(HashMap::from([(KEY.to_string(), json)]))))
            .map_err(|e| Error::model("model", format!("cannot be written: {e}")))
    }

    /// Writes the model; an existing file is replaced only by a complete one.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write_to(&mut file)?;
        file.commit()
    }

    /// Writes the model into a file that was opened before the work began, so that a bad path is known at once; committing it
    /// is left to the caller.
    pub fn write_to(&self, file: &mut AtomicFile) -> Result<()> {
        let bytes = self.to_bytes()?;
        file.write_all(&bytes).and_then(|()| file.flush()).map_err(Error::io("write", file.path()))
    }

    /// Reads a model.
    pub fn load(path: &Path) -> Result<Self> {
        let size = std::fs::metadata(path).map_err(Error::io("read", path))?.len();
        if size > LARGEST {
            return Err(Error::model(
                path,
                format!("is not a neuncut model: {size} bytes are too many; give the file that `neuncut fit -o` wrote"),
            ));
        }
        let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
        Self::from_bytes(&bytes, path)
    }

    /// Reads a model from bytes; `path` is what errors name.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self> {
        let remedy = "give the file that `neuncut fit -o` wrote";
        let broken = |what: String| Error::model(path, format!("{what}; {remedy}"));
        let foreign = |_| broken("is not a neuncut model, or is cut short".into());
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(foreign)?;
        let json = metadata.metadata().as_ref().and_then(|m| m.get(KEY));
        let json = json.ok_or_else(|| broken("is a safetensors file, but not a neuncut model".into()))?;
        check_version(json, path)?;
        let header: Header = serde_json::from_str(json).map_err(|e| broken(format!("has a damaged header ({e})")))?;
        let file = SafeTensors::deserialize(bytes).map_err(foreign)?;
        let mut tensors = read_tensors(&file).map_err(broken)?;
        let features =
            header.features.iter().enumerate().map(|(s, record)| steps::from_record(s, record, &mut tensors));
        let features = features.collect::<std::result::Result<Vec<_>, String>>().map_err(broken)?;
        let weights = read_weights(&mut tensors).map_err(broken)?;
        let is_whole = weights.n_outputs() == header.config.clusters && weights.is_finite();
        let inputs = features.iter().try_fold(header.columns, |columns, step| step.output_columns(columns));
        if !is_whole || inputs != Some(weights.n_inputs()) {
            return Err(broken("has weights that do not fit its configuration".into()));
        }
        Ok(Self {
            config: header.config,
            features: crate::features::Pipeline { steps: features },
            weights,
            columns: header.columns,
            record: header.record,
        })
    }
}

/// Looks at the version before anything else, so that a newer file is not called damaged.
fn check_version(json: &str, path: &Path) -> Result<()> {
    #[derive(Deserialize)]
    struct VersionOnly {
        format_version: u32,
    }
    match serde_json::from_str::<VersionOnly>(json) {
        Ok(v) if v.format_version > FORMAT_VERSION => Err(Error::model(
            path,
            format!(
                "has format version {}, but this program reads up to {FORMAT_VERSION}; update neuncut",
                v.format_version
            ),
        )),
        Ok(_) => Ok(()),
        Err(e) => Err(Error::model(path, format!("has a damaged header ({e}); fit the model again"))),
    }
}

fn matrix(array: &Array2<f32>) -> (Vec<usize>, Vec<f32>) {
    (array.shape().to_vec(), array.iter().copied().collect())
}

fn vector(array: &Array1<f32>) -> (Vec<usize>, Vec<f32>) {
    (vec![array.len()], array.to_vec())
}

fn read_tensors(file: &SafeTensors) -> std::result::Result<Tensors, String> {
    let mut tensors = Tensors::new();
    for (name, view) in file.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(format!("has tensor {name} of type {:?} where F32 is expected", view.dtype()));
        }
        let values = view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        tensors.insert(name, (view.shape().to_vec(), values));
    }
    Ok(tensors)
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

fn read_weights(tensors: &mut Tensors) -> std::result::Result<Weights, String> {
    let mut layers: Vec<Layer> = Vec::new();
    while tensors.contains_key(&format!("layer.{}.weight", layers.len())) {
        let l = layers.len();
        let weight = take_matrix(tensors, &format!("layer.{l}.weight"))?;
        let bias = take_vector(tensors, &format!("layer.{l}.bias"))?;
        let fits_previous = layers.last().is_none_or(|previous| previous.bias.len() == weight.nrows());
        if bias.len() != weight.ncols() || !fits_previous {
            return Err(format!("has a layer {l} whose sizes do not fit"));
        }
        layers.push(Layer { weight, bias });
    }
    if layers.is_empty() { Err("has no layers".into()) } else { Ok(Weights { layers }) }
}
