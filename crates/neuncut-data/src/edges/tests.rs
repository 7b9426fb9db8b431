//! Every format gives the same edges; what cannot be a graph is refused with its place.

use super::*;
use crate::npz::testing::{archive, npy};
use crate::testing::Dir;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use std::sync::Arc;

const EDGES: [(u32, u32, f32); 3] = [(0, 1, 0.5), (1, 2, 2.0), (2, 0, 0.25)];

fn read(path: &str) -> Vec<(u32, u32, f32)> {
    read_edges(path.as_ref()).unwrap().edges
}

fn refusal(path: &str) -> String {
    read_edges(path.as_ref()).unwrap_err().to_string()
}

fn parquet(dir: &Dir, name: &str, columns: Vec<(&str, ArrayRef)>) -> String {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let path = dir.path(name);
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    path
}

fn bytes<T: Copy, const N: usize>(items: &[T], encode: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    items.iter().flat_map(|&item| encode(item)).collect()
}

fn csr(format: &[u8], shape: [i64; 2], starts: &[i32], columns: &[i32], weights: &[f64]) -> Vec<u8> {
    archive(&[
        ("indices.npy", npy("<i4", columns.len() as u64, &bytes(columns, i32::to_le_bytes))),
        ("indptr.npy", npy("<i4", starts.len() as u64, &bytes(starts, i32::to_le_bytes))),
        ("format.npy", npy("|S3", 1, format)),
        ("shape.npy", npy("<i8", 2, &bytes(&shape, i64::to_le_bytes))),
        ("data.npy", npy("<f8", weights.len() as u64, &bytes(weights, f64::to_le_bytes))),
    ])
}

#[test]
fn every_format_gives_the_same_edges() {
    let dir = Dir::new();
    assert_eq!(read(&dir.file("a.csv", "i,j,w\n0,1,0.5\n1,2,2\n2,0,0.25\n")), EDGES);
    assert_eq!(read(&dir.file("b.csv", "w,comment,j,i\n0.5,7,1,0\n2,7,2,1\n0.25,7,0,2\n")), EDGES);
    assert_eq!(read(&dir.file("c.tsv", "0\t1\t0.5\n1\t2\t2\n2\t0\t0.25\n")), EDGES);
    let (i, j): (ArrayRef, ArrayRef) =
        (Arc::new(Int64Array::from(vec![0, 1, 2])), Arc::new(Int64Array::from(vec![1, 2, 0])));
    let w: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 2.0, 0.25]));
    assert_eq!(read(&parquet(&dir, "d.parquet", vec![("w", w), ("i", i.clone()), ("j", j.clone())])), EDGES);
    assert_eq!(read(&parquet(&dir, "e.parquet", vec![("i", i), ("j", j)])), EDGES.map(|(i, j, _)| (i, j, 1.0)));
    let matrix = csr(b"csr", [3, 3], &[0, 1, 2, 3], &[1, 2, 0], &[0.5, 2.0, 0.25]);
    let read = read_edges(dir.file("f.npz", matrix).as_ref()).unwrap();
    assert_eq!((read.nodes, &read.edges[..]), (Some(3), &EDGES[..]));
}

#[test]
fn weights_and_rows_that_cannot_be_are_named() {
    let dir = Dir::new();
    assert!(refusal(&dir.file("a.csv", "i,j,w\n0,1,1\n1,2,-3\n")).contains("line 3: the weight is \"-3\""));
    assert!(refusal(&dir.file("b.csv", "0,1,1\n1,2,nan\n")).contains("line 2: the weight is \"nan\""));
    assert!(refusal(&dir.file("c.csv", "0,1,1\n1.5,2,1\n")).contains("line 2: \"1.5\" is not a row number"));
    assert!(refusal(&dir.file("d.csv", "a,b,c,d\n0,1,1,1\n")).contains("columns i, j and w"));
    assert!(refusal(&dir.file("e.npy", "x")).contains("scipy CSR matrix as .npz"));
    let (i, j): (ArrayRef, ArrayRef) =
        (Arc::new(Int64Array::from(vec![0, -1])), Arc::new(Int64Array::from(vec![1, 0])));
    let w: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let found = refusal(&parquet(&dir, "f.parquet", vec![("i", j.clone()), ("j", j.clone()), ("w", w)]));
    assert!(found.contains("row 2: the weight is \"NaN\""), "{found}");
    assert!(refusal(&parquet(&dir, "g.parquet", vec![("i", i), ("j", j.clone())])).contains("row 2"));
    assert!(refusal(&parquet(&dir, "h.parquet", vec![("i", text), ("j", j)])).contains("column i (Utf8)"));
}

#[test]
fn sparse_matrices_that_contradict_themselves_are_refused() {
    let dir = Dir::new();
    let refused = |bytes: Vec<u8>| refusal(&dir.file("a.npz", bytes));
    assert!(refused(csr(b"coo", [2, 2], &[0, 1, 1], &[1], &[1.0])).contains("stored as \"coo\""));
    assert!(refused(csr(b"csr", [2, 3], &[0, 1, 1], &[1], &[1.0])).contains("2 x 3"));
    assert!(refused(csr(b"csr", [2, 2], &[0, 2, 1], &[1], &[1.0])).contains("contradict"));
    assert!(refused(csr(b"csr", [2, 2], &[0, 1, 1], &[2], &[1.0])).contains("(0, 2) lies outside"));
    assert!(refused(csr(b"csr", [2, 2], &[0, 1, 1], &[1], &[-1.0])).contains("(0, 1) is -1"));
    assert!(refused(b"PK".to_vec()).contains("not a .npz file"));
    assert!(refused(archive(&[("x.npy", npy("<i4", 0, &[]))])).contains("lacks the array format"));
}
