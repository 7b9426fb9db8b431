//! What stands in the place of object stores in a build without the cargo feature `cloud`: one sentence.

use super::{Stat, public};
use neuncut::{Error, Result};
use std::path::Path;

pub fn check(address: &str) -> Result<()> {
    let remedy = "this build has no object stores: build one that has with `cargo install --path crates/neuncut-cli --features cloud`, \
                  or copy the object here and give the file";
    Err(Error::Request(format!("{}: {remedy}", public(Path::new(address)).display())))
}

pub fn list(address: &str) -> Result<Vec<String>> {
    check(address).map(|()| Vec::new())
}

pub fn stat(address: &str) -> Result<Stat> {
    check(address).map(|()| Stat { bytes: 0, modified: 0 })
}

pub fn read(address: &str) -> Result<Vec<u8>> {
    check(address).map(|()| Vec::new())
}

pub fn fetch(address: &str, _: &Path) -> Result<()> {
    check(address)
}

pub fn put(_: &Path, address: &str) -> Result<()> {
    check(address)
}

pub fn write(address: &str, _: &[u8]) -> Result<()> {
    check(address)
}
