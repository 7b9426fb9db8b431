//! The command's plots, compiled here as well: a dependency on its crate would build all of the library.

#![allow(dead_code, reason = "the command uses the rest")]

#[path = "../../../crates/neuncut-cli/src/report/lines.rs"]
pub(super) mod lines;
#[path = "../../../crates/neuncut-cli/src/report/palette.rs"]
mod palette;
#[path = "../../../crates/neuncut-cli/src/report/svg.rs"]
mod svg;
#[path = "../../../crates/neuncut-cli/src/report/ticks.rs"]
mod ticks;
