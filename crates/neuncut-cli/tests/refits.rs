//! A fit after an earlier model: clusters keep their numbers; and clusters changed by hand.

mod support;

use support::Dir;

/// Groups of rows around centres, the `i`-th row in the group `i % centres`; `first` shifts the noise.
fn rows(centres: &[(f64, f64)], count: usize, first: usize) -> String {
    let mut text = String::from("a,b\n");
    for i in first..first + count {
        let (a, b) = centres[i % centres.len()];
        let (turn, reach) = (i as f64 * 2.4, ((i * 37 % 101) as f64 / 101.0).sqrt());
        text += &format!("{:.4},{:.4}\n", a + reach * turn.cos(), b + reach * turn.sin());
    }
    text
}

const CENTRES: [(f64, f64); 4] = [(0.0, 0.0), (6.0, 0.0), (0.0, 6.0), (6.0, 6.0)];
/// A network that is quick and tells these groups apart.
const QUICK: &str = "--hidden 32 --epochs 5 --quiet";

/// The share of places where two labellings are the same.
fn same(a: &[i32], b: &[i32]) -> f64 {
    a.iter().zip(b).filter(|(a, b)| a == b).count() as f64 / a.len() as f64
}

#[test]
fn clusters_keep_their_numbers_and_names_where_the_data_has_not_changed() {
    let dir = Dir::new();
    dir.write("old.csv", rows(&CENTRES, 800, 0));
    // the first 40 rows are replaced by others
    let (kept, new) = (rows(&CENTRES, 800, 0), rows(&CENTRES, 40, 5000));
    let kept: Vec<&str> = kept.lines().skip(41).collect();
    dir.write("new.csv", format!("{new}{}\n", kept.join("\n")));
    dir.ok(&format!("fit old.csv -k 4 {QUICK} -o old.safetensors"));
    dir.write("names.csv", "cluster,name\n0,zero\n1,one\n2,two\n3,three\n");
    dir.ok("rename old.safetensors names.csv --quiet");
    let run = dir.ok("fit new.csv --like old.safetensors --hidden 32 --epochs 5 --seed 7 -o new.safetensors --json");
    assert!(run.err.contains("4 clusters kept; born: none; died: none"), "{}", run.err);
    let succession = &run.json()["record"]["succession"];
    assert!(
        succession["moved"].as_f64().unwrap() <= 0.02 && succession["shift"].as_f64().unwrap() < 0.01,
        "{succession}"
    );
    dir.ok("predict old.safetensors new.csv -o then.npy");
    dir.ok("predict new.safetensors new.csv -o now.npy");
    let share = same(&dir.labels("then.npy")[40..], &dir.labels("now.npy")[40..]);
    assert!(share >= 0.98, "{share} of the labels are the same");
    assert!(dir.ok("inspect new.safetensors --names").out.contains("\n2,two,"));
}

#[test]
fn births_and_deaths_are_reported_and_numbers_are_not_used_again() {
    let dir = Dir::new();
    dir.write("old.csv", rows(&CENTRES, 800, 0));
    dir.ok(&format!("fit old.csv -k 4 {QUICK} -o old.safetensors"));
    dir.ok("predict old.safetensors old.csv -o old.npy");
    let numbers = dir.labels("old.npy");
    // the second group is gone, and one elsewhere is new
    let changed = [CENTRES[0], (20.0, 20.0), CENTRES[2], CENTRES[3]];
    dir.write("new.csv", rows(&changed, 800, 0));
    let run = dir.ok("fit new.csv -k 4 --method kmeans --like old.safetensors -o new.safetensors --json");
    dir.ok("predict new.safetensors new.csv -o new.npy");
    let labels = dir.labels("new.npy");
    for group in [0, 2, 3] {
        assert_eq!(labels[group], numbers[group], "group {group} keeps its number");
    }
    assert!((0..800).all(|i| labels[i] == labels[i % 4]));
    assert_eq!(labels[1], 4, "a number that no cluster had");
    let succession = &run.json()["record"]["succession"];
    assert_eq!(succession["births"], serde_json::json!([4]));
    assert_eq!(succession["deaths"], serde_json::json!([numbers[1]]));
    assert!(
        dir.ok("inspect new.safetensors")
            .out
            .contains("4 with numbers below 5; 1 numbers are of clusters that are gone")
    );
    // and once more, without a change
    let run = dir.ok("fit new.csv --like new.safetensors --method kmeans -o again.safetensors");
    assert!(run.err.contains("4 clusters kept; born: none; died: none; 0.0% of the rows moved"), "{}", run.err);
    dir.ok("predict again.safetensors new.csv -o again.npy");
    assert_eq!(dir.labels("again.npy"), labels);
}

#[test]
fn new_and_dead_clusters_are_seen_without_a_number() {
    let dir = Dir::new();
    dir.write("old.csv", rows(&CENTRES, 800, 0));
    dir.ok(&format!("fit old.csv -k 4 {QUICK} -o old.safetensors"));
    dir.ok("predict old.safetensors old.csv -o old.npy");
    let numbers = dir.labels("old.npy");
    // the second group is gone but for a row within its reach, and there are two more elsewhere
    let changed = [CENTRES[0], (20.0, 20.0), CENTRES[2], CENTRES[3], (20.0, 0.0)];
    dir.write("new.csv", rows(&changed, 1000, 0) + "6.1,0.1\n");
    for method in ["", "--method kmeans"] {
        let flags = if method.is_empty() { "--hidden 32 --epochs 5" } else { method };
        let run = dir.ok(&format!("fit new.csv --like old.safetensors {flags} -o new.safetensors --json"));
        let succession = &run.json()["record"]["succession"];
        assert_eq!(succession["births"].as_array().map(Vec::len), Some(2), "{succession}");
        assert_eq!(succession["deaths"], serde_json::json!([numbers[1]]), "{succession}");
        dir.ok("predict new.safetensors new.csv -o new.npy");
        let labels = dir.labels("new.npy");
        assert!((0..1000).all(|i| labels[i] == labels[i % 5]), "groups are clusters");
        assert!([0, 2, 3].iter().all(|&group| labels[group] == numbers[group]) && labels[1] >= 4 && labels[4] >= 4);
    }
}

#[test]
fn rows_like_no_earlier_cluster_that_form_none_are_reported() {
    let dir = Dir::new();
    dir.write("old.csv", rows(&CENTRES, 800, 0));
    dir.ok(&format!("fit old.csv -k 4 {QUICK} -o old.safetensors"));
    // one row in ten is somewhere far away
    let strays: String =
        (0..80).map(|i| format!("{},{}\n", (i * 37 % 80) * 9 - 360, (i * 61 % 80) * 9 - 360)).collect();
    dir.write("new.csv", rows(&CENTRES, 800, 0) + &strays);
    let run = dir.ok("fit new.csv --like old.safetensors --hidden 32 --epochs 5 -o new.safetensors");
    let has_births = !run.err.contains("born: none");
    assert!(has_births || run.err.contains("like no earlier cluster") && run.err.contains("-k N"), "{}", run.err);
}

#[test]
fn clusters_are_merged_and_dropped_by_hand() {
    let dir = Dir::new();
    dir.write("rows.csv", rows(&CENTRES, 400, 0));
    dir.ok("fit rows.csv -k 4 --method kmeans --quiet");
    dir.ok("predict model.safetensors rows.csv -o before.npy");
    let before = dir.labels("before.npy");
    let run = dir.ok("edit model.safetensors --merge 1,3 -o merged.safetensors");
    assert!(run.err.contains("4 clusters became 3"), "{}", run.err);
    dir.ok("predict merged.safetensors rows.csv -o merged.npy");
    let merged: Vec<i32> = before.iter().map(|&label| if label == 3 { 1 } else { label }).collect();
    assert_eq!(dir.labels("merged.npy"), merged);
    dir.ok("edit merged.safetensors --drop 0 --renumber -o two.safetensors --quiet");
    dir.ok("predict two.safetensors rows.csv -o two.npy");
    let two = dir.labels("two.npy");
    assert!((0..400).all(|i| before[i] == 0 || two[i] == [0, 0, 1, 0][before[i] as usize]));
    assert!(dir.ok("inspect two.safetensors --tree").out.starts_with("level 1: 2 clusters"));
    assert!(dir.ok("report two.safetensors --data rows.csv -o two.html").code == 0);
}

#[test]
fn a_cluster_is_split_by_its_rows() {
    let dir = Dir::new();
    let pairs = [(0.0, 0.0), (5.0, 0.0), (60.0, 9.0), (65.0, 9.0)];
    dir.write("rows.csv", rows(&pairs, 400, 0));
    dir.ok("fit rows.csv -k 2 --method kmeans --quiet");
    dir.ok("predict model.safetensors rows.csv -o before.npy");
    let before = dir.labels("before.npy");
    let run = dir.ok(&format!("edit model.safetensors --split {}:2 --data rows.csv -o three.safetensors", before[0]));
    assert!(
        run.err.contains(&format!("cluster {} was split into {} and 2 (100 and 100 rows)", before[0], before[0])),
        "{}",
        run.err
    );
    dir.ok("predict three.safetensors rows.csv -o after.npy");
    let after = dir.labels("after.npy");
    assert!((0..400).all(|i| i % 4 < 2 || after[i] == before[i]));
    assert!((0..400).all(|i| i % 4 > 1 || after[i] == after[i % 4]) && after[0] != after[1]);
    let edit = |flags: &str, words: &[&str]| {
        dir.fails(&format!("edit model.safetensors {flags} -o out.safetensors"), 2, words)
    };
    edit("--split 0:2", &["--data"]);
    edit("--split 0 --data rows.csv", &["no cluster and number of parts such as 5:2"]);
    edit("--split 9:2 --data rows.csv", &["split is 9", "a cluster of the model: 0 to 1"]);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let dir = Dir::new();
    dir.write("rows.csv", rows(&CENTRES, 200, 0));
    dir.ok("fit rows.csv -k 4 --method kmeans --quiet");
    let edit = |flags: &str, words: &[&str]| {
        dir.fails(&format!("edit model.safetensors {flags} -o out.safetensors"), 2, words)
    };
    edit("", &["nothing to do: give --merge, --split, --drop or --renumber"]);
    edit("--merge 1", &["merge is one cluster", "two or more"]);
    edit("--merge 1,9", &["merge is 9", "a cluster of the model: 0 to 3"]);
    edit("--merge a,b", &["--merge", "no list of clusters such as 3,7"]);
    edit("--merge 1,2 --drop 2", &["drop is 2", "--merge 1,2 makes it one"]);
    edit("--drop 4", &["drop is 4", "a cluster of the model: 0 to 3"]);
    edit("--drop 0,1,2,3", &["drop is 3", "last cluster"]);
    dir.fails("fit rows.csv --like none.safetensors -o out.safetensors", 5, &["none.safetensors"]);
    dir.fails(
        "fit rows.csv --like model.safetensors --method ncut --labels-out a.npy",
        2,
        &["like is", "leaves labels and no model"],
    );
    dir.write("labels.csv", "label\n".to_owned() + &"0\n1\n".repeat(100));
    dir.fails(
        "fit rows.csv --like model.safetensors --init labels:labels.csv",
        2,
        &["like is given with --init labels"],
    );
    dir.write("wide.csv", "x,y,z\n1,2,3\n4,5,6\n");
    dir.fails("fit wide.csv --like model.safetensors", 3, &["column"]);
}
