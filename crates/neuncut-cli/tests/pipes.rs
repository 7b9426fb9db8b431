//! Rows from standard input, and labels on standard output.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;
use support::{Dir, FAST, lines_of_vectors};

#[test]
fn json_lines_through_pipes() {
    let dir = Dir::new();
    dir.write("rows.jsonl", lines_of_vectors(false));
    let fitted = dir.ok(&format!("fit rows.jsonl -k 2 {FAST} --labels-out labels.jsonl"));
    assert!(fitted.err.contains("labels written to labels.jsonl"), "{}", fitted.err);
    let lines = dir.text("labels.jsonl");
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).expect("JSON");
    assert_eq!((&first["id"], &first["text"]), (&serde_json::json!(0), &serde_json::json!("row 0")));
    assert!(first["label"].is_i64() && lines.lines().count() == 60, "{lines}");
    let piped = |line: &str| {
        let rows = std::fs::File::open(dir.path("rows.jsonl")).expect("it is there");
        dir.command(line).stdin(rows).output().expect("the binary starts")
    };
    assert_eq!(String::from_utf8_lossy(&piped("predict model.safetensors - --format jsonl").stdout), lines);
    let csv = piped("predict model.safetensors - --format jsonl,csv --keep id");
    assert!(csv.stdout.starts_with(b"id,label\n0,"), "{csv:?}");
    // a model of piped rows has the bytes of one of the same rows in a file, but for what the file is called
    assert!(piped(&format!("fit - --format jsonl -k 2 {FAST} -o piped.safetensors")).status.success());
    dir.ok("predict piped.safetensors rows.jsonl -o again.jsonl");
    assert_eq!(dir.text("again.jsonl"), lines);
    dir.fails("predict model.safetensors -", 2, &["format is not given"]);
    dir.fails("predict model.safetensors rows.jsonl --format npy", 2, &["format is npy"]);
}

#[test]
fn formats_of_standard_output() {
    let dir = Dir::with_model();
    let rows = std::fs::File::open(dir.path("rings.npy")).expect("it is there");
    let piped =
        dir.command("predict model.safetensors - --format npy").stdin(rows).output().expect("the binary starts");
    assert!(piped.stdout.starts_with(b"label\n"), "{piped:?}");
    let short = &dir.read("rings.npy")[..1000];
    dir.write("short.npy", short);
    let rows = std::fs::File::open(dir.path("short.npy")).expect("it is there");
    let piped =
        dir.command("predict model.safetensors - --format npy").stdin(rows).output().expect("the binary starts");
    let said = String::from_utf8_lossy(&piped.stderr);
    assert!(said.starts_with("neuncut: standard input: ") && !said.contains("standard-input"), "{said}");
    let lines = dir.ok(&format!("fit rings.npy -k 2 {FAST} --labels-out - --format jsonl --quiet")).out;
    assert!(lines.starts_with("{\"label\":"), "{lines}");
}

/// Sends rows of a format in two parts, the second once labels of the first have come, and gives all that comes out.
fn labels_in_two_parts(dir: &Dir, line: &str, (first, rest): (&str, &str)) -> String {
    let mut command = dir.command(line);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts");
    let (mut rows, labels) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let (told, tells) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let (mut labels, mut text) = (BufReader::new(labels), String::new());
        while text.lines().count() < 500 && labels.read_line(&mut text).expect("text") > 0 {}
        told.send(()).expect("the test waits");
        labels.read_to_string(&mut text).map(|_| text)
    });
    rows.write_all(first.as_bytes()).expect("it reads");
    tells.recv_timeout(Duration::from_secs(20)).expect("labels come before all rows have been sent");
    rows.write_all(rest.as_bytes()).expect("it reads");
    drop(rows);
    assert!(child.wait().expect("it ends").success());
    reader.join().expect("no panic").expect("text")
}

#[test]
fn lines_are_labelled_as_they_come() {
    let dir = Dir::new();
    let rows = 3000;
    let csv =
        (0..rows).map(|i| format!("{i},{},{},\"word {i}, {i}\"\n", i % 7, (i % 2) * 50 + i % 3)).collect::<String>();
    let csv = "id,x,y,text\n".to_owned() + &csv;
    let json = (0..rows)
        .map(|i| format!("{{\"id\": {i}, \"v\": [{}, {}]}}\n", i % 7, (i % 2) * 50 + i % 3))
        .collect::<String>();
    dir.write("rows.csv", &csv);
    dir.write("rows.jsonl", &json);
    dir.ok(&format!("fit rows.csv -k 2 {FAST} -o csv.safetensors"));
    dir.ok(&format!("fit rows.jsonl -k 2 {FAST} -o jsonl.safetensors"));
    for (format, text, header) in [("csv", csv, 1), ("jsonl", json, 0)] {
        dir.ok(&format!("predict {format}.safetensors rows.{format} -o expected.{format}"));
        let at = text.split_inclusive('\n').take(1000 + header).map(str::len).sum();
        let line = format!("predict {format}.safetensors - --format {format} --quiet");
        let labels = labels_in_two_parts(&dir, &line, text.split_at(at));
        assert_eq!(labels, dir.text(&format!("expected.{format}")), "{format}");
        let rows = std::fs::File::open(dir.path(&format!("rows.{format}"))).expect("it is there");
        let line = format!("predict {format}.safetensors /dev/stdin --format {format} -o device.{format} --quiet");
        assert!(dir.command(&line).stdin(rows).status().expect("the binary starts").success());
        assert_eq!(dir.text(&format!("device.{format}")), labels, "{format}");
    }
    dir.write("bad.csv", "id,x,y\n1,2,3\n2,3,word\n");
    let rows = std::fs::File::open(dir.path("bad.csv")).expect("it is there");
    let bad = dir.command("predict csv.safetensors - --format csv").stdin(rows).output().expect("the binary starts");
    let said = String::from_utf8_lossy(&bad.stderr);
    assert!(bad.status.code() == Some(3) && said.contains("standard input: line 3, column y is \"word\""), "{said}");
}
