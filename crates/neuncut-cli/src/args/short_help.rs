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

/// The command with a short `-h`.
pub fn shortened(command: Command) -> Command {
    command.mut_subcommands(|command| command.mut_args(shorten))
}

fn shorten(arg: Arg) -> Arg {
    let is_setting = arg.get_help_heading().is_some();
    let name = arg.get_id().as_str();
    let hidden = if is_setting { !SHOWN.contains(&name) } else { HIDDEN.contains(&name) };
    if !hidden {
        return arg;
    }
    arg.hide_short_help(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, show_method};
    use clap::CommandFactory;
    use std::ffi::OsString;

    fn lines(command: &str, flag: &str) -> usize {
        let words = ["neuncut", command, flag].map(OsString::from);
        let parsed = shortened(show_method(Cli::command(), &words)).try_get_matches_from(words);
        parsed.expect_err("help is no command").to_string().lines().count()
    }

    #[test]
    fn short_help_is_one_screen() {
        for command in ["fit", "predict", "compare", "features", "eval", "tune"] {
            let short = lines(command, "-h");
            assert!(short <= 50, "{command}: {short} lines");
        }
        assert!(lines("fit", "--help") > 2 * lines("fit", "-h"));
    }
}
