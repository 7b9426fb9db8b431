//! Where a fit starts, what it says about the data, and whether other seeds agree: through the binary.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use serde_json::Value;
use support::{Dir, FAST, GOOD};

fn names_of_warnings(json: &Value) -> Vec<String> {
    let warnings = json["record"]["diagnostics"]["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn given_labels_gain_a_predict() {
    let dir = Dir::with_rings();
    // every third row has no label, the others are called by names
    let truth = dir.labels("truth.npy");
    let name = |(i, class): (usize, &i32)| match (i % 3, class) {
        (0, _) => "-1\n",
        (_, 0) => "outer\n",
        _ => "inner\n",
    };
    dir.write("known.csv", "label\n".to_owned() + &truth.iter().enumerate().map(name).collect::<String>());
    let run = dir.ok(&format!("fit rings.npy --init labels:known.csv {GOOD} --json"));
    let json = run.json();
    assert_eq!((&json["clusters"], &json["config"]["init"]), (&2.into(), &"labels:known.csv".into()));
    assert_eq!(json["record"]["cluster_names"], serde_json::json!(["inner", "outer"]));
    dir.ok("synth rings -n 2000 --seed 7 -o new.npy --truth new-truth.npy");
    dir.ok("predict model.safetensors new.npy -o new-labels.npy");
    assert!(dir.accuracy("new-labels.npy", "new-truth.npy") > 0.99);
    let inner = dir.labels("new-labels.npy")[0] == 0;
    assert_eq!(inner, dir.labels("new-truth.npy")[0] != 0, "cluster 0 is `inner`");
}

#[test]
fn labels_that_do_not_fit_the_rows_are_refused() {
    let dir = Dir::with_rings();
    dir.write("short.csv", "label\n0\n1\n");
    dir.write("none.csv", "label\n".to_owned() + &"-1\n".repeat(300));
    dir.fails(&format!("fit rings.npy --init labels:short.csv {FAST}"), 3, &["short.csv", "2 labels for 300 rows"]);
    dir.fails(&format!("fit rings.npy --init labels:none.csv {FAST}"), 3, &["none.csv", "-1"]);
    dir.fails(
        &format!("fit rings.npy --init labels:truth.npy -k 3 {FAST}"),
        2,
        &["k is 3", "2, the clusters in truth.npy"],
    );
    dir.fails(&format!("fit rings.npy --init labels:missing.csv {FAST}"), 5, &["missing.csv"]);
    let run = dir.run(&format!("fit rings.npy -k 2 --init sideways {FAST}"));
    assert!(run.code == 2 && run.err.contains("labels:FILE"), "{}", run.err);
}

#[test]
fn small_clusters_merge_into_rings() {
    let dir = Dir::new();
    dir.ok("synth rings -n 1500 -o rings.npy --truth truth.npy");
    let json = dir
        .ok(&format!(
            "fit rings.npy -k 2 --init overcluster --ensemble islands-gap=1000 {GOOD} --labels-out labels.npy --json"
        ))
        .json();
    let candidates = json["record"]["diagnostics"]["candidates"].as_array().unwrap();
    let merged = candidates.iter().find(|one| one["method"].as_str().unwrap().ends_with("merged small clusters"));
    assert_eq!(merged.unwrap()["score"], candidates[0]["score"], "no other is better");
    assert!(dir.accuracy("labels.npy", "truth.npy") > 0.99);
}

#[test]
fn a_random_start_ends_with_every_cluster_alive() {
    let dir = Dir::new();
    dir.ok("synth blobs -n 600 -o blobs.npy");
    // a penalty of zero lets all but one cluster die
    let json = dir.ok("fit blobs.npy -k 3 --init random --gamma 0 --hidden 32 --epochs 30 --json").json();
    let found = &json["record"]["diagnostics"];
    assert!(found["revivals"].as_u64().unwrap() > 0, "something died: {found}");
    assert_eq!(found["live_clusters"], 3);
}

#[test]
fn seeds_are_compared_on_request() {
    let dir = Dir::new();
    dir.ok("synth blobs -n 300 -o blobs.npy");
    let json = dir.ok(&format!("fit blobs.npy -k 3 {FAST} --stability 3 --json")).json();
    let stability = &json["record"]["diagnostics"]["stability"];
    assert_eq!(stability["fits"], 3);
    assert!(stability["least_ari"].as_f64().unwrap() > 0.99, "{stability}");
    assert!(dir.ok("inspect model.safetensors").out.contains("3 seeds agree"));
    let alone = dir.ok(&format!("fit blobs.npy -k 3 {FAST} --json")).json();
    assert_eq!(alone["record"]["diagnostics"]["stability"], Value::Null);
    let run = dir.run(&format!("fit blobs.npy -k 3 {FAST} --stability 1"));
    assert!(run.code == 2 && run.err.contains("stability"), "{}", run.err);
}

#[test]
fn what_is_odd_about_the_data_is_said_by_name() {
    let dir = Dir::new();
    let blob = |place: f32, i: usize| {
        let angle = i as f32 * 2.4; // golden angle: an even disc
        let radius = 0.1 * (i as f32).sqrt();
        format!("{},{}\n", place + radius * angle.cos(), radius * angle.sin())
    };
    let blobs = |places: &[f32], scale: &str| -> String {
        let rows = places.iter().flat_map(|&place| (0..60).map(move |i| blob(place, i)));
        rows.map(|row| row.trim_end().to_owned() + scale).collect()
    };
    dir.write("four.csv", blobs(&[0.0, 50.0, 100.0, 150.0], "\n"));
    let found = |line: &str| names_of_warnings(&dir.ok(&format!("{line} {GOOD} --json")).json());
    assert!(found("fit four.csv -k 2").contains(&"more-pieces-than-clusters".to_owned()));
    assert!(found("fit four.csv -k 4").contains(&"dominant-column".to_owned()), "150 wide, 1 high");
    dir.write("even.csv", blobs(&[0.0, 2.0], "\n"));
    assert_eq!(found("fit even.csv -k 2"), Vec::<String>::new());
    dir.write("twice.csv", blobs(&[0.0, 2.0], "\n").repeat(2));
    assert_eq!(found("fit twice.csv -k 2"), ["many-duplicates"]);
    dir.write("disc.csv", (0..800).map(|i| blob(0.0, i)).collect::<String>());
    assert_eq!(found("fit disc.csv -k 2"), ["no-eigengap"]);
}
