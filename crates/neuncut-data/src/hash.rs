//! Hashes by which data, files and models are known.

use crate::{Error, Result};
use std::fs::File;
use std::hash::Hasher;
use std::io::Read;
use std::path::Path;
use twox_hash::XxHash3_64;

/// A hash of bytes.
///
/// ```
/// assert_ne!(neuncut_data::content_hash(b"one"), neuncut_data::content_hash(b"other"));
/// ```
pub fn content_hash(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// The same of a file's bytes.
///
/// # Errors
/// When the file cannot be read.
pub fn file_hash(path: &Path) -> Result<u64> {
    let mut file = File::open(path).map_err(Error::io("read", path))?;
    let (mut hash, mut block) = (XxHash3_64::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut block).map_err(Error::io("read", path))? {
            0 => return Ok(hash.finish()),
            count => hash.write(&block[..count]),
        }
    }
}
