//! What each target does with some bytes: the fuzzer calls it (`main.rs`), and so does the test that replays the corpus
//! (`crates/neuncut/tests/fuzz_corpus.rs`). A body panics where a promise is broken; a file that is refused is no fault.

use ndarray::{Array2, ArrayView2};
use neuncut::data::{Table, TableSpec, read_edges, read_labels, rows_by_arrow};
use neuncut::features::FittedChain;
use neuncut::methods::{Config, Model};
use std::path::{Path, PathBuf};

/// Numbers of one file that are looked at; a compressed file may unpack to any number of them.
const MOST_VALUES: usize = 1 << 20;
/// Columns up to which rows are made for models and steps.
const MOST_COLUMNS: usize = 1 << 12;

/// One kind of file.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// The endings of its files, without a dot; bytes that begin as gzip does get `.gz` as well where that is allowed.
    pub endings: &'static [&'static str],
    /// Whether an ending `.gz` is allowed.
    gzip: bool,
    body: fn(&Path, &[u8]),
}

/// Every target.
pub const TARGETS: [Target; 15] = [
    Target { name: "npy", endings: &["npy"], gzip: true, body: table },
    Target { name: "npz", endings: &["npz"], gzip: false, body: npz },
    Target { name: "idx", endings: &["idx"], gzip: true, body: table },
    Target { name: "csv", endings: &["csv", "tsv", "txt"], gzip: true, body: table },
    Target { name: "jsonl", endings: &["jsonl"], gzip: true, body: table },
    Target { name: "libsvm", endings: &["libsvm"], gzip: true, body: table },
    Target { name: "parquet", endings: &["parquet"], gzip: false, body: parquet },
    Target { name: "arrow", endings: &["arrow", "feather", "arrows"], gzip: false, body: table },
    Target { name: "png", endings: &["png"], gzip: false, body: table },
    Target { name: "jpeg", endings: &["jpg"], gzip: false, body: table },
    Target { name: "model", endings: &["safetensors"], gzip: false, body: model },
    Target { name: "features", endings: &["safetensors"], gzip: false, body: features },
    Target { name: "graph", endings: &["csv", "parquet", "arrow"], gzip: false, body: graph },
    Target { name: "labels", endings: &["csv", "parquet", "arrow", "npy", "idx"], gzip: true, body: labels },
    Target { name: "config", endings: &["toml"], gzip: false, body: config },
];

impl Target {
    /// The target of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Writes the bytes to a file in `directory`, and puts it through the readers.
    pub fn run(&self, directory: &Path, bytes: &[u8]) {
        let path = self.file(directory, bytes);
        std::fs::write(&path, bytes).expect("a temporary file can be written");
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

/// Any table: chunks of different sizes give the same rows, all of them finite and as many as were promised.
fn table(path: &Path, _: &[u8]) {
    let Some(rows) = rows(path, 64) else { return };
    let again = rows_of(path, 7).expect("what was read once can be read again");
    assert!(same_bits(&rows, &again), "rows depend on the size of chunks");
}

/// A Parquet file by the fast path gives what it gives by arrow alone.
fn parquet(path: &Path, bytes: &[u8]) {
    table(path, bytes);
    let Some(rows) = rows(path, 64) else { return };
    let by_arrow = rows_by_arrow(path, rows.len()).expect("what the fast path reads, arrow reads too");
    assert!(same_bits(&rows, &by_arrow), "the fast path gives other rows than arrow");
}

fn rows(path: &Path, chunk: usize) -> Option<Vec<f32>> {
    rows_of(path, chunk).ok()
}

/// All rows of a file, up to a bound.
fn rows_of(path: &Path, chunk: usize) -> neuncut::data::Result<Vec<f32>> {
    let spec = TableSpec { paths: vec![path.to_string_lossy().into_owned()], ..TableSpec::default() };
    let mut table = Table::open(&spec)?;
    let (width, mut rows) = (table.width(), Vec::new());
    assert!(width > 0, "a table without columns was opened");
    loop {
        let before = rows.len();
        let count = table.read(chunk, &mut rows)?;
        assert_eq!(rows.len() - before, count * width, "rows of another width");
        assert!(rows[before..].iter().all(|value| value.is_finite()), "a number that is not finite came through");
        if count == 0 {
            let promised = table.row_count().unwrap_or(table.rows_read());
            assert_eq!(promised, table.rows_read(), "other rows than were promised");
            return Ok(rows);
        }
        if rows.len() > MOST_VALUES {
            rows.truncate(MOST_VALUES / width * width);
            return Ok(rows);
        }
    }
}

fn same_bits(left: &[f32], right: &[f32]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(x, y)| x.to_bits() == y.to_bits())
}

/// A graph: weights are finite and not negative.
fn graph(path: &Path, _: &[u8]) {
    if let Ok(edges) = read_edges(path) {
        let nodes = edges.nodes.map_or(u32::MAX, |nodes| nodes as u32);
        let sound = |&(i, j, weight): &(u32, u32, f32)| weight.is_finite() && weight >= 0.0 && i < nodes && j < nodes;
        assert!(edges.edges.iter().all(sound), "an edge that cannot be came through");
    }
}

/// An npz file is a table of arrays, or a graph.
fn npz(path: &Path, bytes: &[u8]) {
    table(path, bytes);
    graph(path, bytes);
}

/// Labels.
fn labels(path: &Path, _: &[u8]) {
    if let Ok(labels) = read_labels(path, None) {
        assert!(!labels.is_empty(), "no labels are labels of something");
    }
}

/// A model: it gives finite memberships that sum to one, and is the same after another round.
fn model(path: &Path, bytes: &[u8]) {
    let Ok(model) = Model::from_bytes(bytes, path) else { return };
    if model.columns > MOST_COLUMNS {
        return;
    }
    if let Ok(memberships) = model.memberships(some_rows(model.columns).view()) {
        assert_eq!(memberships.ncols(), model.n_clusters());
        assert!(memberships.iter().all(|value| value.is_finite()), "a membership is not finite");
        let sums = memberships.rows().into_iter().map(|row| row.sum());
        assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-3), "memberships of a row do not sum to one");
    }
    let written = model.to_bytes().expect("what was read can be written");
    let again = Model::from_bytes(&written, path).expect("what was written can be read");
    assert_eq!(again.to_bytes().expect("it was written before"), written, "a model changes as it is written");
}

/// Feature steps: they give as many columns as they say.
fn features(path: &Path, bytes: &[u8]) {
    let Ok(chain) = FittedChain::from_bytes(bytes, path) else { return };
    let width = chain.pipeline.n_features(chain.columns);
    if chain.columns.max(width) <= MOST_COLUMNS {
        let rows = some_rows(chain.columns);
        let found = chain.transform(rows.view()).expect("only encoders fail, and here are none");
        assert_eq!(found.ncols(), width, "other columns than were promised");
    }
    let written = chain.to_bytes().expect("what was read can be written");
    assert!(FittedChain::from_bytes(&written, path).is_ok(), "what was written cannot be read");
}

/// A few rows that differ.
fn some_rows(columns: usize) -> Array2<f32> {
    let values: Vec<f32> = (0..3 * columns).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
    ArrayView2::from_shape((3, columns), &values).expect("the sizes agree").to_owned()
}

/// Settings: what is read is written as the same settings.
fn config(_: &Path, bytes: &[u8]) {
    let Some(config) = std::str::from_utf8(bytes).ok().and_then(|text| toml::from_str::<Config>(text).ok()) else {
        return;
    };
    if config.check().is_ok() {
        let text = toml::to_string(&config).expect("checked settings can be written");
        let again: Config = toml::from_str(&text).expect("settings that were written can be read");
        assert_eq!(toml::to_string(&again).expect("they were written before"), text);
    }
}
