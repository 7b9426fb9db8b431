//! One file a command.

pub mod choose;
pub mod compare;
pub mod deform;
pub mod demo;
pub mod documents;
pub mod edit;
pub mod eval;
pub mod experiment;
pub mod export;
pub mod features;
pub mod fit;
pub mod inspect;
pub mod labels_alone;
pub mod predict;
pub mod rename;
pub mod report;
pub mod synth;
pub mod tune;
