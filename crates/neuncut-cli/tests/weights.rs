//! `fit --weights`: rows that weigh more or less than others, through the binary.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use support::{Dir, FAST, GOOD};

/// Three groups of sixty rows on a line, the last far away, with the weight of each in a column of its own.
fn groups(weights: [f64; 3]) -> String {
    let row = |i: usize| {
        let (x, y) = ([0.0, 6.0, 40.0][i / 60] + (i * 7 % 10) as f64 * 0.1, (i * 3 % 7) as f64 * 0.1);
        format!("{x},{},{y}\n", weights[i / 60])
    };
    "x,mass,y\n".to_owned() + &(0..180).map(row).collect::<String>()
}

const METHODS: [(&str, &str); 3] = [(GOOD, "neuncut"), ("--representation raw", "kmeans"), ("", "ensemble")];

#[test]
fn equal_weights_are_none() {
    let dir = Dir::new();
    dir.write("rows.csv", groups([2.5; 3]));
    for (more, method) in METHODS {
        let model = |name: &str| if method == "ensemble" { String::new() } else { format!("-o {name}.safetensors") };
        let fit = format!("fit rows.csv -k 3 --method {method} {more} --labels-out");
        dir.ok(&format!("{fit} with.csv --weights mass {}", model("with")));
        dir.ok(&format!("{fit} without.csv --exclude mass {}", model("without")));
        assert_eq!(dir.read("with.csv"), dir.read("without.csv"), "{method}");
        if method != "ensemble" {
            assert_eq!(dir.read("with.safetensors"), dir.read("without.safetensors"), "{method}");
        }
    }
}

#[test]
fn rows_that_weigh_nothing_are_no_cluster_and_follow_the_others() {
    let dir = Dir::new();
    dir.write("rows.csv", groups([1.0, 3.0, 0.0]));
    for (more, method) in METHODS {
        let fit = format!("fit rows.csv -k 2 --method {method} {more} --weights mass --labels-out");
        dir.ok(&format!("{fit} labels.npy"));
        let labels = dir.labels("labels.npy");
        let of_group = |group: usize| &labels[60 * group..60 * (group + 1)];
        let is_one = |group: usize| of_group(group).iter().all(|label| *label == of_group(group)[0]);
        assert!(is_one(0) && is_one(1) && labels[0] != labels[60], "{method}: {labels:?}");
        dir.ok(&format!("{fit} again.npy --threads 1"));
        assert_eq!(dir.read("again.npy"), dir.read("labels.npy"), "{method}");
        if method == "ensemble" {
            continue;
        }
        let record = dir.ok("inspect model.safetensors --json").json()["record"].take();
        let share = record["cluster_shares"][labels[0] as usize].as_f64().unwrap();
        assert!(
            (share - 0.25).abs() < 1e-6,
            "{method}: a quarter of the weight, whatever became of the others: {share}"
        );
        assert_eq!(dir.ok("inspect model.safetensors --json").json()["column_names"], serde_json::json!(["x", "y"]));
    }
}

#[test]
fn a_sample_takes_heavy_rows_more_often() {
    let dir = Dir::new();
    dir.write("rows.csv", groups([20.0, 1.0, 1.0]));
    let run = dir.ok("fit rows.csv -k 3 --method kmeans --weights mass --train-rows 66 --json");
    assert!(run.err.contains("66 of 180 rows fitted"), "{}", run.err);
    let json = run.json();
    let mut shares: Vec<f64> =
        json["record"]["cluster_shares"].as_array().unwrap().iter().map(|s| s.as_f64().unwrap()).collect();
    shares.sort_by(f64::total_cmp);
    // 1200 of 1320; a uniform sample without weights would have a third of each
    assert!((shares[2] - 0.909).abs() < 0.03, "{shares:?}");
}

#[test]
fn weights_go_with_every_start_and_with_links() {
    let dir = Dir::new();
    dir.write("rows.csv", groups([1.0, 2.0, 0.5]));
    dir.write("links.csv", "0,1,must\n2,70,cannot\n");
    for start in [
        "--init k-means",
        "--init overcluster",
        "--init random",
        "--init random --gamma 80",
        "--graph batch",
        "--graph pairs",
    ] {
        let links = if start.contains("gamma") { "" } else { "--links links.csv" };
        let told = dir.ok(&format!("fit rows.csv -k 3 {GOOD} {start} --weights mass {links}")).err;
        assert!(links.is_empty() || told.contains("links: 2 of 2 hold"), "{start}: {told}");
    }
}

#[test]
fn weights_that_cannot_be_used_are_refused() {
    let dir = Dir::with_rings();
    let refused = |text: &str, words: &[&str]| {
        dir.write("rows.csv", text);
        dir.fails(&format!("fit rows.csv -k 2 {FAST} --weights w -o x.safetensors"), 3, words);
    };
    refused("x,w\n1,1\n2,-3\n4,1\n", &["rows.csv", "row 2, column w", "\"-3\"", "zero or positive"]);
    refused("x,w\n1,1\n2,\n4,1\n", &["rows.csv", "row 2, column w"]);
    refused("x,w\n1,1\n2,inf\n4,1\n", &["rows.csv", "row 2, column w", "\"inf\""]);
    refused("x,w\n1,heavy\n2,1\n4,1\n", &["rows.csv", "row 1, column w", "\"heavy\""]);
    refused("x,w\n1,0\n2,0\n4,0\n", &["rows.csv", "every weight in column w is zero"]);
    refused("x,y\n1,0\n2,0\n4,0\n", &["rows.csv", "no column w", "x, y"]);
    refused("x,w\n1,0\n2,3\n4,0\n", &["rows.csv has 1 rows, but 2 are needed", "that weigh something"]);
    dir.fails("fit rings.npy -k 2 --weights 2 -o x.safetensors", 3, &["rings.npy", "no column of weights"]);
    for method in ["leiden", "ncut --labels-out x.npy"] {
        let words = ["weights is given", "a setting of neuncut, neurcut, ensemble, kmeans, not of"];
        dir.fails(&format!("fit rows.csv -k 2 --weights w --method {method}"), 2, &words);
    }
}
