//! A table in, the same table with labels out: columns by name, embeddings that are found, columns that come along.

mod support;

use support::{Dir, FAST, lines_of_vectors};

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
fn columns_that_are_named_again_keep_the_order_of_the_model() {
    let dir = with_tables();
    dir.ok(&format!("fit rows.csv --columns c,a -k 2 {FAST} --representation raw --quiet"));
    dir.ok("predict model.safetensors rows.csv --keep none -o expected.csv");
    for columns in ["a,c", "c,a", "2,4"] {
        dir.ok(&format!("predict model.safetensors rows.csv --columns {columns} --keep none -o labels.csv"));
        assert_eq!(dir.text("labels.csv"), dir.text("expected.csv"), "{columns}");
    }
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
        again.err.contains("rows are the lists of column features (3 numbers each), beside label (labels)"),
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
    dir.write("list.csv", "rows.csv\n");
    dir.fails("predict model.safetensors @list.csv -o list.csv", 2, &own);
    dir.fails(&format!("fit @list.csv -k 2 {FAST} -o list.csv"), 2, &own);
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
    assert!(rest.err.contains("1 file labelled into out/, 2 were there already"), "{}", rest.err);
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

#[test]
fn rows_with_missing_values() {
    let dir = Dir::new();
    dir.write("rows.jsonl", lines_of_vectors(false));
    dir.write("gaps.jsonl", lines_of_vectors(true));
    dir.ok(&format!("fit rows.jsonl -k 2 {FAST} --quiet"));
    dir.fails(
        "predict model.safetensors gaps.jsonl -o out.csv",
        3,
        &["row 1, column vector is null", "--on-null skip"],
    );
    dir.ok("predict model.safetensors rows.jsonl -o all.csv");
    let run = dir.ok("predict model.safetensors gaps.jsonl --on-null skip -o skipped.csv");
    assert!(run.err.contains("2 rows skipped"), "{}", run.err);
    let (all, mut expected) = (dir.text("all.csv"), dir.text("skipped.csv"));
    assert!(expected.contains("\n0,row 0,\n") && expected.ends_with("\n59,row 59,\n"), "{expected}");
    for row in [0, 59] {
        let label = column(&all, "label")[row].clone();
        expected = expected.replace(&format!("{row},row {row},\n"), &format!("{row},row {row},{label}\n"));
    }
    assert_eq!(all, expected);
    dir.ok("predict model.safetensors gaps.jsonl --on-null skip --proba -o skipped.parquet");
    dir.ok("predict model.safetensors gaps.jsonl --on-null zero -o zero.csv");
    assert!(column(&dir.text("zero.csv"), "label").iter().all(|label| !label.is_empty()));
    let fitted = dir.ok(&format!("fit gaps.jsonl -k 2 {FAST} --on-null skip --labels-out labels.csv"));
    assert!(fitted.err.contains("2 rows skipped"), "{}", fitted.err);
    assert_eq!(dir.text("labels.csv").lines().count(), 61);
}

#[test]
fn all_columns_of_parquet_come_along_as_they_were() {
    let dir = Dir::new();
    dir.write("rows.jsonl", lines_of_vectors(false));
    dir.ok(&format!("fit rows.jsonl -k 2 {FAST} --quiet"));
    dir.ok("predict model.safetensors rows.jsonl --keep all -o first.parquet");
    dir.ok("predict model.safetensors first.parquet --keep id,text,vector -o second.parquet");
    dir.ok("predict model.safetensors second.parquet --keep id,text,vector -o second.jsonl");
    dir.ok("predict model.safetensors rows.jsonl --keep all -o first.jsonl");
    assert_eq!(dir.text("second.jsonl"), dir.text("first.jsonl"));
    // nested values are JSON in text
    dir.ok("predict model.safetensors rows.jsonl --keep id,vector -o lists.csv");
    let lists = dir.text("lists.csv");
    let vector = lists.lines().nth(5).and_then(|line| line.split('"').nth(1)).expect("a list in quotes");
    assert_eq!(serde_json::from_str::<[f64; 2]>(vector).expect("JSON"), [4.0, 0.5], "{lists}");
    // a column in the names of folders comes along too
    for day in ["monday", "tuesday"] {
        std::fs::create_dir_all(dir.path(&format!("in/day={day}"))).expect("a folder");
        dir.write(&format!("in/day={day}/part.parquet"), dir.read("first.parquet"));
    }
    dir.ok("predict model.safetensors in --keep id,day -o days.csv");
    let days = dir.text("days.csv");
    assert!(days.starts_with("id,day,label\n0,monday,") && days.contains("\n59,tuesday,"), "{days}");
    dir.ok("predict model.safetensors in/day=monday --keep id,day -o day.csv");
    assert!(dir.text("day.csv").starts_with("id,day,label\n0,monday,"), "of one file too");
}

#[test]
fn one_column_of_words_is_the_truth() {
    let dir = with_tables();
    dir.write("truth.csv", "species\n".to_owned() + &"setosa\n".repeat(30) + &"virginica\n".repeat(30));
    dir.ok(&format!("fit rows.csv --init labels:truth.csv {FAST} --quiet --labels-out labels.csv"));
    assert!(dir.accuracy("labels.csv", "truth.csv") > 0.9);
}

/// Labelled files in a folder of outputs, by name.
fn labelled_files(dir: &Dir, folder: &str) -> std::collections::BTreeMap<String, Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(dir.path(folder)) else { return Default::default() };
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let names = names.filter(|name| name.ends_with(".parquet") && !name.starts_with('.'));
    names.map(|name| (name.clone(), dir.read(&format!("{folder}/{name}")))).collect()
}

#[test]
fn a_killed_run_of_a_hundred_shards_goes_on_and_ends_with_the_same_bytes() {
    let dir = Dir::new();
    dir.ok("synth blobs -n 20000 -o rows.parquet --quiet");
    dir.ok(&format!("fit rows.parquet -k 2 --train-rows 500 {FAST} --quiet"));
    std::fs::create_dir(dir.path("in")).expect("a folder");
    for shard in 0..100 {
        let (from, to) = (dir.path("rows.parquet"), dir.path(&format!("in/{shard:03}.parquet")));
        std::fs::copy(from, to).expect("a copy");
    }
    let line = "predict model.safetensors in --keep all --json";
    let whole = dir.ok(&format!("{line} -o whole/")).json();
    let expected = labelled_files(&dir, "whole");
    assert_eq!(expected.len(), 100);

    let mut child =
        dir.command(&format!("{line} -o out/ --quiet")).stdout(std::process::Stdio::null()).spawn().unwrap();
    while labelled_files(&dir, "out").len() < 5 {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let done = labelled_files(&dir, "out");
    assert!(done.iter().all(|(name, bytes)| expected[name] == *bytes), "an output is there that is not complete");
    assert!(done.len() < 100, "it was killed too late");
    let rest = dir.ok(&format!("{line} -o out/"));
    assert!(labelled_files(&dir, "out") == expected, "the outputs differ from those of a run that was not killed");
    assert!(!rest.err.contains(" 0 were there already"), "{}", rest.err);

    let one = dir.ok("predict model.safetensors in/000.parquet --keep all --json -o one.parquet").json();
    let peak = |run: &serde_json::Value| run["peak_memory"].as_f64().expect("a number");
    assert!(peak(&whole) < 2.0 * peak(&one), "{} for a hundred shards, {} for one", peak(&whole), peak(&one));
}

#[test]
fn advice_names_columns_and_counts_rows() {
    let dir = Dir::new();
    let rows: String = (0..90).map(|i| format!("{},{},{}\n", i * 7919 % 1000 * 1000, i % 3 * 9, i % 7)).collect();
    dir.write("rows.csv", format!("customer_number,a,b\n{rows}"));
    for method in ["neuncut", "kmeans", "ncut", "ensemble"] {
        let out = if matches!(method, "ncut" | "ensemble") { "--labels-out out.csv" } else { "-o model.safetensors" };
        let run = dir.ok(&format!("fit rows.csv -k 2 --method {method} {out}"));
        assert!(run.err.contains("column customer_number has 100.0% of the variance"), "{method}: {}", run.err);
    }
    dir.ok("synth blobs -n 3000 -o many.npy --quiet");
    dir.fails("fit many.npy -k 4000", 3, &["many.npy has 3000 rows, but 4000 are needed"]);
    dir.fails("fit rows.csv -k 4000", 3, &["rows.csv has 90 rows, but 4000 are needed"]);
    dir.write("two.csv", "x,y\n1,2\n3,4\n".to_owned() + &"1,2\n".repeat(20));
    dir.fails("fit two.csv -k 4 --method kmeans", 1, &["only 2 different rows for 4 clusters"]);
    dir.fails("fit rows.csv -k 2 --epochs 999999999999", 2, &["epochs is 999999999999", "at most 1000000"]);
    dir.fails("fit rows.csv -k 2 --epoch 3", 2, &["unexpected argument '--epoch'", "'--epochs'", "see --help"]);
    dir.fails("fit many.npy -k 2 --features scattering", 2, &["flat rows with --image-shape"]);
    dir.write("truth.csv", "first,second\n".to_owned() + &"1,2\n3,4\n1,4\n".repeat(30));
    dir.fails(
        "fit rows.csv -k 2 --truth truth.csv -o x.safetensors",
        3,
        &["none of the columns (first, second) is called label"],
    );
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --truth truth.csv --truth-column second --quiet"));
}

#[test]
fn a_shard_without_rows_or_that_is_damaged_does_not_keep_the_others_from_being_labelled() {
    let dir = with_tables();
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --quiet"));
    std::fs::create_dir_all(dir.path("in")).expect("a folder");
    let rows = dir.text("rows.csv");
    dir.write("in/a.csv", &rows);
    dir.write("in/b.csv", "customer_id,a,b,c,word\n");
    dir.write("in/c.csv", rows.replace("9030,", "9030,cut"));
    dir.write("in/d.csv", &rows);
    let run = dir.run("predict model.safetensors in -o out/");
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("3 files labelled into out/, 0 were there already"), "{}", run.err);
    assert!(run.err.contains("in/c.csv: line 32, column a is \"cut"), "{}", run.err);
    assert!(run.err.contains("out/: 1 of 4 files could not be labelled"), "{}", run.err);
    assert!(run.err.contains("120 rows labelled"), "{}", run.err);
    assert_eq!(dir.text("out/b.csv"), "customer_id,a,b,c,word,label\n");
    assert_eq!(dir.text("out/d.csv"), dir.text("out/a.csv"));
    assert!(!dir.path("out/c.csv").exists());
    let record = |name: &str| serde_json::from_str::<serde_json::Value>(&dir.text(name)).expect("JSON");
    assert_eq!(record("out/manifest/a.csv.json")["options"], serde_json::json!({}));
    dir.write("in/c.csv", &rows);
    let run = dir.ok("predict model.safetensors in -o out/");
    assert!(run.err.contains("1 file labelled into out/, 3 were there already"), "{}", run.err);
    // the outputs have the format that was asked for
    dir.ok("predict model.safetensors in -o typed/ --format parquet --keep customer_id");
    assert_eq!(record("typed/manifest/b.parquet.json")["options"], serde_json::json!({ "keep": "customer_id" }));
}

#[test]
fn labels_of_the_data_stay_beside_those_that_are_found() {
    let dir = Dir::new();
    let row = |i: u32| format!("{},{},{}\n", i % 7, i / 30 * 9, 5 + i / 30);
    dir.write("rows.csv", format!("a,b,label\n{}", (0..60).map(row).collect::<String>()));
    let run = dir.ok(&format!("fit rows.csv -k 2 {FAST}"));
    assert!(run.err.contains("columns left out: label (labels); --columns takes them in"), "{}", run.err);
    let run = dir.ok("predict model.safetensors rows.csv -o out.csv");
    assert!(run.err.contains("column label of the data is written as label_input"), "{}", run.err);
    assert!(dir.text("out.csv").starts_with("a,b,label_input,label\n0,0,5,"), "{}", dir.text("out.csv"));
    dir.ok(&format!("fit out.csv -k 2 {FAST} --columns a,b,label --quiet -o with.safetensors"));
    dir.fails(
        "predict with.safetensors rows.csv --keep none --threads 5000 -o x.csv",
        2,
        &["threads is 5000", "at most"],
    );
}

#[test]
fn ids_of_json_lines_keep_their_digits() {
    let dir = Dir::new();
    let id = |i: u64| if i.is_multiple_of(2) { "18446744073709551615".to_owned() } else { (u64::MAX - i).to_string() };
    let line = |i: u64| format!("{{\"x\": {}, \"id\": {}, \"a\": {}}}\n", i / 30 * 9, id(i), i % 7);
    dir.write("rows.jsonl", (0..60).map(line).collect::<String>());
    dir.ok(&format!("fit rows.jsonl -k 2 {FAST} --quiet"));
    for name in ["out.jsonl", "out.csv", "out.parquet"] {
        dir.ok(&format!("predict model.safetensors rows.jsonl --quiet -o {name}"));
    }
    dir.ok("predict model.safetensors out.parquet --keep id --quiet -o again.csv");
    assert!(
        dir.text("out.jsonl").starts_with("{\"x\":0,\"id\":18446744073709551615,\"a\":0,"),
        "{}",
        dir.text("out.jsonl")
    );
    assert!(dir.text("out.csv").contains("\n0,18446744073709551614,1,"), "{}", dir.text("out.csv"));
    assert!(dir.text("again.csv").contains("\n18446744073709551614,"), "{}", dir.text("again.csv"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_fit_whose_summary_cannot_be_given_leaves_no_model() {
    let dir = Dir::with_rings();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let line = format!("fit rings.npy -k 2 {FAST} --json -o model.safetensors");
    let run = dir.command(&line).stdout(full).output().expect("the binary starts");
    assert_eq!(run.status.code(), Some(5), "{run:?}");
    assert!(!dir.path("model.safetensors").exists());
}
