//! Quality on real data, where it is at hand: `NEUNCUT_DATA` names a directory with `digits/x.npy` and `digits/y.npy`.

mod support;

use std::io::Write;
use std::path::PathBuf;
use support::Dir;

#[test]
fn handwritten_digits_are_found() {
    let Some(data) = std::env::var_os("NEUNCUT_DATA") else {
        // past the capture of tests that pass
        let _ = writeln!(
            std::io::stderr(),
            "handwritten_digits_are_found is skipped: set NEUNCUT_DATA to a directory with digits/x.npy and digits/y.npy"
        );
        return;
    };
    let digits = PathBuf::from(data).join("digits");
    let (x, y) = (digits.join("x.npy"), digits.join("y.npy"));
    let dir = Dir::new();
    dir.ok(&format!("fit {} -k 10 --seed 0 --labels-out labels.npy", x.display()));
    let accuracy = dir.accuracy("labels.npy", &y.display().to_string());
    assert!(accuracy >= 0.90, "ACC {accuracy}");
}
