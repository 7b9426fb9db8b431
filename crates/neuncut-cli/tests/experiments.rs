//! Experiments, `tune`, `deform` and `report` through the real binary, on made data.

mod support;

use std::path::Path;
use support::{Dir, FAST};

const SETS: &str = "\
[rings]\ntitle = 'Two rings'\nshape = 'rings'\nrows = 400\nclusters = 2\nfeatures = ''\n\
[absent]\ntitle = 'Absent'\nfiles = ['absent.npy']\ntruth = ['absent-truth.npy']\nclusters = 3\n\
[given]\ntitle = 'Given'\nfiles = ['x.npy']\ntruth = ['y.npy']\nclusters = 2\n";

const TABLE: &str = "\
title = 'Table 9'\nabout = 'made up'\ncost = 'seconds'\nmeasures = ['ACC', 'seconds']\nsets = ['rings', 'given', 'absent']\nseeds = 2\n\
settings = { hidden = [16], epochs = 2, landmarks = 200 }\n\
[[row]]\nname = 'Ncut'\nmethod = 'ncut'\npaper = { rings = [1.0, 'T'], absent = [0.5, 7] }\n\
[[row]]\nname = 'k-means'\nmethod = 'kmeans'\nsets = ['given']\nsettings = { features = 'standardize' }\npaper = { given = [0.99, 1] }\n\
[[row]]\nname = 'search'\nmethod = 'neuncut'\nsets = ['rings']\nrun = 'tune'\n\
[[row]]\nname = 'curves'\nmethod = 'neuncut'\nsets = ['rings']\nrun = 'curves'\n\
[[row]]\nname = 'another'\npaper = { rings = [0.9, '-'] }\n";

fn with_experiment() -> Dir {
    let dir = Dir::new();
    dir.write("data-sets.toml", SETS);
    dir.write("table9.toml", TABLE);
    dir.ok("synth rings -n 300 -o x.npy --truth y.npy");
    dir
}

#[test]
fn an_experiment_leaves_records_and_tables_and_resumes() {
    let dir = with_experiment();
    let line = "experiment table9.toml --data . -o runs --jobs 2";
    let first = dir.ok(line);
    assert!(first.err.contains("Absent: not available: absent.npy"), "{}", first.err);
    let records = dir.text("runs/table9.jsonl");
    assert_eq!(records.lines().count(), 10); // Ncut on two sets, k-means, search and curves, two seeds each
    let record: serde_json::Value = serde_json::from_str(records.lines().next().unwrap()).unwrap();
    for name in ["config", "seed", "score", "machine", "version", "jobs", "fingerprint"] {
        assert!(!record[name].is_null(), "{name}: {record}");
    }
    assert!(record["score"]["peak_memory"].as_u64() > Some(1 << 20), "{record}");
    let text = dir.text("runs/RESULTS.md");
    assert!(text.contains("| Ncut | 1.000 | 1.000 ± 0.000 | T |"), "{text}");
    assert!(text.contains("| Ncut | 0.500 | not available | 7 |"), "{text}");
    assert!(text.contains("| another | 0.900 | not in this program | - |"), "{text}");
    assert!(text.contains("k-means: ACC by 0.") && text.contains("search/rings/0: gamma"), "{text}");
    // nothing is run again; a lost record is; other settings are other runs
    assert_eq!(dir.ok(line).err.matches("ACC").count(), 0);
    dir.write("runs/table9.jsonl", records.lines().skip(1).collect::<Vec<_>>().join("\n") + "\n{\"cut\": sh");
    assert_eq!(dir.ok(line).err.matches("[1/1]").count(), 1);
    dir.write("table9.toml", TABLE.replace("landmarks = 200", "landmarks = 199, neighbors = 9"));
    let listed = dir.ok(&format!("{line} --list --only Ncut/ --only /given/")).out;
    assert_eq!(listed, "     Ncut/given/0\n     Ncut/given/1\n");
    // the same run in another table of the same directory is taken from there
    dir.write("table10.toml", TABLE.replace("Table 9", "Table 10").replace("name = 'Ncut'", "name = 'the same'"));
    let taken = dir.ok(&line.replace("table9", "table10")).err;
    assert!(taken.matches("(recorded in another table)").count() == 10 && !taken.contains("[1/"), "{taken}");
    assert!(dir.text("runs/table10.jsonl").contains("\"taken_from\":\"table9: Ncut/rings/0\""));
    // tables are made from the records alone
    std::fs::remove_file(dir.path("runs/RESULTS.md")).unwrap();
    dir.ok("report runs");
    let text = dir.text("runs/RESULTS.md");
    assert!(text.matches("Table 9").count() == 1 && text.matches("Table 10").count() == 1, "{text}");
}

#[test]
fn the_small_version_and_a_failure_are_said() {
    let dir = with_experiment();
    dir.ok("experiment table9.toml --quick -o runs --only Ncut");
    assert!(dir.text("runs/RESULTS.md").contains("`--quick`"));
    dir.write(
        "table9.toml",
        TABLE.replacen("method = 'ncut'", "method = 'ncut'\nsettings = { affinity = 'graph:none.csv' }", 1),
    );
    let failed = dir.run("experiment table9.toml -o failed --seeds 1 --only Ncut");
    assert!(failed.code == 1 && failed.err.contains("1 of 1 runs failed"), "{}", failed.err);
    assert!(dir.text("failed/table9.md").contains("Ncut/rings/0 failed: cannot read none.csv"));
    dir.write("bad.toml", "title = 't'\nsetz = 1\n");
    let bad = dir.run("experiment bad.toml -o bad");
    assert!(bad.code == 2 && bad.err.contains("bad.toml"), "{}", bad.err);
    dir.fails("report failed/cache", 3, &["no records"]);
}

/// Every table and figure of the paper, and those of our own, can be read, names data sets that exist, and has settings that a fit knows.
#[test]
fn the_files_of_the_paper_are_sound() {
    let dir = Dir::new();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "toml") && !path.ends_with("data-sets.toml") {
            files.push(path.to_string_lossy().into_owned());
        }
    }
    assert_eq!(files.len(), 14);
    dir.write("empty", "");
    let listed = dir.ok(&format!("experiment {} --list --data empty -o runs --only /rings/", files.join(" "))).out;
    assert_eq!(listed, "     NeuNcut (default)/rings/0\n");
}

#[test]
fn tune_prints_a_threshold_and_draws_it() {
    let dir = Dir::with_rings();
    let line = format!("tune rings.npy -k 2 {FAST} --gammas 1e6,80,0 --svg gamma.svg");
    let table = dir.ok(&line).out;
    assert!(table.lines().count() == 5 && table.contains("<- threshold"), "{table}");
    assert!(dir.text("gamma.svg").contains("optimal L_orth"));
    let json = dir.ok(&format!("{line} --json")).json();
    assert_eq!(json["sweep"]["points"].as_array().map(Vec::len), Some(3));
    assert!(table.ends_with(&format!("gamma {}\n", json["gamma"].as_f64().unwrap())), "{table}");
    dir.ok(&format!("fit rings.npy -k 2 {FAST} --gamma search -o auto.st"));
    dir.fails("tune rings.npy -k 2 --gammas 1,2", 2, &["large to small"]);
    dir.fails("tune rings.npy -k 2 --method ncut", 2, &["neuncut or neurcut"]);
}

#[test]
fn deformed_images_are_written_or_clustered() {
    let dir = Dir::new();
    // a bar on the left or on the right, 8 x 8 pixels
    let bar = |row: usize, at: usize| if (at % 8 < 4) == row.is_multiple_of(2) { 200 } else { 10 };
    let mut idx = vec![0, 0, 8, 3, 0, 0, 0, 20, 0, 0, 0, 8, 0, 0, 0, 8];
    (0..20).for_each(|row| idx.extend((0..64).map(|at| bar(row, at) as u8)));
    dir.write("images.idx", idx);
    dir.write("classes.csv", (0..20).map(|row| format!("{}\n", row % 2)).collect::<String>());
    let deform = "deform images.idx --truth classes.csv -n 500 --shift 1 --turn 5 --elastic 0.2";
    dir.ok(&format!("{deform} -o rows.npy --truth-out truth.npy"));
    assert_eq!((dir.rows("rows.npy").len(), dir.rows("rows.npy")[0].len()), (500, 64));
    assert_eq!(dir.labels("truth.npy")[..3], [0, 1, 0]);
    let json = dir.ok(&format!("{deform} -k 2 --train-rows 200 --hidden 32 --json")).json();
    assert_eq!((json["rows"].as_u64(), json["accuracy"].as_f64()), (Some(500), Some(1.0)), "{json}");
    assert!(json["rows_a_second"].as_f64() > Some(0.0) && json["peak_memory"].as_u64() > Some(1 << 20));
    dir.fails(&format!("{deform} -k 2 --method ncut"), 2, &["labels new rows"]);
    dir.fails(
        "deform image*.idx --truth classes.csv -n 5 -o images.idx.npy --truth-out images.idx",
        2,
        &["files that are read"],
    );
    dir.ok("synth rings -n 20 -o flat.npy");
    dir.fails("deform flat.npy --truth classes.csv -n 5 -k 2", 2, &["rows are not images"]);
}

#[test]
fn a_fit_reports_and_the_truth_changes_no_byte() {
    let dir = Dir::with_rings();
    dir.ok(&format!("fit rings.npy -k 2 {FAST} -o blind.st"));
    let json =
        dir.ok(&format!("fit rings.npy -k 2 {FAST} -o seen.st --truth truth.npy --report page.html --json")).json();
    assert_eq!(dir.read("blind.st"), dir.read("seen.st"));
    assert_eq!(json["scores_by_epoch"].as_array().map(Vec::len), Some(2), "{json}");
    let page = dir.text("page.html");
    assert!(page.contains("accuracy") && page.contains("id=\"confusion\""));
    // curves are those of the network that was kept
    let kept_start = json["record"]["diagnostics"]["guard_kept_start"] == true;
    assert_eq!(page.contains(">L_orth, neural cut</text>"), !kept_start, "{json}");
    dir.fails(&format!("fit rings.npy -k 2 {FAST} --report rings.npy"), 2, &["report", "file of its own"]);
    dir.write("short.csv", "0\n1\n");
    dir.fails(&format!("fit rings.npy -k 2 {FAST} -o x.st --truth short.csv"), 3, &["short.csv", "300 rows"]);
    dir.fails("report rings.npy", 4, &["rings.npy"]);
}
