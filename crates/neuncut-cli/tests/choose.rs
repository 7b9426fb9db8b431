//! How many clusters: `choose` and `fit -k auto`.

mod support;

use support::Dir;

/// Groups in a grid, seven of them, ninety rows each.
fn with_groups() -> Dir {
    let dir = Dir::new();
    let mut text = String::from("a,b,c\n");
    for i in 0..630_usize {
        let (group, turn) = (i % 7, i as f64 * 2.4);
        let reach = ((i * 37 % 101) as f64 / 101.0).sqrt();
        let height = (i * 53 % 97) as f64 / 97.0;
        let (a, b) = ((group % 3) as f64 * 5.0 + reach * turn.cos(), (group / 3) as f64 * 5.0 + reach * turn.sin());
        text += &format!("{a:.4},{b:.4},{height:.4}\n");
    }
    dir.write("rows.csv", text);
    dir
}

#[test]
fn the_groups_are_counted() {
    let dir = with_groups();
    let run = dir.ok("choose rows.csv --table k.csv --svg k.svg");
    assert!(
        run.out.lines().any(|line| line.trim_start().starts_with("7 ") && line.ends_with("<- recommended")),
        "{}",
        run.out
    );
    assert!(run.out.trim_end().lines().last().is_some_and(|line| line.starts_with("7 clusters")), "{}", run.out);
    let table = dir.text("k.csv");
    let head =
        "clusters,recommended,score,stability,entropy,modularity,coding_length,gap,eigengap,silhouette,smallest\n";
    assert!(table.starts_with(head), "{table}");
    assert!(table.contains("\n7,1,") && table.lines().count() == 63, "2 to 63 clusters of 630 rows: {table}");
    assert!(dir.text("k.svg").contains("7 recommended") && dir.text("k.svg").contains("coding length"));
    let json = dir.ok("choose rows.csv -k 3..20 --json --table k.json --threads 1").json();
    assert_eq!((json["clusters"].as_u64(), json["rows"].as_u64()), (Some(7), Some(630)));
    assert_eq!(json["findings"]["evidence"].as_array().map(Vec::len), Some(18));
    let again = dir.ok("choose rows.csv -k 3..20 --json --threads 2").json();
    assert_eq!(again["findings"], json["findings"], "the same on any number of threads");
}

#[test]
fn a_fit_finds_its_number_of_clusters_and_the_model_says_why() {
    let dir = with_groups();
    let run = dir.ok("fit rows.csv -k auto --method kmeans");
    assert!(run.err.contains("7 clusters"), "{}", run.err);
    let shown = dir.ok("inspect model.safetensors").out;
    assert!(shown.contains("chosen because   7 clusters"), "{shown}");
    let record = dir.ok("inspect model.safetensors --json").json();
    assert_eq!((record["clusters"].as_u64(), record["config"]["clusters"].as_u64()), (Some(7), Some(7)));
    assert_eq!(record["record"]["cluster_count"]["recommended"][0].as_u64(), Some(7));
    dir.write("auto.toml", "clusters = \"5..12\"\nmethod = \"kmeans\"\n");
    dir.ok("fit rows.csv --config auto.toml -o other.safetensors --quiet");
    assert_eq!(dir.ok("inspect other.safetensors --json").json()["clusters"].as_u64(), Some(7));
    let labels = dir.ok("fit rows.csv -k auto --method leiden --labels-out labels.npy --json").json();
    assert_eq!(labels["clusters"].as_u64(), Some(7));
}

#[test]
fn what_cannot_be_used_is_refused() {
    let dir = with_groups();
    dir.fails("choose rows.csv -k 7", 2, &["k is 7", "auto or a range such as 5..40"]);
    dir.fails("choose rows.csv -k 9..3", 2, &["k is 9..3", "ends above 9"]);
    dir.fails("choose rows.csv -k 1..5", 2, &["k is 1..5", "from at least 2"]);
    dir.fails("choose rows.csv -k 5..400", 2, &["k is 5..400", "ends by 315, half of the 630"]);
    for command in ["choose", "fit"] {
        let refused = |k: &str, parts: &[&str]| dir.fails(&format!("{command} rows.csv -k {k}"), 2, parts);
        refused("5..5", &["`5..5` is a single number: write 5"]);
        refused("5..4", &["k is 5..4", "a range that ends above 5"]);
        refused("0..5", &["k is 0..5", "a range from at least 2"]);
        refused("..5", &["`..5` says no smallest number: write 2..5"]);
        refused("auto..5", &["`auto..5` says no smallest number: write 2..5"]);
        refused("5..auto", &["`5..auto` is not a number, `auto` or a range such as 5..40"]);
    }
    assert_eq!(dir.ok("choose rows.csv -k 60.. --json").json()["findings"]["evidence"][0]["clusters"], 60);
    dir.fails("choose rows.csv -k some", 2, &["some", "a range such as 5..40"]);
    dir.fails("choose rows.csv --table k.txt", 2, &["table is k.txt", ".csv or .json"]);
    dir.fails("fit rows.csv -k some", 2, &["`some` is not a number, `auto` or a range"]);
    dir.fails("fit rows.csv", 2, &["k is not given", "-k auto"]);
    dir.fails("tune rows.csv -k auto", 2, &["k is auto", "neuncut choose"]);
    dir.write("same.csv", "a\n".to_owned() + &"1\n".repeat(50));
    dir.fails("choose same.csv", 1, &["all rows are equal"]);
    dir.write("few.csv", "a\n1\n2\n3\n");
    dir.fails("choose few.csv", 3, &["has 3 rows, but 6 are needed", "-k"]);
    dir.fails("compare rows.csv -k auto --truth rows.csv", 2, &["k is auto", "neuncut choose"]);
}

#[test]
fn what_cannot_be_used_is_refused_with_what_this_command_has() {
    let dir = Dir::new();
    dir.write("three.csv", "0,1\n5,5\n9,2\n");
    dir.fails("choose three.csv --svg k.png", 2, &["svg is k.png", "ends in .svg"]);
    dir.fails("choose three.csv", 3, &["6 are needed", "neuncut fit -k K"]);
}
