//! One file a command.

pub mod demo;
pub mod documents;
pub mod eval;
pub mod features;
pub mod fit;
pub mod inspect;
pub mod predict;
pub mod synth;
