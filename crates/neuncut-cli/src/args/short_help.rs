//! `-h` is one screen: it leaves out what is rarely typed, which `--help` tells.

use clap::{Arg, Command};

/// Settings of the method and of its training that `-h` shows.
const SHOWN: [&str; 5] = ["clusters", "method", "features", "train_rows", "seed"];

/// Other flags that it leaves out.
const HIDDEN: [&str; 19] = [
    "exclude",
    "label_column",
    "header",
    "image_shape",
    "format",
    "on_null",
    "history",
    "config",
    "preset",
    "stability",
    "truth",
    "truth_column",
    "text",
    "links",
    "weights",
    "batch",
    "embedding",
    "json",
    "timings",
];

/// What it says of those that take several lines in `--help`.
const BRIEF: [(&str, &str); 8] = [
    ("data", "Files, folders or globs, as one table (--help lists formats); `-` is standard input"),
    ("columns", "Columns to use, by name, number, range (x1-x16) or glob (x*)"),
    ("labels_out", "Also label every row of DATA into this file; `-` is standard output"),
    ("keep", "Columns of DATA to write beside labels: `all`, `none`, or names"),
    ("like", "A model fitted before, whose clusters keep their numbers and names"),
    ("clusters", "Number of clusters, `auto`, or a range such as 5..40"),
    ("features", "Steps applied to rows first, such as scattering,pca=500"),
    ("train_rows", "Most rows to fit, a sample where there are more [default: auto]"),
];

/// What it says in place of the exit codes.
const STREAMS: &str = "Data goes to standard output, everything else to standard error; --help lists the exit codes.";

/// The command with a short `-h`.
pub fn shortened(command: Command) -> Command {
    let codes = command.get_after_help().cloned().unwrap_or_default();
    command.after_long_help(codes).after_help(STREAMS).mut_subcommands(|command| command.mut_args(shorten))
}

fn shorten(arg: Arg) -> Arg {
    let is_setting = arg.get_help_heading().is_some();
    let name = arg.get_id().as_str();
    let hidden = if is_setting { !SHOWN.contains(&name) } else { HIDDEN.contains(&name) };
    if hidden {
        return arg.hide_short_help(true);
    }
    let Some((_, brief)) = BRIEF.iter().find(|(known, _)| *known == name) else { return arg };
    let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
    arg.long_help(long).help(*brief)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, show_method};
    use clap::CommandFactory;
    use std::ffi::OsString;

    fn help(words: &[&str]) -> String {
        let words: Vec<_> = std::iter::once("neuncut").chain(words.iter().copied()).map(OsString::from).collect();
        let parsed = shortened(show_method(Cli::command(), &words)).try_get_matches_from(words);
        parsed.expect_err("help is no command").to_string()
    }

    #[test]
    fn short_help_is_one_screen() {
        let commands = Cli::command();
        let mut all: Vec<Vec<&str>> =
            commands.get_subcommands().map(|command| vec![command.get_name(), "-h"]).collect();
        all.extend([vec!["-h"], vec!["fit", "--method", "kmeans", "-h"]]);
        for words in all {
            let lines = help(&words).lines().count();
            assert!(lines <= 40, "{words:?}: {lines} lines");
        }
    }

    #[test]
    fn long_help_says_more() {
        let (long, short) = (help(&["fit", "--help"]), help(&["fit", "-h"]));
        assert!(long.lines().count() > 4 * short.lines().count());
        assert!(long.contains("libsvm") && !short.contains("libsvm"));
        assert!(help(&["--help"]).contains("  130  interrupted") && !help(&["-h"]).contains("  130  interrupted"));
    }
}
