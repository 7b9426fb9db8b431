//! One file a command.

pub mod compare;
pub mod demo;
pub mod documents;
pub mod eval;
pub mod export;
pub mod features;
pub mod fit;
pub mod inspect;
pub mod predict;
pub mod rival;
pub mod synth;
