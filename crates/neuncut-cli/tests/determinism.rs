//! The same seed gives the same bytes, whatever the number of threads or the size of a batch.

mod support;

use support::Dir;

#[test]
fn a_model_is_the_same_bytes_on_one_thread_and_two() {
    let dir = Dir::new();
    dir.ok("synth rings -n 700 -o rings.npy"); // more than the dense eigensolver takes
    let fit = |flags: &str| {
        dir.ok(&format!("fit rings.npy -k 2 --hidden 128,128 --batch 100 --epochs 10 {flags}"));
        dir.read("model.safetensors")
    };
    let one = fit("--threads 1");
    assert!(one == fit("--threads 1"), "twice the same");
    assert!(one == fit("--threads 2"), "on two threads");
    assert!(one == fit("--threads 3 --seed 0"), "more threads than cores");
    assert!(one != fit("--seed 1"), "another seed");
}

#[test]
fn wide_rows_are_the_same_too() {
    let dir = Dir::new();
    // 40 columns: whitening, matrix products and the choice among representations
    let value =
        |i: usize, j: usize| ((i * 7919 + j * 104_729) % 1009) as f32 / 1009.0 + if j % 3 == i % 3 { 2.0 } else { 0.0 };
    let rows: Vec<Vec<f32>> = (0..650).map(|i| (0..40).map(|j| value(i, j)).collect()).collect();
    dir.write("wide.csv", support::csv(&rows));
    let fit = |threads: usize| {
        dir.ok(&format!(
            "fit wide.csv -k 3 --hidden 64 --batch 200 --epochs 2 --threads {threads} --labels-out labels-{threads}.npy"
        ));
        dir.read("model.safetensors")
    };
    assert!(fit(1) == fit(2));
    assert!(dir.read("labels-1.npy") == dir.read("labels-2.npy"));
}

#[test]
fn predictions_do_not_depend_on_batch_or_threads() {
    let dir = Dir::with_model();
    dir.ok("synth rings -n 1500 --seed 3 -o more.npy");
    let predict = |flags: &str| {
        dir.ok(&format!("predict model.safetensors more.npy -o memberships.npy --proba {flags}"));
        dir.read("memberships.npy")
    };
    let expected = predict("--threads 1");
    for flags in
        ["--batch 1", "--batch 7", "--batch 256", "--batch 1000", "--batch 7 --threads 2", "--threads 2", "--threads 1"]
    {
        assert!(predict(flags) == expected, "{flags}");
    }
}
