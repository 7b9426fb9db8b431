//! `cargo xtask fuzz`: builds the fuzzer in `fuzz/` and runs its targets, one after another or several at a time.
//!
//! libFuzzer comes with the crate libfuzzer-sys; the coverage that it follows is switched on by flags of the stable compiler.

use crate::options::{check, value};
use crate::test::{cargo, root, target};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A target, as `fuzz/src/tables.rs` or `fuzz/src/models.rs` names it.
struct Kind {
    name: &'static str,
    /// The program that it is part of.
    program: &'static str,
    /// The files of `tests/attack` that it begins with: endings, or beginnings of names.
    seeds: &'static [&'static str],
    /// The longest input, in bytes: enough for every kind of file, because short inputs are read more often in the same time.
    longest: u32,
    /// Its share of the time: more for formats that say more and are read more slowly.
    share: f64,
}

const fn kind(
    program: &'static str,
    name: &'static str,
    seeds: &'static [&'static str],
    longest: u32,
    share: f64,
) -> Kind {
    Kind { name, program, seeds, longest, share }
}

const TARGETS: [Kind; 15] = [
    kind("tables", "npy", &[".npy", ".npy.gz"], 4096, 1.0),
    kind("tables", "npz", &[".npz"], 8448, 1.0),
    kind("tables", "idx", &[".idx", ".idx.gz"], 2048, 1.0),
    kind("tables", "csv", &[".csv", ".tsv", ".txt", ".csv.gz"], 4096, 1.5),
    kind("tables", "jsonl", &[".jsonl"], 4096, 1.5),
    kind("tables", "libsvm", &[".libsvm"], 4096, 1.0),
    kind("tables", "parquet", &[".parquet"], 8192, 2.0),
    kind("tables", "arrow", &[".arrow", ".arrows", ".feather"], 12_000, 1.5),
    kind("tables", "png", &[".png"], 4096, 1.5),
    kind("tables", "jpeg", &[".jpg"], 4096, 1.5),
    kind("tables", "graph", &["g.", "graph"], 12_000, 1.0),
    kind("tables", "labels", &["y.", "ys.", "lab"], 4096, 1.0),
    kind("models", "model", &[".safetensors"], 50_000, 2.0),
    kind("models", "features", &["steps", "scat"], 50_000, 1.0),
    kind("models", "config", &[".toml"], 4096, 1.0),
];

/// What tells the compiler to note which branches were taken, and what was compared.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing";

/// A file that takes longer, in seconds, or more memory, in megabytes, is a finding.
const LIMITS: [&str; 2] = ["-timeout=20", "-rss_limit_mb=3000"];

/// The system's allocator keeps what it has: otherwise every file would fetch its buffers from the kernel, page by page.
const KEEP: [&str; 3] = ["MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_"];

/// The longest time, in minutes, that all targets take once: with more, there are several rounds. What was executed is noted after each
/// target, so that an interrupted run loses little.
const ROUND: f64 = 30.0;

/// Runs one target or all of them, so many minutes in total.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    check(options, &["--target", "--minutes", "--jobs"])?;
    let wanted: Option<String> = value(options, "--target")?;
    let minutes: f64 = value(options, "--minutes")?.unwrap_or(15.0);
    let jobs: usize = value(options, "--jobs")?.unwrap_or(1).max(1);
    let chosen: Vec<&Kind> =
        TARGETS.iter().filter(|kind| wanted.as_deref().is_none_or(|name| name == kind.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|kind| kind.name).collect();
        return Err(format!("--target must be one of {}", names.join(", ")));
    }
    for program in ["tables", "models"].into_iter().filter(|name| chosen.iter().any(|kind| kind.program == *name)) {
        build(program)?;
    }
    let (rounds, shares) = ((minutes / ROUND).ceil().max(1.0), chosen.iter().map(|kind| kind.share).sum::<f64>());
    let round = 60.0 * minutes * jobs as f64 / rounds;
    let work: Vec<(&Kind, u64)> = (0..rounds as usize)
        .flat_map(|_| chosen.iter().map(|kind| (*kind, (round * kind.share / shares).ceil() as u64)))
        .collect();
    let found = in_jobs(&work, jobs)?;
    println!("{}", totals(&fs::read_to_string(ledger()).unwrap_or_default()));
    match found.is_empty() {
        true => Ok(()),
        false => Err(format!("found something: {}; the inputs are in {}", found.join(", "), place().display())),
    }
}

/// Runs targets for so many seconds each, several at a time, and gives those that found something.
fn in_jobs(work: &[(&Kind, u64)], jobs: usize) -> Result<Vec<&'static str>, String> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
    let job = || -> Result<(), String> {
        while let Some((kind, seconds)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let run = fuzz(kind, *seconds)?;
            println!("== {}: {} executions in {} s", kind.name, run.executions, run.seconds);
            note(kind.name, &run)?;
            if !run.passed {
                found.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.name);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..jobs).map(|_| scope.spawn(job)).collect();
        running.into_iter().try_for_each(|job| job.join().map_err(|_| "a job panicked".to_owned())?)
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect())
}

/// Builds one of the two programs with coverage. A triple is named so that build scripts are left as they are.
fn build(program: &str) -> Result<(), String> {
    let triple = host().ok_or("rustc does not tell the machine it is on")?;
    let mut build = Command::new(cargo());
    build.args(["build", "--release", "--locked", "--features", program, "--bin", program, "--target", &triple]);
    build.current_dir(root().join("fuzz")).env("CARGO_TARGET_DIR", place()).env("RUSTFLAGS", COVERAGE);
    let built = build.status().is_ok_and(|status| status.success());
    built.then_some(()).ok_or_else(|| "the fuzzer was not built".into())
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

fn fuzz(kind: &Kind, seconds: u64) -> Result<Run, String> {
    let name = kind.name;
    let (corpus, found, kept) =
        (place().join("corpus").join(name), place().join("found").join(name), root().join("fuzz/corpus").join(name));
    for folder in [&corpus, &found] {
        fs::create_dir_all(folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    }
    let files = folder_for_files(name);
    fs::create_dir_all(&files).map_err(|e| format!("cannot create {}: {e}", files.display()))?;
    let attack = root().join("crates/neuncut-cli/tests/attack");
    for path in seed_files(&attack, kind.seeds).into_iter().chain(seed_files(&kept, &[""])) {
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, corpus.join(name)).map_err(|e| format!("cannot copy {}: {e}", path.display()))?;
    }
    let triple = host().ok_or("rustc does not tell the machine it is on")?;
    let mut command = Command::new(place().join(triple).join("release").join(kind.program));
    command
        .env("NEUNCUT_FUZZ_TARGET", name)
        .env("NEUNCUT_FUZZ_FOLDER", &files)
        .envs(KEEP.map(|variable| (variable, (1 << 28).to_string())));
    command.args(LIMITS).args(["-print_final_stats=1", "-reload=0"]);
    command.args([format!("-max_len={}", kind.longest), format!("-max_total_time={seconds}")]);
    command.arg(format!("-artifact_prefix={}/", found.display())).arg(&corpus).stderr(Stdio::piped());
    let start = std::time::Instant::now();
    let mut child = command.spawn().map_err(|e| format!("the fuzzer does not start: {e}"))?;
    let mut executions = 0;
    for line in BufReader::new(child.stderr.take().ok_or("no standard error")?).lines().map_while(Result::ok) {
        executions = executed(&line).unwrap_or(executions);
        if !["#", "INFO", "\t", "stat::"].iter().any(|routine| line.starts_with(routine)) {
            eprintln!("{name}: {line}");
        }
    }
    let passed = child.wait().is_ok_and(|status| status.success());
    let _ = fs::remove_dir_all(&files); // libFuzzer ends without cleaning up
    Ok(Run { executions, seconds: start.elapsed().as_secs(), passed })
}

/// Where the files of a target lie while they are read: in memory, where there is a file system for that.
fn folder_for_files(target: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { place() };
    place.join(format!("neuncut-fuzz-{target}-{}", std::process::id()))
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
        let seeds =
            |kind: &Kind| seed_files(&attack, kind.seeds).len() + seed_files(&corpus.join(kind.name), kind.seeds).len();
        assert!(TARGETS.iter().all(|kind| seeds(kind) > 0));
    }
}
