//! Which clustering method, with its settings.

use super::anchors::{AnchorGraphOptions, AutoscOptions, BipartiteOptions, NystromOptions, UsencOptions};
use super::basis::BasisOptions;
use super::deep::{CncOptions, DepictOptions, EdescOptions, VadeOptions};
use super::embedding_network::EmbeddingOptions;
use super::exemplars::EscOptions;
use super::heads::{IconOptions, ScanOptions, TemiOptions, TurtleOptions};
use super::kmeans::KMeansOptions;
use super::leiden::LeidenOptions;
use super::neural_cut::{NeuralCutOptions, StartOptions};
use super::refined_cut::{MinMaxCutOptions, NscOptions};
use super::rotation::RotationOptions;
use super::senet_sc::SenetScOptions;
use super::spectral::{EnscOptions, SpectralOptions};
use super::ward::WardOptions;
use super::{AffinityOptions, Config, Fitted, NetworkOptions, Task};
use crate::Result;
use crate::train::Observer;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A clustering method of this crate with its settings, by the name that files and the command line use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "lowercase")]
pub enum Method {
    /// Neural normalized cut: the paper's method.
    NeuNcut(NeuralCutOptions),
    /// Neural ratio cut: the same with sizes in place of volumes.
    NeuRcut(NeuralCutOptions),
    /// Partitions of several kinds on several representations and graphs, chosen without labels: the start of NeuNcut alone.
    Ensemble(StartOptions),
    /// k-means on the rows.
    KMeans(KMeansOptions),
    /// Spectral clustering by the normalized Laplacian.
    Ncut(SpectralOptions),
    /// Spectral clustering by the unnormalised Laplacian.
    Rcut(SpectralOptions),
    /// A network that learns the spectral embedding behind an orthogonalisation, then k-means.
    SpectralNet(EmbeddingOptions),
    /// A network that learns the spectral embedding by an orthogonalisation-free objective, then k-means.
    SpecNet2(EmbeddingOptions),
    /// Elastic-net self-expression, then spectral clustering.
    EnSC(EnscOptions),
    /// Self-expression learnt by SENet, then spectral clustering.
    #[serde(rename = "senet-sc")]
    SenetSc(SenetScOptions),
    /// Leiden communities of a graph of nearest neighbours.
    Leiden(LeidenOptions),
    /// Ward's hierarchical clustering.
    Ward(WardOptions),
    /// Landmark-based spectral clustering.
    Lsc(AnchorGraphOptions),
    /// Spectral clustering by a sample of all pairs.
    Nystrom(NystromOptions),
    /// Spectral clustering of anchors, whose clusters rows follow.
    Reskm(AnchorGraphOptions),
    /// Ultra-scalable spectral clustering: the transfer cut of rows and anchors.
    Uspec(AnchorGraphOptions),
    /// The ensemble of many U-SPEC runs.
    Usenc(UsencOptions),
    /// Spectral clustering on a hierarchical bipartite graph.
    Bipartite(BipartiteOptions),
    /// Spectral clustering of anchors on the affinity of the largest relative eigengap.
    Autosc(AutoscOptions),
    /// Nonnegative spectral clustering.
    Nsc(NscOptions),
    /// The min-max cut: spectral clustering, then linkage refinement.
    #[serde(rename = "min-max-cut")]
    MinMaxCut(MinMaxCutOptions),
    /// Spectral rotation: eigenvectors rotated to indicators of clusters.
    Rotation(RotationOptions),
    /// Exemplar-based subspace clustering.
    Esc(EscOptions),
    /// A network that learns eigenvectors of batches, aligned by anchors, then k-means.
    Basis(BasisOptions),
    /// I-Con: linear heads whose clusters say which rows are neighbours.
    Icon(IconOptions),
    /// TEMI: heads with averaged teachers, by the pointwise mutual information of near rows.
    Temi(TemiOptions),
    /// SCAN: linear heads by consistency of near rows and even clusters.
    Scan(ScanOptions),
    /// TURTLE: the labels that linear classifiers learn fastest.
    Turtle(TurtleOptions),
    /// A network of low expected normalized cut on random assignments.
    Cnc(CncOptions),
    /// An autoencoder whose codes lie in one subspace per cluster.
    Edesc(EdescOptions),
    /// An autoencoder and a softmax layer that sharpen their own memberships.
    Depict(DepictOptions),
    /// A variational autoencoder under a mixture of Gaussians.
    Vade(VadeOptions),
}

/// Does the same with the settings of any method, whatever their type.
macro_rules! with_options {
    ($method:expr, $options:ident => $result:expr) => {
        match $method {
            Method::NeuNcut($options) | Method::NeuRcut($options) => $result,
            Method::Ensemble($options) => $result,
            Method::KMeans($options) => $result,
            Method::Ncut($options) | Method::Rcut($options) => $result,
            Method::SpectralNet($options) | Method::SpecNet2($options) => $result,
            Method::EnSC($options) => $result,
            Method::SenetSc($options) => $result,
            Method::Leiden($options) => $result,
            Method::Ward($options) => $result,
            Method::Lsc($options) | Method::Reskm($options) | Method::Uspec($options) => $result,
            Method::Nystrom($options) => $result,
            Method::Usenc($options) => $result,
            Method::Bipartite($options) => $result,
            Method::Autosc($options) => $result,
            Method::Nsc($options) => $result,
            Method::MinMaxCut($options) => $result,
            Method::Rotation($options) => $result,
            Method::Esc($options) => $result,
            Method::Basis($options) => $result,
            Method::Icon($options) => $result,
            Method::Temi($options) => $result,
            Method::Scan($options) => $result,
            Method::Turtle($options) => $result,
            Method::Cnc($options) => $result,
            Method::Edesc($options) => $result,
            Method::Depict($options) => $result,
            Method::Vade($options) => $result,
        }
    };
}

/// What the settings of every method can do.
pub(super) trait Options {
    /// Refuses what no fit of this configuration could use.
    fn check(&self, config: &Config) -> Result<()>;

    /// Groups rows.
    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted>;

    /// Whether a fit leaves a model that labels rows it has not seen, as most do.
    fn labels_new_rows(&self) -> bool {
        true
    }

    /// Whether links between rows take part in a fit.
    fn takes_links(&self) -> bool {
        false
    }

    /// Whether rows may weigh more or less than others in a fit.
    fn takes_weights(&self) -> bool {
        false
    }

    /// What joins rows, where that can be chosen.
    fn affinity(&self) -> Option<&AffinityOptions> {
        None
    }

    /// How a network is trained, where there is one.
    fn network(&self) -> Option<&NetworkOptions> {
        None
    }
}

impl Default for Method {
    fn default() -> Self {
        Self::NeuNcut(NeuralCutOptions::default())
    }
}

impl Method {
    /// All names.
    pub const NAMES: [&'static str; 32] = [
        "neuncut",
        "neurcut",
        "ensemble",
        "kmeans",
        "ncut",
        "rcut",
        "spectralnet",
        "specnet2",
        "ensc",
        "senet-sc",
        "leiden",
        "ward",
        "lsc",
        "nystrom",
        "reskm",
        "uspec",
        "usenc",
        "bipartite",
        "autosc",
        "nsc",
        "min-max-cut",
        "rotation",
        "esc",
        "basis",
        "icon",
        "temi",
        "scan",
        "turtle",
        "cnc",
        "edesc",
        "depict",
        "vade",
    ];

    /// The method of this name, with its defaults.
    pub fn named(name: &str) -> Option<Self> {
        let mut method: Self = serde_json::from_value(serde_json::json!({ "method": name })).ok()?;
        // groups of settings that several methods share have defaults by themselves, which are not those of every method
        with_options!(&mut method, options => *options = Default::default());
        Some(method)
    }

    /// The same method with its defaults.
    pub(super) fn defaults(&self) -> Self {
        Self::named(self.name()).expect("every method is found by its name")
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NeuNcut(_) => "neuncut",
            Self::NeuRcut(_) => "neurcut",
            Self::Ensemble(_) => "ensemble",
            Self::KMeans(_) => "kmeans",
            Self::Ncut(_) => "ncut",
            Self::Rcut(_) => "rcut",
            Self::SpectralNet(_) => "spectralnet",
            Self::SpecNet2(_) => "specnet2",
            Self::EnSC(_) => "ensc",
            Self::SenetSc(_) => "senet-sc",
            Self::Leiden(_) => "leiden",
            Self::Ward(_) => "ward",
            Self::Lsc(_) => "lsc",
            Self::Nystrom(_) => "nystrom",
            Self::Reskm(_) => "reskm",
            Self::Uspec(_) => "uspec",
            Self::Usenc(_) => "usenc",
            Self::Bipartite(_) => "bipartite",
            Self::Autosc(_) => "autosc",
            Self::Nsc(_) => "nsc",
            Self::MinMaxCut(_) => "min-max-cut",
            Self::Rotation(_) => "rotation",
            Self::Esc(_) => "esc",
            Self::Basis(_) => "basis",
            Self::Icon(_) => "icon",
            Self::Temi(_) => "temi",
            Self::Scan(_) => "scan",
            Self::Turtle(_) => "turtle",
            Self::Cnc(_) => "cnc",
            Self::Edesc(_) => "edesc",
            Self::Depict(_) => "depict",
            Self::Vade(_) => "vade",
        }
    }

    /// The names of the methods of which something is so.
    pub(crate) fn names_of(is_so: impl Fn(&Self) -> bool) -> Vec<&'static str> {
        Self::NAMES.into_iter().filter(|name| Self::named(name).is_some_and(|method| is_so(&method))).collect()
    }

    /// Whether a fit leaves a model that labels rows it has not seen.
    pub fn labels_new_rows(&self) -> bool {
        self.options().labels_new_rows()
    }

    /// Whether links between rows take part in a fit.
    pub fn takes_links(&self) -> bool {
        self.options().takes_links()
    }

    /// Whether rows may weigh more or less than others in a fit.
    pub fn takes_weights(&self) -> bool {
        self.options().takes_weights()
    }

    /// The settings of the paper's own method, in either form.
    pub fn neural_cut(&self) -> Option<&NeuralCutOptions> {
        match self {
            Self::NeuNcut(options) | Self::NeuRcut(options) => Some(options),
            _ => None,
        }
    }

    /// What joins rows, where that can be chosen.
    pub fn affinity(&self) -> Option<&AffinityOptions> {
        self.options().affinity()
    }

    /// How a network is trained, where there is one.
    pub fn network(&self) -> Option<&NetworkOptions> {
        self.options().network()
    }

    pub(super) fn options(&self) -> &dyn Options {
        with_options!(self, options => options)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The settings of a method as flags of a command. Those that were not typed stay as they are.
#[cfg(feature = "clap")]
impl Method {
    /// The flags of this method.
    pub fn flags(&self) -> Vec<clap::Arg> {
        fn of<T: clap::Args>(_: &T) -> Vec<clap::Arg> {
            T::augment_args_for_update(clap::Command::new("flags")).get_arguments().cloned().collect()
        }
        with_options!(self, options => of(options))
    }

    /// Takes over what was typed.
    ///
    /// # Errors
    /// When a value cannot be used.
    pub fn set_flags(&mut self, typed: &clap::ArgMatches) -> Result<(), clap::Error> {
        use clap::FromArgMatches;
        with_options!(self, options => options.update_from_arg_matches(typed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files() {
        for name in Method::NAMES {
            let method = Method::named(name).unwrap();
            assert_eq!(serde_json::to_value(&method).unwrap()["method"], name);
            assert_eq!(method.to_string(), name);
        }
        assert_eq!(Method::named("k-means"), None);
    }

    #[test]
    fn a_method_has_its_own_defaults_whatever_was_the_method_before() {
        let vade = Method::Vade(VadeOptions::default());
        assert_eq!(Method::named("vade"), Some(vade.clone()));
        let named = |settings: &str| Config::new(3).with_settings(toml::from_str(settings).unwrap()).unwrap();
        assert_eq!(named("method = 'vade'").method, vade);
        let given = Config { method: named("batch = 64").method, ..Config::new(3) };
        let switched = given.with_settings(toml::from_str("method = 'vade'").unwrap()).unwrap();
        assert_eq!(switched.method.network().map(|options| options.rows_per_batch()), Some(64), "what was given stays");
    }
}
