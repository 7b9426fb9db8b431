//! A table in, the same table with labels out: columns by name, embeddings that are found, columns that come along.

mod support;

use support::{Dir, FAST};

/// Three columns in two orders, with an id and a word beside them; the last column tells two groups apart.
fn with_tables() -> Dir {
    let dir = Dir::new();
    let mut tables = [String::from("customer_id,a,b,c,word\n"), String::from("c,word,b,a\n")];
    for i in 0..60 {
        let (a, b, c) =
            (f64::from(i % 7) * 0.1, f64::from(i % 5) * 0.1, f64::from(i / 30) * 9.0 + f64::from(i % 3) * 0.1);
        let word = if i % 2 == 0 { "\"one, two\"" } else { "three" };
        tables[0] += &format!("{},{a},{b},{c},{word}\n", 9000 + i);
        tables[1] += &format!("{c},{word},{b},{a}\n");
    }
    dir.write("rows.csv", &tables[0]);
    dir.write("turned.csv", &tables[1]);
    dir
}

fn column(text: &str, name: &str) -> Vec<String> {
    let mut lines = text.lines();
    let place = lines.next().and_then(|names| names.split(',').position(|found| found == name));
    let place = place.unwrap_or_else(|| panic!("{name} is no column of {text}"));
    // words may hold commas, and are last or in quotes: counted from the side that has none
    lines.map(|line| line.replace("\"one, two\"", "one").split(',').nth(place).unwrap_or_default().to_owned()).collect()
}

#[test]
fn columns_are_found_by_name_in_any_order() {
    let dir = with_tables();
    let run = dir.ok(&format!("fit rows.csv -k 2 {FAST} --representation raw"));
    assert!(run.err.contains("columns left out: customer_id (id), word (text)"), "{}", run.err);
    dir.ok("predict model.safetensors rows.csv -o rows-labels.npy");
    dir.ok("predict model.safetensors turned.csv -o turned-labels.npy");
    assert_eq!(dir.read("rows-labels.npy"), dir.read("turned-labels.npy"));
    dir.write("short.csv", "c,b,other\n1,2,3\n4,5,6\n");
    let words = ["short.csv: there is no column a, which the model was fitted on", "c, b, other"];
    dir.fails("predict model.safetensors short.csv -o short.npy", 3, &words);
    // files without names go by position
    dir.ok("features unit rows.csv --columns a,b,c -o rows.npy");
    dir.ok("predict model.safetensors rows.npy -o other.npy");
    let inspected = dir.ok("inspect model.safetensors --json").json();
    assert_eq!(inspected["column_names"], serde_json::json!(["a", "b", "c"]));
}

#[test]
fn columns_come_along() {
    let dir = with_tables();
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --labels-out fitted.csv --quiet"));
    let fitted = dir.text("fitted.csv");
    assert!(fitted.starts_with("customer_id,a,b,c,word,label\n9000,0,0,0,\"one, two\","), "{fitted}");
    dir.ok("predict model.safetensors rows.csv --keep customer_id -o kept.csv");
    let kept = dir.text("kept.csv");
    assert!(kept.starts_with("customer_id,label\n9000,"), "{kept}");
    assert_eq!(column(&kept, "label"), column(&fitted, "label"));
    dir.ok("predict model.safetensors rows.csv --keep none -o none.csv");
    assert!(dir.text("none.csv").starts_with("label\n"));
    dir.ok("predict model.safetensors rows.csv -o out.parquet");
    dir.ok("predict model.safetensors out.parquet --keep word -o again.csv");
    assert_eq!(column(&dir.text("again.csv"), "label"), column(&fitted, "label"));
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let dir = with_tables();
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --quiet"));
    dir.fails("predict model.safetensors rows.csv --keep all -o out.npy", 2, &["keep is given for npy"]);
    dir.fails("predict model.safetensors rows.csv --keep nobody -o out.csv", 3, &["no column nobody"]);
}

#[test]
fn the_embedding_column_is_found() {
    let dir = with_tables();
    dir.ok("features unit rows.csv --quiet -o vectors.parquet");
    dir.ok(&format!("fit vectors.parquet -k 2 {FAST} --quiet"));
    let inspected = dir.ok("inspect model.safetensors --json").json();
    assert_eq!(inspected["column_names"], "features");
    dir.ok("predict model.safetensors vectors.parquet --keep all -o labelled.arrow");
    dir.ok("predict model.safetensors labelled.arrow -o again.csv");
    assert_eq!(dir.text("again.csv").lines().count(), 61);
    let again = dir.ok(&format!("fit labelled.arrow -k 2 {FAST}"));
    assert!(
        again.err.contains("rows are the lists of column features (3 numbers each), beside label (Int32)"),
        "{}",
        again.err
    );
    dir.fails("predict model.safetensors rows.csv -o out.csv", 3, &["rows.csv: there is no column features"]);
    dir.ok("predict model.safetensors rows.csv --columns a,b,c -o out.csv");
}

#[test]
fn names_of_clusters_are_written() {
    let dir = with_tables();
    let names: String = (0..60).map(|i| if i < 30 { "near\n" } else { "far\n" }).collect();
    dir.write("names.csv", format!("label\n{names}"));
    dir.ok(&format!("fit rows.csv --init labels:names.csv {FAST} --quiet"));
    dir.ok("predict model.safetensors rows.csv --keep customer_id -o named.csv");
    let labels = column(&dir.text("named.csv"), "label");
    assert!(labels.iter().all(|label| label == "near" || label == "far"), "{labels:?}");
}

#[test]
fn inputs_are_not_overwritten() {
    let dir = with_tables();
    dir.write("truth.csv", "label\n".to_owned() + &"1\n".repeat(60));
    dir.write("names.csv", "label\n".to_owned() + &"1\n2\n".repeat(30));
    dir.write("config.toml", "clusters = 2\n");
    let own = ["a file of its own"];
    dir.fails("fit rows.csv -k 2 --truth truth.csv -o truth.csv", 2, &own);
    dir.fails("fit rows.csv --config config.toml --history config.toml", 2, &own);
    dir.fails("fit rows.csv --init labels:names.csv --labels-out names.csv", 2, &own);
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --quiet"));
    dir.fails("predict model.safetensors rows.csv -o ./model.safetensors", 2, &["output is ./model.safetensors"]);
    dir.ok("features unit rows.csv --save steps.safetensors --quiet -o out.npy");
    dir.fails("features --load steps.safetensors rows.csv -o steps.safetensors", 2, &["output"]);
}

#[test]
fn shards_are_labelled_once_and_again_where_they_changed() {
    let dir = with_tables();
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --quiet"));
    std::fs::create_dir_all(dir.path("in/day=1")).expect("a folder");
    for name in ["in/a.csv", "in/b.csv", "in/day=1/a.csv"] {
        dir.write(name, dir.text("rows.csv"));
    }
    let first = dir.ok("predict model.safetensors in -o out/ --shard 1/2");
    assert!(first.err.contains("2 files labelled into out/, 0 were there already"), "{}", first.err);
    let rest = dir.ok("predict model.safetensors in -o out/");
    assert!(rest.err.contains("1 files labelled into out/, 2 were there already"), "{}", rest.err);
    dir.ok("predict model.safetensors rows.csv -o whole.csv");
    for name in ["out/a.csv", "out/b.csv", "out/day=1/a.csv"] {
        assert_eq!(dir.text(name), dir.text("whole.csv"), "{name}");
    }
    let record: serde_json::Value = serde_json::from_str(&dir.text("out/manifest/day=1/a.csv.json")).expect("JSON");
    assert_eq!(record["rows"], 60);
    std::fs::remove_file(dir.path("out/b.csv")).expect("it is there");
    dir.write("in/a.csv", dir.text("turned.csv"));
    let again = dir.ok("predict model.safetensors in -o out");
    assert!(again.err.contains("2 files labelled into out, 1 were there already"), "{}", again.err);
    dir.fails("predict model.safetensors rows.csv -o out.csv --shard 1/2", 2, &["shard"]);
    dir.fails("predict model.safetensors in/a.csv in/b.csv -o in/", 2, &["output", "files that are read"]);
}
