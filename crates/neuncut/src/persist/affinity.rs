//! A trained affinity in a model file: a tag in the header, its networks among the tensors.

use super::{Tensors, put_weights, read_weights};
use crate::affinity::{LearnedAffinity, Senet, Siamese};
use crate::network::KeyQueryWeights;
use serde::{Deserialize, Serialize};

/// An affinity without its arrays.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AffinityRecord {
    Siamese { neighbors: Option<usize> },
    Senet { threshold: f32, neighbors: Option<usize> },
}

/// Names of the networks among the tensors.
const ENCODER: &str = "affinity.encoder";
const QUERY: &str = "affinity.query";
const KEY: &str = "affinity.key";

pub(super) fn to_record(affinity: &LearnedAffinity, tensors: &mut Tensors) -> AffinityRecord {
    match affinity {
        LearnedAffinity::Siamese(Siamese { encoder, neighbors }) => {
            put_weights(encoder, ENCODER, tensors);
            AffinityRecord::Siamese { neighbors: *neighbors }
        }
        LearnedAffinity::Senet(Senet { networks, neighbors }) => {
            put_weights(&networks.query, QUERY, tensors);
            put_weights(&networks.key, KEY, tensors);
            AffinityRecord::Senet { threshold: networks.threshold, neighbors: *neighbors }
        }
    }
}

pub(super) fn from_record(record: &AffinityRecord, tensors: &mut Tensors) -> Result<LearnedAffinity, String> {
    let affinity = match *record {
        AffinityRecord::Siamese { neighbors } => {
            LearnedAffinity::Siamese(Siamese { encoder: read_weights(tensors, ENCODER)?, neighbors })
        }
        AffinityRecord::Senet { threshold, neighbors } => {
            let (query, key) = (read_weights(tensors, QUERY)?, read_weights(tensors, KEY)?);
            if query.sizes() != key.sizes() {
                return Err("has an affinity whose two networks do not fit each other".into());
            }
            LearnedAffinity::Senet(Senet { networks: KeyQueryWeights { query, key, threshold }, neighbors })
        }
    };
    Ok(affinity)
}
