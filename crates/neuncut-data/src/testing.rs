//! What the tests of this module share: a directory that disappears, and files in it.

use super::table::{Table, TableSpec};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use tempfile::TempDir;

/// A temporary directory with files in it.
pub struct Dir(TempDir);

impl Dir {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// The path of a file in the directory, as text.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file (compressed when its name ends in `.gz`) and returns its path.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        let bytes = if name.ends_with(".gz") { gzip(bytes.as_ref()) } else { bytes.as_ref().to_vec() };
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The names of the files in the directory, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// The bytes, compressed.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A specification of one file with all its columns.
pub fn spec(path: &str) -> TableSpec {
    TableSpec { paths: vec![path.to_owned()], ..TableSpec::default() }
}

/// The width and all values of a table.
pub fn read_all(spec: &TableSpec) -> crate::Result<(usize, Vec<f32>)> {
    let mut table = Table::open(spec)?;
    let mut values = Vec::new();
    while table.read(3, &mut values)? > 0 {}
    Ok((table.width(), values))
}

/// The text of the error that reading a table ends with.
pub fn error_of(spec: &TableSpec) -> String {
    read_all(spec).unwrap_err().to_string()
}
