//! Tables, graphs and labels: all that `neuncut-data` reads.

use crate::target::Target;
use neuncut_data::{Table, TableSpec, read_edges, read_labels, rows_by_arrow};
use std::path::Path;

/// Numbers of one file that are looked at; a compressed file may unpack to any number of them.
const MOST_VALUES: usize = 1 << 20;

/// Every target of this kind.
pub const TARGETS: [Target; 12] = [
    Target { name: "npy", endings: &["npy"], gzip: true, body: table, on_disk: true },
    Target { name: "npz", endings: &["npz"], gzip: false, body: npz, on_disk: true },
    Target { name: "idx", endings: &["idx"], gzip: true, body: table, on_disk: true },
    Target { name: "csv", endings: &["csv", "tsv", "txt"], gzip: true, body: table, on_disk: true },
    Target { name: "jsonl", endings: &["jsonl"], gzip: true, body: table, on_disk: true },
    Target { name: "libsvm", endings: &["libsvm"], gzip: true, body: table, on_disk: true },
    Target { name: "parquet", endings: &["parquet"], gzip: false, body: parquet, on_disk: true },
    Target { name: "arrow", endings: &["arrow", "feather", "arrows"], gzip: false, body: table, on_disk: true },
    Target { name: "png", endings: &["png"], gzip: false, body: table, on_disk: true },
    Target { name: "jpeg", endings: &["jpg"], gzip: false, body: table, on_disk: true },
    Target { name: "graph", endings: &["csv", "parquet", "arrow"], gzip: false, body: graph, on_disk: true },
    Target {
        name: "labels",
        endings: &["csv", "parquet", "arrow", "npy", "idx"],
        gzip: true,
        body: labels,
        on_disk: true,
    },
];

/// Any table.
fn table(path: &Path, _: &[u8]) {
    rows_in_chunks(path);
}

/// The rows of a table, unless it is refused: chunks of different sizes give the same, all of them finite and as many as were promised.
fn rows_in_chunks(path: &Path) -> Option<Vec<f32>> {
    let spec = TableSpec { paths: vec![path.to_string_lossy().into_owned()], ..TableSpec::default() };
    let mut table = Table::open(&spec).ok()?;
    let rows = rows_of(&mut table, 64).ok()?;
    table.rewind();
    let again = rows_of(&mut table, 7).expect("what was read once can be read again");
    assert!(same_bits(&rows, &again), "rows depend on the size of chunks");
    Some(rows)
}

/// A Parquet file by the fast path gives what it gives by arrow alone.
fn parquet(path: &Path, _: &[u8]) {
    if let Some(rows) = rows_in_chunks(path) {
        let by_arrow = rows_by_arrow(path, rows.len()).expect("what the fast path reads, arrow reads too");
        assert!(same_bits(&rows, &by_arrow), "the fast path gives other rows than arrow");
    }
}

/// All rows of a table, up to a bound.
fn rows_of(table: &mut Table, chunk: usize) -> neuncut_data::Result<Vec<f32>> {
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
            rows.truncate(width.max(MOST_VALUES / width * width));
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
