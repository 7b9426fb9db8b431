//! Every command and option as one Markdown page, made from the argument definitions: `docs/reference/commands.md`.

use crate::args::{Cli, show_method};
use clap::{Arg, ArgAction, Command, CommandFactory};
use neuncut::Method;
use std::ffi::OsString;
use std::fmt::Write;

const HEAD: &str = "\
<!-- Made by `cargo xtask docs` from the argument definitions. Do not edit: a test compares it with the program. -->

# Commands and options

What `neuncut COMMAND --help` prints, on one page. `-h` in place of `--help` shows the options that are used most.";

/// Flags with which clap answers by itself.
const BUILT_IN: [&str; 2] = ["help", "version"];

/// The page.
pub fn page() -> String {
    let mut top = shown(Method::default().name());
    top.build();
    let mut page = format!("{HEAD}\n\n## Options of every command\n\n");
    list(&mut page, top.get_arguments());
    for command in top.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        describe(&mut page, command);
    }
    if let Some(codes) = top.get_after_help() {
        let _ = write!(page, "\n## Exit codes and streams\n\n```text\n{codes}\n```\n");
    }
    page
}

/// The command line with the settings of one method and their defaults.
fn shown(method: &str) -> Command {
    show_method(Cli::command(), &["neuncut", "fit", "--method", method].map(OsString::from))
}

/// A section for one command.
fn describe(page: &mut String, command: &mut Command) {
    let name = command.get_name().to_owned();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(page, "\n## `{name}`\n\n{about}.\n\n```text\n{usage}\n```\n\n");
    list(page, command.get_arguments().filter(|arg| arg.is_positional()));
    list(page, own(command).filter(|arg| !arg.is_positional() && arg.get_help_heading().is_none()));
    if name == "fit" {
        settings(page, command);
    } else if own(command).any(|arg| arg.get_help_heading().is_some()) {
        page.push_str("\nThe settings of the method are those of [`fit`](#settings-of-every-method).\n");
    }
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let lines: Vec<&str> = examples.lines().skip(1).map(str::trim_start).collect();
        let _ = write!(page, "\nExamples:\n\n```sh\n{}\n```\n", lines.join("\n"));
    }
}

/// What is not an option of every command.
fn own(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_global_set())
}

/// The settings that all methods share, and then those of each.
fn settings(page: &mut String, fit: &Command) {
    page.push_str("\n### Settings of every method\n\n");
    list(page, own(fit).filter(|arg| arg.get_help_heading() == Some("Settings")));
    let mut before: Vec<(&str, String)> = Vec::new();
    for method in Method::NAMES {
        let _ = write!(page, "\n### Settings of `--method {method}`\n\n");
        let mut text = String::new();
        let command = shown(method);
        if let Some(fit) = command.find_subcommand("fit") {
            let heading = |arg: &&Arg| !matches!(arg.get_help_heading(), None | Some("Settings"));
            list(&mut text, own(fit).filter(heading));
        }
        match before.iter().find(|(_, known)| *known == text) {
            _ if text.is_empty() => page.push_str("None of its own.\n"),
            Some((other, _)) => {
                let _ = writeln!(page, "Those of `--method {other}`.");
            }
            None => page.push_str(&text),
        }
        before.push((method, text));
    }
}

/// A list of arguments.
fn list<'a>(page: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    for arg in arguments.filter(|arg| !arg.is_hide_set() && !BUILT_IN.contains(&arg.get_id().as_str())) {
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, "- `{}`: {}{}", spelled(arg), plain(&help), remarks(arg));
        if is_described(arg) {
            for value in arg.get_possible_values() {
                let help = value.get_help().map(ToString::to_string).unwrap_or_default();
                let _ = writeln!(page, "  - `{}`: {}", value.get_name(), plain(&help));
            }
        }
    }
}

/// How it is typed.
fn spelled(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    let takes_value = arg.get_action().takes_values();
    let value = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ");
    let Some(long) = arg.get_long() else {
        let many = matches!(arg.get_action(), ArgAction::Append);
        return if many { format!("{value}...") } else { value };
    };
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let may_be_left_out = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    match (takes_value && !value.is_empty(), may_be_left_out) {
        (true, true) => format!("{short}--{long}[={value}]"),
        (true, false) => format!("{short}--{long} {value}"),
        (false, _) => format!("{short}--{long}"),
    }
}

/// Defaults that clap keeps, and values without a text of their own.
fn remarks(arg: &Arg) -> String {
    let mut text = String::new();
    if !arg.get_action().takes_values() {
        return text;
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() && !arg.is_hide_default_value_set() {
        let _ = write!(text, " [default: {}]", defaults.join(","));
    }
    let values = arg.get_possible_values();
    if !values.is_empty() && !is_described(arg) {
        let names: Vec<_> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
        let _ = write!(text, " [possible values: {}]", names.join(", "));
    }
    text
}

/// Whether its values have a line each.
fn is_described(arg: &Arg) -> bool {
    arg.get_action().takes_values() && arg.get_possible_values().iter().any(|value| value.get_help().is_some())
}

/// A text in one line, in which nothing but its own backquotes is Markdown.
fn plain(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let outside = |(place, part): (usize, &str)| match place % 2 {
        0 => part.replace('*', "\\*").replace('<', "&lt;").replace("|R|", "\\|R\\|"),
        _ => part.to_owned(),
    };
    line.split('`').enumerate().map(outside).collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_not_taken_for_markdown() {
        assert_eq!(plain("a glob (x*),\n  `*.npy` or <b>"), "a glob (x\\*), `*.npy` or &lt;b>");
    }

    #[test]
    fn every_command_and_every_setting_is_there() {
        let page = page();
        for command in Cli::command().get_subcommands() {
            assert!(page.contains(&format!("\n## `{}`\n", command.get_name())), "{} is missing", command.get_name());
        }
        for flag in Method::NAMES.iter().filter_map(|name| Method::named(name)).flat_map(|method| method.flags()) {
            let long = flag.get_long().unwrap_or_default();
            assert!(page.contains(&format!("--{long}")), "--{long} is missing");
        }
    }
}
