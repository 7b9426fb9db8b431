//! One safetensors file a model: weights, feature steps, configuration, record. Written whole or not at all.
//!
//! Tensors are named `layer.N.weight`, `layer.N.bias`, `PART.N.NAME` (the parts are `chain`, `representation`, `embedding` and `encoding`)
//! and `affinity.NAME.N...`, and `labels` where those of the fitted rows are kept; everything else is one JSON document under the metadata key `neuncut` (a single key, because several have no fixed order in the file, and equal models must be equal bytes).
//!
//! ```
//! use neuncut::Config;
//! use neuncut::methods::Model;
//! use neuncut::network::Weights;
//!
//! let weights = Weights::random(&[3, 2], &mut neuncut::Seed(0).stream("example"));
//! let model = Model::new(Config::new(2), 3, weights);
//! let bytes = model.to_bytes()?;
//! assert_eq!(Model::from_bytes(&bytes, "example".as_ref())?.to_bytes()?, bytes);
//! # Ok::<(), neuncut::Error>(())
//! ```

mod affinity;
mod container;
mod fitted_chain;
mod header;
mod onnx;
mod steps;

use crate::data::{AtomicFile, ColumnNames};
use crate::features::Pipeline;
use crate::methods::{Model, Reach};
use crate::network::{Layer, Weights};
use crate::train::History;
use crate::{Error, Result};
use container::FileKind;
use header::{Header, Parts};
use ndarray::{Array1, Array2};
use std::collections::HashMap;
use std::path::Path;
use steps::{Inside, StepRecord};

const MODEL: FileKind = FileKind {
    key: "neuncut",
    name: "a neuncut model",
    remedy: "give the file that `neuncut fit -o` wrote",
    version: header::WITH_ENCODER,
};

/// The labels of the rows that were fitted, which are no part of the model. As `f32` every number of a cluster is exact, and programs
/// that do not know the array pass over it.
const LABELS: &str = "labels";

/// Named arrays on their way to or from a file.
pub(crate) type Tensors = HashMap<String, (Vec<usize>, Vec<f32>)>;

impl Model {
    /// The bytes of the model file.
    ///
    /// # Errors
    /// When the settings cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.to_bytes_beside(Tensors::new())
    }

    /// The bytes of the model file, with these arrays beside its own.
    fn to_bytes_beside(&self, mut tensors: Tensors) -> Result<Vec<u8>> {
        put_weights(&self.head, "layer", &mut tensors);
        let mut records = |part, name| steps::to_records(part, name, &mut tensors);
        let parts = Parts {
            chain: records(&self.chain, "chain"),
            representation: records(&self.representation, "representation"),
            embedding: records(&self.embedding, "embedding"),
            encoding: records(&self.encoding, "encoding"),
        };
        let header = Header {
            format_version: if self.chain.has_encoder() { header::WITH_ENCODER } else { header::VERSION },
            columns: self.columns,
            column_names: self.column_names.clone(),
            settings: self.config.clone(),
            parts,
            affinity: self.affinity.as_ref().map(|affinity| affinity::to_record(affinity, &mut tensors)),
            grouping: self.grouping.clone(),
            reach: self.reach.as_ref().map(|reach| put_reach(reach, &mut tensors)),
            record: self.record.clone(),
        };
        let json =
            serde_json::to_string(&header).map_err(|e| Error::model("model", format!("cannot be written: {e}")))?;
        MODEL.to_bytes(json, &tensors, &steps::files(&self.chain, "chain"))
    }

    /// Writes the model; an existing file is replaced only by a complete one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write_to(&mut file)?;
        Ok(file.commit()?)
    }

    /// Writes the model and the labels of the rows it was fitted on, which [`Model::load`] passes over.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_with_labels(&self, path: &Path, labels: &[u32]) -> Result<()> {
        let values = labels.iter().map(|&label| label as f32).collect();
        let bytes = self.to_bytes_beside(Tensors::from([(LABELS.into(), (vec![labels.len()], values))]))?;
        let mut file = AtomicFile::create(path)?;
        container::write(&mut file, &bytes)?;
        Ok(file.commit()?)
    }

    /// Writes the model into a file that was opened before the work began, so that a bad path is known at once; committing it
    /// is left to the caller.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_to(&self, file: &mut AtomicFile) -> Result<()> {
        container::write(file, &self.to_bytes()?)
    }

    /// Reads a model.
    ///
    /// # Errors
    /// When the file cannot be read, is no model, or is one of a newer version.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_bytes(&MODEL.read(path)?, path)
    }

    /// Reads a model, and the labels of the rows it was fitted on where the file has them.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load_with_labels(path: &Path) -> Result<(Self, Option<Vec<u32>>)> {
        let (model, mut tensors) = Self::read(&MODEL.read(path)?, path)?;
        let labels = tensors.remove(LABELS).map(|(_, labels)| labels);
        if labels.iter().flatten().any(|label| !(0.0..model.n_clusters() as f32).contains(label)) {
            return Err(MODEL.broken(path, "has labels of clusters that it does not have"));
        }
        Ok((model, labels.map(|labels| labels.into_iter().map(|label| label as u32).collect())))
    }

    /// Reads a model from bytes; `path` is what errors name.
    ///
    /// # Errors
    /// When the bytes are no model, or one of a newer version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self> {
        Self::read(bytes, path).map(|(model, _)| model)
    }

    /// The model, and the arrays of the file that are no part of it.
    fn read(bytes: &[u8], path: &Path) -> Result<(Self, Tensors)> {
        let (json, mut tensors, files) = MODEL.parse(bytes, path)?;
        let broken = |what: String| MODEL.broken(path, what);
        let header = Header::read(&json, &mut tensors).map_err(|e| broken(format!("has a damaged header ({e})")))?;
        let Header { columns, column_names, settings, parts, affinity, grouping, reach, record, .. } = header;
        let head = read_weights(&mut tensors, "layer").map_err(broken)?;
        let mut model = Self { column_names, grouping, record, ..Self::new(settings, columns, head) };
        let mut width = columns;
        let mut inside = Inside { tensors, files, path };
        let mut part = |records: &[StepRecord], name| -> Result<Pipeline> {
            let steps = steps::from_records(records, name, width, &mut inside).map_err(|e| e.about(&MODEL, path))?;
            if name != "chain" && steps.has_encoder() {
                return Err(broken("has an encoder where none can be".into()));
            }
            width = steps.n_features(width);
            Ok(steps)
        };
        model.chain = part(&parts.chain, "chain")?;
        model.representation = part(&parts.representation, "representation")?;
        model.embedding = part(&parts.embedding, "embedding")?;
        model.encoding = part(&parts.encoding, "encoding")?;
        let mut tensors = inside.tensors;
        let names_fit = match &model.column_names {
            ColumnNames::Named(names) | ColumnNames::Numbered { numbers: names } => names.len() == columns,
            ColumnNames::List(_) | ColumnNames::Unnamed => true,
        };
        let groups_fit = model.grouping.as_ref().is_none_or(|grouping| grouping.fits(model.head.n_outputs()));
        let fits = model.n_clusters() == model.config.clusters && model.head.n_inputs() == width && names_fit;
        if !fits || !groups_fit || !model.head.is_finite() || model.n_clusters() == 0 {
            return Err(broken("has weights that do not fit its configuration".into()));
        }
        if !model.record.fits(model.n_clusters()) {
            return Err(broken("has a record of other clusters than it has".into()));
        }
        let reach = reach.map(|clusters| read_reach(clusters, &mut tensors)).transpose().map_err(broken)?;
        let known = model.to_representation().n_features(columns);
        if reach.as_ref().is_some_and(|reach| !reach.fits(known)) {
            return Err(broken("has centres that do not fit its columns".into()));
        }
        model.reach = reach;
        let affinity = affinity.map(|record| affinity::from_record(&record, &mut tensors)).transpose();
        model.affinity = affinity.map_err(broken)?;
        let whole = |history: &History| history.epochs.iter().all(|epoch| epoch.values.len() == history.terms.len());
        if !model.record.history.iter().all(whole) {
            return Err(broken("has learning curves with missing values".into()));
        }
        if !model.gives_numbers() {
            return Err(broken("has weights so large that memberships are not finite".into()));
        }
        Ok((model, tensors))
    }
}

/// Puts centres and distances among the tensors; gives their clusters.
fn put_reach(reach: &Reach, tensors: &mut Tensors) -> Vec<u32> {
    tensors.insert("reach.centre".into(), matrix(&reach.centres));
    tensors.insert("reach.squared".into(), vector(&reach.squared));
    reach.cluster.clone()
}

fn read_reach(cluster: Vec<u32>, tensors: &mut Tensors) -> std::result::Result<Reach, String> {
    let (centres, squared) = (take_matrix(tensors, "reach.centre")?, take_vector(tensors, "reach.squared")?);
    Ok(Reach { centres, squared, cluster })
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
