//! One run before it is done: its row, data, seed and settings.

use super::file::{ExperimentFile, Kind, Preset, RowSpec};
use super::quick;
use super::record::{Record, RunId};
use super::sets::{SetData, SetSpec};
use neuncut::{Config, Error, Result};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A run to be done.
#[derive(Debug, Clone)]
pub struct Job {
    pub id: RunId,
    pub kind: Kind,
    /// All settings, feature steps among them.
    pub config: Config,
    pub data: Arc<SetData>,
    /// So many rows of a stream in place of all.
    pub subset: Option<u64>,
    /// Whether it is the small version.
    pub quick: bool,
}

impl Job {
    /// Settings as records hold them.
    pub fn settings(&self) -> Value {
        json!(self.config)
    }

    /// A hash of the data it sees.
    pub fn fingerprint(&self) -> String {
        match self.subset {
            Some(rows) => format!("{}-first-{rows}", self.data.fingerprint),
            None => self.data.fingerprint.clone(),
        }
    }

    /// Whether a record is of this very run, and it ended well.
    pub fn is_done_by(&self, record: &Record) -> bool {
        record.id == self.id && self.is_the_work_of(record)
    }

    /// Whether a record, be it of another row or table, is of the same data, settings and version, and ended well.
    pub fn is_the_work_of(&self, record: &Record) -> bool {
        record.error.is_none()
            && record.kind == self.kind
            && record.fingerprint == self.fingerprint()
            && record.version == env!("CARGO_PKG_VERSION")
            // records of older versions hold the settings of other methods too
            && self.config.settings().iter().all(|(name, value)| record.config.get(name) == Some(value))
    }
}

/// The settings of a row on a data set: the preset, the experiment's, the paper's for the set, the row's, in this order.
pub fn settings(
    file: &ExperimentFile,
    row: &RowSpec,
    method: &str,
    set: &SetSpec,
    seed: u64,
    small: bool,
) -> Result<Config> {
    let base = match row.preset {
        Preset::Default => Config::new(set.clusters),
        Preset::Paper => Config::paper(set.clusters),
    };
    let problem = |e: &dyn std::fmt::Display| {
        let name = format!("{} {}", row.group, row.name);
        Error::config("experiment", name.trim(), format!("a row of settings that `fit --config` knows ({e})"))
    };
    let named = Map::from_iter([("method".to_string(), method.into()), ("seed".to_string(), seed.into())]);
    let mut config = base.with_settings(named)?;
    let known = config.settings();
    // what all rows share is for the methods that have it; what a row says must be known
    let mut table = file.settings.clone();
    if row.preset == Preset::Paper {
        table.extend(set.paper.clone());
    }
    table.retain(|name, _| known.contains_key(name));
    table.extend(row.settings.clone());
    if let Some(chain) = &set.features {
        table.insert("features".into(), chain.clone().into());
    }
    let as_json = |table: toml::Table| serde_json::from_value(json!(table)).map_err(|e| problem(&e));
    config = config.with_settings(as_json(table)?).map_err(|e| problem(&e))?;
    if small {
        let mut table = toml::Table::try_from(&config).map_err(|e| problem(&e))?;
        quick::shrink(&mut table);
        table.retain(|name, _| known.contains_key(name));
        config = config.with_settings(as_json(table)?).map_err(|e| problem(&e))?;
    }
    config.check()?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use neuncut::methods::{Auto, Gamma, Neighborhood};

    #[test]
    fn later_settings_win() {
        let text = "title = 't'\nabout = 'a'\ncost = 'c'\nmeasures = ['ACC']\nsets = ['a']\n\
                    settings = { batch = 50, lr = 0.5, features = 'unit' }\n\
                    [[row]]\nname = 'x'\nmethod = 'neuncut'\npreset = 'paper'\nsettings = { batch = 70 }\n\
                    [[row]]\nname = 'y'\nmethod = 'neuncut'\nsettings = { bacth = 70 }\n";
        let file: ExperimentFile = toml::from_str(text).unwrap();
        let set = SetSpec {
            clusters: 4,
            paper: toml::from_str("lr = 0.25\ngamma = 350").unwrap(),
            features: Some(String::new()),
            ..Default::default()
        };
        let config = settings(&file, &file.row[0], "neuncut", &set, 9, false).unwrap();
        let options = config.method.neural_cut().unwrap();
        assert_eq!((config.clusters, options.network.rows_per_batch(), config.seed), (4, 70, 9));
        assert_eq!((options.network.lr, options.gamma), (Auto::Given(0.25), Gamma::Given(350.0)));
        assert!(config.features.is_empty() && options.affinity.neighbors == Neighborhood::All);
        let error = settings(&file, &file.row[1], "neuncut", &set, 9, false).unwrap_err().to_string();
        assert!(error.contains("bacth") && error.contains('y'), "{error}");
    }
}
