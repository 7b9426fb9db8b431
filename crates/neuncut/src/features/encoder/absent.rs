//! In the place of a session where this build has no runtime: there is none, and the remedy is named.

use super::spec::EncoderSpec;
use crate::{Error, Result};

/// A network that can be run: there is none.
#[derive(Debug)]
pub(super) enum Session {}

impl Session {
    pub fn open(_: &[u8], spec: &EncoderSpec, _: Option<usize>) -> Result<Self> {
        Err(Error::model(&spec.path, "is an encoder, which this build cannot run: build with `--features onnx`"))
    }

    pub fn sides(&self) -> &[usize] {
        match *self {}
    }

    pub fn batch(&self) -> usize {
        match *self {}
    }

    pub fn n_outputs(&self) -> usize {
        match *self {}
    }

    pub fn run(&self, _: &[f32]) -> Result<Vec<f32>, String> {
        match *self {}
    }
}
