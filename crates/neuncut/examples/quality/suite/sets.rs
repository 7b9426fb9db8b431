//! The sets of a suite.

use super::super::real::{Data, RealSet};
use super::options::Options;
use neuncut::{Error, Result};
use std::path::Path;

/// A set with its name, whose first word is its kind.
pub struct SuiteSet {
    pub name: String,
    files: RealSet,
}

impl SuiteSet {
    pub fn data(&self, seed: u64) -> Result<Data> {
        self.files.data(seed)
    }
}

/// The sets of the suite's directory by name, then the real ones, as far as their names contain the text of `--only`.
pub fn find(options: &Options) -> Result<Vec<SuiteSet>> {
    let entries = std::fs::read_dir(&options.suite).map_err(Error::io("read", &options.suite))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".x.npy").map(str::to_owned))
        .collect();
    names.sort();
    let in_suite = |name: String| {
        let file = |part: &str| vec![options.suite.join(format!("{name}.{part}.npy"))];
        SuiteSet { files: RealSet { rows: file("x"), truth: file("y"), chain: "" }, name }
    };
    let mut sets: Vec<SuiteSet> = names.into_iter().map(in_suite).collect();
    let image =
        |(name, files): (String, RealSet)| SuiteSet { name: format!("image-{}", name.replace(' ', "-")), files };
    sets.extend(options.real.as_deref().map(RealSet::all).unwrap_or_default().into_iter().map(image));
    sets.retain(|set| set.name.contains(&options.only));
    match sets.is_empty() {
        true => Err(nothing(&options.suite, &options.only)),
        false => Ok(sets),
    }
}

fn nothing(directory: &Path, only: &str) -> Error {
    Error::Degenerate(format!("{} has no set KIND-NAME.x.npy whose name contains `{only}`", directory.display()))
}
