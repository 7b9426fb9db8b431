use super::*;
use crate::npy_header::format_header;
use crate::testing::Dir;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use std::sync::Arc;

fn read(name: &str, bytes: impl AsRef<[u8]>, column: Option<&str>) -> Result<Vec<String>> {
    let dir = Dir::new();
    read_labels(dir.file(name, bytes), column)
}

fn message(name: &str, bytes: impl AsRef<[u8]>, column: Option<&str>) -> String {
    read(name, bytes, column).unwrap_err().to_string()
}

fn npy(descr: &str, rows: u64, width: Option<usize>, data: &[u8]) -> Vec<u8> {
    [format_header(descr, rows, width), data.to_vec()].concat()
}

#[test]
fn no_labels_are_an_error() {
    let message = read("none.npy", format_header("<i8", 0, None), None).unwrap_err().to_string();
    assert!(message.contains("there are no labels"), "{message}");
}

#[test]
fn npy_numbers_and_text() {
    let expected = ["3", "-1"];
    let i64s: Vec<u8> = [3i64, -1].iter().flat_map(|value| value.to_le_bytes()).collect();
    let f64s: Vec<u8> = [3f64, -1.0].iter().flat_map(|value| value.to_be_bytes()).collect();
    assert_eq!(read("a.npy", npy("<i8", 2, None, &i64s), None).unwrap(), expected);
    assert_eq!(read("a.npy", npy(">f8", 2, Some(1), &f64s), None).unwrap(), expected);
    assert_eq!(read("a.npy.gz", npy("|b1", 2, None, &[1, 0]), None).unwrap(), ["1", "0"]);
    let text: Vec<u8> = "é\0ab".chars().flat_map(|char| (char as u32).to_le_bytes()).collect();
    assert_eq!(read("a.npy", npy("<U2", 2, None, &text), None).unwrap(), ["é", "ab"]);
    assert_eq!(read("a.npy", npy("|S2", 2, None, b"c\0de"), None).unwrap(), ["c", "de"]);
}

#[test]
fn npy_faults() {
    assert!(message("a.npy", npy("<f4", 2, Some(3), &[0; 24]), None).contains("shape [2, 3]"));
    assert!(
        message("a.npy", npy("<f4", 1, None, &2.5f32.to_le_bytes()), None).contains(r#"row 1 is "2.5", not a label"#)
    );
    assert!(message("a.npy", npy("<f4", 1, None, &f32::NAN.to_le_bytes()), None).contains("row 1 is \"NaN\""));
    assert!(message("a.npy", npy("<U0", 9, None, &[]), None).contains("labels of 0 bytes"));
    assert!(message("a.npy", npy("<i4", 9, None, &[0; 4]), None).contains("promises 9 rows"));
}

#[test]
fn idx_labels() {
    assert_eq!(read("t-labels-idx1-ubyte.gz", [0, 0, 8, 1, 0, 0, 0, 2, 7, 0], None).unwrap(), ["7", "0"]);
    let images = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 7, 0];
    assert!(message("t-images-idx3-ubyte", images, None).contains("labels-idx1-ubyte"));
}

#[test]
fn text_with_and_without_names() {
    assert_eq!(read("a.txt", "cat\ndog\n", None).unwrap(), ["cat", "dog"]);
    assert_eq!(read("a.txt", "1.000000000000000000e+00\n-0.0\n+3\n", None).unwrap(), ["1", "0", "3"]);
    assert_eq!(read("a.csv", "species\nsetosa\n", Some("species")).unwrap(), ["setosa"]);
    assert_eq!(read("a.csv", "kind\n1\n2\n", None).unwrap(), ["1", "2"]);
    assert_eq!(read("a.csv", "x,Label\n0.5,a b\n0.25,c\n", None).unwrap(), ["a b", "c"]);
    assert_eq!(read("a.csv", "0.5,a\n0.25,b\n", Some("2")).unwrap(), ["a", "b"]);
    assert_eq!(read("a.tsv.gz", "label\tp0\n4\t0.5\n", None).unwrap(), ["4"]);
}

#[test]
fn text_faults() {
    assert!(message("a.csv", "x,y\n1,2\n", None).contains("none of the columns (x, y) is called label"));
    assert!(message("a.csv", "x,y\n1,2\n", Some("z")).contains("there is no column z: the columns are x, y"));
    assert!(message("a.csv", "label,y\n1,2\n,2\n", None).contains("line 3 has no label"));
    assert!(message("a.csv", "label\n1\n0.5\n", None).contains(r#"line 3 is "0.5", not a label"#));
    assert!(message("a.svm", "1 1:2\n", None).contains("labels of sparse text"));
}

#[test]
fn arrow_columns() {
    let dir = Dir::new();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("x", Arc::new(Float64Array::from(vec![0.5, 1.0]))),
        ("label", Arc::new(Float64Array::from(vec![3.0, 4.0]))),
        ("kind", Arc::new(StringArray::from(vec![Some("a"), None]))),
        ("id", Arc::new(Int64Array::from(vec![i64::MAX, 1]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let path = dir.path("a.arrow");
    let mut writer = StreamWriter::try_new(std::fs::File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    assert_eq!(read_labels(&path, None).unwrap(), ["3", "4"]);
    assert_eq!(read_labels(&path, Some("id")).unwrap(), ["9223372036854775807", "1"]);
    assert!(read_labels(&path, Some("kind")).unwrap_err().to_string().contains("row 2 has no label"));
    assert!(read_labels(&path, Some("x")).unwrap_err().to_string().contains("row 1 is \"0.5\""));
}

#[test]
fn one_column_of_words_may_have_a_name() {
    let dir = Dir::new();
    let read = |text: &str| read_labels(dir.file("a.csv", text), None).unwrap();
    assert_eq!(read("species\nsetosa\nvirginica\nsetosa\n"), ["setosa", "virginica", "setosa"]);
    assert_eq!(read("setosa\nvirginica\nsetosa\n"), ["setosa", "virginica", "setosa"]);
    assert_eq!(read("a\nb\nc\n"), ["a", "b", "c"]);
    assert_eq!(read("class\n1\n2\n1\n"), ["1", "2", "1"]);
}
