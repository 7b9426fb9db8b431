//! `fit --links`: pairs of rows that belong together or apart, through the binary.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use serde_json::json;
use support::{Dir, FAST, GOOD};

/// Links that contradict the rings: the first three rows of either ring are to be with the other, and two rows of one ring apart.
fn crossed(truth: &[i32]) -> (Vec<[usize; 2]>, Vec<[usize; 2]>) {
    let of = |class: i32| (0..truth.len()).filter(move |&row| truth[row] == class);
    let must = of(0).zip(of(1)).take(2).map(|(i, j)| [i, j]).collect();
    let apart: Vec<usize> = of(0).skip(2).take(2).collect();
    (must, vec![[apart[0], apart[1]]])
}

fn file(must: &[[usize; 2]], cannot: &[[usize; 2]]) -> String {
    let lines = |pairs: &[[usize; 2]], word: &str| -> String {
        pairs.iter().map(|[i, j]| format!("{i},{j},{word}\n")).collect()
    };
    "i,j,link\n".to_owned() + &lines(must, "must") + &lines(cannot, "cannot")
}

#[test]
fn links_hold_against_the_shape_and_are_counted() {
    let dir = Dir::with_rings();
    let (must, cannot) = crossed(&dir.labels("truth.npy"));
    dir.write("links.csv", file(&must, &cannot));
    for fit in
        [format!("fit rings.npy -k 2 {GOOD} --labels-out"), "fit rings.npy -k 2 --method ensemble --labels-out".into()]
    {
        let told = dir.ok(&format!("{fit} labels.npy --links links.csv"));
        assert!(told.err.contains("links: 3 of 3 hold\n"), "{}", told.err);
        let labels = dir.labels("labels.npy");
        assert!(
            must.iter().all(|&[i, j]| labels[i] == labels[j]) && cannot.iter().all(|&[i, j]| labels[i] != labels[j])
        );
        assert!(dir.accuracy("labels.npy", "truth.npy") > 0.95, "the other rows stay in their rings");
        dir.ok(&format!("{fit} again.npy --links links.csv --threads 1"));
        assert_eq!(dir.read("again.npy"), dir.read("labels.npy"));
    }
    let found = dir.ok("inspect model.safetensors --json").json();
    assert_eq!(found["record"]["diagnostics"]["links"], json!({ "held": 3, "broken": [] }));
    assert!(dir.ok("inspect model.safetensors").out.contains("3 of 3 hold"));
    dir.ok(&format!("fit rings.npy -k 2 {FAST}"));
    assert!(dir.ok("inspect model.safetensors --json").json()["record"]["diagnostics"].get("links").is_none());
}

#[test]
fn broken_links_are_named() {
    let dir = Dir::with_rings();
    dir.write(
        "torn.jsonl",
        [[0, 1], [1, 2], [2, 0]].map(|[i, j]| format!("{{\"i\":{i},\"j\":{j},\"link\":\"cannot\"}}\n")).concat(),
    );
    for (fit, place) in [("", "/record/diagnostics/links"), ("--method ensemble --labels-out labels.npy", "/links")] {
        let small = if fit.is_empty() { GOOD } else { "" };
        let run = dir.ok(&format!("fit rings.npy -k 2 {fit} {small} --links torn.jsonl --json"));
        assert!(run.err.contains("links: 2 of 3 hold, 1 broken: rows "), "{}", run.err);
        let found = run.json();
        let links = found.pointer(place).unwrap();
        assert_eq!((&links["held"], &links["broken"][0]["link"]), (&json!(2), &json!("cannot")));
    }
}

#[test]
fn rows_with_links_are_fitted_whatever_the_sample() {
    let dir = Dir::with_rings();
    let truth = dir.labels("truth.npy");
    let same: Vec<usize> = (0..truth.len()).filter(|&row| truth[row] == 0).collect();
    let must: Vec<[usize; 2]> = same.windows(2).step_by(30).map(|pair| [pair[0], pair[1]]).collect();
    dir.write("links.csv", file(&must, &[]));
    let told = dir.ok(&format!("fit rings.npy -k 2 {GOOD} --train-rows 100 --links links.csv")).err;
    assert!(
        told.contains("100 of 300 rows fitted") && told.contains(&format!("links: {0} of {0} hold", must.len())),
        "{told}"
    );
    dir.fails(
        "fit rings.npy -k 2 --train-rows 4 --landmarks 4 --links links.csv -o x.safetensors",
        2,
        &["train-rows is 4", "the rows that have a link in links.csv"],
    );
}

#[test]
fn given_labels_obey_links_and_rows_without_a_label_follow_them() {
    let dir = Dir::with_rings();
    let truth = dir.labels("truth.npy");
    let known = |(row, class): (usize, &i32)| if row % 3 == 0 { "-1\n".into() } else { format!("{class}\n") };
    dir.write("known.csv", "label\n".to_owned() + &truth.iter().enumerate().map(known).collect::<String>());
    // row 0 has no label, and its link says the other ring
    let other = (0..truth.len()).find(|&row| row % 3 != 0 && truth[row] != truth[0]).unwrap();
    dir.write("links.csv", file(&[[0, other]], &[]));
    dir.ok(&format!("fit rings.npy --init labels:known.csv --links links.csv {GOOD} --labels-out labels.npy"));
    let labels = dir.labels("labels.npy");
    assert_eq!(labels[0], labels[other]);
}

#[test]
fn links_that_cannot_be_used_are_refused() {
    let dir = Dir::with_rings();
    let refused = |text: &str, words: &[&str]| {
        dir.write("links.csv", text);
        dir.fails(&format!("fit rings.npy -k 2 {FAST} --links links.csv -o x.safetensors"), 3, words);
    };
    refused("i,j,link\n0,1,must\n1,2,must\n2,0,cannot\n", &["links.csv", "rows 2 and 0 cannot be together", "remove"]);
    refused("i,j,link\n0,300,must\n", &["links.csv", "rows 0 and 300", "300 rows of data", "counted from 0"]);
    refused("i,j,link\n0,1,maybe\n", &["links.csv", "line 2", "\"maybe\"", "must or cannot"]);
    refused("i,j,link\n0,x,must\n", &["links.csv", "line 2", "\"x\" is not a row number"]);
    refused("i,j,link\n7,7,must\n", &["links.csv", "line 2 links row 7 with itself"]);
    refused("a,b\n0,1\n", &["links.csv", "columns i, j and link"]);
    dir.fails(&format!("fit rings.npy -k 2 {FAST} --links none.csv -o x.safetensors"), 5, &["none.csv"]);
    dir.write("links.csv", "0,1,must\n");
    for method in ["kmeans", "leiden", "ncut --labels-out x.npy"] {
        let words = ["links is given", "a setting of neuncut, neurcut, ensemble, not of"];
        dir.fails(&format!("fit rings.npy -k 2 --links links.csv --method {method}"), 2, &words);
    }
    let algorithm_1 = "--init random --gamma 80";
    dir.fails(&format!("fit rings.npy -k 2 {FAST} {algorithm_1} --links links.csv"), 2, &["init is random", "--links"]);
    dir.fails(&format!("fit rings.npy -k 2 {FAST} --links links.csv -o links.csv"), 2, &["output is links.csv"]);
}
