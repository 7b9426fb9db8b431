//! One whole job, timed: `cargo xtask bench` runs these beside the same jobs of other programs in `benches/peers/`.
//!
//! `jobs NAME [--option VALUE]...` prints one JSON line. Names: `step`, `labels`, `memberships`, `gemm`, `knn`, `kmeans`,
//! `scattering`, `data`, `embeddings`, `start`.

#![allow(clippy::print_stdout, reason = "a command for people prints")]

mod neighbors;
mod options;
mod predict;
mod scattering;
mod start;
mod step;

use neuncut::{Error, Result};
use options::Options;
use serde_json::Value;
use std::process::ExitCode;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run() {
        Ok(mut found) => {
            found["peak_memory"] = peak_memory().into();
            println!("{found}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Value> {
    let options = Options::read(std::env::args().skip(1))?;
    match options.job.as_str() {
        "step" => step::run(&options),
        "labels" => predict::labels(&options),
        "memberships" => predict::memberships(&options),
        "gemm" => Ok(predict::gemm()),
        "knn" => neighbors::knn(&options),
        "kmeans" => neighbors::kmeans(&options),
        "scattering" => scattering::run(&options),
        "start" => start::run(&options),
        "data" => neighbors::data(&options),
        "embeddings" => predict::embeddings(&options),
        other => {
            let known = "step, labels, memberships, gemm, knn, kmeans, scattering, data, embeddings or start";
            Err(Error::config("job", other, known))
        }
    }
}

/// Seconds of the fastest of several runs.
fn fastest(rounds: usize, mut job: impl FnMut()) -> f64 {
    let times = (0..rounds).map(|_| {
        let begin = Instant::now();
        job();
        begin.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

/// The peak of resident memory in bytes, where the system tells it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?)
}
