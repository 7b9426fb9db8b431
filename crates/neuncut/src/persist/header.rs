//! The JSON document of a model file, version by version.
//!
//! It is a record of its own. Settings are in it by the names they had when the file was written, and are read leniently: one that this
//! program no longer has is left out, one that the file does not know has its default. So neither makes an old file unreadable.

use super::Tensors;
use super::affinity::AffinityRecord;
use super::container::version_of;
use super::steps::StepRecord;
use crate::data::ColumnNames;
use crate::methods::{Config, Level, Method, TrainingRecord};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version that is written, but for models with an encoder. Version 3 has the step `landmarks`, version 4 `exemplars`, `squares` and
/// `log`, and a grouping of the network's outputs.
pub(super) const VERSION: u32 = 4;
/// Version 5 has the step `onnx`, and files as they are among the tensors. Models without one stay at version 4, so that older programs
/// read them and their bytes are what they were.
pub(super) const WITH_ENCODER: u32 = 5;

/// Versions 2 to 5. `S` is [`Config`] where it is written, and any JSON where it is read.
#[derive(Serialize, Deserialize)]
pub(super) struct Header<S> {
    pub format_version: u32,
    pub columns: usize,
    #[serde(default, skip_serializing_if = "ColumnNames::is_unnamed")]
    pub column_names: ColumnNames,
    pub settings: S,
    #[serde(flatten)]
    pub parts: Parts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<AffinityRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grouping: Option<Level>,
    /// The clusters whose centres the tensor `reach.centre` holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<Vec<u32>>,
    pub record: TrainingRecord,
}

/// The steps before the head.
#[derive(Serialize, Deserialize)]
pub(super) struct Parts {
    pub chain: Vec<StepRecord>,
    pub representation: Vec<StepRecord>,
    pub embedding: Vec<StepRecord>,
    pub encoding: Vec<StepRecord>,
}

impl Header<Config> {
    /// Reads a header of any version up to this one, and gives the arrays the names that they have today.
    pub fn read(json: &str, tensors: &mut Tensors) -> serde_json::Result<Self> {
        let header: Header<Value> = match version_of(json)? {
            0 | 1 => serde_json::from_str::<FlatHeader>(json)?.in_parts(tensors),
            _ => serde_json::from_str(json)?,
        };
        let settings = read_settings(header.settings)?;
        let Header { format_version, columns, column_names, parts, affinity, grouping, reach, mut record, .. } = header;
        // older files have zeros where there was no start
        record.diagnostics.start = record.diagnostics.start.filter(|start| !start.candidates.is_empty());
        Ok(Self { format_version, columns, column_names, settings, parts, affinity, grouping, reach, record })
    }
}

/// The settings of a file, as far as this program has them.
fn read_settings(mut settings: Value) -> serde_json::Result<Config> {
    let method = settings["method"].as_str().and_then(Method::named).unwrap_or_default();
    keep_known(&mut settings, &serde_json::to_value(Config::of(method, 0))?);
    serde_json::from_value(settings)
}

/// Leaves out the fields that `known` does not have, at every depth.
fn keep_known(value: &mut Value, known: &Value) {
    if let (Value::Object(fields), Value::Object(known)) = (value, known) {
        fields.retain(|name, _| known.contains_key(name));
        fields.iter_mut().for_each(|(name, value)| keep_known(value, &known[name]));
    }
}

/// Version 1: one row of steps. Where its parts begin follows from the method, but for the end of the chain, which the
/// representation takes in.
#[derive(Deserialize)]
struct FlatHeader {
    columns: usize,
    config: Value,
    features: Vec<StepRecord>,
    affinity: Option<AffinityRecord>,
    record: TrainingRecord,
}

impl FlatHeader {
    fn in_parts(self, tensors: &mut Tensors) -> Header<Value> {
        let Self { columns, config, mut features, affinity, record } = self;
        // the last step is how rows enter the head; an embedding is a centre, a scale and a network before it
        let encoding = features.len().saturating_sub(1);
        let embeds = config["method"] == "spectralnet" || config["method"] == "specnet2";
        let embedding = if embeds { encoding.saturating_sub(3) } else { encoding };
        rename(tensors, &[("representation", 0), ("embedding", embedding), ("encoding", encoding)]);
        let encoding = features.split_off(encoding);
        let embedding = features.split_off(embedding);
        let parts = Parts { chain: Vec::new(), representation: features, embedding, encoding };
        Header {
            format_version: 1,
            columns,
            column_names: ColumnNames::Unnamed,
            settings: config,
            parts,
            affinity,
            grouping: None,
            reach: None,
            record,
        }
    }
}

/// `feature.N.NAME` becomes `PART.M.NAME`, by the parts and their first steps.
fn rename(tensors: &mut Tensors, parts: &[(&str, usize)]) {
    let renamed = |name: String| {
        let step = name.strip_prefix("feature.").and_then(|rest| rest.split_once('.'));
        let Some((number, rest)) = step else { return name };
        let Ok(number) = number.parse::<usize>() else { return name };
        let part = parts.iter().rfind(|(_, first)| *first <= number);
        part.map_or_else(|| name.clone(), |(part, first)| format!("{part}.{}.{rest}", number - first))
    };
    *tensors = tensors.drain().map(|(name, tensor)| (renamed(name), tensor)).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_that_are_gone_are_left_out_and_new_ones_have_their_defaults() {
        let old = json!({ "clusters": 3, "sigmo": 1, "ensemble": { "few-columns": 5, "jury": [1, 2] } });
        let settings = read_settings(old).unwrap();
        let options = settings.method.neural_cut().unwrap();
        assert_eq!((settings.clusters, options.start.ensemble.few_columns), (3, 5));
        assert_eq!(options.network.rows_per_batch(), 1000);
        let rival = read_settings(json!({ "method": "kmeans", "restarts": 3, "gamma": 7.0 })).unwrap();
        assert_eq!(rival.settings()["restarts"], 3, "settings of other methods, which version 2 had too, are left out");
        assert!(read_settings(json!({ "clusters": "three" })).is_err());
    }

    #[test]
    fn flat_steps_are_told_apart() {
        let flat = |method: &str| {
            let steps = json!(["center", "unit", "center", { "scale": 2.0 }, "encode", "center"]);
            let flat = json!({ "columns": 2, "config": { "method": method }, "features": steps, "record": {} });
            let names = ["feature.0.mean", "feature.4.0.weight", "feature.5.mean", "layer.0.bias"];
            let mut tensors: Tensors = names.map(|name| (name.to_string(), (vec![0], vec![]))).into();
            let header = serde_json::from_value::<FlatHeader>(flat).unwrap().in_parts(&mut tensors);
            let Parts { chain, representation, embedding, encoding } = header.parts;
            let mut names: Vec<String> = tensors.into_keys().collect();
            names.sort();
            (names, [chain.len(), representation.len(), embedding.len(), encoding.len()])
        };
        let (names, sizes) = flat("spectralnet");
        assert_eq!(names, ["embedding.2.0.weight", "encoding.0.mean", "layer.0.bias", "representation.0.mean"]);
        assert_eq!(sizes, [0, 2, 3, 1]);
        let (names, sizes) = flat("neuncut");
        assert_eq!(names, ["encoding.0.mean", "layer.0.bias", "representation.0.mean", "representation.4.0.weight"]);
        assert_eq!(sizes, [0, 5, 0, 1]);
    }
}
