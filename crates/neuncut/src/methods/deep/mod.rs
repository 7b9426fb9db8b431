//! Deep rivals of neural normalized cut, trained on this crate's own networks: settings and a fit per method.

mod cnc;
mod coded_network;
mod depict;
mod depict_network;
mod edesc;
mod start;
mod vade;

pub use cnc::CncOptions;
pub use depict::DepictOptions;
pub use edesc::EdescOptions;
pub use start::{AutoencoderStart, FirstClusters};
pub use vade::VadeOptions;

use super::method::Options;
use super::network_inputs::NetworkInputs;
use super::record::recorded;
use super::{
    AffinityKind, AffinityOptions, Auto, Config, Fitted, KMeansOptions, Model, NetworkOptions, Prepared, StartOptions,
    Task, limits,
};

#[cfg(test)]
mod tests;
