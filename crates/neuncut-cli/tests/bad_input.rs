//! What cannot be done is reported in one sentence that names the place and the remedy, and leaves every file as it was.

mod support;

use support::{Dir, FAST, csv};

/// Four rows in two columns.
const ROWS: &str = "0,1\n1,0\n5,5\n6,6\n";

#[test]
fn files_that_cannot_be_read() {
    let dir = Dir::with_model();
    dir.fails("fit none.npy -k 2", 5, &["cannot read none.npy", "No such file", "check the path"]);
    dir.fails("predict none.safetensors rings.npy -o x.csv", 5, &["cannot read none.safetensors", "check the path"]);
    dir.fails("predict model.safetensors none-*.npy -o x.csv", 3, &["none-*.npy", "no file matches this glob"]);
    dir.fails("eval none.npy truth.npy", 5, &["none.npy"]);
    std::fs::create_dir(dir.path("folder")).expect("a folder");
    dir.fails("fit folder -k 2", 3, &["folder", "neither tables nor PNG or JPEG images"]);
    dir.write("empty.csv", "");
    dir.fails("fit empty.csv -k 2", 3, &["empty.csv", "the file is empty"]);
    dir.write("header.csv", "x,y\n");
    dir.fails("fit header.csv -k 2 -o x.safetensors", 3, &["header.csv", "no rows"]);
    dir.write("data.xyz", ROWS);
    dir.fails("fit data.xyz -k 2", 3, &["data.xyz", "rename it", ".npy"]);
    dir.write("false.npy", ROWS);
    dir.fails("fit false.npy -k 2", 3, &["false.npy", "not a .npy file", "numpy.save"]);
    dir.write("short.npy", &dir.read("rings.npy")[..1000]);
    dir.fails("fit short.npy -k 2", 3, &["short.npy", "promises 300 rows", "cut short"]);
}

#[test]
fn values_that_are_no_finite_numbers_are_named_by_file_row_and_column() {
    let dir = Dir::with_model();
    for (name, value, said) in
        [("nan.csv", "nan", "NaN"), ("inf.csv", "-inf", "-inf"), ("huge.csv", "1e60", "beyond single precision")]
    {
        dir.write(name, format!("height,width\n1,2\n3,{value}\n5,6\n"));
        dir.fails(
            &format!("fit {name} -k 2 -o x.safetensors --labels-out x.npy"),
            3,
            &[name, "row 2", "column width", said],
        );
        dir.fails(&format!("predict model.safetensors {name} -o x.npy"), 3, &[name, "row 2", "column width", said]);
    }
    dir.write("first.csv", ROWS);
    dir.write("text.csv", "x,y\n1,2\n3,many\n");
    dir.fails("fit text.csv -k 2", 3, &["text.csv", "line 3", "column y", "\"many\"", "--label-column"]);
    dir.write("gap.csv", "x,y\n1,2\n3,\n");
    dir.fails("fit gap.csv -k 2", 3, &["gap.csv", "line 3", "column y is empty", "impute"]);
    dir.write("ragged.csv", "x,y\n1,2\n3,4,5\n");
    dir.fails("fit ragged.csv -k 2", 3, &["ragged.csv", "line 3 has 3 fields, but 2 are expected"]);
    // in the second file of a table, after output has begun
    dir.fails("predict model.safetensors rings.npy nan.csv --batch 100 -o x.csv", 3, &["nan.csv", "row 2"]);
    dir.fails("predict model.safetensors rings.npy text.csv --batch 100 -o x.parquet", 3, &["text.csv", "line 3"]);
}

#[test]
fn a_failed_prediction_leaves_the_old_file() {
    let dir = Dir::with_model();
    dir.write("nan.csv", "1,2\n3,nan\n");
    for name in ["old.npy", "old.csv", "old.parquet", "old.arrow"] {
        dir.write(name, "precious");
        dir.fails(&format!("predict model.safetensors nan.csv --batch 1 -o {name}"), 3, &["nan.csv", "row 2"]);
    }
    dir.write("model-2.safetensors", "precious");
    dir.fails("fit nan.csv -k 2 -o model-2.safetensors --labels-out old.csv", 3, &["nan.csv", "row 2"]);
}

#[test]
fn data_of_another_width() {
    let dir = Dir::with_model();
    dir.write("three.csv", "1,2,3\n4,5,6\n");
    dir.fails("predict model.safetensors three.csv", 3, &["three.csv has 3 columns, but 2 are expected", "--columns"]);
    dir.write("two.csv", ROWS);
    dir.fails("fit two.csv three.csv -k 2", 3, &["three.csv has 3 columns, but 2 are expected", "--columns"]);
    dir.fails("fit two.csv --columns 1,7 -k 2", 3, &["two.csv", "no column 7", "1 to 2"]);
    dir.fails("fit two.csv --label-column class -k 2", 3, &["two.csv", "no column class"]);
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let dir = Dir::with_rings();
    dir.write("four.csv", ROWS);
    dir.fails("fit rings.npy", 2, &["k is not given", "-k K"]);
    dir.fails("fit rings.npy -k 0", 2, &["k is 0", "at least 1"]);
    dir.fails("fit four.csv -k 5", 3, &["four.csv has 4 rows, but 5 are needed", "-k"]);
    dir.fails("fit rings.npy -k 5 --batch 4", 2, &["batch is 4", "number of clusters, 5"]);
    dir.fails("fit rings.npy -k 5 --landmarks 4", 2, &["landmarks is 4", "number of clusters, 5"]);
    dir.fails("fit rings.npy -k 5 --train-rows 4", 2, &["train-rows is 4", "number of clusters, 5"]);
    dir.fails("fit rings.npy -k 2 --hidden 16,0", 2, &["hidden is 0"]);
    dir.fails("fit rings.npy -k 2 --hidden 10000000000", 2, &["hidden is 10000000000"]);
    dir.fails("fit rings.npy -k 2 --epochs 0", 2, &["epochs is 0"]);
    dir.fails("fit rings.npy -k 2 --sigma 0", 2, &["sigma is 0", "positive"]);
    dir.fails("fit rings.npy -k 2 --gamma -1", 2, &["gamma is -1", "zero or a positive"]);
    dir.fails("fit rings.npy -k 2 --lr inf", 2, &["lr is inf", "positive"]);
    dir.fails("fit rings.npy -k 2 --neighbors 0", 2, &["neighbors is 0"]);
    dir.fails("fit rings.npy -k 2 --threads 0", 2, &["threads is 0", "at least 1"]);
    dir.fails("fit rings.npy -k 2 --device cuda", 2, &["device cuda is not available", "--device cpu"]);
    dir.fails("synth rings -n 0 -o x.npy", 2, &["rows is 0"]);
    dir.fails("synth rings -n 9 --noise -1 -o x.npy", 2, &["noise is -1"]);
    dir.fails("fit rings.npy -k two", 2, &["'two'", "--clusters", "see --help"]);
    dir.fails("fit rings.npy -k 2 --sigma wide", 2, &["'wide'", "--sigma", "see --help"]);
    for line in ["fit rings.npy -k 2 --objective best", "synth cubes -n 3 -o x.npy", "fly"] {
        let run = dir.run(line);
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        assert!(run.err.starts_with("neuncut: ") && run.err.ends_with("; see --help\n"), "{line}: {}", run.err);
    }
}

#[test]
fn configuration_files_that_cannot_be_used() {
    let dir = Dir::with_rings();
    dir.fails("fit rings.npy --config none.toml", 5, &["cannot read none.toml", "check the path"]);
    dir.write("typo.toml", "clusters = 2\n\nclusterz = 3\n");
    dir.fails("fit rings.npy --config typo.toml", 2, &["typo.toml", "line 3", "clusterz is given", "no such setting"]);
    dir.write("type.toml", "clusters = 2\ngamma = \"much\"\n");
    dir.fails(
        "fit rings.npy --config type.toml",
        2,
        &["type.toml", "line 2", "`much` is neither a number nor `auto` nor `search`"],
    );
    dir.write("value.toml", "clusters = 2\nlr = -1.0\n");
    dir.fails("fit rings.npy --config value.toml", 2, &["lr is -1"]);
    dir.write("broken.toml", "clusters = \n");
    dir.fails("fit rings.npy --config broken.toml", 2, &["broken.toml", "line 1"]);
}

#[test]
fn data_in_which_there_is_nothing_to_find() {
    let dir = Dir::new();
    dir.write("equal.csv", "1,2\n".repeat(60));
    dir.fails("fit equal.csv -k 2", 1, &["all rows are equal"]);
    // marks of missing values, and numbers whose squares vanish: without a word, all rows would fall into one cluster
    let mut rows: Vec<Vec<f32>> = (0..60).map(|i| vec![i as f32, (i % 7) as f32]).collect();
    let tiny: Vec<Vec<f32>> = rows.iter().map(|row| row.iter().map(|x| x * 1e-25).collect()).collect();
    rows[7][1] = -1e38;
    dir.write("marked.csv", csv(&rows));
    dir.fails("fit marked.csv -k 2", 1, &["column 2 holds -1e38", "missing values"]);
    dir.write("tiny.csv", csv(&tiny));
    dir.fails("fit tiny.csv -k 2", 1, &["distances vanish", "scale the columns up"]);
    // numbers that single precision takes for zero
    let vanished: String = (0..60).map(|i| format!("{i},{}e-300\n", i % 7)).collect();
    dir.write("vanished.csv", "a,b\n".to_owned() + &vanished);
    let words = ["vanished.csv: column b holds only numbers too small for single precision", "scale the column up"];
    dir.fails("fit vanished.csv -k 2", 3, &words);
    dir.fails("choose vanished.csv", 3, &words);
    dir.ok(&format!("fit vanished.csv --exclude b -k 2 {FAST} --quiet"));
    dir.write("four.csv", ROWS);
    dir.fails(&format!("fit four.csv -k 2 --sigma 1e-9 {FAST}"), 1, &["affinity", "--sigma"]);
    dir.fails("fit four.csv -k 2 --preset paper --sigma 1e-9 --hidden 16", 1, &["affinity", "--sigma"]);
}

#[test]
fn awkward_data_is_clustered_all_the_same() {
    let dir = Dir::new();
    let row = |i: usize| vec![5.0, (i % 2) as f32 * 9.0 + (i % 5) as f32, 0.0];
    dir.write("constant.csv", csv(&(0..80).map(row).collect::<Vec<_>>()));
    dir.write("wide.csv", csv(&(0..80).map(|i| [row(i), vec![0.0; 30]].concat()).collect::<Vec<_>>()));
    dir.write("classes.csv", (0..80).map(|i| format!("{}\n", i % 2)).collect::<String>());
    // rows are repeated eight times, columns are constant
    for name in ["constant.csv", "wide.csv"] {
        dir.ok(&format!("fit {name} -k 2 --hidden 64 --epochs 2 --representation raw --labels-out labels.csv"));
        assert_eq!(dir.accuracy("labels.csv", "classes.csv"), 1.0, "{name}");
        dir.ok(&format!("fit {name} -k 2 {FAST}"));
    }
    dir.write("pair.csv", "0,1\n5,5\n");
    dir.ok(&format!("fit pair.csv -k 2 {FAST} --labels-out labels.csv"));
    dir.write("one.csv", "0,1\n");
    dir.ok(&format!("fit one.csv -k 1 {FAST}"));
    assert_eq!(dir.ok("predict model.safetensors pair.csv --proba").out, "label,p0\n0,1\n0,1\n");
}

#[test]
fn files_that_are_no_model() {
    let dir = Dir::with_model();
    let model = dir.read("model.safetensors");
    let foreign = |name: &str, words: &[&str]| {
        dir.fails(&format!("predict {name} rings.npy -o x.csv"), 4, &[&[name, "neuncut fit -o"], words].concat());
        dir.fails(&format!("inspect {name}"), 4, words);
    };
    for length in [0, 7, 8, 100, model.len() / 2, model.len() - 1] {
        dir.write("cut.safetensors", &model[..length]);
        foreign("cut.safetensors", &["not a neuncut model, or is cut short"]);
    }
    dir.write("image.safetensors", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[7; 500]].concat());
    foreign("image.safetensors", &["not a neuncut model"]);
    foreign("rings.npy", &["not a neuncut model"]);
    dir.write("plain.safetensors", safetensors(r#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#, &[0; 4]));
    foreign("plain.safetensors", &["is a safetensors file, but not a neuncut model"]);
}

#[test]
fn models_of_the_future_and_damaged_ones() {
    let dir = Dir::with_model();
    dir.write("new.safetensors", with_header(&dir, r#"\"format_version\":4"#, r#"\"format_version\":9"#));
    dir.fails(
        "inspect new.safetensors",
        4,
        &["new.safetensors", "format version 9", "reads up to 5", "update neuncut"],
    );
    dir.write("odd.safetensors", with_header(&dir, r#"\"clusters\":2"#, r#"\"clusters\":3"#));
    dir.fails("inspect odd.safetensors", 4, &["odd.safetensors", "do not fit its configuration"]);
    dir.write(
        "wide.safetensors",
        with_header(&dir, r#",\"columns\":2,\"settings\""#, r#",\"columns\":3,\"settings\""#),
    );
    dir.write("three.csv", "1,2,3\n4,5,6\n");
    dir.fails("predict wide.safetensors three.csv", 4, &["wide.safetensors", "do not fit its configuration"]);
    dir.write("field.safetensors", with_header(&dir, r#"\"settings\""#, r#"\"sottings\""#));
    dir.fails("inspect field.safetensors", 4, &["field.safetensors", "damaged header", "settings"]);
    dir.write("setting.safetensors", with_header(&dir, r#"\"sigma\""#, r#"\"sigmo\""#)); // one that is gone or not there yet
    dir.ok("inspect setting.safetensors");
    dir.write("name.safetensors", with_header(&dir, "layer.0.weight", "layer.9.weight"));
    dir.fails("inspect name.safetensors", 4, &["name.safetensors", "has no layers"]);
    let mut bytes = dir.read("model.safetensors");
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    dir.write("nan.safetensors", bytes);
    dir.fails("predict nan.safetensors rings.npy", 4, &["nan.safetensors"]);
}

/// A safetensors file of this header and data.
fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

/// The model with one text in its header replaced by another.
fn with_header(dir: &Dir, from: &str, to: &str) -> Vec<u8> {
    let model = dir.read("model.safetensors");
    let length = u64::from_le_bytes(model[..8].try_into().expect("eight bytes")) as usize;
    let header = std::str::from_utf8(&model[8..8 + length]).expect("a text header");
    assert!(header.contains(from), "{from} is in {}", &header[..400]);
    safetensors(&header.replacen(from, to, 1), &model[8 + length..])
}

#[test]
fn places_that_cannot_be_written_are_known_before_the_work() {
    let dir = Dir::with_model();
    // so many epochs that a fit would not end within the test
    let fit = "fit rings.npy -k 2 --epochs 1000000 --hidden 16";
    dir.fails(&format!("{fit} -o no/x.safetensors"), 5, &["no/x.safetensors", "does not exist; create it first"]);
    dir.fails(&format!("{fit} -o ."), 5, &["this is a directory"]);
    dir.fails(&format!("{fit} -o -"), 2, &["output is -", "the name of a file"]);
    dir.fails(&format!("{fit} --labels-out x.xyz"), 2, &["x.xyz", ".npy, .csv"]);
    dir.fails(&format!("{fit} --labels-out no/x.csv"), 5, &["no/x.csv", "create it first"]);
    dir.fails(&format!("{fit} --history x.txt"), 2, &["history is x.txt", ".json or .csv"]);
    dir.fails(&format!("{fit} --history no/x.csv"), 5, &["no/x.csv", "create it first"]);
    dir.fails(&format!("{fit} --json --labels-out -"), 2, &["json", "--labels-out FILE"]);
    dir.fails("predict model.safetensors rings.npy -o x.xyz", 2, &["x.xyz", ".npy, .csv"]);
    dir.fails("predict model.safetensors rings.npy -o x.idx", 2, &["x.idx", ".npy, .csv"]);
    dir.fails("predict model.safetensors rings.npy -o no/x.npy", 5, &["no/x.npy", "create it first"]);
    dir.fails("predict model.safetensors rings.npy --json", 2, &["json", "-o FILE"]);
    dir.fails("predict model.safetensors rings.npy --batch 0", 2, &["batch is 0"]);
    dir.fails("synth rings -n 9 -o no/x.npy", 5, &["no/x.npy", "create it first"]);
    std::fs::create_dir(dir.path("taken.csv")).unwrap();
    dir.fails("predict model.safetensors rings.npy -o taken.csv", 5, &["taken.csv", "this is a directory"]);
}

#[test]
fn one_file_is_not_written_twice_nor_over_the_data() {
    let dir = Dir::with_model();
    dir.fails("synth rings -n 9 -o x.csv --truth x.csv", 2, &["truth is x.csv", "of its own"]);
    dir.fails("synth rings -n 9 -o - --truth -", 2, &["truth is -", "of its own"]);
    dir.fails(
        "predict model.safetensors rings.npy -o ./rings.npy",
        2,
        &["output is ./rings.npy", "not one of the files that are read"],
    );
    dir.fails("fit rings.npy -k 2 -o rings.npy", 2, &["output is rings.npy", "not one of the files that are read"]);
    dir.fails("fit rings.npy -k 2 --labels-out x.csv --history x.csv", 2, &["x.csv", "of its own"]);
    let model = dir.read("model.safetensors");
    dir.fails("edit model.safetensors --merge 0,1 -o model.safetensors", 2, &["files that are read"]);
    assert_eq!(dir.read("model.safetensors"), model);
    dir.ok(&format!("fit rings.npy -k 2 {FAST} -o /dev/null --labels-out /dev/null"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_and_nothing_is_left() {
    let dir = Dir::with_model();
    let full = ["/dev/full", "No space left on device", "make room"];
    dir.fails("predict model.safetensors rings.npy -o /dev/full", 5, &full);
    dir.fails("synth rings -n 9 -o /dev/full --truth x.csv", 5, &full);
    // whichever of a fit's files does not fit, the others are not left behind either
    std::os::unix::fs::symlink("/dev/full", dir.path("full.csv")).unwrap();
    let no_space = ["No space left on device", "make room"];
    dir.fails(&format!("fit rings.npy -k 2 {FAST} -o /dev/full --labels-out x.csv --history x.json"), 5, &no_space);
    dir.fails(
        &format!("fit rings.npy -k 2 {FAST} -o x.safetensors --labels-out full.csv --history x.json"),
        5,
        &no_space,
    );
    dir.fails(
        &format!("fit rings.npy -k 2 {FAST} -o x.safetensors --labels-out x.csv --history full.csv"),
        5,
        &no_space,
    );
    for line in ["predict model.safetensors rings.npy", "eval truth.npy truth.npy", "inspect model.safetensors", "man"]
    {
        let out = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let run = support::Run::new(line, dir.command(line).stdout(out).output().unwrap());
        assert_eq!(run.code, 5, "{line}: {}", run.err);
        assert_eq!(
            run.err,
            "neuncut: cannot write standard output: No space left on device; make room, or write elsewhere\n"
        );
    }
}

#[test]
fn labels_that_cannot_be_scored() {
    let dir = Dir::with_rings();
    dir.write("few.csv", "label\n0\n1\n");
    dir.fails(
        "eval few.csv truth.npy",
        3,
        &["few.csv: has 2 labels, but truth.npy has 300", "same rows in the same order"],
    );
    dir.write("table.csv", "a,b\n1,2\n3,4\n");
    dir.fails("eval few.csv table.csv", 3, &["table.csv", "a, b", "--truth-column"]);
    dir.fails("eval few.csv table.csv --truth-column c", 3, &["table.csv", "no column c", "a, b"]);
    dir.write("parts.csv", "label\n0.5\n1\n");
    dir.fails("eval few.csv parts.csv", 3, &["parts.csv", "line 2", "0.5", "whole numbers or text"]);
    dir.write("gap.csv", "label,x\n0,1\n,1\n");
    dir.fails("eval few.csv gap.csv", 3, &["gap.csv", "line 3 has no label"]);
    dir.fails("eval few.csv rings.npy", 3, &["rings.npy", "[300, 2]", "one dimension"]);
    dir.write("none.csv", "label\n");
    dir.fails("eval none.csv none.csv", 3, &["none.csv: there are no labels"]);
}

#[test]
#[cfg(not(feature = "cloud"))]
fn addresses_need_a_build_with_object_stores() {
    let dir = Dir::with_model();
    let lines = [
        "predict model.safetensors s3://bucket/in/*.parquet",
        "predict model.safetensors rings.npy -o gs://bucket/out/",
        "predict s3://bucket/m.safetensors rings.npy",
        "fit rings.npy -k 2 -o az://box/m.safetensors",
        "inspect https://example.org/m.safetensors",
    ];
    for line in lines {
        dir.fails(line, 2, &["://", "this build has no object stores", "--features cloud"]);
    }
}
