//! The options of a job.

use neuncut::{Error, Result};
use std::str::FromStr;

/// A job's name and its options, `--name value`.
pub struct Options {
    /// Which job.
    pub job: String,
    pairs: Vec<(String, String)>,
}

impl Options {
    /// From the command line.
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let job = words.next().unwrap_or_default();
        let mut pairs = Vec::new();
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| wrong(&name, "", "followed by a value"))?;
            pairs.push((name, value));
        }
        Ok(Self { job, pairs })
    }

    /// An option's text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(given, _)| given.strip_prefix("--") == Some(name)).map(|(_, value)| value.as_str())
    }

    /// The text of an option that must be given.
    pub fn required(&self, name: &str) -> Result<&str> {
        self.text(name).ok_or_else(|| wrong(name, "", "given"))
    }

    /// An option's value, this one unless given.
    pub fn get<T: FromStr>(&self, name: &str, otherwise: T) -> Result<T> {
        match self.text(name) {
            None => Ok(otherwise),
            Some(text) => text.parse().map_err(|_| wrong(name, text, "a number")),
        }
    }

    /// Numbers with commas between them.
    pub fn list(&self, name: &str, otherwise: &[usize]) -> Result<Vec<usize>> {
        match self.text(name) {
            None => Ok(otherwise.to_vec()),
            Some(text) => {
                let number = |part: &str| part.parse().map_err(|_| wrong(name, text, "such as 512,512"));
                text.split(',').map(number).collect()
            }
        }
    }
}

fn wrong(name: &str, text: &str, must: &str) -> Error {
    Error::Degenerate(format!("{name} {text} must be {must}"))
}
