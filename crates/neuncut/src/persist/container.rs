//! A safetensors file with one JSON document: what models and feature steps have in common.

use super::Tensors;
use crate::data::AtomicFile;
use crate::{Error, Result};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::Deserialize;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// No file of ours is larger than this: a guard against reading data as a model.
const LARGEST: u64 = 4 << 30;

/// Files that are held as they are, by their names: those of encoders.
pub(super) type Files = HashMap<String, Arc<[u8]>>;

/// How the names of such files end.
pub(super) const FILE: &str = ".onnx";

/// What a file holds.
pub(super) struct FileKind {
    /// The metadata key of the JSON document.
    pub key: &'static str,
    /// What errors call it.
    pub name: &'static str,
    /// What to do when a file is something else.
    pub remedy: &'static str,
    /// The version that is written. Older ones are read; newer ones are refused by name.
    pub version: u32,
}

impl FileKind {
    /// An error about a file of this kind, with the remedy.
    pub fn broken(&self, path: &Path, what: impl AsRef<str>) -> Error {
        Error::model(path, format!("{}; {}", what.as_ref(), self.remedy))
    }

    /// The bytes of a file.
    pub fn to_bytes(&self, header: String, tensors: &Tensors, files: &Files) -> Result<Vec<u8>> {
        let bytes: HashMap<&String, (&Vec<usize>, Vec<u8>)> = tensors
            .iter()
            .map(|(name, (shape, values))| (name, (shape, values.iter().flat_map(|v| v.to_le_bytes()).collect())))
            .collect();
        let views = bytes
            .iter()
            .map(|(name, (shape, data))| Ok((name.as_str(), TensorView::new(Dtype::F32, shape.to_vec(), data)?)))
            .chain(
                files
                    .iter()
                    .map(|(name, file)| Ok((name.as_str(), TensorView::new(Dtype::U8, vec![file.len()], file)?))),
            )
            .collect::<std::result::Result<Vec<_>, safetensors::SafeTensorError>>();
        views
            .and_then(|views| safetensors::serialize(views, Some(HashMap::from([(self.key.to_string(), header)]))))
            .map_err(|e| Error::model(self.name, format!("cannot be written: {e}")))
    }

    /// A file's bytes, where it is no larger than such files are.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let size = std::fs::metadata(path).map_err(Error::io("read", path))?.len();
        if size > LARGEST {
            return Err(self.broken(path, format!("is not {}: {size} bytes are too many", self.name)));
        }
        std::fs::read(path).map_err(Error::io("read", path))
    }

    /// The JSON document, the arrays and the files in a file; `path` is what errors name.
    pub fn parse(&self, bytes: &[u8], path: &Path) -> Result<(String, Tensors, Files)> {
        let foreign = |_| self.broken(path, format!("is not {}, or is cut short", self.name));
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(foreign)?;
        let json = metadata.metadata().as_ref().and_then(|m| m.get(self.key));
        let json = json.ok_or_else(|| self.broken(path, format!("is a safetensors file, but not {}", self.name)))?;
        self.check_version(json, path)?;
        let file = SafeTensors::deserialize(bytes).map_err(foreign)?;
        let (tensors, files) = read_tensors(&file).map_err(|what| self.broken(path, what))?;
        Ok((json.clone(), tensors, files))
    }

    /// Looks at the version before anything else, so that a newer file is not called damaged.
    fn check_version(&self, json: &str, path: &Path) -> Result<()> {
        match version_of(json) {
            Ok(version) if version > self.version => {
                let newest = self.version;
                let what =
                    format!("has format version {version}, but this program reads up to {newest}; update neuncut");
                Err(Error::model(path, what))
            }
            Ok(_) => Ok(()),
            Err(e) => Err(Error::model(path, format!("has a damaged header ({e}); fit the model again"))),
        }
    }
}

/// The version of a file, by its JSON document.
pub(super) fn version_of(json: &str) -> serde_json::Result<u32> {
    #[derive(Deserialize)]
    struct VersionOnly {
        format_version: u32,
    }
    serde_json::from_str::<VersionOnly>(json).map(|only| only.format_version)
}

/// Writes bytes into a file, and leaves committing it to the caller.
pub(super) fn write(file: &mut AtomicFile, bytes: &[u8]) -> Result<()> {
    file.write_all(bytes).and_then(|()| file.flush()).map_err(Error::io("write", file.path()))
}

fn read_tensors(file: &SafeTensors) -> std::result::Result<(Tensors, Files), String> {
    let (mut tensors, mut files) = (Tensors::new(), Files::new());
    for (name, view) in file.tensors() {
        if view.dtype() == Dtype::U8 && name.ends_with(FILE) {
            files.insert(name, view.data().into());
            continue;
        }
        if view.dtype() != Dtype::F32 {
            return Err(format!("has tensor {name} of type {:?} where F32 is expected", view.dtype()));
        }
        let values = view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        tensors.insert(name, (view.shape().to_vec(), values));
    }
    Ok((tensors, files))
}
