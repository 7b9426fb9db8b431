//! Learnt affinities and graphs of the user, through the command.

mod support;

use std::fmt::Write;
use support::{Dir, FAST, GOOD};

/// Edges among rows of the same class, each row with the next three of its class.
fn class_edges(dir: &Dir) -> Vec<(usize, usize)> {
    let classes = dir.labels("truth.npy");
    let mut edges = Vec::new();
    for i in 0..classes.len() {
        edges.extend((i + 1..classes.len()).filter(|&j| classes[j] == classes[i]).take(3).map(|j| (i, j)));
    }
    edges
}

fn edge_list(edges: &[(usize, usize)], weight: &str) -> String {
    edges.iter().fold("i,j,w\n".into(), |mut text: String, (i, j)| {
        let _ = writeln!(text, "{i},{j},{weight}");
        text
    })
}

#[test]
fn a_graph_of_the_user_gains_a_predict() {
    let dir = Dir::with_rings();
    dir.write("graph.csv", edge_list(&class_edges(&dir), "2.5"));
    let fit = dir.ok(&format!("fit rings.npy -k 2 --affinity graph:graph.csv --labels-out labels.npy {GOOD}"));
    assert!(fit.err.contains("graph of 300 rows with") && fit.err.contains("(W + W')/2 is used"), "{}", fit.err);
    assert_eq!(dir.accuracy("labels.npy", "truth.npy"), 1.0);
    // rows that no graph knows
    dir.ok("synth rings -n 2000 --seed 9 -o more.npy --truth more-truth.npy");
    dir.ok("predict model.safetensors more.npy -o more-labels.npy");
    assert!(dir.accuracy("more-labels.npy", "more-truth.npy") > 0.98);
    assert!(dir.ok("inspect model.safetensors").out.contains("graph of 300 rows"));
    // every row is fitted, whatever the size of a sample would be, and the same graph gives the same bytes
    let again = format!(
        "fit rings.npy -k 2 --affinity graph:graph.csv -o again.safetensors --train-rows 50 --threads 1 {GOOD}"
    );
    assert!(dir.ok(&again).err.contains("300 of 300 rows fitted"));
    let weights = |name: &str| dir.ok(&format!("predict {name} more.npy --proba")).out;
    assert_eq!(weights("model.safetensors"), weights("again.safetensors"));
}

#[test]
fn other_starts_and_methods_take_the_graph() {
    let dir = Dir::with_rings();
    dir.write("graph.csv", edge_list(&class_edges(&dir), "1"));
    let graph = "--affinity graph:graph.csv";
    dir.ok(&format!("fit rings.npy -k 2 {graph} --init overcluster --labels-out merged.npy {GOOD}"));
    assert_eq!(dir.accuracy("merged.npy", "truth.npy"), 1.0);
    dir.ok(&format!("fit rings.npy -k 2 {graph} --method ncut --labels-out ncut.npy"));
    assert_eq!(dir.accuracy("ncut.npy", "truth.npy"), 1.0);
    dir.fails(&format!("fit rings.npy -k 2 {graph} --method ncut --labels-out graph.csv"), 2, &["file of its own"]);
    dir.fails(&format!("fit rings.npy -k 2 {graph} --method spectralnet"), 2, &["affinity", "ncut", "neuncut"]);
}

#[test]
fn graphs_that_cannot_be_used_are_refused_before_the_work() {
    let dir = Dir::with_rings();
    dir.write("outside.csv", "i,j,w\n0,1,1\n5,300,1\n");
    dir.write("negative.csv", "i,j,w\n0,1,1\n5,30,-1\n");
    dir.write("nan.csv", "0,1,1\n5,30,NaN\n");
    dir.write("empty.csv", "i,j,w\n3,3,1\n");
    dir.write("broken.npz", "PK");
    let fit = |graph: &str| format!("fit rings.npy -k 2 --affinity graph:{graph}");
    dir.fails(&fit("outside.csv"), 3, &["outside.csv", "5, 300", "300 rows", "counted from 0"]);
    dir.fails(&fit("negative.csv"), 3, &["negative.csv", "line 3", "-1"]);
    dir.fails(&fit("nan.csv"), 3, &["nan.csv", "line 2", "NaN"]);
    dir.fails(&fit("empty.csv"), 3, &["no edge of positive weight"]);
    dir.fails(&fit("broken.npz"), 3, &["not a .npz file", "save_npz"]);
    dir.fails(&fit("missing.csv"), 5, &["missing.csv", "check the path"]);
    dir.fails(&format!("{} -o nan.csv", fit("nan.csv")), 2, &["output", "file of its own"]);
    let unknown = dir.run("fit rings.npy -k 2 --affinity cosine");
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("graph:FILE"), "{}", unknown.err);
    dir.fails("fit rings.npy -k 2 --graph global --neighbors all", 2, &["neighbors", "--graph global"]);
}

#[test]
fn a_trained_affinity_is_kept_only_if_asked_and_predicts_the_same() {
    let dir = Dir::new();
    dir.ok("synth blobs -n 200 -o rows.npy --truth truth.npy");
    let small = "--senet-layers 16,8 --senet-steps 20 --senet-block 100";
    let fit = format!("fit rows.npy -k 3 --affinity senet {small} {FAST}");
    dir.ok(&format!("{fit} -o plain.safetensors"));
    dir.ok(&format!("{fit} -o kept.safetensors --keep-affinity"));
    assert!(dir.read("kept.safetensors").len() > dir.read("plain.safetensors").len() + 4 * (2 * 16 + 16 * 8));
    let inspected = dir.ok("inspect kept.safetensors").out;
    assert!(inspected.contains("kept affinity") && inspected.contains("SENet, two networks 2-16-8"), "{inspected}");
    assert!(!dir.ok("inspect plain.safetensors").out.contains("kept affinity"));
    let labels = |model: &str| dir.ok(&format!("predict {model} rows.npy --proba")).out;
    assert_eq!(labels("plain.safetensors"), labels("kept.safetensors"));
}

#[test]
fn a_fit_before_leaves_nothing_behind() {
    let dir = Dir::with_rings();
    dir.ok("synth blobs -n 200 -o blobs.npy --truth blob-truth.npy");
    let small = "--affinity senet --senet-layers 16,8 --senet-steps 10 --hidden 16 --epochs 2";
    dir.ok(&format!("fit blobs.npy -k 3 -o alone.safetensors {small}"));
    dir.ok(&format!("fit rings.npy -k 2 -o rings.safetensors {small}"));
    dir.ok(&format!("fit blobs.npy -k 3 -o after.safetensors {small}"));
    assert_eq!(dir.read("alone.safetensors"), dir.read("after.safetensors"));
    let names: Vec<String> = dir.files().into_keys().collect();
    let expected =
        ["after.safetensors", "alone.safetensors", "blob-truth.npy", "blobs.npy", "rings.npy", "rings.safetensors"];
    assert_eq!(names[..6], expected, "no file but those that were named: {names:?}");
    assert_eq!(names[6..], ["truth.npy"]);
}

#[test]
fn a_graph_over_all_rows_finds_the_rings() {
    let dir = Dir::with_rings();
    dir.ok(&format!("fit rings.npy -k 2 --graph global --no-guard --labels-out labels.npy {GOOD}"));
    assert_eq!(dir.accuracy("labels.npy", "truth.npy"), 1.0);
}
