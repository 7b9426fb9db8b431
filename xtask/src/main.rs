//! The project's own commands: `cargo xtask test` sets up and runs every check.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command for people prints")]

mod bench;
mod browser;
mod dist;
mod docs;
mod environment;
mod fuzz;
mod options;
mod packages;
mod python;
mod quality;
mod sanitize;
mod test;
mod torture;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <command>

commands:
  test       format, lints, tests, doc tests, docs, the page in a browser, small experiments, the Python package: everything that
             must pass before a merge
  onnx       exported models and encoders run by tract, whose build takes minutes; `test` runs exported models by onnxruntime
  cloud      objects in stores, with a server on loopback; its build takes minutes
  gpu        training through WebGPU beside that on the CPU; needs a Vulkan driver, such as Debian's mesa-vulkan-drivers, and a
             build of minutes
  quality    accuracy of the default fit on shapes and real sets, beside k-means and scikit-learn, with floors (tens of minutes);
             options: --seeds N, --only TEXT. With --suite DIR: the fit on every set KIND-NAME.x.npy of a directory (classes in
             KIND-NAME.y.npy) beside the peers in its peers.csv, and on the real sets of NEUNCUT_DATA; options: --only TEXT,
             --seeds N, --jobs N, --set KEY=VALUE (any key of fit --config, such as ensemble.row-restarts=5), --record FILE (goes on
             where it was interrupted), --against RECORD. With --judges DIR: which judge picks the best partitions; with --suite DIR
             --choose: how often the number of clusters is found; with --suite DIR --partial: what labels of some rows do
  bench      time of whole jobs; options: --peers (beside PyTorch, faiss, scikit-learn and kymatio, in environments of their own, or
             in the Pythons that NEUNCUT_PEERS names), --guard (fails where a ratio is below its target), --growth (time and
             memory against sizes), --kernels (criterion's benches), --rounds N, --only TEXT (shown and not kept)
  fuzz       readers of every format, models, settings on mutated files (docs/reliability.md); options: --target NAME, --minutes N,
             --jobs N (targets at a time)
  torture    kills the program at random moments, takes its disk and input away, and compares what it leaves; options: --kills N,
             --seed N; with --soak ROWS: a long stream through predict, whose memory must stay as it is
  sanitize   tests of the kernels and readers under AddressSanitizer and ThreadSanitizer; option: --only address|thread
  docs       writes docs/reference/commands.md again, from the program's own options
  dist       an archive of the program with completions and manual pages, and the wheel of the Python package, with checksums and a bill
             of materials; the same wherever they are made";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test::run(),
        ["onnx"] => test::onnx(),
        ["cloud"] => test::cloud(),
        ["gpu"] => test::gpu(),
        ["quality", ref options @ ..] => quality::run(options),
        ["bench", ref options @ ..] => bench::run(options),
        ["fuzz", ref options @ ..] => ended(fuzz::run(options)),
        ["torture", ref options @ ..] => ended(torture::run(options)),
        ["sanitize", ref options @ ..] => ended(sanitize::run(options)),
        ["docs"] => ended(docs::run()),
        ["dist"] => ended(dist::run()),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// The exit code of a command that gives a sentence where it fails.
fn ended(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
