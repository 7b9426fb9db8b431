//! Feature steps in a file of their own.

use super::Tensors;
use super::container::{FileKind, write};
use super::steps::{self, Inside, StepRecord};
use crate::data::AtomicFile;
use crate::features::{Chain, FittedChain};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

const FEATURES: FileKind = FileKind {
    key: "neuncut-features",
    name: "a file of feature steps",
    remedy: "give the file that `neuncut features --save` wrote",
    version: WITH_ENCODER,
};

/// The version that is written, and the one with an encoder among the steps.
const VERSION: u32 = 1;
const WITH_ENCODER: u32 = 2;

/// What the names of its arrays begin with.
const PREFIX: &str = "feature";

#[derive(Serialize, Deserialize)]
struct Header {
    format_version: u32,
    columns: usize,
    chain: Chain,
    features: Vec<StepRecord>,
}

impl FittedChain {
    /// The bytes of the file.
    ///
    /// # Errors
    /// When the steps cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut tensors = Tensors::new();
        let features = steps::to_records(&self.pipeline, PREFIX, &mut tensors);
        let format_version = if self.pipeline.has_encoder() { WITH_ENCODER } else { VERSION };
        let header = Header { format_version, columns: self.columns, chain: self.chain.clone(), features };
        let json = serde_json::to_string(&header)
            .map_err(|e| Error::model(FEATURES.name, format!("cannot be written: {e}")))?;
        FEATURES.to_bytes(json, &tensors, &steps::files(&self.pipeline, PREFIX))
    }

    /// Writes the steps; an existing file is replaced only by a complete one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write_to(&mut file)?;
        Ok(file.commit()?)
    }

    /// Writes the steps into a file that was opened before the work began; committing it is left to the caller.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_to(&self, file: &mut AtomicFile) -> Result<()> {
        write(file, &self.to_bytes()?)
    }

    /// Reads steps.
    ///
    /// # Errors
    /// When the file cannot be read, holds no feature steps, or those of a newer version.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_bytes(&FEATURES.read(path)?, path)
    }

    /// Reads steps from bytes; `path` is what errors name.
    ///
    /// # Errors
    /// When the bytes hold no feature steps, or those of a newer version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self> {
        let (json, tensors, files) = FEATURES.parse(bytes, path)?;
        let broken = |what: String| FEATURES.broken(path, what);
        let header: Header = serde_json::from_str(&json).map_err(|e| broken(format!("has a damaged header ({e})")))?;
        let mut inside = Inside { tensors, files, path };
        let pipeline = steps::from_records(&header.features, PREFIX, header.columns, &mut inside);
        let pipeline = pipeline.map_err(|refusal| refusal.about(&FEATURES, path))?;
        Ok(Self { chain: header.chain, columns: header.columns, pipeline, history: Vec::new() })
    }
}
