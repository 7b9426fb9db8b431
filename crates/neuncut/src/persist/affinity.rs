//! A trained affinity in a model file: a tag in the header, its networks among the tensors.

use super::{Tensors, matrix, put_weights, read_weights, take_matrix};
use crate::affinity::{LearnedAffinity, Senet, Siamese};
use crate::features::RidgeWhitening;
use crate::network::KeyQueryWeights;
use serde::{Deserialize, Serialize};

/// An affinity without its arrays.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AffinityRecord {
    Siamese { neighbors: Option<usize> },
    Senet { threshold: f32, whitened: bool, neighbors: Option<usize> },
}

/// Names of the networks among the tensors.
const ENCODER: &str = "affinity.encoder";
const QUERY: &str = "affinity.query";
const KEY: &str = "affinity.key";
/// The map of the whitening.
const WHITENING: &str = "affinity.whitening";

pub(super) fn to_record(affinity: &LearnedAffinity, tensors: &mut Tensors) -> AffinityRecord {
    match affinity {
        LearnedAffinity::Siamese(Siamese { encoder, neighbors }) => {
            put_weights(encoder, ENCODER, tensors);
            AffinityRecord::Siamese { neighbors: *neighbors }
        }
        LearnedAffinity::Senet(Senet { networks, whitening, neighbors }) => {
            put_weights(&networks.query, QUERY, tensors);
            put_weights(&networks.key, KEY, tensors);
            if let Some(whitening) = whitening {
                tensors.insert(WHITENING.into(), matrix(&whitening.map));
            }
            let (threshold, whitened) = (networks.threshold, whitening.is_some());
            AffinityRecord::Senet { threshold, whitened, neighbors: *neighbors }
        }
    }
}

pub(super) fn from_record(record: &AffinityRecord, tensors: &mut Tensors) -> Result<LearnedAffinity, String> {
    let affinity = match *record {
        AffinityRecord::Siamese { neighbors } => {
            LearnedAffinity::Siamese(Siamese { encoder: read_weights(tensors, ENCODER)?, neighbors })
        }
        AffinityRecord::Senet { threshold, whitened, neighbors } => {
            let (query, key) = (read_weights(tensors, QUERY)?, read_weights(tensors, KEY)?);
            let map = whitened.then(|| take_matrix(tensors, WHITENING)).transpose()?;
            let whitening = map.map(|map| RidgeWhitening { map });
            let fits = |w: &RidgeWhitening| w.map.dim() == (query.n_inputs(), query.n_inputs());
            if query.sizes() != key.sizes() || !whitening.as_ref().is_none_or(fits) {
                return Err("has an affinity whose networks do not fit each other".into());
            }
            LearnedAffinity::Senet(Senet { networks: KeyQueryWeights { query, key, threshold }, whitening, neighbors })
        }
    };
    Ok(affinity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::network::Weights;

    #[test]
    fn affinities_come_back_and_networks_that_do_not_fit_are_refused() {
        let mut rng = Seed(1).stream("weights");
        let mut random = |sizes: &[usize]| Weights::random(sizes, &mut rng);
        let siamese = Siamese { encoder: random(&[3, 4, 2]), neighbors: Some(3) };
        let networks = KeyQueryWeights { query: random(&[3, 5, 2]), key: random(&[3, 5, 2]), threshold: 0.25 };
        let whitening = Some(RidgeWhitening { map: ndarray::Array2::eye(3) });
        let plain = LearnedAffinity::Senet(Senet { networks: networks.clone(), whitening: None, neighbors: Some(7) });
        let senet = LearnedAffinity::Senet(Senet { networks, whitening, neighbors: None });
        for affinity in [LearnedAffinity::Siamese(siamese), plain, senet.clone()] {
            let mut tensors = Tensors::new();
            let record = to_record(&affinity, &mut tensors);
            assert_eq!(from_record(&record, &mut tensors), Ok(affinity));
            assert!(tensors.is_empty());
        }
        let mut tensors = Tensors::new();
        let record = to_record(&senet, &mut tensors);
        put_weights(&random(&[3, 2]), KEY, &mut tensors);
        tensors.remove("affinity.key.1.weight");
        assert!(from_record(&record, &mut tensors).unwrap_err().contains("do not fit each other"));
    }
}
