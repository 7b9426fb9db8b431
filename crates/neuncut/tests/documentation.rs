//! The README and the manual: links and anchors lead somewhere, the README is short, and figures are those of the records.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The record of the suite that the pages show.
const SUITE: &str = "benches/suite/2026-11-18-2-cores-x86_64";
/// The most bytes of the README.
const README_BYTES: usize = 9 * 1024;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Pages of the root and of the manual.
fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("docs")];
    found.extend(
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "DESIGN.md", "SECURITY.md", "CHANGELOG.md"]
            .map(|p| root().join(p)),
    );
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// The text without blocks of code.
fn prose(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The names that headings have in links, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let titles = prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let mut names = BTreeSet::new();
    for title in titles {
        let title = title.to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let free = (0..).map(|n| if n == 0 { name.clone() } else { format!("{name}-{n}") });
        let name = free.into_iter().find(|name| !names.contains(name)).unwrap();
        names.insert(name);
    }
    names
}

/// Targets of `[text](target)`, `src="target"` and `srcset="target"`.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let without_code: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let targets = |before: &str, end: char| -> Vec<String> {
        without_code.split(before).skip(1).filter_map(|rest| Some(rest.split_once(end)?.0.to_owned())).collect()
    };
    [targets("](", ')'), targets("src=\"", '"'), targets("srcset=\"", '"')].concat()
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let is_there = target.exists()
                && (anchor.is_empty() || anchors(&fs::read_to_string(&target).unwrap_or_default()).contains(anchor));
            if !is_there {
                broken.push(format!("{}: {link}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(count > 100, "only {count} links were found");
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_contents() {
    let contents: BTreeSet<PathBuf> =
        links(&read("docs/SUMMARY.md")).iter().map(|link| root().join("docs").join(link)).collect();
    for page in pages().iter().filter(|page| page.starts_with(root().join("docs"))) {
        let is_there = contents.contains(page) || page.ends_with("SUMMARY.md");
        assert!(is_there, "docs/SUMMARY.md does not list {}", page.display());
    }
}

#[test]
fn the_readme_is_short_and_has_the_two_commands() {
    let readme = read("README.md");
    assert!(
        readme.len() <= README_BYTES,
        "README.md has {} bytes: move what is not for newcomers to docs/",
        readme.len()
    );
    for command in ["cargo run --release -- demo", "cargo xtask test"] {
        assert!(readme.contains(command), "README.md must name `{command}`");
    }
    for image in ["clinc-light.png", "clinc-dark.png"] {
        let bytes = fs::metadata(root().join("docs/images").join(image)).unwrap().len();
        assert!(bytes < 150_000, "{image} has {bytes} bytes");
    }
}

/// The cells of the first row of a page that begins with these cells.
fn row(page: &str, first: &[&str]) -> Vec<String> {
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
fn agrees(what: &str, printed: &str, value: f64) {
    let digits: String =
        printed.chars().filter(|c| *c != ',').take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let decimals = digits.split_once('.').map_or(0, |(_, after)| after.len());
    let shown: f64 = digits.parse().unwrap_or_else(|_| panic!("{what}: {printed:?} is no number"));
    let unit = 10_f64.powi(-(decimals as i32));
    // half of the last digit; records that are rounded themselves may fall on the edge
    assert!((shown - value).abs() <= 0.5 * unit + 1e-9, "{what}: the page has {printed}, the record {value}");
}

/// Rows of a csv file as maps.
fn table(path: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    reader.deserialize().map(|row| row.unwrap()).collect()
}

fn mean(values: &[f64]) -> f64 {
    assert!(!values.is_empty(), "no values were found in the record");
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean accuracy and NMI of each set of a record, over its seeds, and the least accuracy.
fn fits(file: &str) -> BTreeMap<String, [f64; 3]> {
    let mut by_set: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for line in read(&format!("{SUITE}/{file}.jsonl")).lines().skip(1) {
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

const PEERS: [&str; 6] = ["kmeans", "kmeans_std", "ward", "spectral", "leiden", "umap_kmeans"];

#[test]
fn the_suite_is_that_of_the_record() {
    let (peers, hdbscan) = (table(&format!("{SUITE}/peers.csv")), table(&format!("{SUITE}/hdbscan.csv")));
    for (place, (kind, file, name)) in
        [("embedding-", "embeddings", "embeddings"), ("table-", "tables", "tables"), ("shape-", "shapes", "shapes")]
            .into_iter()
            .enumerate()
    {
        let cells = row("docs/results/accuracy.md", &[name]);
        let ours: Vec<f64> = fits(file).values().map(|scores| scores[0]).collect();
        agrees(name, &cells[1], ours.len() as f64);
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
    let (ours, peers) = (fits("embeddings"), table(&format!("{SUITE}/peers.csv")));
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
        let record = table(&format!("{SUITE}/compare/{set}.csv"));
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
    let record = read("benches/runs/2026-11-17-2-cores-x86_64/ratios.jsonl");
    for line in record.lines() {
        let run: serde_json::Value = serde_json::from_str(line).unwrap();
        let job = run["job"].as_str().unwrap();
        let name =
            if job == "predict in memory, 500-512-512-10" { format!("{job}, rows a second") } else { job.into() };
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
    let record = read("experiments/runs/2026-11-16-2-cores/table3_generalization.md");
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
