//! `cargo xtask bench`: whole jobs timed, beside other programs where asked, as one table of ratios.

mod comparisons;
mod growth;
mod measure;
mod peers;
mod plots;
mod table;

use crate::test::{cargo, root, target};
use comparisons::{Comparison, Rival};
use measure::{Figure, Work};
use peers::Peers;
use std::process::{Command, ExitCode};
use table::Row;

/// Runs of each side; the best counts.
const ROUNDS: usize = 5;

/// What was asked for.
struct Request<'a> {
    peers: bool,
    guard: bool,
    growth: bool,
    kernels: bool,
    rounds: usize,
    only: Option<&'a str>,
}

/// Builds, measures, prints and writes a table.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    let request = match read(arguments) {
        Ok(request) => request,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    // `--workspace`, because `--package` would choose other features of the dependencies and build them again
    for what in ["--bins", "--examples"] {
        let mut build = Command::new(cargo());
        build.args(["build", "--release", "--workspace", what]).current_dir(root());
        if !build.status().is_ok_and(|status| status.success()) {
            return ExitCode::FAILURE;
        }
    }
    if request.kernels {
        let mut kernels = Command::new(cargo());
        kernels.args(["bench", "--workspace", "--bench", "kernels"]).current_dir(root());
        return if kernels.status().is_ok_and(|status| status.success()) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    let work = Work::new(root(), target());
    if request.growth {
        return growth::run(&work);
    }
    compare(&work, &request)
}

fn read<'a>(arguments: &[&'a str]) -> Result<Request<'a>, String> {
    let mut request = Request { peers: false, guard: false, growth: false, kernels: false, rounds: ROUNDS, only: None };
    let mut words = arguments.iter();
    while let Some(&word) = words.next() {
        match word {
            "--peers" => request.peers = true,
            "--guard" => request.guard = true,
            "--growth" => request.growth = true,
            "--kernels" => request.kernels = true,
            "--rounds" => {
                let count = words.next().and_then(|text| text.parse().ok()).filter(|&count| count > 0);
                request.rounds = count.ok_or("--rounds takes a number above zero")?;
            }
            "--only" => request.only = Some(*words.next().ok_or("--only takes a part of a name")?),
            other => return Err(format!("bench does not know {other}")),
        }
    }
    Ok(request)
}

fn compare(work: &Work, request: &Request) -> ExitCode {
    let peers = if request.peers { Peers::find(work) } else { Peers::none() };
    let mut rows = Vec::new();
    for comparison in comparisons::all() {
        if request.only.is_some_and(|only| !comparison.name.contains(only)) {
            continue;
        }
        eprintln!("-- {}", comparison.name);
        rows.push(measured(work, &peers, &comparison, request.rounds));
    }
    let text = table::markdown(&rows);
    println!("{text}");
    // a part of the table must not replace the whole
    if request.only.is_none() {
        match table::write(work, &rows, &text) {
            Ok(place) => println!("written to {}", place.display()),
            Err(why) => eprintln!("the table could not be written: {why}"),
        }
    }
    let missed: Vec<&Row> = rows.iter().filter(|row| row.misses()).collect();
    for row in &missed {
        eprintln!("below its target: {} has {:.2}, wanted {:.2}", row.name, row.ratio.unwrap_or(0.0), row.target);
    }
    if request.guard && !missed.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Both sides, alternately.
fn measured(work: &Work, peers: &Peers, comparison: &Comparison, rounds: usize) -> Row {
    let rounds = rounds.min(comparison.most_rounds);
    let (mut ours, mut theirs) = (Figure::new(comparison.more), Figure::new(comparison.more));
    for _ in 0..rounds {
        ours.take(work.ours(comparison.ours), comparison.figure, comparison.quality);
        match comparison.rival {
            Rival::None => {}
            Rival::Limit(most) => theirs.best = Some(most),
            Rival::Ourselves(arguments, figure) => theirs.take(work.ours(arguments), figure, None),
            Rival::Peer { module, script, arguments } => {
                if let Some(python) = peers.with(module) {
                    theirs.take(work.peer(python, script, arguments), comparison.figure, comparison.quality);
                }
            }
        }
    }
    Row::new(comparison, &ours, &theirs)
}
