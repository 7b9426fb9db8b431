//! What is printed: answers on standard output, everything else on standard error.
//!
//! `println!` panics where the reader has gone away or the disk is full. An answer that cannot be given is an error; a remark
//! that cannot be made is not.

use crate::args::Talk;
use neuncut::{Error, Result};
use std::cmp::Reverse;
use std::fmt::Display;
use std::io::{Write, stderr, stdout};
use std::sync::{Mutex, PoisonError};

/// Temporary files and folders, and what is printed in their place.
static NAMES: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// From now on says another name for a temporary file, or for the beginning of paths.
pub fn call(path: String, name: String) {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if !names.iter().any(|(known, _)| *known == path) {
        names.push((path, name));
        names.sort_by_key(|(path, _)| Reverse(path.len())); // one may begin as another does
    }
}

/// A text with the names of what was typed, and none of temporary files.
pub fn as_typed(text: impl Display) -> String {
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.iter().fold(text.to_string(), |text, (path, name)| text.replace(path, name))
}

/// Gives an answer of whole lines on standard output.
pub fn answer(text: impl Display) -> Result<()> {
    let text = printable(text);
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    let mut out = stdout().lock();
    write!(out, "{text}{line_end}").and_then(|()| out.flush()).map_err(Error::io("write", "standard output"))
}

/// Makes a remark, unless told to be quiet.
pub fn remark(talk: Talk, text: impl Display) {
    if !talk.quiet {
        let _ = writeln!(stderr(), "{}", printable(text));
    }
}

/// Says what the user must know, in one line.
pub fn complain(text: impl Display) {
    let text = printable(text);
    let _ = writeln!(stderr(), "neuncut: {}", text.lines().map(str::trim_end).collect::<Vec<_>>().join(" "));
}

/// Text for a terminal: a name in a file may hold control characters, which would be obeyed there.
fn printable(text: impl Display) -> String {
    let text = as_typed(text);
    let harmless = |c: char| !c.is_control() || c == '\n' || c == '\t';
    if text.chars().all(harmless) {
        return text;
    }
    text.chars().map(|c| if harmless(c) { c.to_string() } else { c.escape_default().to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_is_replaced_first() {
        call("/tmp/x-1/a".into(), "s3://a".into());
        call("/tmp/x-1/a?long".into(), "s3://b".into());
        assert_eq!(as_typed("/tmp/x-1/a?long and /tmp/x-1/a"), "s3://b and s3://a");
    }

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        assert_eq!(printable("a\tb\n"), "a\tb\n");
        assert_eq!(printable("\u{1b}[2Jné\u{9b}"), "\\u{1b}[2Jné\\u{9b}");
    }
}
