//! Everything that can be set about a fit: what all methods share, and the method with its own.

use super::limits::{at_least_clusters, at_least_one, positive};
use super::neural_cut::{Gamma, GraphObjective, GraphScope, NeuralCutOptions, Start};
use super::{AffinityKind, AffinityOptions, Auto, Method, Neighborhood, NetworkOptions};
use crate::ensemble::ClusterRange;
use crate::features::{Chain, ChainOptions, FittedChain, Representation, RowSource};
use crate::network::Device;
use crate::objective::{Cut, Penalty, Volumes};
use crate::train::Observer;
use crate::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::{Map, Value};

/// Rows that are fitted, at least and per cluster: a cluster needs more rows than it has neighbours.
const TRAIN_ROWS: usize = 20_000;
const TRAIN_ROWS_PER_CLUSTER: usize = 100;

/// The configuration of a fit. [`Config::new`] fills in the defaults. In files all settings are side by side, by the names that they
/// have on the command line; `method` says whose they are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(remote = "Self", default, rename_all = "kebab-case")]
pub struct Config {
    /// Number of clusters, `auto` to have it chosen without labels, or a range such as 5..40 to choose from (needed, here or in --config)
    #[cfg_attr(feature = "clap", arg(id = "clusters", short = 'k', long = "clusters", value_name = "K|auto|A..B"))]
    #[serde(skip)]
    pub range: Option<ClusterRange>,
    /// Number of clusters; 0 where it is not known yet. In files the range stands in its place, where there is one.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub clusters: usize,
    /// Steps applied to rows first, such as scattering,pca=500 or autoencoder=10: a chain of unit, center, standardize, pca=N,
    /// pca=N:centered, whiten=N, scattering, scattering=J,L, autoencoder=N, resize=WxH, onnx=FILE; the
    /// model holds it
    #[cfg_attr(feature = "clap", arg(long, value_name = "CHAIN"))]
    pub features: Chain,
    /// How rows are represented: auto, raw (centred), standard (and columns scaled), unit, ridge=LAM (whitened unit rows)
    #[cfg_attr(feature = "clap", arg(long, value_name = "REP"))]
    pub representation: Representation,
    /// Most rows to fit, a uniform random sample where there are more (ensemble, ncut, rcut, ensc, senet-sc, nsc, min-max-cut,
    /// rotation and any graph:FILE fit all rows); auto is 20000, or 100 per cluster if that is more
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub train_rows: Auto<usize>,
    /// Random seed; the same seed gives the same bytes
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub seed: u64,
    /// Where to train; cuda and wgpu need a build with that feature
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub device: Device,
    /// Which clustering method, with its settings.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub method: Method,
}

impl Config {
    /// The defaults for this many clusters.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, ..Self::default() }
    }

    /// A method with these settings, for this many clusters.
    pub fn of(method: Method, clusters: usize) -> Self {
        Self { method, ..Self::new(clusters) }
    }

    /// The paper's settings: Algorithm 1 from random weights, a dense heat kernel of bandwidth 3, the squared penalty with gamma 100.
    pub fn paper(clusters: usize) -> Self {
        let options = NeuralCutOptions {
            graph: GraphScope::Batch,
            gamma: Gamma::Given(100.0),
            penalty: Penalty::Squared,
            volumes: Volumes::Held,
            init: Start::Random,
            affinity: AffinityOptions {
                sigma: Auto::Given(3.0),
                neighbors: Neighborhood::All,
                ..AffinityOptions::default()
            },
            network: NetworkOptions {
                epochs: Auto::Given(100),
                lr: Auto::Given(5e-3),
                hidden: vec![512, 512].into(),
                ..NetworkOptions::default()
            },
            ..NeuralCutOptions::default()
        };
        Self { representation: Representation::Raw, ..Self::of(Method::NeuNcut(options), clusters) }
    }

    /// Reads settings by their names in files over these. Where they name a method, the others are its own; what was set of both methods stays.
    ///
    /// # Errors
    /// Names a setting that no method has, that another method has, or whose value cannot be used.
    pub fn with_settings(&self, given: Map<String, Value>) -> Result<Self> {
        let mut settings = self.settings();
        if let Some(name) = given.get("method") {
            let name = name.as_str().unwrap_or_default();
            let method = Method::named(name).ok_or_else(|| {
                Error::config("method", &given["method"], format!("one of {}", Method::NAMES.join(", ")))
            })?;
            let mut fresh = Self { method, ..self.clone() }.settings();
            let usual = Self { method: self.method.defaults(), ..self.clone() }.settings();
            for (key, value) in settings {
                if key != "method"
                    && usual.get(&key) != Some(&value)
                    && let Some(place) = fresh.get_mut(&key)
                {
                    *place = value;
                }
            }
            settings = fresh;
        }
        let name = settings["method"].as_str().expect("settings hold the name of their method").to_owned();
        if let Some(key) = given.keys().find(|key| !settings.contains_key(*key)) {
            return Err(not_a_setting(key, &name));
        }
        // each alone, so that the one that cannot be used is named
        for (key, value) in &given {
            let alone = serde_json::json!({ "method": name, key: value });
            Self::of_settings(alone).map_err(|e| Error::config(key.clone(), value, must_be(&e.to_string())))?;
        }
        settings.extend(given);
        Self::of_settings(Value::Object(settings)).map_err(|e| Error::config("settings", "given", e.to_string()))
    }

    /// From settings by their names in files; a range in the place of the number of clusters is a word.
    fn of_settings(mut settings: Value) -> serde_json::Result<Self> {
        let mut range = None;
        if let Some(clusters) = settings.get_mut("clusters")
            && let Value::String(word) = clusters
        {
            range = Some(word.parse().map_err(<serde_json::Error as de::Error>::custom)?);
            *clusters = 0.into();
        }
        Ok(Self { range, ..Self::deserialize(settings)? }.settled())
    }

    /// With a range of one number as that number, and none beside a range of several.
    pub fn settled(mut self) -> Self {
        if let Some(range) = self.range {
            self.clusters = range.single().unwrap_or(0);
            self.range = Some(range).filter(|range| range.single().is_none());
        }
        self
    }

    /// All settings by their names in files.
    pub fn settings(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(settings)) => settings,
            _ => unreachable!("settings are a record of plain values"),
        }
    }

    /// The cut by which labels are scored: the ratio cut where it is trained on, the normalized cut otherwise.
    pub fn cut(&self) -> Cut {
        match &self.method {
            Method::NeuRcut(_) => Cut::Rcut,
            Method::NeuNcut(options) if options.objective == GraphObjective::Rcut => Cut::Rcut,
            _ => Cut::Ncut,
        }
    }

    /// Most rows that a [`Job`](crate::job::Job) fits; a graph has all of its rows, and so have methods that know no other rows.
    pub fn train_rows(&self) -> usize {
        match self.method.affinity().map(|options| &options.affinity) {
            Some(AffinityKind::Graph(_)) => usize::MAX,
            _ if !self.method.labels_new_rows() => usize::MAX,
            _ => self.train_rows.unwrap_or(TRAIN_ROWS.max(TRAIN_ROWS_PER_CLUSTER * self.most_clusters())),
        }
    }

    /// The number of clusters, or the largest that may be chosen, as far as it is known without data.
    fn most_clusters(&self) -> usize {
        self.range.and_then(|range| range.most).unwrap_or(0).max(self.clusters)
    }

    /// The number of clusters, or the smallest that may be chosen.
    pub fn least_clusters(&self) -> usize {
        self.range.map_or(self.clusters, |range| range.least)
    }

    /// Fits the feature steps on all rows of a source.
    ///
    /// # Errors
    /// When rows cannot be read or a step cannot be fitted on them, or `observer` asks to stop.
    pub fn fit_chain(&self, source: &mut dyn RowSource, observer: &mut dyn Observer) -> Result<FittedChain> {
        let options = ChainOptions { seed: self.seed, device: self.device, ..Default::default() };
        self.features.fit(source, &options, observer)
    }

    /// Checks every setting that can be checked without data.
    ///
    /// # Errors
    /// Names the first setting that no fit could use.
    pub fn check(&self) -> Result<()> {
        if let Some(range) = self.range {
            range.check()?;
            if matches!(self.method.neural_cut().map(|options| &options.init), Some(Start::Labels(_))) {
                return Err(Error::config(
                    "k",
                    range,
                    "left out with --init labels, which say how many clusters there are",
                ));
            }
            return Self { clusters: range.least, range: None, ..self.clone() }.check(); // and again when it is chosen
        }
        at_least_one("k", self.clusters)?;
        at_least_clusters("train-rows", self.train_rows(), self.clusters)?;
        if let Representation::Ridge(ridge) = self.representation {
            positive("representation ridge", ridge.into())?;
        }
        self.method.options().check(self)
    }
}

/// What a setting must be, in words for users, from what serde says of its value.
fn must_be(refused: &str) -> String {
    if let Some((_, must)) = refused.split_once(", but must be ") {
        return must.to_owned();
    }
    let Some((found, expected)) = refused.rsplit_once(", expected ") else {
        return format!("another value: {refused}");
    };
    let expected = expected.strip_prefix("one of ").unwrap_or(expected).replace('`', "");
    if let Some(field) = found.strip_prefix("unknown field ") {
        return format!("without {field}: what can be set is {expected}");
    }
    match expected.as_str() {
        one_of if found.starts_with("unknown variant ") => format!("one of {}", one_of.replace(" or ", ", ")),
        "f32" | "f64" => "a number".into(),
        "usize" | "u32" | "u64" => "a whole number, zero or positive".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        _ => format!("another value: {refused}"),
    }
}

/// Why a method has no such setting.
fn not_a_setting(key: &str, method: &str) -> Error {
    let has = |name: &&&str| Method::named(name).is_some_and(|m| Config::of(m, 0).settings().contains_key(key));
    let owners: Vec<&str> = Method::NAMES.iter().filter(has).copied().collect();
    match owners[..] {
        [] => Error::config(key.to_owned(), "given", "left out: there is no such setting"),
        _ => Error::config(
            key.to_owned(),
            "given",
            format!("left out: it is a setting of {}, not of {method}", owners.join(", ")),
        ),
    }
}

impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(range) = self.range else { return Self::serialize(self, serializer) };
        let mut settings = Self::serialize(self, serde_json::value::Serializer).map_err(ser::Error::custom)?;
        settings["clusters"] = range.to_string().into();
        settings.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Map::deserialize(deserializer)?;
        Self::default().with_settings(given).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neuncut(change: impl FnOnce(&mut NeuralCutOptions)) -> Config {
        let mut options = NeuralCutOptions::default();
        change(&mut options);
        Config::of(Method::NeuNcut(options), 3)
    }

    #[test]
    fn toml_round_trip_and_unknown_fields() {
        let mut config = neuncut(|options| {
            options.affinity = AffinityOptions {
                neighbors: Neighborhood::All,
                sigma: Auto::Given(0.5),
                ..AffinityOptions::of(AffinityKind::Graph("co-clicks.csv".into()))
            };
            options.affinity.senet.senet_layers = vec![64, 32];
            options.start.ensemble.row_restarts = 3;
        });
        config.representation = Representation::Ridge(0.001);
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<Config>(&text).unwrap(), config);
        assert_eq!(toml::from_str::<Config>("clusters = 3\ngamma = \"auto\"").unwrap(), Config::new(3));
        let gamma = |text| toml::from_str::<Config>(text).map(|config| config.method.neural_cut().unwrap().gamma);
        assert_eq!(gamma("gamma = \"search\"").unwrap(), Gamma::Search);
        assert_eq!(gamma("gamma = 7").unwrap(), Gamma::Given(7.0));
        assert!(gamma("gamma = \"many\"").unwrap_err().to_string().contains("gamma is \"many\""));
        assert!(gamma("clusterz = 3").unwrap_err().to_string().contains("no such setting"));
        assert!(gamma("ensemble = { jury = 3 }").unwrap_err().to_string().contains("jury"));
    }

    #[test]
    fn every_method_comes_back_and_refuses_the_settings_of_others() {
        for name in Method::NAMES {
            let config = Config::of(Method::named(name).unwrap(), 4);
            config.check().unwrap();
            assert_eq!(toml::from_str::<Config>(&toml::to_string(&config).unwrap()).unwrap(), config);
        }
        let refused = toml::from_str::<Config>("method = 'kmeans'\ngamma = 3").unwrap_err().to_string();
        assert!(
            refused.contains("gamma is given, but must be left out: it is a setting of neuncut, neurcut"),
            "{refused}"
        );
        let kept = neuncut(|options| options.affinity.sigma = Auto::Given(2.0));
        let ncut = kept.with_settings(serde_json::from_str(r#"{"method": "ncut"}"#).unwrap()).unwrap();
        assert_eq!((ncut.method.name(), ncut.clusters), ("ncut", 3));
        assert_eq!(ncut.method.affinity().unwrap().sigma, Auto::Given(2.0), "what both have stays");
    }

    #[test]
    fn what_a_value_must_be_is_told_in_words() {
        let refused =
            |setting: &str| toml::from_str::<Config>(&format!("clusters = 2\n{setting}")).unwrap_err().to_string();
        for (setting, must) in [
            ("penalty = 'q'", "penalty is \"q\", but must be one of squared, normed"),
            ("weight-decay = 'a'", "weight-decay is \"a\", but must be a number"),
            ("guard = 3", "guard is 3, but must be true or false"),
            ("hidden = 'x'", "hidden is \"x\", but must be another value: neither `auto` nor a list of widths"),
            ("features = 'pca=x'", "features is \"pca=x\", but must be steps separated by commas"),
            ("ensemble = { nix = 1 }", "but must be without `nix`: what can be set is graph-neighbors, "),
        ] {
            assert!(refused(setting).contains(must), "{}", refused(setting));
        }
    }

    #[test]
    fn bad_values_are_named() {
        let broken = |change: fn(&mut NeuralCutOptions)| neuncut(change).check().unwrap_err().to_string();
        assert!(Config::new(0).check().unwrap_err().to_string().contains("k is 0"));
        let range = |text: &str| toml::from_str::<Config>(&format!("clusters = '{text}'"));
        let read = range("5..40").unwrap();
        assert_eq!((read.clusters, read.least_clusters(), read.range.unwrap().most), (0, 5, Some(40)));
        assert_eq!(toml::from_str::<Config>(&toml::to_string(&read).unwrap()).unwrap(), read);
        assert_eq!(range("7").unwrap(), Config::new(7), "a range of one number is that number");
        assert!(range("auto").unwrap().check().is_ok());
        assert!(range("9..3").unwrap().check().unwrap_err().to_string().contains("ends above 9"));
        assert!(range("some").unwrap_err().to_string().contains("clusters is \"some\""));
        assert!(broken(|o| o.network.batch = Auto::Given(2)).contains("batch is 2"));
        assert!(broken(|o| o.affinity.sigma = Auto::Given(-1.0)).contains("sigma is -1"));
        assert!(broken(|o| o.network.lr = Auto::Given(f64::NAN)).contains("lr is NaN"));
        assert!(broken(|o| o.gamma = Gamma::Given(-1.0)).contains("gamma is -1"));
        assert!(broken(|o| o.network.hidden = vec![0].into()).contains("hidden is 0"));
        assert!(broken(|o| o.affinity.senet.senet_layers = vec![8, 0]).contains("senet-layers is 0"));
        assert!(broken(|o| o.affinity.senet.senet_block = Auto::Given(1)).contains("senet-block is 1"));
        let dense = |o: &mut NeuralCutOptions| {
            (o.graph, o.affinity.neighbors) = (GraphScope::Global, Neighborhood::All);
        };
        assert!(broken(dense).contains("neighbors is all"));
        let mut ratio = NeuralCutOptions { objective: GraphObjective::Ncut, ..Default::default() };
        let refused = |options| Config::of(Method::NeuRcut(options), 3).check();
        assert!(refused(ratio.clone()).unwrap_err().to_string().contains("objective is ncut"));
        ratio.objective = GraphObjective::Rcut;
        refused(ratio).unwrap();
    }
}
