//! Coarser labels, the tree of clusters, and rows that are left without a label.

mod support;

use support::Dir;

/// A k-means model of four groups in two pairs, on 200 rows.
fn with_model() -> Dir {
    let dir = Dir::new();
    let mut text = String::from("a,b\n");
    for i in 0..200 {
        let (a, b) = [(0.0, 0.0), (4.0, 0.0), (40.0, 9.0), (44.0, 9.0)][i % 4];
        text += &format!("{},{}\n", a + (i * 7 % 13) as f64 * 0.15, b + (i * 11 % 17) as f64 * 0.15);
    }
    dir.write("rows.csv", text);
    dir.ok("fit rows.csv -k 4 --method kmeans --quiet");
    dir
}

/// The groups of rows, whatever they are called.
fn same_groups(a: &[i32], b: impl Fn(usize) -> usize) -> bool {
    (0..a.len()).all(|i| (0..i).all(|j| (a[i] == a[j]) == (b(i) == b(j))))
}

#[test]
fn a_level_is_exactly_the_clusters_merged() {
    let dir = with_model();
    dir.ok("predict model.safetensors rows.csv -o fine.npy");
    dir.ok("predict model.safetensors rows.csv --level 2 -o coarse.npy");
    let (fine, coarse) = (dir.labels("fine.npy"), dir.labels("coarse.npy"));
    assert!(same_groups(&fine, |i| i % 4) && same_groups(&coarse, |i| i % 4 / 2), "near groups are merged");
    dir.ok("predict model.safetensors rows.csv --level 4 -o all.npy");
    assert_eq!(dir.labels("all.npy"), fine);
    // memberships add up, and the labels beside them are the same
    dir.ok("predict model.safetensors rows.csv --proba -o fine-shares.npy");
    dir.ok("predict model.safetensors rows.csv --level 2 --proba -o shares.npy");
    dir.ok("predict model.safetensors rows.csv --level 2 --proba --keep none -o shares.csv");
    let (of_four, of_two) = (dir.rows("fine-shares.npy"), dir.rows("shares.npy"));
    for (row, (four, two)) in of_four.iter().zip(&of_two).enumerate() {
        let mut sums = [0.0; 2];
        (0..200).filter(|&i| i < 4).for_each(|i| sums[coarse[i] as usize] += four[fine[i] as usize]);
        assert!(
            two.len() == 2 && sums.iter().zip(two).all(|(a, b)| (a - b).abs() < 1e-5),
            "row {row}: {four:?} {two:?}"
        );
    }
    let written = dir.text("shares.csv");
    let labels: Vec<i32> = written.lines().skip(1).filter_map(|line| line.split(',').next()?.parse().ok()).collect();
    assert_eq!(labels, coarse);
}

/// A column of a table of text, where no field holds a comma.
fn column(text: &str, name: &str) -> Vec<String> {
    let mut lines = text.lines();
    let at = lines.next().and_then(|head| head.split(',').position(|field| field == name));
    let at = at.unwrap_or_else(|| panic!("no column {name}: {text}"));
    lines.map(|line| line.split(',').nth(at).unwrap_or_default().to_owned()).collect()
}

#[test]
fn several_levels_are_columns_of_the_labels_merged() {
    let dir = with_model();
    dir.ok("predict model.safetensors rows.csv --levels 2,3 --confidence -o all.csv");
    let all = dir.text("all.csv");
    assert!(all.starts_with("a,b,label,label_2,label_3,confidence\n"), "{all}");
    dir.ok("predict model.safetensors rows.csv -o fine.csv");
    assert_eq!(column(&all, "label"), column(&dir.text("fine.csv"), "label"));
    for level in [2, 3] {
        dir.ok(&format!("predict model.safetensors rows.csv --level {level} -o coarse.csv"));
        assert_eq!(column(&all, &format!("label_{level}")), column(&dir.text("coarse.csv"), "label"));
    }
    // every format of tables, many files, and columns of the data that have these names
    for name in ["all.parquet", "all.arrow", "all.tsv", "all.jsonl"] {
        dir.ok(&format!("predict model.safetensors rows.csv --levels 2 -o {name}"));
    }
    assert!(dir.text("all.jsonl").lines().all(|line| line.contains("\"label\":") && line.contains("\"label_2\":")));
    dir.ok("predict model.safetensors all.parquet --columns a,b --levels 2 -o again.csv");
    let again = dir.text("again.csv");
    assert!(again.starts_with("a,b,label_input,label_2_input,label,label_2\n"), "{again}");
    assert_eq!(column(&again, "label_2_input"), column(&again, "label_2"));
    dir.ok("predict model.safetensors rows.csv --levels 3,2 -o out/");
    assert!(dir.text("out/rows.csv").starts_with("a,b,label,label_3,label_2\n"));
    // rows without a label have none at any level, and names have columns of their own
    dir.write("far.csv", "a,b\n900,900\n0,0\n");
    dir.ok("predict model.safetensors far.csv --levels 2 --abstain 0.5 --keep none -o far.out.csv");
    assert!(dir.text("far.out.csv").contains("\n-1,-1\n"), "{}", dir.text("far.out.csv"));
    dir.write("names.csv", "cluster,name\n0,zero\n1,one\n2,two\n3,three\n");
    dir.ok("rename model.safetensors names.csv --quiet");
    dir.ok("predict model.safetensors rows.csv --levels 1 --names --keep none -o names.tsv");
    let named = dir.text("names.tsv");
    assert!(named.starts_with("label\tcluster_name\tlabel_1\tcluster_name_1\n"), "{named}");
    assert!(named.lines().skip(1).all(|line| line.ends_with("\t0\tzero, one +2")), "{named}");
}

#[test]
fn names_and_numbers_of_given_labels_stand_at_every_level() {
    let dir = with_model();
    for (file, names) in [("texts.csv", ["a", "b", "c", "d"]), ("numbers.csv", ["10", "20", "30", "40"])] {
        let rows: String = (0..200).map(|i| names[i % 4].to_owned() + "\n").collect();
        dir.write(file, "label\n".to_owned() + &rows);
        dir.ok(&format!("fit rows.csv --init labels:{file} --epochs 1 -o given.safetensors --quiet"));
        dir.ok("predict given.safetensors rows.csv --levels 2 --names --keep none -o given.csv");
        let given = dir.text("given.csv");
        assert!(column(&given, "label").iter().enumerate().all(|(i, label)| label == names[i % 4]), "{given}");
        dir.ok("predict given.safetensors rows.csv --level 2 --keep none -o coarse.tsv");
        let (all, coarse) = (given.lines().nth(1).unwrap_or(""), dir.text("coarse.tsv"));
        let first = coarse.lines().nth(1).unwrap_or("");
        assert!(all.contains(&format!(",{first},")) || all.contains(&format!("\"{first}\"")), "{all}: {first}");
    }
}

#[test]
fn the_tree_has_every_cluster() {
    let dir = with_model();
    dir.write("names.csv", "cluster,name\n0,zero\n3,three\n");
    dir.ok("rename model.safetensors names.csv --quiet");
    let tree = dir.ok("inspect model.safetensors --tree").out;
    assert!(tree.starts_with("level 1: 4 clusters (100.0%)\n  level "), "{tree}");
    assert_eq!(tree.lines().count(), 7, "{tree}");
    assert!(tree.contains("    0 zero (25.0%)") && tree.contains("    3 three (25.0%)"), "{tree}");
    dir.ok("predict model.safetensors rows.csv --level 1 --names --keep none -o one.csv");
    assert!(dir.text("one.csv").starts_with("label,cluster_name\n0,\"zero, 1 +2\"\n"), "{}", dir.text("one.csv"));
}

#[test]
fn uncertain_rows_have_no_label() {
    let dir = with_model();
    dir.ok("predict model.safetensors rows.csv --keep none -o all.csv");
    dir.write("between.csv", "a,b\n2.9,1.2\n0.9,1.2\n");
    dir.ok("predict model.safetensors between.csv --proba -o shares.npy");
    let largest: Vec<f32> = dir.rows("shares.npy").iter().map(|row| row.iter().copied().fold(0.0, f32::max)).collect();
    let bound = (largest[0] + largest[1]) / 2.0;
    assert!(largest[0] < largest[1], "{largest:?}");
    let run =
        dir.ok(&format!("predict model.safetensors between.csv --abstain {bound} --keep none -o some.csv --json"));
    assert_eq!(run.json()["abstained"], 1);
    assert!(run.err.contains("1 rows have no label (-1): "), "{}", run.err);
    assert!(
        run.err.contains("too far from any cluster, ") && run.err.contains("with a membership below "),
        "{}",
        run.err
    );
    let labels = dir.text("some.csv");
    assert!(labels.lines().nth(1).is_some_and(|line| line.starts_with("-1")), "{labels}");
    assert!(labels.lines().nth(2).is_some_and(|line| !line.starts_with("-1")), "{labels}");
    dir.ok(&format!("predict model.safetensors between.csv --abstain {bound} -o some.npy"));
    assert_eq!(dir.labels("some.npy")[0], -1);
    // both memberships of a pair add up to certainty; but the first row is farther from its cluster than any that was fitted
    let run = dir.ok("predict model.safetensors between.csv --abstain 0.99 --level 1 -o sure.npy --json");
    assert_eq!(dir.labels("sure.npy"), [-1, 0]);
    assert_eq!((run.json()["abstained"].as_u64(), run.json()["outliers"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn the_confidence_of_a_row_is_its_largest_membership() {
    let dir = with_model();
    dir.ok("predict model.safetensors rows.csv --proba -o shares.npy");
    dir.ok("predict model.safetensors rows.csv --confidence --keep none -o sure.csv");
    let text = dir.text("sure.csv");
    assert!(text.starts_with("label,confidence\n"), "{text}");
    for (line, shares) in text.lines().skip(1).zip(dir.rows("shares.npy")) {
        let (label, confidence) = line.split_once(',').unwrap();
        assert_eq!(confidence.parse::<f32>().unwrap(), shares[label.parse::<usize>().unwrap()]);
    }
    dir.ok("predict model.safetensors rows.csv --confidence -o sure.parquet");
    dir.ok("predict model.safetensors rows.csv --confidence -o sure.jsonl");
    assert!(dir.text("sure.jsonl").lines().all(|line| line.contains("\"confidence\":")));
    dir.fails(
        "predict model.safetensors rows.csv --confidence -o sure.npy",
        2,
        &["confidence is given for npy", "csv"],
    );
    dir.fails("predict model.safetensors rows.csv --confidence --proba -o a.csv", 2, &["--confidence", "--proba"]);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let dir = with_model();
    for level in ["0", "5"] {
        let line = format!("predict model.safetensors rows.csv --level {level} -o out.csv");
        dir.fails(&line, 2, &["level is", "must be 1 to 4, the clusters of the model"]);
    }
    for share in ["0", "1.5", "nan"] {
        let line = format!("predict model.safetensors rows.csv --abstain {share} -o out.csv");
        dir.fails(&line, 2, &["abstain is", "above 0 and up to 1"]);
    }
    for level in ["two", "-3"] {
        let line = format!("predict model.safetensors rows.csv --level {level} -o out.csv");
        dir.fails(&line, 2, &[level, "--level", "a number of clusters such as 5"]);
    }
    for (levels, parts) in [
        ("5", ["level is 5", "must be 1 to 4"]),
        ("2,2", ["levels is given 2 twice", "different numbers"]),
        ("2,x", ["`x`", "a number of clusters"]),
        ("2,", ["``", "a number of clusters"]),
        ("-2", ["-2", "a number of clusters"]),
    ] {
        let line = format!("predict model.safetensors rows.csv --levels {levels} -o out.csv");
        let parts = parts.map(|part| part.replace('`', "'"));
        dir.fails(&line, 2, &[&parts[0], &parts[1]]);
    }
    dir.fails("predict model.safetensors rows.csv --levels 2 -o out.npy", 2, &["levels is given for npy", "csv"]);
    dir.fails("predict model.safetensors rows.csv --levels 2 --level 2 -o a.csv", 2, &["--level", "--levels"]);
    dir.fails("predict model.safetensors rows.csv --abstain -1 -o out.csv", 2, &["abstain is -1", "above 0"]);
    dir.fails("predict model.safetensors rows.csv --abstain abc -o out.csv", 2, &["abc", "a number such as 0.5"]);
}
