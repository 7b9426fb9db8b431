//! The reference of commands in the manual is what the program says of itself.

mod support;

use std::path::Path;
use support::Dir;

#[test]
fn the_page_of_commands_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    let written = std::fs::read_to_string(file).expect("the page is part of the manual");
    let made = Dir::new().ok("man --markdown").out;
    let first = made.lines().zip(written.lines()).find(|(made, written)| made != written);
    assert!(made == written, "run `cargo xtask docs`, which writes the page again; the first difference is {first:?}");
}
