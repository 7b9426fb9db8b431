//! Words of texts name clusters; a person renames them; labels come with names.

mod support;

use support::{Dir, FAST};

/// Sixty rows in two groups, with texts about cards and about music, in two formats.
fn with_texts() -> Dir {
    let dir = Dir::new();
    let (mut csv, mut json) = (String::from("a,b,said,topic\n"), String::new());
    for i in 0..60 {
        let (a, b) = (f64::from(i / 30) * 9.0 + f64::from(i % 7) * 0.1, f64::from(i % 5) * 0.1);
        let said = match i / 30 {
            0 => ["please raise the credit limit", "what is my credit limit now", "the limit of the credit card"]
                [i as usize % 3],
            _ => ["play the jazz song now", "what is that jazz song", "please add the song to my jazz list"]
                [i as usize % 3],
        };
        csv += &format!("{a},{b},\"{said}, number {i}\",kind {}\n", i / 30);
        json += &format!("{{\"a\":{a},\"b\":{b},\"said\":\"{said}, number {i}\"}}\n");
    }
    dir.write("rows.csv", csv);
    dir.write("rows.jsonl", json);
    dir
}

fn titles(dir: &Dir, model: &str) -> Vec<String> {
    let record = &dir.ok(&format!("inspect {model} --json")).json()["record"];
    let titles = record["cluster_titles"].as_array().cloned().unwrap_or_default();
    titles.iter().map(|title| title.as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn clusters_are_named_by_their_texts() {
    let dir = with_texts();
    let run = dir.ok(&format!("fit rows.csv -k 2 {FAST} --report page.html"));
    assert!(run.err.contains("clusters are named by the words of column said"), "{}", run.err);
    let mut names = titles(&dir, "model.safetensors");
    let shown = dir.ok("inspect model.safetensors").out;
    assert!(names.iter().all(|name| shown.contains(name.as_str())), "{shown}");
    let page = dir.text("page.html");
    assert!(page.contains("\"text\":\"please raise the credit limit, number 0\""), "rows of the page have texts");
    assert!(page.contains(&format!("\"name\":\"{}\"", names[0])) && page.contains("\"words\":["), "and clusters words");
    names.sort();
    assert_eq!(names.len(), 2);
    assert!(["jazz", "song"].iter().all(|word| names[0].contains(word)), "{names:?}");
    assert!(["credit", "limit"].iter().all(|word| names[1].contains(word)), "{names:?}");
    // the same from a column that is named, on one thread, in another format
    dir.ok(&format!("fit rows.jsonl -k 2 {FAST} --text said --columns a,b --threads 1 -o json.safetensors --quiet"));
    let mut same = titles(&dir, "json.safetensors");
    same.sort();
    assert_eq!(same, names);
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --text none -o without.safetensors --quiet"));
    assert!(titles(&dir, "without.safetensors").is_empty());
    dir.fails(
        "predict without.safetensors rows.csv --names -o out.csv",
        2,
        &["without.safetensors have no names", "neuncut rename"],
    );
}

#[test]
fn a_person_renames_clusters_and_labels_come_with_names() {
    let dir = with_texts();
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --quiet"));
    let written = dir.ok("inspect model.safetensors --names").out;
    assert!(written.starts_with("cluster,name,share,words\n0,"), "{written}");
    dir.write("names.csv", &written);
    let found = titles(&dir, "model.safetensors");
    dir.ok("rename model.safetensors names.csv -o same.safetensors");
    assert_eq!(titles(&dir, "same.safetensors"), found, "what was not edited stays");
    dir.write("names.csv", "cluster,name\n1,\"One, the second\"\n");
    dir.ok("rename same.safetensors names.csv --quiet");
    assert_eq!(titles(&dir, "same.safetensors"), [found[0].as_str(), "One, the second"]);
    assert_eq!(titles(&dir, "model.safetensors"), found);
    dir.ok("predict model.safetensors rows.csv --keep topic -o numbers.csv");
    assert!(dir.text("numbers.csv").starts_with("topic,label\n"), "names made of words come when they are asked for");
    dir.ok("predict same.safetensors rows.csv --keep topic -o out.csv");
    let out = dir.text("out.csv");
    assert!(out.starts_with("topic,label,cluster_name\n"), "{out}");
    let line =
        |label: usize| out.lines().find(|line| line.contains(&format!(",{label},"))).unwrap_or_default().to_owned();
    assert!(line(0).ends_with(&format!(",0,{}", found[0])) && line(1).ends_with(",1,\"One, the second\""), "{out}");
    // the same in files of types, with memberships
    dir.ok("predict same.safetensors rows.csv --keep none -o out.parquet");
    dir.ok("predict same.safetensors rows.csv --keep none -o out.npy");
    dir.ok("predict same.safetensors rows.jsonl --names --proba --keep none -o out.jsonl");
    let json = dir.text("out.jsonl");
    assert!(json.contains("\"label\":1,\"cluster_name\":\"One, the second\",\"memberships\":["), "{json}");
    assert_eq!(dir.accuracy("out.parquet --column cluster_name", "out.csv"), 1.0);
}

#[test]
fn names_that_were_given_win_over_words_and_numbers_stay_numbers() {
    let dir = with_texts();
    let labels = |of: fn(usize) -> &'static str| -> String {
        (0..60).fold(String::from("label\n"), |text, i| text + if i % 9 == 0 { "-1" } else { of(i / 30) } + "\n")
    };
    dir.write("named.csv", labels(|group| ["bank", "music"][group]));
    dir.ok(&format!("fit rows.csv --init labels:named.csv {FAST} --quiet -o named.safetensors"));
    dir.ok("predict named.safetensors rows.csv --names --keep none -o out.csv");
    assert!(dir.text("out.csv").starts_with("label,cluster_name\nbank,bank\n"), "{}", dir.text("out.csv"));
    let inspected = dir.ok("inspect named.safetensors --names").out;
    assert!(inspected.contains("\n0,bank,") && inspected.contains("limit"), "names with words beside: {inspected}");
    dir.write("names.csv", "cluster,name\n0,money\n");
    dir.ok("rename named.safetensors names.csv --quiet");
    dir.ok("predict named.safetensors rows.csv --keep none -o out.csv");
    assert!(dir.text("out.csv").starts_with("label\nmoney\n"), "{}", dir.text("out.csv"));
    // whole numbers come back as they were, in files of all kinds
    dir.write("numbers.csv", labels(|group| ["20", "10"][group]));
    dir.ok(&format!("fit rows.csv --init labels:numbers.csv {FAST} --quiet -o n.safetensors --labels-out fitted.npy"));
    dir.ok("predict n.safetensors rows.csv -o out.npy");
    let expected: Vec<i32> = (0..60).map(|i| [20, 10][i / 30]).collect();
    assert_eq!((dir.labels("fitted.npy"), dir.labels("out.npy")), (expected.clone(), expected));
    dir.ok("predict n.safetensors rows.csv --keep none -o out.jsonl");
    assert!(dir.text("out.jsonl").starts_with("{\"label\":20}"), "{}", dir.text("out.jsonl"));
    dir.write("negative.csv", labels(|group| ["-7", "10"][group]));
    dir.fails(&format!("fit rows.csv --init labels:negative.csv {FAST}"), 3, &["the label -7", "-1 is none"]);
}

#[test]
fn the_page_shows_the_rows_that_the_model_remembers_by_their_ids() {
    let dir = Dir::new();
    let (mut csv, mut classes) = (String::from("id,a,b\n"), String::from("label\n"));
    for i in 0..90 {
        csv += &format!(
            "{},{},{}\n",
            1000 + i,
            f64::from(i % 3) * 9.0 + f64::from(i * 7 % 13) * 0.1,
            f64::from(i * 5 % 11) * 0.1
        );
        classes += &format!("{}\n", i / 2);
    }
    dir.write("rows.csv", csv);
    dir.write("classes.csv", classes);
    dir.ok("fit rows.csv -k 3 --method kmeans --truth classes.csv --report page.html --quiet");
    let page = dir.text("page.html");
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("data");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let record = &dir.ok("inspect model.safetensors --json").json()["record"];
    for cluster in 0..3 {
        let shown = data["nodes"][cluster]["typical"].as_array().expect("rows");
        let shown: Vec<_> = shown.iter().map(|at| data["rows"][at.as_u64().unwrap() as usize].clone()).collect();
        let remembered = record["typical_rows"][cluster].as_array().expect("rows");
        assert!(remembered.iter().zip(&shown).all(|(row, shown)| *row == shown["row"]), "{remembered:?} {shown:?}");
        let id = |row: &serde_json::Value| row["id"].as_str().and_then(|id| id.parse::<u64>().ok());
        assert!(shown.iter().all(|row| id(row) == row["row"].as_u64().map(|at| 1000 + at)), "{shown:?}");
    }
    // a sample of thirty of the rows has not all that the model remembers: they are shown all the same, and not counted
    dir.ok("report model.safetensors --sample 30 --truth classes.csv -o small.html --quiet");
    let page = dir.text("small.html");
    let text = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("data");
    let small: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let all = |data: &serde_json::Value, cluster: usize| {
        let typical = data["nodes"][cluster]["typical"].as_array().expect("rows").clone();
        let row = |at: &serde_json::Value| data["rows"][at.as_u64().unwrap() as usize].clone();
        typical.iter().take(5).map(row).collect::<Vec<_>>()
    };
    assert!((0..3).all(|cluster| all(&small, cluster) == all(&data, cluster)), "the same rows, ids and classes");
    let counted: u64 = (0..3).filter_map(|cluster| small["nodes"][cluster]["size"].as_u64()).sum();
    assert_eq!((counted, small["labels"]["cluster"].as_array().map(Vec::len)), (30, Some(30)));
    let page = dir.text("page.html");
    assert!(page.contains("45 classes and 3 clusters are too many for a matrix"), "clusters of the model are counted");
}

#[test]
fn what_cannot_be_used_is_refused() {
    let dir = with_texts();
    dir.fails(&format!("fit rows.csv -k 2 {FAST} --text nobody"), 3, &["no column nobody", "said"]);
    dir.fails(&format!("fit rows.jsonl -k 2 {FAST} --columns a --text b"), 3, &["column b holds numbers, not text"]);
    dir.ok("features unit rows.csv --columns a,b --quiet -o rows.npy");
    dir.fails(&format!("fit rows.npy -k 2 {FAST} --text said"), 3, &["no column of texts: leave out --text"]);
    dir.fails("fit rows.csv -k 2 --method ncut --labels-out l.csv --text said", 2, &["text is said", "no model"]);
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --quiet"));
    for (names, words) in [
        ("cluster,name\n2,none such\n", "there is no cluster 2: the clusters of the model are 0 to 1"),
        ("cluster,name\n1,a\n1,b\n", "cluster 1 has two names"),
        ("number,name\n1,a\n", "there is no column cluster"),
        ("cluster,name\n1,\n", "line 2 has no name"),
        ("cluster,name\n0,a\n1,a\n", "clusters 0 and 1 are both called a"),
    ] {
        dir.write("bad.csv", names);
        dir.fails("rename model.safetensors bad.csv", 3, &[words]);
    }
    dir.fails("rename model.safetensors bad.csv -o bad.csv", 2, &["output is bad.csv"]);
    dir.fails("predict model.safetensors rows.csv --names -o out.npy", 2, &["names is given for npy"]);
}
