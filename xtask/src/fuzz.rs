//! `cargo xtask fuzz`: builds the fuzzer in `fuzz/` and runs its targets one after another.
//!
//! libFuzzer comes with the crate libfuzzer-sys; the coverage that it follows is switched on by flags of the stable compiler.

use crate::options::{check, value};
use crate::test::{cargo, root, target};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Every target, as `fuzz/src/bodies.rs` names it, with the files of `tests/attack` that it begins with: endings, or beginnings of names.
const TARGETS: [(&str, &[&str]); 15] = [
    ("npy", &[".npy", ".npy.gz"]),
    ("npz", &[".npz"]),
    ("idx", &[".idx", ".idx.gz"]),
    ("csv", &[".csv", ".tsv", ".txt", ".csv.gz"]),
    ("jsonl", &[".jsonl"]),
    ("libsvm", &[".libsvm"]),
    ("parquet", &[".parquet"]),
    ("arrow", &[".arrow", ".arrows", ".feather"]),
    ("png", &[".png"]),
    ("jpeg", &[".jpg"]),
    ("model", &[".safetensors"]),
    ("features", &["steps", "scat"]),
    ("graph", &["g.", "graph"]),
    ("labels", &["y.", "ys.", "lab"]),
    ("config", &[".toml"]),
];

/// What tells the compiler to note which branches were taken, and what was compared.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing";

/// The longest input, in bytes; a run that takes longer, in seconds, or more memory, in megabytes, is a finding.
const LIMITS: [&str; 3] = ["-max_len=50000", "-timeout=20", "-rss_limit_mb=3000"];

/// Runs one target or all of them, so many minutes in total.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    check(options, &["--target", "--minutes"])?;
    let wanted: Option<String> = value(options, "--target")?;
    let minutes: f64 = value(options, "--minutes")?.unwrap_or(14.0);
    let chosen: Vec<_> = TARGETS.iter().filter(|(name, _)| wanted.as_deref().is_none_or(|w| w == *name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        return Err(format!("--target must be one of {}", names.join(", ")));
    }
    let program = build()?;
    let seconds = (60.0 * minutes / chosen.len() as f64).ceil();
    let mut found = Vec::new();
    for (name, seeds) in chosen {
        let run = fuzz(&program, name, seeds, seconds as u64)?;
        println!("== {name}: {} executions in {} s", run.executions, run.seconds);
        note(name, &run)?;
        if !run.passed {
            found.push(*name);
        }
    }
    println!("{}", totals(&fs::read_to_string(ledger()).unwrap_or_default()));
    match found.is_empty() {
        true => Ok(()),
        false => Err(format!("found something: {}; the inputs are in {}", found.join(", "), place().display())),
    }
}

/// Builds the fuzzer with coverage and gives its path. A triple is named so that build scripts are left as they are.
fn build() -> Result<PathBuf, String> {
    let triple = host().ok_or("rustc does not tell the machine it is on")?;
    let mut build = Command::new(cargo());
    build.args(["build", "--release", "--locked", "--target", &triple]).current_dir(root().join("fuzz"));
    build.env("CARGO_TARGET_DIR", place()).env("RUSTFLAGS", COVERAGE);
    let built = build.status().is_ok_and(|status| status.success());
    built.then(|| place().join(triple).join("release/neuncut-fuzz")).ok_or_else(|| "the fuzzer was not built".into())
}

/// The triple of this machine.
pub(crate) fn host() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(Into::into)
}

/// Where the fuzzer is built, keeps its corpus and leaves what it finds.
fn place() -> PathBuf {
    target().join("fuzz")
}

/// What a run came to.
struct Run {
    executions: u64,
    seconds: u64,
    passed: bool,
}

fn fuzz(program: &Path, name: &str, seeds: &[&str], seconds: u64) -> Result<Run, String> {
    let corpus = place().join("corpus").join(name);
    fs::create_dir_all(&corpus).map_err(|e| format!("cannot create {}: {e}", corpus.display()))?;
    for path in seed_files(&root().join("crates/neuncut-cli/tests/attack"), seeds) {
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, corpus.join(name)).map_err(|e| format!("cannot copy {}: {e}", path.display()))?;
    }
    let mut command = Command::new(program);
    command.env("NEUNCUT_FUZZ_TARGET", name).args(LIMITS).args(["-print_final_stats=1", "-verbosity=1"]);
    command.arg(format!("-max_total_time={seconds}"));
    command.arg(format!("-artifact_prefix={}/", place().join("found").join(name).display()));
    fs::create_dir_all(place().join("found").join(name)).map_err(|e| e.to_string())?;
    command.arg(&corpus).arg(root().join("fuzz/corpus").join(name)).stderr(Stdio::piped());
    fs::create_dir_all(root().join("fuzz/corpus").join(name)).map_err(|e| e.to_string())?;
    let start = std::time::Instant::now();
    let mut child = command.spawn().map_err(|e| format!("the fuzzer does not start: {e}"))?;
    let mut executions = 0;
    for line in BufReader::new(child.stderr.take().ok_or("no standard error")?).lines().map_while(Result::ok) {
        executions = executed(&line).unwrap_or(executions);
        if !["#", "INFO", "\t", "stat::"].iter().any(|routine| line.starts_with(routine)) {
            eprintln!("{line}");
        }
    }
    let passed = child.wait().is_ok_and(|status| status.success());
    Ok(Run { executions, seconds: start.elapsed().as_secs(), passed })
}

/// The executions that a line of libFuzzer tells: `#1234\tpulse ...` on the way, a statistic at the end.
fn executed(line: &str) -> Option<u64> {
    let text = match line.strip_prefix('#') {
        Some(rest) => rest.split_whitespace().next(),
        None => line.strip_prefix("stat::number_of_executed_units:").map(str::trim),
    };
    text?.parse().ok()
}

/// Files below a folder whose names have one of these endings or beginnings.
fn seed_files(folder: &Path, marks: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_seed = |mark: &&str| if mark.starts_with('.') { name.ends_with(*mark) } else { name.starts_with(*mark) };
        match entry.path() {
            path if path.is_dir() => found.extend(seed_files(&path, marks)),
            path if marks.iter().any(is_seed) => found.push(path),
            _ => {}
        }
    }
    found
}

/// The file that executions are added up in.
fn ledger() -> PathBuf {
    root().join("fuzz/executions.csv")
}

fn note(name: &str, run: &Run) -> Result<(), String> {
    let line = format!("{name},{},{},{}\n", run.executions, run.seconds, if run.passed { "" } else { "found" });
    let opened = OpenOptions::new().create(true).append(true).open(ledger());
    opened.and_then(|mut file| file.write_all(line.as_bytes())).map_err(|e| format!("cannot note executions: {e}"))
}

/// Executions of all runs so far, by target.
fn totals(ledger: &str) -> String {
    let mut sums = BTreeMap::<&str, u64>::new();
    for line in ledger.lines() {
        let mut fields = line.split(',');
        if let (Some(name), Some(Ok(executions))) = (fields.next(), fields.next().map(str::parse::<u64>)) {
            *sums.entry(name).or_default() += executions;
        }
    }
    let all: u64 = sums.values().sum();
    let each: Vec<String> = sums.iter().map(|(name, sum)| format!("{name} {sum}")).collect();
    format!("executions of all runs so far: {all} ({})", each.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_are_read_and_added_up() {
        assert_eq!(executed("#4096\tpulse  cov: 12"), Some(4096));
        assert_eq!(executed("stat::number_of_executed_units: 77"), Some(77));
        assert_eq!(executed("INFO: Seed: 3"), None);
        let text = totals("npy,10,1,\nidx,5,1,\nnpy,7,1,found\n");
        assert_eq!(text, "executions of all runs so far: 22 (idx 5, npy 17)");
    }

    #[test]
    fn every_target_has_seeds() {
        let attack = root().join("crates/neuncut-cli/tests/attack");
        let corpus = root().join("fuzz/corpus");
        let seeds = |(name, marks): &(&str, &[&str])| {
            seed_files(&attack, marks).len() + seed_files(&corpus.join(name), marks).len()
        };
        assert!(TARGETS.iter().all(|target| seeds(target) > 0));
    }
}
