//! Features that runs share, made once and kept in a directory that the user knows.

use crate::process::{Program, path_text};
use crate::text_file;
use neuncut::Result;
use neuncut::features::Chain;
use serde_json::json;
use std::path::{Path, PathBuf};

/// What features are made from.
pub struct FeatureSource<'a> {
    /// What the file is called.
    pub name: &'a str,
    /// Words that name the data.
    pub data: &'a [String],
    /// A hash of the data.
    pub fingerprint: &'a str,
}

/// The file of features, made unless it is there of the same data and chain; or why it cannot be made.
pub fn features(
    source: &FeatureSource,
    chain: &Chain,
    seed: u64,
    cache: &Path,
    program: Program,
) -> Result<std::result::Result<PathBuf, String>> {
    let slug: String = chain.to_string().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let file = cache.join(format!("{}-{slug}-{seed}.npy", source.name));
    let record = file.with_extension("json");
    let key = json!({
        "chain": chain, "fingerprint": source.fingerprint, "seed": seed, "version": env!("CARGO_PKG_VERSION"),
    });
    if file.exists() && text_file::read_json(&record).as_ref() == Some(&key) {
        return Ok(Ok(file));
    }
    let mut words = vec!["features".to_string(), chain.to_string()];
    words.extend(source.data.iter().cloned());
    words.extend(["--seed".into(), seed.to_string(), "-o".into(), path_text(&file)]);
    if let Err(problem) = program.run(&words)? {
        return Ok(Err(problem));
    }
    text_file::write(&record, &key.to_string())?;
    Ok(Ok(file))
}
