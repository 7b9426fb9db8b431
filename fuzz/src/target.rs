//! A kind of file that is fuzzed: what its files are called, and what is done with them. The bodies are in `tables.rs` and `models.rs`: the
//! fuzzer calls them, and so does the test that replays the corpus (`crates/neuncut/tests/fuzz_corpus.rs`). A body panics where a
//! promise is broken; a file that is refused is no fault.

use std::path::{Path, PathBuf};

/// One kind of file.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// The endings of its files, without a dot; bytes that begin as gzip does get `.gz` as well where that is allowed.
    pub endings: &'static [&'static str],
    /// Whether an ending `.gz` is allowed.
    pub gzip: bool,
    /// What is done with a file and its bytes.
    pub body: fn(&Path, &[u8]),
    /// Whether the body reads the file; others get along with the bytes, and no file is written.
    pub on_disk: bool,
}

impl Target {
    /// The target of this name.
    pub fn named(targets: &'static [Self], name: &str) -> Option<&'static Self> {
        targets.iter().find(|target| target.name == name)
    }

    /// Writes the bytes to a file in `directory`, and puts it through the readers.
    pub fn run(&self, directory: &Path, bytes: &[u8]) {
        let path = self.file(directory, bytes);
        if self.on_disk {
            std::fs::write(&path, bytes).expect("a temporary file can be written");
        }
        (self.body)(&path, bytes);
    }

    /// A name that the content deserves; other content goes by the first ending.
    fn file(&self, directory: &Path, bytes: &[u8]) -> PathBuf {
        let known = match bytes {
            [b'P', b'A', b'R', b'1', ..] => "parquet",
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] | [0xff, 0xff, 0xff, 0xff, ..] => "arrow",
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => "npy",
            [0, 0, 8..=14, 1..=9, ..] => "idx",
            _ => "",
        };
        let ending = self.endings.iter().find(|ending| **ending == known).unwrap_or(&self.endings[0]);
        let is_gzip = self.gzip && bytes.starts_with(&[0x1f, 0x8b]);
        directory.join(format!("input.{ending}{}", if is_gzip { ".gz" } else { "" }))
    }
}
