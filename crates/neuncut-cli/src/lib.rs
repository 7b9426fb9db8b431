//! The command `neuncut`: cluster the rows of a file, label any other. See `neuncut --help`.
//!
//! The program is `src/bin/neuncut.rs`; the Python package runs the same command.

#![deny(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod allocator;
mod args;
mod commands;
mod exit;
mod experiment;
mod heartbeat;
mod interrupt;
mod labeling;
mod level_columns;
mod memory;
mod naming;
mod objects;
mod plan;
mod process;
mod program;
mod progress;
mod reference;
mod report;
mod shards;
mod speech;
mod standard_input;
mod start_labels;
mod text_file;
mod timings;
mod watch;

use args::{Cli, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// What was asked for, and is no error.
const ASKED_FOR: [ErrorKind; 3] =
    [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand];

/// Runs the command that these words make, the first being the name of the program, and gives the exit code.
///
/// `started_by` are the words that start this program, where it is not the running executable.
pub fn main(words: impl IntoIterator<Item = OsString>, started_by: Option<Vec<OsString>>) -> u8 {
    if let Some(words) = started_by {
        program::is_started_by(words);
    }
    let words: Vec<OsString> = words.into_iter().collect();
    let parsed = args::shortened(args::show_method(Cli::command(), &words)).try_get_matches_from(words);
    let cli = match parsed.and_then(|typed| Cli::from_arg_matches(&typed)) {
        Ok(cli) => cli,
        Err(help) if ASKED_FOR.contains(&help.kind()) => {
            let _ = help.print(); // nothing is left to be done where it cannot be said
            return help.exit_code() as u8;
        }
        // the lines before the first empty one say which flag cannot be used so, and why; a tip may name the one that was meant
        Err(error) => {
            let text = error.to_string();
            let lines = text.lines().map(str::trim);
            let tips = lines.clone().filter(|line| line.starts_with("tip: ") && line.contains("similar"));
            let problem: Vec<&str> = lines.take_while(|line| !line.is_empty()).chain(tips).collect();
            speech::complain(format_args!("{}; see --help", problem.join(" ").trim_start_matches("error: ")));
            return error.exit_code() as u8;
        }
    };
    match run(cli) {
        Ok(()) => 0,
        Err(error) => exit::report(&error),
    }
}

fn run(mut cli: Cli) -> neuncut::Result<()> {
    allocator::limit(cli.max_memory.map_or_else(memory::of_machine, |bytes| Some(bytes.0)));
    plan::use_threads(cli.threads)?;
    interrupt::listen();
    process::die_with_parent();
    let once = matches!(cli.command, Command::Predict(_)) && !cli.command.is_one_by_one();
    let _spooled = cli.command.data().map(|data| standard_input::take_in(data, once)).transpose()?.flatten();
    let mut objects = objects::take_in(&mut cli.command)?;
    perform(cli)?;
    objects.deliver()
}

/// Runs the command.
fn perform(cli: Cli) -> neuncut::Result<()> {
    match cli.command {
        Command::Fit(args) => commands::fit::run(*args, cli.talk),
        Command::Predict(args) => commands::predict::run(args, cli.talk),
        Command::Choose(args) => commands::choose::run(args, cli.talk),
        Command::Features(args) => commands::features::run(args, cli.talk),
        Command::Eval(args) => commands::eval::run(args, cli.talk),
        Command::Compare(args) => commands::compare::run(*args, cli.threads, cli.talk),
        Command::Tune(args) => commands::tune::run(*args, cli.talk),
        Command::Experiment(args) => commands::experiment::run(args, cli.threads, cli.talk),
        Command::Report(args) => commands::report::run(args, cli.talk),
        Command::Deform(args) => commands::deform::run(*args, cli.talk),
        Command::Synth(args) => commands::synth::run(args, cli.talk),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Rename(args) => commands::rename::run(args, cli.talk),
        Command::Edit(args) => commands::edit::run(args, cli.talk),
        Command::Export(args) => commands::export::run(args, cli.talk),
        Command::Demo(args) => commands::demo::run(args, cli.talk),
        Command::Completions { shell } => commands::documents::completions(shell),
        Command::Man { markdown: true, .. } => speech::answer(reference::page()),
        Command::Man { out, .. } => commands::documents::man(out.as_deref()),
    }
}
