//! Small files of text and JSON, written whole or not at all.

use neuncut::data::AtomicFile;
use neuncut::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// Writes a file in one go.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(Error::io("write", path))?;
    Ok(file.commit()?)
}

/// Reads a file of text.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(Error::io("read", path))
}

/// Reads a JSON file; none where it is not there or is no JSON.
pub fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Reads a TOML file into what it describes; an error names the line.
pub fn read_toml<T: DeserializeOwned>(path: &Path, field: &'static str, what: &str) -> Result<T> {
    let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::config(field, path.display(), format!("a TOML file of {what}, but it is not text in UTF-8"))
    })?;
    toml::from_str(&text).map_err(|e| {
        let line = e.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        let problem = e.message().trim_end().replace('\n', " ");
        Error::config(field, path.display(), format!("a TOML file of {what}, but its line {line} is not: {problem}"))
    })
}
