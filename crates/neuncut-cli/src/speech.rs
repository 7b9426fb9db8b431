//! What is said: answers on standard output, everything else on standard error.
//!
//! `println!` panics where the reader has gone away or the disk is full. An answer that cannot be given is an error; a remark
//! that cannot be made is not.

use crate::args::Talk;
use neuncut::{Error, Result};
use std::fmt::Display;
use std::io::{Write, stderr, stdout};

/// Gives an answer of whole lines on standard output.
pub fn answer(text: impl Display) -> Result<()> {
    let text = text.to_string();
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    let mut out = stdout().lock();
    write!(out, "{text}{line_end}").and_then(|()| out.flush()).map_err(Error::io("write", "standard output"))
}

/// Makes a remark, unless told to be quiet.
pub fn remark(talk: Talk, text: impl Display) {
    if !talk.quiet {
        let _ = writeln!(stderr(), "{text}");
    }
}

/// Says what the user must know.
pub fn complain(text: impl Display) {
    let _ = writeln!(stderr(), "neuncut: {text}");
}
