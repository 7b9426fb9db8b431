//! How the program behaves among others: signals, closed pipes, quiet, warnings.

mod support;

use std::io::Read;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use support::{Dir, FAST, GOOD, Run};

/// Waits for the end of a process, but not for ever.
fn end_of(mut child: Child, patience: Duration) -> Run {
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begin.elapsed() > patience {
            child.kill().expect("a child");
            panic!("still running after {patience:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Run::new("", child.wait_with_output().expect("a child"))
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let sent = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

/// Starts a fit that would take years, and waits until its temporary file shows that it is under way.
#[cfg(unix)]
fn endless_fit(dir: &Dir, flags: &str) -> Child {
    let line = format!("fit rings.npy -k 2 --hidden 16 --epochs 1000000 {flags}");
    let child = dir.command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let begin = Instant::now();
    while !dir.files().keys().any(|name| name.starts_with(".neuncut-")) {
        assert!(begin.elapsed() < Duration::from_secs(20), "the fit does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(300));
    child
}

#[test]
#[cfg(unix)]
fn an_interrupted_fit_ends_soon_and_leaves_nothing() {
    for name in ["-INT", "-TERM"] {
        let dir = Dir::with_rings();
        dir.write("old.safetensors", "precious");
        let before = dir.files();
        let child =
            endless_fit(&dir, "-o old.safetensors --labels-out labels.csv --history curves.csv --report page.html");
        signal(&child, name);
        let run = end_of(child, Duration::from_secs(10));
        assert_eq!(
            (run.code, run.err.as_str(), run.out.as_str()),
            (130, "neuncut: interrupted: nothing was written\n", ""),
            "{name}"
        );
        assert!(dir.files() == before, "{name}: {:?}", dir.files().keys());
    }
}

#[test]
#[cfg(unix)]
fn work_that_does_not_ask_is_interrupted_too() {
    let dir = Dir::new();
    // neighbours of so many rows are searched for minutes in one go
    dir.ok("synth blobs -n 150000 -o rows.npy");
    let before = dir.files();
    let line = "fit rows.npy -k 2 --method ncut --threads 1 --labels-out labels.csv";
    let child = dir.command(line).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while dir.files().len() == before.len() && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_secs(2));
    signal(&child, "-INT");
    let run = end_of(child, Duration::from_secs(10));
    assert_eq!((run.code, run.err.as_str()), (130, "neuncut: interrupted: nothing was written\n"));
    assert!(dir.files() == before, "{:?}", dir.files().keys());
}

#[test]
#[cfg(unix)]
fn an_interrupted_stream_leaves_nothing() {
    let dir = Dir::new();
    let child =
        dir.command("synth rings -n 100000000000 -o x.npy --truth t.csv").stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while dir.files().is_empty() && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, "-INT");
    assert_eq!(end_of(child, Duration::from_secs(10)).code, 130);
    assert!(dir.files().is_empty(), "{:?}", dir.files().keys());
}

/// A reader that takes the first bytes and goes away, as `head` does.
fn run_with_closed_pipe(dir: &Dir, line: &str) -> Run {
    let mut child = dir.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut start = [0; 8];
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut start).expect("some output");
    drop(out);
    end_of(child, Duration::from_secs(30))
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let dir = Dir::with_model();
    dir.ok("synth rings -n 100000 -o many.npy");
    for line in [
        "predict model.safetensors many.npy -o -",
        "predict model.safetensors many.npy --proba",
        "synth rings -n 1000000 -o -",
    ] {
        let run = run_with_closed_pipe(&dir, line);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{line}");
    }
    // the model is written though nobody reads the labels
    let run = run_with_closed_pipe(
        &dir,
        &format!("fit many.npy -k 2 --train-rows 500 {FAST} -o kept.safetensors --labels-out - -q"),
    );
    // 200 landmarks on two rings are few, and a warning may say so
    assert_eq!(run.code, 0);
    assert!(run.err.lines().all(|line| line.contains("warning:")), "{}", run.err);
    dir.ok("inspect kept.safetensors");
}

#[test]
fn answers_survive_a_closed_pipe_and_a_closed_error_channel() {
    let dir = Dir::with_model();
    for line in [
        "inspect model.safetensors --json",
        "inspect model.safetensors",
        "eval truth.npy truth.npy",
        "man",
        "completions bash",
    ] {
        let mut child = dir.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let run = end_of(child, Duration::from_secs(10));
        assert!(run.code == 0 && !run.err.contains("panicked"), "{line}: {} {}", run.code, run.err);
    }
    let mut child = dir.command(&format!("fit rings.npy -k 2 {FAST}")).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(end_of(child, Duration::from_secs(30)).code, 0);
}

#[test]
fn quiet_is_silent_and_data_is_alone_on_standard_output() {
    let dir = Dir::with_rings();
    for line in [
        &format!("fit rings.npy -k 2 {GOOD} -q"),
        "predict model.safetensors rings.npy -o labels.csv --quiet",
        "-q eval labels.csv truth.npy",
        "synth rings -n 10 -o x.npy -q",
        "inspect model.safetensors -q",
    ] {
        assert_eq!(dir.ok(line).err, "", "{line}");
    }
    let fit = dir.ok(&format!("fit rings.npy -k 2 {FAST} --labels-out -"));
    assert!(fit.out.lines().all(|line| line == "label" || line.parse::<u8>().is_ok()), "{}", fit.out);
    assert_eq!(fit.out.lines().count(), 301);
}

#[test]
fn clusters_that_stay_empty_are_warned_about_even_quietly() {
    let dir = Dir::with_rings();
    // one hidden unit: five half-lines over one number, of which not all become the highest somewhere, revival or not
    let run = dir.ok("fit rings.npy -k 5 --init random --objective ncut --hidden 1 --epochs 1 --lr 1e-9 -q");
    assert!(run.err.lines().all(|line| line.starts_with("neuncut: warning: ")), "{}", run.err);
    assert!(run.err.contains(" of 5 clusters are used") && run.err.contains("[dead-clusters]"), "{}", run.err);
    let record = dir.ok("inspect model.safetensors --json").json()["record"].clone();
    assert!(record["diagnostics"]["live_clusters"].as_u64().is_some_and(|live| live < 5));
    assert!(dir.ok("inspect model.safetensors").out.contains(" of 5 clusters are used"));
}

#[test]
fn repeated_rows_are_enough_for_as_many_clusters_as_differ() {
    let dir = Dir::new();
    dir.write("two.csv", "0,1\n5,5\n".repeat(30));
    dir.fails(&format!("fit two.csv -k 5 {FAST}"), 1, &["only 2 different rows for 5 clusters", "-k"]);
    let run = dir.ok(&format!("fit two.csv -k 2 {FAST} -q --labels-out labels.csv"));
    assert!(run.err.lines().count() == 1 && run.err.contains("[many-duplicates]"), "{}", run.err);
    let labels = dir.text("labels.csv");
    let labels: Vec<&str> = labels.lines().skip(1).collect();
    assert!(labels[0] != labels[1] && (2..60).all(|i| labels[i] == labels[i % 2]));
}

#[test]
fn one_cluster_holds_everything() {
    let dir = Dir::with_rings();
    let run = dir.ok(&format!("fit rings.npy -k 1 {FAST} --labels-out labels.npy -q"));
    assert_eq!(run.err, "");
    assert_eq!(dir.labels("labels.npy"), vec![0; 300]);
    dir.ok("inspect model.safetensors");
}

#[test]
fn memory_has_a_limit_that_is_kept_with_a_sentence() {
    let dir = Dir::with_rings();
    let run = dir.run("fit rings.npy -k 2 --hidden 20000,20000 --epochs 1 --max-memory 200M -o m.safetensors");
    assert_eq!((run.code, run.err.lines().count()), (3, 1), "{}", run.err);
    assert!(run.err.contains("200.0 MiB may be used") && run.err.contains("--max-memory"), "{}", run.err);
    assert!(!dir.path("m.safetensors").exists());
    let run = dir.run("fit rings.npy -k 2 --max-memory lots");
    assert_eq!(run.code, 2, "{}", run.err);
}

/// Processes that were started in a directory and still run.
#[cfg(target_os = "linux")]
fn processes_in(dir: &Dir) -> usize {
    let place = dir.path("").canonicalize().expect("the directory is there");
    let processes = std::fs::read_dir("/proc").expect("Linux has processes").flatten();
    processes.filter(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == place)).count()
}

#[test]
#[cfg(target_os = "linux")]
fn processes_of_a_comparison_end_with_it() {
    for name in ["-KILL", "-TERM"] {
        let dir = Dir::with_rings();
        let line = "compare rings.npy -k 2 --truth truth.npy --methods neuncut --seeds 1 --epochs 1000000 --out runs";
        let mut child = dir.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let begin = Instant::now();
        while processes_in(&dir) < 2 {
            assert!(begin.elapsed() < Duration::from_secs(20), "no process is started");
            std::thread::sleep(Duration::from_millis(10));
        }
        signal(&child, name);
        child.wait().expect("a child");
        let begin = Instant::now();
        while processes_in(&dir) > 0 {
            assert!(begin.elapsed() < Duration::from_secs(20), "{name}: {} are left over", processes_in(&dir));
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
