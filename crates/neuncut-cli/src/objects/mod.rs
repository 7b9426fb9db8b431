//! Objects in stores and on web servers (`s3://`, `gs://`, `az://`, `https://`), which are given in the place of files: they are taken into
//! a temporary folder before they are read, and what was written there is put into the store behind it.

mod shelf;
#[cfg(feature = "cloud")]
mod store;
#[cfg(not(feature = "cloud"))]
#[path = "no_store.rs"]
mod store;
#[cfg(feature = "cloud")]
mod stores;

pub use shelf::{Shelf, take_in};

use crate::{speech, text_file};
use neuncut::data::{self, lists};
use neuncut::{Error, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What stands between the kind of a store and the rest of an address.
const MARK: &str = "://";

/// The size of a file or an object, and when it was changed, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    pub bytes: u64,
    pub modified: u64,
}

/// Whether this is an address such as `s3://bucket/rows.parquet`, and no path.
pub fn is_address(name: impl AsRef<Path>) -> bool {
    let name = name.as_ref().to_string_lossy();
    let scheme = name.split_once(MARK).map_or("", |(scheme, _)| scheme);
    scheme.starts_with(|c: char| c.is_ascii_lowercase())
        && scheme.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}

/// An address in two: what names the object, and the query behind the `?` that a web address may have, such as a signature.
pub fn in_two(address: &str) -> (&str, &str) {
    let is_web = address.starts_with("http://") || address.starts_with("https://");
    match address.split_once('?') {
        Some(parts) if is_web => parts,
        _ => (address, ""), // elsewhere `?` is part of a glob
    }
}

/// A name without what is nobody's business, for files and messages: the query of a web address and the password before its host.
pub fn public(name: &Path) -> PathBuf {
    let text = name.to_string_lossy();
    let (address, query) = in_two(&text);
    let (scheme, rest) = address.split_once(MARK).unwrap_or_default();
    let host = rest.split('/').next().unwrap_or_default();
    let is_web = matches!(scheme, "http" | "https");
    match host.rsplit_once('@') {
        Some((user, _)) if is_web => format!("{scheme}{MARK}{}", &rest[user.len() + 1..]).into(),
        _ if query.is_empty() => name.to_owned(),
        _ => address.into(),
    }
}

/// What was typed, as models and tables name it.
pub fn public_names(typed: &[String]) -> Vec<String> {
    paths(typed.iter().map(|name| public(Path::new(name))).collect())
}

/// From now on no message has what is nobody's business in these names.
pub(super) fn keep_secret(name: &Path) {
    let (typed, public) = (name.to_string_lossy(), public(name));
    if is_address(name) && *typed != *public.to_string_lossy() {
        speech::call(typed.clone().into_owned(), public.to_string_lossy().into_owned());
        let query = in_two(&typed).1;
        if !query.is_empty() {
            speech::call(format!("?{query}"), "?...".into()); // where a part of the address is printed
        }
    }
}

/// What was typed, with the addresses of objects in the place of addresses that end in `/` or have a glob, and in the place of lists
/// that have some.
pub fn expand(typed: &[String]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for name in typed {
        keep_secret(Path::new(name));
        if is_address(name) {
            names.extend(store::list(name)?);
        } else if !lists(std::slice::from_ref(name)).is_empty() {
            let listed: Vec<String> = paths(data::expand(std::slice::from_ref(name))?);
            match listed.iter().any(is_address) {
                true => names.extend(expand(&listed)?),
                false => names.push(name.clone()),
            }
        } else {
            names.push(name.clone());
        }
    }
    Ok(names)
}

/// The files and objects that were typed, each by its own name.
pub fn files(typed: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in expand(typed)? {
        match is_address(&name) {
            true => files.push(PathBuf::from(name)),
            false => files.extend(data::expand(&[name])?),
        }
    }
    match files.is_empty() {
        true => Ok(data::expand(&[])?), // says what is missing
        false => Ok(files),
    }
}

fn paths(files: Vec<PathBuf>) -> Vec<String> {
    files.into_iter().map(|file| file.to_string_lossy().into_owned()).collect()
}

/// What is known about a file or an object without reading it.
pub fn stat(name: &Path) -> Result<Stat> {
    if is_address(name) {
        return store::stat(&name.to_string_lossy());
    }
    let found = name.metadata().map_err(Error::io("read", name))?;
    let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(Stat { bytes: found.len(), modified: modified.map_or(0, |time| time.as_nanos() as u64) })
}

/// A JSON file or object; none where it is not there or is no JSON.
pub fn read_json(name: &Path) -> Option<Value> {
    match is_address(name) {
        true => serde_json::from_slice(&store::read(&name.to_string_lossy()).ok()?).ok(),
        false => text_file::read_json(name),
    }
}

/// Writes a small file or object in one go.
pub fn write_text(name: &Path, text: &str) -> Result<()> {
    match is_address(name) {
        true => store::write(&name.to_string_lossy(), text.as_bytes()),
        false => text_file::write(name, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for address in ["s3://bucket/a.parquet", "https://example.org/a.csv", "az://box/in/*.parquet"] {
            assert!(is_address(address), "{address}");
        }
        for path in ["a.csv", "/data/a.csv", "C:\\a.csv", "@list.txt", "-", "in/x=a://b", "://a"] {
            assert!(!is_address(path), "{path}");
        }
    }

    #[test]
    fn signatures_and_passwords_are_nobodys_business() {
        let public = |name: &str| public(Path::new(name)).to_string_lossy().into_owned();
        assert_eq!(public("https://a.org/in/a.csv?sig=1/2&x=?"), "https://a.org/in/a.csv");
        assert_eq!(public("https://me:word@a.org/in/a@b.csv"), "https://a.org/in/a@b.csv");
        for kept in ["s3://bucket/in/?.csv", "in/a?.csv", "a@b.csv", "https://a.org/in/a@b.csv"] {
            assert_eq!(public(kept), kept);
        }
        assert_eq!(in_two("http://a/b?c=d?e"), ("http://a/b", "c=d?e"));
    }
}
