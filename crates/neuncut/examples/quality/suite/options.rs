//! What was typed.

use neuncut::methods::Config;
use neuncut::{Error, Result};
use std::path::PathBuf;

/// The options of a run over a suite.
pub struct Options {
    pub suite: PathBuf,
    pub real: Option<PathBuf>,
    pub only: String,
    pub seeds: u64,
    pub jobs: usize,
    pub record: PathBuf,
    pub against: Option<PathBuf>,
    /// Settings of the fit as a TOML document, one line for each `--set`.
    pub settings: String,
}

impl Options {
    pub fn read(words: &[String]) -> Result<Self> {
        let mut options = Self {
            suite: PathBuf::new(),
            real: None,
            only: String::new(),
            seeds: 1,
            jobs: 1,
            record: "target/quality/suite.jsonl".into(),
            against: None,
            settings: String::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| missing(word))?;
            let number = || {
                value
                    .parse::<u64>()
                    .map_err(|_| Error::Degenerate(format!("{word} is {value}: give a whole number of at least 1")))
            };
            match word.as_str() {
                "--suite" => options.suite = value.into(),
                "--real" => options.real = Some(value.into()),
                "--only" => options.only.clone_from(value),
                "--seeds" => options.seeds = number()?.max(1),
                "--jobs" => options.jobs = number()?.max(1) as usize,
                "--record" => options.record = value.into(),
                "--against" => options.against = Some(value.into()),
                "--set" => options.settings += &setting(value)?,
                _ => {
                    return Err(Error::Degenerate(format!(
                        "{word} is not an option of the suite: see `cargo xtask help`"
                    )));
                }
            }
        }
        options.config(2)?; // a wrong setting is known before the first fit
        Ok(options)
    }

    /// The default configuration with the settings that were given.
    pub fn config(&self, clusters: usize) -> Result<Config> {
        let config: Config =
            toml::from_str(&self.settings).map_err(|e| Error::config("--set", e.message(), "a key of fit --config"))?;
        Ok(Config { clusters, ..config })
    }
}

fn missing(word: &str) -> Error {
    Error::Degenerate(format!("{word} must be followed by a value"))
}

/// `KEY=VALUE` as a line of TOML; a value that TOML does not know is a word.
fn setting(text: &str) -> Result<String> {
    let (key, value) = text.split_once('=').ok_or_else(|| Error::config("--set", text, "KEY=VALUE"))?;
    let line = format!("{key} = {value}\n");
    Ok(if toml::from_str::<toml::Table>(&line).is_ok() { line } else { format!("{key} = {value:?}\n") })
}
