//! Which clustering method: the paper's own and its rivals.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A clustering method of this crate, by the name that files and the command line use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Neural normalized cut: the paper's method.
    #[default]
    NeuNcut,
    /// Neural ratio cut: the same with sizes in place of volumes.
    NeuRcut,
    /// Partitions of several kinds on several representations and graphs, chosen without labels: the start of NeuNcut alone.
    Ensemble,
    /// k-means on the rows.
    KMeans,
    /// Spectral clustering by the normalized Laplacian.
    Ncut,
    /// Spectral clustering by the unnormalised Laplacian.
    Rcut,
    /// A network that learns the spectral embedding behind an orthogonalisation, then k-means.
    SpectralNet,
    /// A network that learns the spectral embedding by an orthogonalisation-free objective, then k-means.
    SpecNet2,
    /// Elastic-net self-expression, then spectral clustering.
    EnSC,
    /// Self-expression learnt by SENet, then spectral clustering.
    #[serde(rename = "senet-sc")]
    SenetSc,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::NeuNcut,
        Self::NeuRcut,
        Self::Ensemble,
        Self::KMeans,
        Self::Ncut,
        Self::Rcut,
        Self::SpectralNet,
        Self::SpecNet2,
        Self::EnSC,
        Self::SenetSc,
    ];

    /// Their names, in the same order.
    pub const NAMES: [&'static str; 10] =
        ["neuncut", "neurcut", "ensemble", "kmeans", "ncut", "rcut", "spectralnet", "specnet2", "ensc", "senet-sc"];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Whether a fit leaves a model that labels rows it has not seen.
    pub fn labels_new_rows(self) -> bool {
        !matches!(self, Self::Ensemble | Self::Ncut | Self::Rcut | Self::EnSC | Self::SenetSc)
    }

    /// Whether it learns a spectral embedding, which a model of it gives.
    pub fn embeds(self) -> bool {
        matches!(self, Self::SpectralNet | Self::SpecNet2)
    }

    /// Whether it is the paper's own method, in either form.
    pub fn is_neural_cut(self) -> bool {
        matches!(self, Self::NeuNcut | Self::NeuRcut)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files() {
        for (method, name) in Method::ALL.into_iter().zip(Method::NAMES) {
            assert_eq!(serde_json::to_value(method).unwrap(), name);
            assert_eq!(method.to_string(), name);
        }
    }
}
