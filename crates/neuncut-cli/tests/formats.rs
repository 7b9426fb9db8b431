//! The same rows in every format, in several files, and with columns that are no features.

mod support;

use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use support::{Dir, FAST, GOOD, csv};

/// The rings in every format that can be read.
fn in_every_format(dir: &Dir) -> Vec<&'static str> {
    let (rows, truth) = (dir.rows("rings.npy"), dir.labels("truth.npy"));
    for name in ["a.csv", "a.tsv", "a.parquet", "a.arrow"] {
        dir.ok(&format!("synth rings -n 300 -o {name}"));
    }
    dir.write("plain.csv", csv(&rows));
    dir.write("spaces.txt", csv(&rows).replace(',', "  "));
    let sparse = |(row, class): (&Vec<f32>, &i32)| format!("{class} 1:{} 2:{}\n", row[0], row[1]);
    dir.write("a.libsvm", rows.iter().zip(&truth).map(sparse).collect::<String>());
    let mut idx = vec![0, 0, 0x0d, 2, 0, 0, 1, 44, 0, 0, 0, 2]; // f32, two axes: 300 rows, 2 columns
    idx.extend(rows.iter().flatten().flat_map(|value| value.to_be_bytes()));
    dir.write("a.idx", &idx);
    dir.write("a.idx.gz", gzip(&idx));
    dir.write("a.npy.gz", gzip(&dir.read("rings.npy")));
    dir.write("a.csv.gz", gzip(&dir.read("a.csv")));
    vec![
        "rings.npy",
        "a.csv",
        "a.tsv",
        "a.parquet",
        "a.arrow",
        "plain.csv",
        "spaces.txt",
        "a.libsvm",
        "a.idx",
        "a.idx.gz",
        "a.npy.gz",
        "a.csv.gz",
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// The fingerprint of the values a model was fitted on.
fn fingerprint(dir: &Dir) -> String {
    dir.ok("inspect model.safetensors --json").json()["record"]["fingerprint"]
        .as_str()
        .expect("a fingerprint")
        .to_owned()
}

#[test]
fn every_format_gives_the_same_values_and_labels() {
    let dir = Dir::with_rings();
    let names = in_every_format(&dir);
    dir.ok(&format!("fit rings.npy -k 2 {GOOD}"));
    dir.ok("predict model.safetensors rings.npy -o expected.csv");
    assert_eq!(dir.accuracy("expected.csv", "truth.npy"), 1.0);
    let expected = fingerprint(&dir);
    for name in &names {
        dir.ok(&format!("predict model.safetensors {name} --keep none -o labels.csv"));
        assert!(dir.read("labels.csv") == dir.read("expected.csv"), "labels of {name}");
    }
    for name in &names {
        dir.ok(&format!("fit {name} -k 2 {FAST}"));
        assert_eq!(fingerprint(&dir), expected, "values of {name}");
    }
}

#[test]
fn a_class_column_is_left_out_and_scored() {
    let dir = Dir::with_rings();
    let (rows, truth) = (dir.rows("rings.npy"), dir.labels("truth.npy"));
    let mut text = String::from("x,species,y\n");
    for (row, class) in rows.iter().zip(&truth) {
        text += &format!("{},{},{}\n", row[0], ["setosa", "virginica"][*class as usize], row[1]);
    }
    dir.write("iris.csv", text);
    dir.ok(&format!("fit iris.csv -k 2 --label-column species {GOOD}"));
    dir.ok("predict model.safetensors iris.csv --label-column 2 -o labels.csv");
    let scores = dir.ok("eval labels.csv iris.csv --truth-column species --json").json();
    assert_eq!(scores["accuracy"], 1.0);
    dir.ok("predict model.safetensors iris.csv --columns x,y -o by-name.csv");
    dir.ok("predict model.safetensors iris.csv --columns 1,3 -o by-number.csv");
    assert!(dir.read("by-name.csv") == dir.read("labels.csv") && dir.read("by-number.csv") == dir.read("labels.csv"));
    dir.ok("predict model.safetensors iris.csv -o found.csv");
    assert!(dir.read("found.csv") == dir.read("labels.csv"), "text is left out, and the model knows its columns");
    dir.fails("fit iris.csv -k 2 --columns x,species", 3, &["iris.csv", "line 2", "column species is \""]);
}

#[test]
fn a_header_can_be_denied() {
    let dir = Dir::with_model();
    dir.write("three.csv", "1,2\n3,4\n5,6\n");
    assert_eq!(dir.ok("predict model.safetensors three.csv").out.lines().count(), 1 + 3);
    assert_eq!(dir.ok("predict model.safetensors three.csv --header true").out.lines().count(), 1 + 2);
    dir.write("named.csv", "a,b\n1,2\n3,4\n");
    dir.fails(
        "predict model.safetensors named.csv --header false -o x.csv",
        3,
        &["named.csv", "no column holds numbers"],
    );
}

#[test]
fn many_files_and_globs_are_one_table_in_order() {
    let dir = Dir::with_model();
    let rows = dir.rows("rings.npy");
    for (name, part) in [("part-1.csv", &rows[..100]), ("part-2.csv", &rows[100..250]), ("part-3.csv", &rows[250..])] {
        dir.write(name, csv(part));
    }
    dir.ok("predict model.safetensors rings.npy -o whole.csv");
    for data in ["part-1.csv part-2.csv part-3.csv", "part-*.csv", "part-[12].csv part-3.csv"] {
        dir.ok(&format!("predict model.safetensors {data} --keep none -o parts.csv"));
        assert!(dir.read("parts.csv") == dir.read("whole.csv"), "{data}");
    }
    let expected = fingerprint(&dir);
    dir.ok(&format!("fit part-*.csv -k 2 {FAST} --labels-out labels.csv"));
    assert_eq!(fingerprint(&dir), expected);
    assert_eq!(dir.text("labels.csv").lines().count(), 301);
    dir.ok("predict model.safetensors part-3.csv part-1.csv -o other.csv");
    let (other, whole) = (dir.text("other.csv"), dir.text("whole.csv"));
    assert_ne!(other, whole);
}

/// `tests/codecs/`, the same table written by pyarrow with `compression=` each of them.
#[test]
fn parquet_is_read_whatever_packs_it() {
    let dir = Dir::new();
    let rows = |codec: &str| {
        let file = format!("{}/tests/codecs/{codec}.parquet", env!("CARGO_MANIFEST_DIR"));
        dir.write("packed.parquet", std::fs::read(file).expect("a file of this project"));
        dir.ok("features standardize packed.parquet -o rows.csv");
        dir.text("rows.csv")
    };
    let expected = rows("none");
    assert_eq!(expected.lines().count(), 61);
    for codec in ["snappy", "gzip", "lz4", "zstd", "brotli"] {
        assert_eq!(rows(codec), expected, "{codec}");
    }
}
