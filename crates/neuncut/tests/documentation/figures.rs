//! Tables of the README and the results, held against the records that they come from.

use crate::{newest, read, root};
use std::collections::BTreeMap;

/// The record of the suite that the pages show: the newest.
pub fn suite() -> String {
    newest("benches/suite", "peers.csv")
}

/// The cells of the first row of a page that begins with these cells.
pub fn row(page: &str, first: &[&str]) -> Vec<String> {
    let text = read(page);
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.replace(['*', '`'], "").trim().to_owned()).collect()
    };
    let mut rows = text.lines().filter(|line| line.starts_with('|')).map(cells);
    let found =
        rows.find(|cells| cells.len() > first.len() && cells.iter().zip(first).all(|(cell, word)| cell == word));
    found.unwrap_or_else(|| panic!("{page} has no row that begins with {first:?}"))
}

/// Holds a printed figure against the record, to its last digit; what follows the number (a unit, a remark) does not count.
pub fn agrees(what: &str, printed: &str, value: f64) {
    let digits: String =
        printed.chars().filter(|c| *c != ',').take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let decimals = digits.split_once('.').map_or(0, |(_, after)| after.len());
    let shown: f64 = digits.parse().unwrap_or_else(|_| panic!("{what}: {printed:?} is no number"));
    let unit = 10_f64.powi(-(decimals as i32));
    // half of the last digit; records that are rounded themselves may fall on the edge
    assert!((shown - value).abs() <= 0.5 * unit + 1e-9, "{what}: the page has {printed}, the record {value}");
}

/// Rows of a csv file of the suite's record as maps.
pub fn table(name: &str) -> Vec<BTreeMap<String, String>> {
    let path = root().join(suite()).join(name).with_extension("csv");
    let mut reader = csv::Reader::from_path(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    reader.deserialize().map(|row| row.unwrap()).collect()
}

pub fn mean(values: &[f64]) -> f64 {
    assert!(!values.is_empty(), "no values were found in the record");
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean accuracy and NMI of each set of a record, over its seeds, and the least accuracy.
pub fn fits(file: &str) -> BTreeMap<String, [f64; 3]> {
    let mut by_set: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for line in read(&format!("{}/{file}.jsonl", suite())).lines().skip(1) {
        let run: serde_json::Value = serde_json::from_str(line).unwrap();
        let scores = [run["accuracy"].as_f64().unwrap(), run["nmi"].as_f64().unwrap()];
        by_set.entry(run["set"].as_str().unwrap().into()).or_default().push(scores);
    }
    let summed = |runs: &Vec<[f64; 2]>| {
        let column = |place: usize| runs.iter().map(|run| run[place]).collect::<Vec<_>>();
        [mean(&column(0)), mean(&column(1)), column(0).into_iter().fold(1.0, f64::min)]
    };
    by_set.iter().map(|(set, runs)| (set.clone(), summed(runs))).collect()
}

pub const PEERS: [&str; 6] = ["kmeans", "kmeans_std", "ward", "spectral", "leiden", "umap_kmeans"];

#[test]
fn the_suite_is_that_of_the_record() {
    let (peers, hdbscan) = (table("peers"), table("hdbscan"));
    for (place, (kind, file, name)) in
        [("embedding-", "embeddings", "embeddings"), ("table-", "tables", "tables"), ("shape-", "shapes", "shapes")]
            .into_iter()
            .enumerate()
    {
        let cells = row("docs/results/accuracy.md", &[name]);
        let heading = row("README.md", &[""]);
        let ours: Vec<f64> = fits(file).values().map(|scores| scores[0]).collect();
        agrees(name, &cells[1], ours.len() as f64);
        assert_eq!(heading[place + 1], format!("{name} ({})", cells[1]), "README.md: heading of the table");
        agrees(name, &cells[2], mean(&ours));
        let of_kind = || peers.iter().filter(|row| row["set"].starts_with(kind));
        let score = |row: &BTreeMap<String, String>, peer: &str| row[peer].parse::<f64>().unwrap_or(0.0);
        for (cell, peer) in cells[3..9].iter().zip(PEERS) {
            agrees(peer, cell, mean(&of_kind().map(|row| score(row, peer)).collect::<Vec<_>>()));
        }
        let best = |row| PEERS.iter().map(|peer| score(row, peer)).fold(0.0, f64::max);
        agrees("best peer", &cells[9], mean(&of_kind().map(best).collect::<Vec<_>>()));
        let plain = |row: &&BTreeMap<String, String>| row["set"].starts_with(kind) && row["min_cluster_size"] == "5";
        let found: Vec<f64> = hdbscan.iter().filter(plain).map(|row| row["accuracy"].parse().unwrap()).collect();
        agrees("HDBSCAN", &cells[10], mean(&found));
        // the README has the same figures, turned round
        for (first, at) in [
            ("neuncut, all defaults", 2),
            ("k-means (10 restarts)", 3),
            ("spectral clustering (scikit-learn)", 6),
            ("Leiden at the right resolution", 7),
            ("UMAP + k-means", 8),
            ("HDBSCAN (scikit-learn, defaults)", 10),
        ] {
            assert_eq!(row("README.md", &[first])[place + 1], cells[at], "README.md: {first}, {name}");
        }
    }
}

#[test]
fn the_embeddings_are_those_of_the_record() {
    let (ours, peers) = (fits("embeddings"), table("peers"));
    for (name, set) in [
        ("CIFAR-10 by EfficientNet", "embedding-cifar10eff"),
        ("CLINC, intents", "embedding-clinc"),
        ("search snippets", "embedding-snippets"),
        ("Stack Overflow titles", "embedding-stackoverflow"),
    ] {
        let cells = row("docs/results/accuracy.md", &[name]);
        let [accuracy, nmi, least] = ours[set];
        let peer = peers.iter().find(|row| row["set"] == set).unwrap();
        let value = |key: &str| peer[key].parse::<f64>().unwrap();
        let expected = [value("k"), accuracy, least, nmi, value("kmeans"), value("leiden"), value("umap_kmeans")];
        for (cell, value) in cells[1..].iter().zip(expected) {
            agrees(name, cell, value);
        }
    }
}

#[test]
fn the_digits_are_those_of_the_record() {
    for (name, set) in [("digits", "digits"), ("pendigits", "pendigits"), ("USPS", "usps"), ("MNIST", "mnist")] {
        let cells = row("docs/results/accuracy.md", &[name]);
        let record = table(&format!("compare/{set}"));
        for (method, at) in [("neuncut", 2), ("kmeans", 4), ("ncut", 6)] {
            let Some(found) = record.iter().find(|row| row["method"] == method) else { continue };
            let value = |key: &str| found[key].parse::<f64>().unwrap();
            let (score, deviation) = cells[at].split_once(" ± ").unwrap();
            agrees(name, score, value("accuracy"));
            agrees(name, deviation, value("accuracy_deviation"));
            if at < 6 {
                agrees(name, &cells[at + 1], value("fit_seconds"));
            }
        }
    }
}

#[test]
fn speeds_are_those_of_the_record() {
    let folder = newest("benches/runs", "ratios.jsonl");
    assert!(read("docs/results/speed.md").contains(&folder), "docs/results/speed.md must link to {folder}");
    let record = read(&format!("{folder}/ratios.jsonl"));
    for line in record.lines() {
        let run: serde_json::Value = serde_json::from_str(line).unwrap();
        let job = run["job"].as_str().unwrap();
        let name =
            if job == "predict in memory, 500-512-512-10" { format!("{job}, rows per second") } else { job.into() };
        let cells = row("docs/results/speed.md", &[&name]);
        agrees(job, &cells[1], run["ours"].as_f64().unwrap());
        if let (Some(theirs), false) = (run["theirs"].as_f64(), cells[3].is_empty()) {
            agrees(job, &cells[3], theirs);
        }
        if let (Some(ratio), false) = (run["ratio"].as_f64(), cells[4].is_empty()) {
            agrees(job, &cells[4], ratio);
        }
    }
}

#[test]
fn the_papers_table_is_that_of_the_record() {
    let folder = newest("experiments/runs", "table3_generalization.md");
    let record = read(&format!("{folder}/table3_generalization.md"));
    let mut compared = 0;
    for size in ["1,000", "2,000", "5,000", "10,000", "20,000", "50,000"] {
        let cells = row("docs/results/paper.md", &[size]);
        let first = format!("| NeuNcut ({size}) |");
        for (part, line) in record.lines().filter(|line| line.starts_with(&first)).enumerate() {
            let theirs: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            assert_eq!(cells[1 + 2 * part..3 + 2 * part], theirs[1..3], "{size} rows");
            compared += 1;
        }
    }
    assert_eq!(compared, 12);
}

#[test]
fn executions_of_the_fuzzer_are_those_of_the_record() {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for line in read("fuzz/executions.csv").lines() {
        let mut fields = line.split(',');
        let (target, executions) = (fields.next().unwrap(), fields.next().unwrap());
        let Ok(executions) = executions.parse::<f64>() else { continue };
        *sums.entry(target.into()).or_default() += executions;
        *sums.entry("all".into()).or_default() += executions;
    }
    for (target, sum) in &sums {
        let text = read("docs/reliability.md");
        let after = text.split("| target | executions |").nth(1).unwrap();
        let line = after.lines().find(|line| line.replace('`', "").starts_with(&format!("| {target} |"))).unwrap();
        agrees(target, line.rsplit('|').nth(1).unwrap().trim(), *sum);
    }
}
