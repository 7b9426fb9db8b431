//! `cargo xtask torture`: kills the program at random moments, takes its disk, its pipe and its input away, and looks at what it leaves.

mod faults;
mod kills;
mod soak;
mod stage;

use crate::options::{check, value};
use stage::Stage;

/// Kills unless asked for otherwise.
const KILLS: u64 = 100;

/// A number generator of a few lines: the moments of kills need no more.
pub(crate) struct Random(u64);

impl Random {
    /// Evenly between zero and one.
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Runs everything, or with `--soak` the long stream alone.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    check(options, &["--kills", "--soak", "--seed"])?;
    let stage = Stage::set()?;
    if let Some(rows) = value(options, "--soak")? {
        return soak::run(&stage, rows);
    }
    let kills = value(options, "--kills")?.unwrap_or(KILLS);
    faults::run(&stage)?;
    kills::run(&stage, kills, Random(value(options, "--seed")?.unwrap_or(1)))
}
