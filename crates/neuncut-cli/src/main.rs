//! `neuncut`: cluster the rows of a file, label any other. See `neuncut --help`.

mod args;
mod commands;
mod exit;
mod experiment;
mod interrupt;
mod labeling;
mod memory;
mod plan;
mod process;
mod progress;
mod report;
mod speech;
mod start_labels;
mod text_file;
mod watch;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

// Burn allocates fresh temporaries at every step: this allocator keeps their pages, which makes a training step a third shorter.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::report(&error),
    }
}

fn run(cli: Cli) -> neuncut::Result<()> {
    plan::use_threads(cli.threads)?;
    interrupt::listen();
    match cli.command {
        Command::Fit(args) => commands::fit::run(*args, cli.talk),
        Command::Predict(args) => commands::predict::run(args, cli.talk),
        Command::Features(args) => commands::features::run(args, cli.talk),
        Command::Eval(args) => commands::eval::run(args, cli.talk),
        Command::Compare(args) => commands::compare::run(*args, cli.threads, cli.talk),
        Command::Tune(args) => commands::tune::run(*args, cli.talk),
        Command::Experiment(args) => commands::experiment::run(args, cli.threads, cli.talk),
        Command::Report(args) => commands::report::run(args, cli.talk),
        Command::Deform(args) => commands::deform::run(*args, cli.talk),
        Command::Synth(args) => commands::synth::run(args, cli.talk),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Demo(args) => commands::demo::run(args, cli.talk),
        Command::Completions { shell } => commands::documents::completions(shell),
        Command::Man { out } => commands::documents::man(out.as_deref()),
    }
}
