//! What the commands promise: fit, predict, eval, inspect, synth, demo, and every setting in its place.

mod support;

use support::{Dir, FAST, GOOD, csv};

#[test]
fn rings_are_found_labelled_and_scored() {
    let dir = Dir::with_rings();
    let fit = dir.ok(&format!("fit rings.npy -k 2 -o rings.safetensors --labels-out fitted.npy {GOOD}"));
    assert_eq!(fit.out, "");
    assert!(
        fit.err.contains("300 of 300 rows fitted") && fit.err.contains("model written to rings.safetensors"),
        "{}",
        fit.err
    );
    dir.ok("predict rings.safetensors rings.npy -o predicted.npy");
    assert_eq!(dir.read("fitted.npy"), dir.read("predicted.npy"));
    assert_eq!(dir.accuracy("predicted.npy", "truth.npy"), 1.0);

    // rows that were never seen
    dir.ok("synth rings -n 2000 --seed 9 -o more.parquet --truth more-truth.csv");
    dir.ok("predict rings.safetensors more.parquet -o more-labels.csv");
    assert!(dir.accuracy("more-labels.csv", "more-truth.csv") > 0.98);
    let scores = dir.ok("eval predicted.npy truth.npy");
    assert_eq!(scores.out, "ACC 1.0000  NMI 1.0000  ARI 1.0000\n");
    assert_eq!(scores.err, "300 rows, 2 clusters, 2 classes\n");
}

#[test]
fn the_model_is_model_safetensors_unless_named() {
    let dir = Dir::with_rings();
    dir.ok(&format!("fit rings.npy -k 2 {FAST}"));
    assert_eq!(dir.ok("inspect model.safetensors --json").json()["clusters"], 2);
}

#[test]
fn seconds_by_stage_are_reported_for_every_method() {
    let dir = Dir::with_rings();
    for (method, leaves, stage) in [
        ("neuncut", FAST, "warm start"),
        ("kmeans", "", "k-means"),
        ("ncut", "--labels-out labels.npy", "eigenvectors"),
    ] {
        let fit = format!("fit rings.npy -k 2 --method {method} {leaves}");
        let told = dir.ok(&format!("{fit} --timings")).err;
        let table: Vec<&str> = told.lines().skip_while(|line| *line != "seconds by stage:").skip(1).collect();
        let seconds = |name: &str| -> f64 {
            let line = table.iter().find_map(|line| line.trim_start().strip_prefix(name));
            let line = line.unwrap_or_else(|| panic!("{method}: no {name} in\n{told}"));
            line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("seconds")
        };
        let of_stages = |line: &&&str| line.ends_with('%');
        let sum: f64 = table
            .iter()
            .filter(of_stages)
            .map(|line| line.split_whitespace().rev().nth(2).unwrap().parse::<f64>().unwrap())
            .sum();
        assert!((sum - seconds("all")).abs() < 0.02, "{method}: {told}");
        assert!(seconds(stage) <= seconds("all") && seconds("labels and files") >= 0.0, "{method}: {told}");
        assert!(!dir.ok(&fit).err.contains("seconds by stage"), "{method}");
    }
}

#[test]
fn a_model_knows_the_names_of_its_columns() {
    let dir = Dir::with_rings();
    let named = format!("north,other,east\n{}", csv(&dir.rows("rings.npy")).replace(",", ",7,"));
    dir.write("named.csv", named);
    for (method, small) in [("neuncut", FAST), ("kmeans", "")] {
        dir.ok(&format!("fit named.csv --columns east,north -k 2 --method {method} {small}"));
        let model = dir.ok("inspect model.safetensors --json").json();
        assert_eq!(model["column_names"], serde_json::json!(["east", "north"]), "{method}");
        assert!(dir.ok("inspect model.safetensors").out.contains("2: east north"));
    }
    dir.ok(&format!("fit rings.npy -k 2 {FAST}"));
    assert!(dir.ok("inspect model.safetensors --json").json()["column_names"].is_null());
}

#[test]
fn labels_go_to_every_format_and_to_standard_output() {
    let dir = Dir::with_model();
    let printed = dir.ok("predict model.safetensors rings.npy");
    assert_eq!(printed.err, "");
    assert_eq!(printed.out.lines().next(), Some("label"));
    assert_eq!(printed.out.lines().count(), 301);
    dir.write("printed.csv", &printed.out);
    for name in ["labels.npy", "labels.csv", "labels.tsv", "labels.parquet", "labels.arrow"] {
        dir.ok(&format!("predict model.safetensors rings.npy -o {name}"));
        assert_eq!(dir.accuracy(name, "printed.csv"), 1.0, "{name}");
    }
    assert_eq!(dir.text("labels.csv"), printed.out);
}

#[test]
fn memberships_are_rows_of_one_whose_largest_is_the_label() {
    let dir = Dir::with_model();
    dir.ok("predict model.safetensors rings.npy -o labels.npy");
    dir.ok("predict model.safetensors rings.npy -o memberships.npy --proba");
    let (labels, memberships) = (dir.labels("labels.npy"), dir.rows("memberships.npy"));
    assert_eq!((labels.len(), memberships.len(), memberships[0].len()), (300, 300, 2));
    for (label, row) in labels.iter().zip(&memberships) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(*label, i32::from(row[1] > row[0]));
    }
    let printed = dir.ok("predict model.safetensors rings.npy --proba").out;
    assert!(printed.starts_with("label,p0,p1\n"), "{printed}");
    for name in ["memberships.csv", "memberships.parquet", "memberships.arrow"] {
        dir.ok(&format!("predict model.safetensors rings.npy -o {name} --proba"));
        assert_eq!(dir.accuracy(name, "labels.npy"), 1.0, "the label column of {name}");
    }
}

#[test]
fn every_method_runs_and_says_what_it_was() {
    let dir = Dir::with_rings();
    let settings = [
        ("--objective rcut", "/config/objective", "rcut"),
        ("--affinity self-expressive --ridge 0.1", "/config/affinity", "self-expressive"),
        ("--penalty squared --gamma 3 --volumes held", "/config/penalty", "squared"),
        ("--neighbors all --sigma 0.2", "/config/neighbors", "all"),
        ("--init k-means --representation unit", "/config/init", "k-means"),
        ("--init random --no-guard", "/config/init", "random"),
        ("--weight-decay 0 --lr 1e-4 --batch 100 --train-rows 250", "/record/diagnostics/representation", "raw"),
    ];
    for (flags, place, expected) in settings {
        let summary = dir.ok(&format!("fit rings.npy -k 2 {flags} {FAST} --json")).json();
        assert_eq!(summary.pointer(place).and_then(|v| v.as_str()), Some(expected), "{flags}");
    }
    let last = dir.ok("inspect model.safetensors --json").json();
    assert_eq!((&last["record"]["rows"], &last["record"]["trained_rows"]), (&300.into(), &250.into()));
    assert_eq!(last["config"]["weight-decay"], 0.0);
}

#[test]
fn the_papers_settings_are_a_preset_that_flags_change() {
    let dir = Dir::with_rings();
    let summary = dir.ok("fit rings.npy -k 2 --preset paper --hidden 16 --epochs 3 --json").json();
    let config = &summary["config"];
    assert_eq!(
        (&config["init"], &config["penalty"], &config["neighbors"]),
        (&"random".into(), &"squared".into(), &"all".into())
    );
    assert_eq!((&config["sigma"], &config["gamma"], &config["epochs"]), (&3.0.into(), &100.0.into(), &3.into()));
}

#[test]
fn flags_win_over_the_file() {
    let dir = Dir::with_rings();
    dir.write("run.toml", "clusters = 3\nhidden = [16]\nepochs = 2\nlandmarks = 200\nseed = 7\nsigma = \"auto\"\n");
    let config = dir.ok("fit rings.npy --config run.toml --json").json()["config"].clone();
    assert_eq!((&config["clusters"], &config["seed"]), (&3.into(), &7.into()));
    let config = dir.ok("fit rings.npy --config run.toml -k 2 --seed 1 --sigma 0.3 --json").json()["config"].clone();
    assert_eq!(
        (&config["clusters"], &config["seed"], &config["hidden"]),
        (&2.into(), &1.into(), &serde_json::json!([16]))
    );
    assert!((config["sigma"].as_f64().unwrap() - 0.3).abs() < 1e-6);
}

#[test]
fn json_is_the_only_thing_on_standard_output() {
    let dir = Dir::with_rings();
    let fit = dir.ok(&format!("fit rings.npy -k 2 {FAST} --json"));
    let summary = fit.json();
    assert_eq!((&summary["model"], &summary["columns"]), (&"model.safetensors".into(), &2.into()));
    assert!(summary["seconds"].as_f64().unwrap() > 0.0);
    assert!(fit.out.lines().count() == 1 && summary["record"].get("history").is_none());
    let predict = dir.ok("predict model.safetensors rings.npy -o labels.csv --json").json();
    assert_eq!((&predict["rows"], &predict["output"]), (&300.into(), &"labels.csv".into()));
    let scores = dir.ok("eval labels.csv truth.npy --json").json();
    assert_eq!((&scores["rows"], &scores["clusters"], &scores["classes"]), (&300.into(), &2.into(), &2.into()));
    let inspected = dir.ok("inspect model.safetensors --json").json();
    assert_eq!(
        inspected["sizes"].as_array().unwrap()[1..],
        [16, 2],
        "behind the features, the hidden layer and the clusters"
    );
    assert!(inspected["record"]["history"].as_array().is_some_and(|stages| !stages.is_empty()));
}

#[test]
fn curves_are_written_as_csv_and_json() {
    let dir = Dir::with_rings();
    dir.ok(&format!("fit rings.npy -k 2 {FAST} --history curves.csv"));
    dir.ok(&format!("fit rings.npy -k 2 {FAST} --history curves.json"));
    let text = dir.text("curves.csv");
    assert_eq!(text.lines().next(), Some("stage,epoch,learning_rate,term,value"));
    let cut: Vec<&str> = text.lines().filter(|line| line.starts_with("neural cut,")).collect();
    assert_eq!(cut.len(), 2 * 3, "two epochs of three terms: {cut:?}");
    let stages: serde_json::Value = serde_json::from_str(&dir.text("curves.json")).unwrap();
    let last = stages.as_array().and_then(|stages| stages.last()).unwrap();
    assert_eq!((&last["stage"], last["epochs"].as_array().unwrap().len()), (&"neural cut".into(), 2));
    let lap = last["epochs"][1]["values"][1].as_f64().unwrap();
    assert!(cut[4].ends_with(&format!(",lap,{lap}")), "{} against {lap}", cut[4]);
}

#[test]
fn inspect_says_what_a_reader_wants_to_know() {
    let dir = Dir::with_model();
    let text = dir.ok("inspect model.safetensors").out;
    for word in ["clusters         2", "-16-2 (", "files            rings.npy", "300 rows, seed 0", "ncut"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn synth_is_any_shape_of_any_size_and_the_seed_decides_it() {
    let dir = Dir::new();
    for shape in ["rings", "double-c", "moons", "blobs"] {
        dir.ok(&format!("synth {shape} -n 100 --noise 0.01 -o a.npy --truth truth.csv"));
        assert_eq!((dir.rows("a.npy").len(), dir.rows("a.npy")[0].len()), (100, 2), "{shape}");
        assert_eq!(dir.text("truth.csv").lines().count(), 101);
        let first = dir.read("a.npy");
        dir.ok(&format!("synth {shape} -n 100 --noise 0.01 -o a.npy"));
        assert!(first == dir.read("a.npy"), "{shape}");
        dir.ok(&format!("synth {shape} -n 100 --noise 0.01 --seed 1 -o a.npy"));
        assert!(first != dir.read("a.npy"), "{shape}");
    }
    let printed = dir.ok("synth moons -n 5 -o -").out;
    assert!(printed.starts_with("x1,x2\n") && printed.lines().count() == 6, "{printed}");
}

#[test]
fn the_demo_scores_two_shapes_and_leaves_pictures() {
    let dir = Dir::new();
    let run = dir.ok("demo --rows 400 --out pictures --json -q");
    assert_eq!(run.err, "");
    let scores: Vec<serde_json::Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&scores[0]["shape"], &scores[1]["shape"]), (&"rings".into(), &"double-c".into()));
    assert!(scores.iter().all(|score| score["accuracy"].as_f64().unwrap() > 0.9), "{}", run.out);
    for name in ["rings.svg", "rings-curves.svg", "double-c.svg", "double-c-curves.svg"] {
        assert!(dir.text(&format!("pictures/{name}")).starts_with("<svg"), "{name}");
    }
    dir.ok("inspect pictures/rings.safetensors");
}

#[test]
fn completions_and_manual_pages_come_from_the_flags() {
    let dir = Dir::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(dir.ok(&format!("completions {shell}")).out.contains("landmarks"), "{shell}");
    }
    assert!(dir.ok("man").out.contains("Neural normalized cut"));
    dir.ok("man --out pages");
    assert!(dir.text("pages/neuncut-fit.1").contains("landmarks"));
}

#[test]
fn constants_of_the_start_can_be_set_and_wrong_ones_are_named() {
    let dir = Dir::new();
    dir.write("rows.csv", (0..60).map(|i| format!("{},{}\n", (i % 2) * 9, i % 7)).collect::<String>());
    dir.ok(&format!("fit rows.csv -k 2 {FAST} --ensemble row-restarts=1 --ensemble graph-neighbors=[5,7]"));
    let config = dir.ok("inspect model.safetensors --json").json()["config"].clone();
    assert_eq!(config["ensemble"]["row-restarts"], 1);
    assert_eq!(config["ensemble"]["graph-neighbors"], serde_json::json!([5, 7]));
    for wrong in ["fade", "fad=1", "fade=many", "row-restarts=0"] {
        let run = dir.run(&format!("fit rows.csv -k 2 {FAST} --ensemble {wrong}"));
        assert!(run.code == 2 && run.err.contains("ensemble"), "{wrong}: {} {}", run.code, run.err);
    }
}

#[test]
fn help_names_every_setting_and_exit_code() {
    let dir = Dir::new();
    let help = dir.ok("--help").out;
    for code in ["0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "130 "] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(code)), "exit code {code}: {help}");
    }
    let fit = dir.ok("fit --help").out;
    assert!(fit.contains("Examples:"));
    dir.write("rings.csv", "0,1\n1,0\n5,5\n6,6\n");
    dir.ok(&format!("fit rings.csv -k 2 {FAST}"));
    let config = dir.ok("inspect model.safetensors --json").json()["config"].clone();
    for field in config.as_object().unwrap().keys().filter(|field| *field != "guard" && *field != "label-smoothing") {
        assert!(fit.contains(&format!("--{field}")), "--{field} is not in the help of fit");
    }
}
