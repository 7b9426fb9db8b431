//! Encoders in ONNX files in front of a fit, by the real binary. `cargo xtask onnx` runs it.

mod support;

use support::{Dir, FAST};

/// A directory with 300 rows of six columns in three clouds, and an encoder of them in `net.onnx`.
fn with_rows() -> Dir {
    let dir = Dir::new();
    let value = |i: usize, j: usize| if i % 3 == j { 4.0 } else { 0.0 } + (i * (7 * j + 3) % 101) as f32 / 101.0;
    let rows: Vec<Vec<f32>> = (0..300).map(|i| (0..6).map(|j| value(i, j)).collect()).collect();
    dir.write("rows.csv", support::csv(&rows));
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/../neuncut/tests/encoders/mlp.onnx");
    dir.write("net.onnx", std::fs::read(net).expect("the network of the library's tests"));
    dir
}

const CHAIN: &str = "onnx=net.onnx:output=memberships,unit";

#[test]
fn one_command_and_two_give_identical_labels_on_any_number_of_threads() {
    let dir = with_rows();
    dir.ok(&format!("fit rows.csv -k 3 --features {CHAIN} {FAST} --labels-out one.npy -o one.safetensors"));
    dir.ok(&format!("--threads 1 fit rows.csv -k 3 --features {CHAIN} {FAST} -o alone.safetensors"));
    assert_eq!(dir.read("one.safetensors"), dir.read("alone.safetensors"));
    dir.ok("predict one.safetensors rows.csv --batch 7 -o predicted.npy");
    dir.ok(&format!("features {CHAIN} rows.csv -o rows.npy --save steps.safetensors"));
    dir.ok(&format!("fit rows.npy -k 3 {FAST} -o two.safetensors"));
    dir.ok("predict two.safetensors rows.npy -o two.npy");
    assert_eq!(dir.read("one.npy"), dir.read("predicted.npy"));
    assert_eq!(dir.read("one.npy"), dir.read("two.npy"));
    std::fs::remove_file(dir.path("net.onnx")).expect("it is there");
    dir.ok("features rows.csv -o again.npy --load steps.safetensors");
    assert_eq!(dir.read("rows.npy"), dir.read("again.npy"));
    dir.ok("predict one.safetensors rows.csv -o predicted.npy");
    dir.ok("report one.safetensors --data rows.csv -o page.html");
}

#[test]
fn an_encoder_beside_the_model_must_be_the_same() {
    let dir = with_rows();
    dir.ok(
        "fit rows.csv -k 3 --method kmeans --features onnx=net.onnx:output=memberships:embed=no -o model.safetensors",
    );
    dir.ok("predict model.safetensors rows.csv -o labels.npy");
    let net = dir.read("net.onnx");
    dir.write("net.onnx", &net[..100]);
    dir.fails(
        "predict model.safetensors rows.csv -o x.npy",
        3,
        &["model.safetensors", "another encoder than net.onnx"],
    );
    std::fs::remove_file(dir.path("net.onnx")).expect("it is there");
    dir.fails("predict model.safetensors rows.csv -o x.npy", 4, &["net.onnx", "is not there", "beside the model"]);
}

#[test]
fn what_cannot_be_used_is_explained() {
    let dir = with_rows();
    let fails = |chain: &str, code, words: &[&str]| {
        dir.fails(&format!("fit rows.csv -k 3 --features {chain}"), code, words);
    };
    fails("onnx=net.onnx", 4, &["net.onnx", "memberships and labels", "output=NAME"]);
    fails("onnx=rows.csv", 4, &["rows.csv", "is not an ONNX file"]);
    fails("onnx=none.onnx", 3, &["none.onnx"]);
    fails("pca=2,onnx=net.onnx:output=memberships", 3, &["has 2 columns, but 6 are expected"]);
    fails("onnx=net.onnx:output=memberships:mean=1", 2, &["mean is given", "left out"]);
}
