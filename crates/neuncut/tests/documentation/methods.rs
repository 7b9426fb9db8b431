//! Tables of `docs/results/methods.md`, held against the records of `compare` that they come from.

use crate::figures::{agrees, mean};
use crate::{newest, read, root};
use std::collections::BTreeMap;

const PAGE: &str = "docs/results/methods.md";

/// Columns of the tables of scores, and the files of their records.
const SETS: [(&str, &str); 7] = [
    ("digits", "digits"),
    ("pendigits", "pendigits"),
    ("USPS", "usps"),
    ("MNIST", "mnist"),
    ("Fashion-MNIST", "fashion-mnist"),
    ("CLINC", "clinc"),
    ("ocr-letters", "ocr-letters"),
];

fn folder() -> String {
    newest("benches/methods", "processor.csv")
}

/// The rows of the first table under a heading: the words of the head, then the cells of each row.
fn table(heading: &str) -> Vec<Vec<String>> {
    let text = read(PAGE);
    let under = text.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("{PAGE} has no {heading}")).1;
    let rows: Vec<Vec<String>> = under
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .filter(|line| !line.starts_with("|---"))
        .map(|line| line.trim().trim_matches('|').split('|').map(|cell| cell.replace('`', "").trim().into()).collect())
        .collect();
    assert!(rows.len() > 1, "{PAGE}: no table under {heading}");
    rows
}

/// Scores and peak memory of a run.
struct Run {
    scores: BTreeMap<&'static str, f64>,
    megabytes: f64,
}

/// The runs of a file of records by method; of a form of it where the name of the file has one: `mnist-closed-form.jsonl`.
fn runs(file: &str) -> BTreeMap<String, Vec<Run>> {
    let mut found: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    let path = root().join(folder()).join(format!("{file}.jsonl"));
    for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
        let run: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(score) = run["score"].as_object() else { continue };
        let scores = ["accuracy", "nmi", "ari"].map(|key| (key, score[key].as_f64().unwrap())).into();
        let megabytes = score["peak_memory"].as_f64().unwrap() / 1e6;
        found.entry(run["method"].as_str().unwrap().into()).or_default().push(Run { scores, megabytes });
    }
    found
}

/// The name of a row as the record has it: the method, and the form that its file is called by.
fn named(cell: &str) -> (String, String) {
    let (method, form) = cell.split_once(", ").unwrap_or((cell, ""));
    (method.into(), form.replace(' ', "-"))
}

fn runs_of(set: &str, cell: &str) -> Vec<Run> {
    let (method, form) = named(cell);
    let file = if form.is_empty() { set.to_owned() } else { format!("{set}-{form}") };
    runs(&file).remove(&method).unwrap_or_default()
}

/// Processor seconds of the runs of a set and a row, from `processor.csv`.
fn processor_seconds(set: &str, cell: &str) -> Vec<f64> {
    let (method, form) = named(cell);
    let form = if form.is_empty() { "default" } else { &form };
    let text = read(&format!("{}/processor.csv", folder()));
    let fields = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    fields.filter(|f| f[..3] == [set, form, method.as_str()]).map(|f| f[4].parse().unwrap()).collect()
}

/// Holds a cell `mean ± deviation`, or one figure where there was one run, against the values of all runs.
fn holds(what: &str, cell: &str, values: &[f64]) {
    if values.is_empty() || cell.is_empty() {
        assert!(
            values.is_empty() && cell.is_empty(),
            "{what}: the page has {cell:?}, the record {} runs",
            values.len()
        );
        return;
    }
    let centre = mean(values);
    let (shown, around) = cell.split_once(" ± ").unwrap_or((cell, ""));
    agrees(what, shown, centre);
    assert_eq!(values.len() > 1, !around.is_empty(), "{what}: {} runs", values.len());
    if values.len() > 1 {
        let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
        agrees(what, around, (squares / (values.len() - 1) as f64).sqrt());
    }
}

#[test]
fn scores_of_all_methods_are_those_of_the_record() {
    for (heading, key) in [("Accuracy", "accuracy"), ("NMI", "nmi"), ("ARI", "ari")] {
        let rows = table(heading);
        for row in &rows[1..] {
            for (column, cell) in rows[0].iter().zip(row).skip(1) {
                let (_, set) = SETS.iter().find(|(name, _)| name == column).unwrap();
                let values: Vec<f64> = runs_of(set, &row[0]).iter().map(|run| run.scores[key]).collect();
                holds(&format!("{heading}, {}, {column}", row[0]), cell, &values);
            }
        }
    }
}

#[test]
fn figures_beside_published_ones_are_those_of_the_record() {
    let rows = table("Beside published figures");
    for row in &rows[1..] {
        let (_, set) = SETS.iter().find(|(name, _)| *name == row[0]).unwrap();
        for (key, at) in [("accuracy", 3), ("nmi", 5)] {
            let values: Vec<f64> = runs_of(set, &row[1]).iter().map(|run| run.scores[key]).collect();
            holds(&format!("published, {}, {}, {key}", row[0], row[1]), &row[at], &values);
        }
    }
}

#[test]
fn costs_of_all_methods_are_those_of_the_record() {
    for heading in ["Processor time", "Memory"] {
        let rows = table(heading);
        for row in &rows[1..] {
            for (column, cell) in rows[0].iter().zip(row).skip(1) {
                let (_, set) = SETS.iter().find(|(name, _)| name == column).unwrap();
                let what = format!("{heading}, {}, {column}", row[0]);
                let memory = || runs_of(set, &row[0]).iter().map(|run| run.megabytes).fold(0.0, f64::max);
                let seconds = processor_seconds(set, &row[0]);
                match (cell.is_empty(), heading) {
                    (true, _) => assert!(seconds.is_empty(), "{what}: the record has runs"),
                    (false, "Memory") => agrees(&what, cell, memory()),
                    (false, _) => agrees(&what, cell, mean(&seconds)),
                }
            }
        }
    }
}

#[test]
fn growth_of_methods_with_anchors_is_that_of_the_record() {
    let rows = table("Growth");
    for row in &rows[1..] {
        let sizes = [("clouds-10000", 1), ("clouds-100000", 3), ("clouds-1000000", 5)];
        for (set, at) in sizes {
            let what = format!("growth of {}, {set}", row[0]);
            let seconds = processor_seconds(set, &row[0]);
            if row[at].is_empty() {
                assert!(seconds.is_empty(), "{what}: the record has a run");
                continue;
            }
            agrees(&what, &row[at], mean(&seconds));
            let memory = runs_of(set, &row[0]).iter().map(|run| run.megabytes).fold(0.0, f64::max);
            agrees(&what, &row[at + 1], memory);
        }
    }
}

#[test]
fn the_page_links_to_its_record() {
    assert!(read(PAGE).contains(&folder()), "{PAGE} must link to {}, the newest record", folder());
    assert!(root().join(folder()).join("README.md").exists(), "{}/README.md must say how it was made", folder());
}
