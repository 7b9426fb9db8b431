//! Files that were made to break something (`tests/attack`): each is read correctly, or ends in one sentence and a documented exit code,
//! with little memory. The names say what an earlier version did with them.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{Dir, Run};

/// Memory that a run may ask for, in kilobytes: the files have a few thousand bytes each.
const MEMORY: u64 = 3 << 20;
/// A run that takes longer is taken for one without end.
const PATIENCE: Duration = Duration::from_secs(120);

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attack").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder is part of the project");
    let mut files: Vec<_> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn base(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attack/base").join(name);
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// What reads a file of this name.
fn lines(path: &Path) -> Vec<Vec<String>> {
    let file = path.to_str().expect("a path in UTF-8").to_owned();
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let line = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    let features = |step: &str| line(&["features", step, &file, "--quiet", "-o", "out.npy"]);
    let (rows, classes) = (base("x.npy"), base("y.npy"));
    let fit = ["fit", &rows, "-k", "2", "--quiet", "--epochs", "1", "-o", "out.safetensors"];
    match name {
        _ if name.starts_with("toml") => vec![[line(&fit), line(&["--config", &file])].concat()],
        _ if name.starts_with("graph") => {
            vec![[line(&fit), line(&["--affinity", &format!("graph:{file}")])].concat()]
        }
        _ if name.starts_with("lab") => vec![line(&["eval", &file, &classes])],
        _ if name.starts_with("steps-scat") => {
            vec![line(&["features", "--load", &file, &base("im.npy"), "--quiet", "-o", "out.npy"])]
        }
        _ if name.starts_with("steps") => vec![line(&["features", "--load", &file, &rows, "--quiet", "-o", "out.npy"])],
        _ if name.ends_with("safetensors") => vec![
            line(&["predict", &file, &rows, "--quiet", "-o", "out.npy"]),
            line(&["predict", &file, &rows, "--proba", "--quiet", "-o", "out.npy"]),
            line(&["report", &file, "--data", &rows, "--quiet", "-o", "out.html"]),
            line(&["inspect", &file]),
        ],
        _ if name.contains("im") => vec![features("scattering"), features("unit")],
        _ => vec![features("unit")],
    }
}

/// Runs a line with little memory and an end.
fn run(dir: &Dir, words: &[String]) -> Run {
    let program = dir.command("").get_program().to_owned();
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")).arg(program).args(words);
    command.current_dir(dir.path("")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a shell starts");
    let begin = std::time::Instant::now();
    while child.try_wait().expect("the process can be asked").is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().expect("the process can be ended");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Run::new(&words.join(" "), child.wait_with_output().expect("it has ended"))
}

fn check(run: &Run) {
    let Run { line, code, err, .. } = run;
    assert!([0, 2, 3, 4].contains(code), "`{line}` ended with {code}: {err}");
    assert!(*code == 0 || err.lines().count() == 1, "`{line}` should say one sentence: {err}");
    assert!(!err.contains("panicked"), "`{line}` should not panic: {err}");
    assert!(!err.contains('\u{1b}'), "`{line}` should not write escapes to a terminal: {err}");
}

fn replay(folder: &str) {
    let dir = Dir::new();
    // a fit of 2^31 epochs is long, and no fault of its file
    for path in files(folder).iter().filter(|path| !path.ends_with("toml-hang-837.toml")) {
        lines(path).iter().for_each(|words| check(&run(&dir, words)));
    }
}

#[test]
fn whole_files_are_read() {
    let dir = Dir::new();
    for name in
        ["x.npy", "x.csv", "x.parquet", "xl.parquet", "x.arrow", "x.feather", "x.libsvm", "x.idx.gz", "pl.parquet"]
    {
        let run = run(&dir, &["features", "unit", &base(name), "--quiet", "-o", "out.npy"].map(str::to_owned));
        assert_eq!(run.code, 0, "{name}: {}", run.err);
    }
}

#[test]
fn mutated_files_end_in_a_sentence() {
    replay("fails");
}

#[test]
fn bombs_end_in_a_sentence() {
    replay("bombs");
}

#[test]
fn crafted_models_end_in_a_sentence() {
    replay("models");
}

#[test]
fn no_row_is_lost_or_shifted() {
    let dir = Dir::new();
    for path in files("fails2") {
        let run = run(&dir, &lines(&path)[0]);
        assert_eq!(run.code, 3, "{}: rows are missing, and the file is damaged: {}", path.display(), run.err);
        check(&run);
    }
}
