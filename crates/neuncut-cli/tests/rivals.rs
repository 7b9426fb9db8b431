//! The rivals through the real binary: `fit --method`, `predict --embedding`, `compare`.

mod support;

use support::Dir;

#[test]
fn methods_that_label_new_rows_leave_a_model() {
    let dir = Dir::new();
    dir.ok("synth blobs -n 900 -o rows.npy --truth truth.npy");
    for method in [
        "kmeans",
        "spectralnet",
        "specnet2",
        "leiden",
        "ward",
        "lsc",
        "nystrom",
        "reskm",
        "uspec",
        "usenc",
        "bipartite",
        "autosc",
        "icon",
        "temi",
        "scan",
        "cnc",
        "edesc",
        "depict",
        "vade",
    ] {
        let flags = match method {
            "spectralnet" | "specnet2" => "--hidden 32 --batch 200 --epochs 100",
            "icon" | "scan" => "--batch 100 --epochs 100 --heads 2",
            "temi" => "--batch 100 --epochs 100 --heads 2 --hidden 32,16",
            "cnc" | "edesc" | "depict" | "vade" => "--hidden 32,32 --batch 50 --epochs 20",
            _ => "",
        };
        let fit = format!("fit rows.npy -k 3 --train-rows 300 --method {method} {flags}");
        dir.ok(&format!("{fit} -o {method}.st --labels-out fitted.npy"));
        dir.ok(&format!("predict {method}.st rows.npy -o labels.npy"));
        assert_eq!(dir.labels("fitted.npy"), dir.labels("labels.npy"), "{method}");
        // two rows of three are new to the model
        let reached = dir.accuracy("labels.npy", "truth.npy");
        assert!(reached > 0.95, "{method}: {reached}");
        let inspected = dir.ok(&format!("inspect {method}.st")).out;
        assert!(inspected.contains(method) && !inspected.contains("gamma"), "{inspected}");
    }
    dir.ok("predict kmeans.st rows.npy --proba -o memberships.npy");
    assert!(dir.rows("memberships.npy").iter().all(|row| (row.iter().sum::<f32>() - 1.0).abs() < 1e-4));
}

#[test]
fn methods_that_cannot_say_why_and_what_to_use_instead() {
    let dir = Dir::with_rings();
    for method in ["ncut", "rcut", "ensc", "senet-sc", "nsc", "min-max-cut", "rotation"] {
        let senet = if method == "senet-sc" { "--senet-layers 16,8 --senet-steps 20" } else { "" };
        let fit = format!("fit rings.npy -k 2 --method {method} {senet}");
        dir.fails(&format!("{fit} -o model.st"), 2, &["leaves no model", "--labels-out", "neuncut"]);
        dir.fails(&fit, 2, &["labels-out is not given"]);
        dir.fails(&format!("{fit} --labels-out l.npy --train-rows 100"), 2, &["train-rows", "fits them all"]);
        dir.fails(&format!("{fit} --labels-out l.npy --history h.csv"), 2, &["history", "no curves"]);
        let summary = dir.ok(&format!("{fit} --labels-out {method}.npy --json")).json();
        assert_eq!(summary["rows"], 300);
        assert_eq!(dir.labels(&format!("{method}.npy")).len(), 300);
    }
    assert!(dir.accuracy("ncut.npy", "truth.npy") > 0.99);
    dir.fails("fit rings.npy -k 2 --method ncut --labels-out l.npy --neighbors all", 2, &["neighbors is all"]);
    dir.fails("fit rings.npy -k 2 --method ncut --labels-out l.npy --eigenvectors 1", 2, &["eigenvectors is 1"]);
}

#[test]
fn settings_of_another_method_are_refused_and_not_shown() {
    let dir = Dir::with_rings();
    let refused = ["gamma is given, but must be left out", "neuncut, neurcut, not of kmeans"];
    dir.fails("fit rings.npy -k 2 --method kmeans --gamma 3", 2, &refused);
    dir.write("kmeans.toml", "clusters = 2\nmethod = \"kmeans\"\ngamma = 3\n");
    dir.fails("fit rings.npy --config kmeans.toml", 2, &["line 3", refused[0], refused[1]]);
    dir.fails("fit rings.npy -k 2 --method ensc --neighbors 3 --labels-out l.npy", 2, &["neighbors is given", "ncut"]);
    dir.fails("fit rings.npy -k 2 --ensemble few-columns", 2, &["few-columns", "there is no ="]);
    dir.fails("fit rings.npy -k 2 --ensemble jury=3", 2, &["jury"]);
    let help = dir.ok("fit --method kmeans --help").out;
    assert!(help.contains("--restarts") && help.contains("[default: auto]") && !help.contains("--gamma"), "{help}");
    let help = dir.ok("fit --help").out;
    assert!(help.contains("--gamma") && help.contains("[default: 0.0001]") && !help.contains("--rounding"), "{help}");
}

#[test]
fn every_setting_of_every_method_is_a_flag() {
    let dir = Dir::new();
    for name in neuncut::Method::NAMES {
        let help = dir.ok(&format!("fit --method {name} --help")).out;
        let config = neuncut::Config::of(neuncut::Method::named(name).unwrap(), 2);
        for setting in config.settings().keys() {
            let flag = if setting == "guard" { "no-guard" } else { setting };
            assert!(help.contains(&format!("--{flag}")), "{name} has no --{flag}");
        }
    }
}

#[test]
fn embeddings_come_from_spectral_networks_alone() {
    let dir = Dir::with_rings();
    dir.ok("fit rings.npy -k 2 --method specnet2 --hidden 16 --epochs 2 --eigenvectors 5 -o model.st");
    dir.ok("predict model.st rings.npy --embedding -o embedding.npy");
    let rows = dir.rows("embedding.npy");
    assert!(rows.len() == 300 && rows.iter().all(|row| row.len() == 5));
    dir.ok("fit rings.npy -k 2 --method kmeans -o kmeans.st");
    dir.fails("predict kmeans.st rings.npy --embedding -o e.npy", 2, &["embedding", "spectralnet"]);
    assert!(!dir.path("e.npy").exists());
}

#[test]
fn features_go_before_every_method() {
    let dir = Dir::with_rings();
    dir.ok("features standardize rings.npy -o features.npy");
    dir.ok("fit features.npy -k 2 --method ncut --labels-out a.npy");
    dir.ok("fit rings.npy -k 2 --method ncut --features standardize --labels-out b.npy");
    assert_eq!(dir.labels("a.npy"), dir.labels("b.npy"));
    dir.ok("fit rings.npy -k 2 --method kmeans --features standardize -o model.st --labels-out c.npy");
    dir.ok("predict model.st rings.npy -o d.npy");
    assert_eq!(dir.labels("c.npy"), dir.labels("d.npy"));
}

#[test]
fn compare_gives_one_table_and_resumes() {
    let dir = Dir::with_rings();
    let line = "compare rings.npy -k 2 --truth truth.npy --methods kmeans,ncut --seeds 2 -o table";
    let first = dir.ok(line);
    assert!(first.out.contains("| ncut | 1.0000 ± 0.0000 |"), "{}", first.out);
    assert!(first.err.contains("kmeans/data/1: ACC"), "{}", first.err);
    assert_eq!(dir.text("table/compare.md"), first.out);
    assert_eq!(dir.text("table/compare.csv").lines().count(), 3);
    // a second time nothing is run again, and a lost record is
    let records = dir.text("table/runs.jsonl");
    assert_eq!(records.lines().count(), 4);
    let kept: Vec<&str> =
        records.lines().filter(|line| !line.contains("\"row\":\"kmeans\",\"set\":\"data\",\"seed\":0")).collect();
    dir.write("table/runs.jsonl", kept.join("\n") + "\n");
    let second = dir.ok(line);
    assert!(second.err.contains("kmeans/data/0") && !second.err.contains("ncut"), "{}", second.err);
    assert_eq!(second.out.lines().count(), first.out.lines().count());
    // other settings are another comparison
    let third = dir.ok(&format!("{line} --neighbors 7 --features standardize --json"));
    assert!(third.err.contains("ncut/data/1"), "{}", third.err);
    assert_eq!(third.json()["methods"][1]["runs"], 2);
    dir.fails("compare rings.npy -k 2 --truth truth.npy --seeds 0", 2, &["seeds is 0"]);
    dir.fails("compare rings.npy -k 2 --truth truth.npy --method ncut", 2, &["--methods"]);
    dir.write("short.csv", "0\n1\n");
    dir.fails("compare rings.npy -k 2 --truth short.csv -o table", 3, &["short.csv", "300 rows"]);
}

#[test]
fn compare_has_the_affinities_too() {
    let dir = Dir::with_rings();
    let (small, edges) = ("--senet-layers 16,8 --senet-steps 20", "i,j,w\n0,1,1\n1,2,1\n2,3,1\n");
    dir.write("graph.csv", edges);
    let line = format!("compare rings.npy -k 2 --truth truth.npy --methods ncut,senet-sc --seeds 1 -o table {small}");
    let first = dir.ok(&line);
    assert!(first.out.contains("| senet-sc | 0.") || first.out.contains("| senet-sc | 1."), "{}", first.out);
    let given = format!("{line} --affinity graph:graph.csv");
    assert!(dir.ok(&given).err.contains("ncut/data/0"));
    assert!(!dir.ok(&given).err.contains("ncut/data/0"));
    // another graph under the same name is another comparison
    dir.write("graph.csv", format!("{edges}3,4,1\n"));
    assert!(dir.ok(&given).err.contains("ncut/data/0"));
}

#[test]
fn compare_refuses_what_no_method_has_and_what_one_cannot_use() {
    let dir = Dir::with_rings();
    let compare = "compare rings.npy -k 2 --truth truth.npy --methods ncut,kmeans --seeds 1 -o table";
    dir.fails(&format!("{compare} --hidden 16"), 2, &["hidden is given", "not of ncut, kmeans"]);
    dir.fails(&format!("{compare} --neighbors all"), 2, &["neighbors is all"]);
    dir.write("table.toml", "neighbors = 5\nrestarts = 3\nhidden = [16]\n");
    dir.fails(&format!("{compare} --config table.toml"), 2, &["hidden is given"]);
    dir.write("table.toml", "neighbors = 5\nrestarts = 3\n");
    dir.ok(&format!("{compare} --config table.toml"));
    let records = dir.text("table/runs.jsonl");
    assert!(records.lines().all(|line| line.contains("\"restarts\":3")), "{records}");
}

#[test]
fn a_method_that_fails_is_reported_in_the_table() {
    let dir = Dir::with_rings();
    // a graph of two edges leaves all other rows alone
    dir.write("graph.csv", "i,j,w\n0,1,1\n900,901,1\n");
    let run = dir.ok(
        "compare rings.npy -k 2 --truth truth.npy --methods ncut,kmeans --affinity graph:graph.csv --seeds 1 -o table",
    );
    assert!(run.out.contains("0 (1 failed)") && run.out.contains("ncut/data/0: failed:"), "{}", run.out);
    assert!(run.out.contains("| kmeans | 0."), "{}", run.out);
}
