//! Progress on a terminal: stages, a bar with loss terms, rate and time left. Nothing is drawn where there is no terminal.

use crate::args::Talk;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use neuncut::train::{Observer, Progress};
use std::time::Duration;

const STEPS: &str = "{prefix:>16} {bar:28} {pos}/{len} {per_sec:>10} {eta:>4} left  {msg}";
const ROWS: &str = "{prefix:>16} {bar:28} {human_pos}/{human_len} rows {per_sec:>14} {eta:>4} left";
const ROWS_UNKNOWN: &str = "{prefix:>16} {spinner} {human_pos} rows {per_sec:>14}";
const STAGE: &str = "{spinner} {msg}";

fn bar(template: &str, talk: Talk) -> ProgressBar {
    let target = if talk.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target);
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A bar that counts rows; `total` where it is known.
pub fn rows_bar(what: &'static str, total: Option<u64>, talk: Talk) -> ProgressBar {
    let bar = bar(if total.is_some() { ROWS } else { ROWS_UNKNOWN }, talk);
    if let Some(total) = total {
        bar.set_length(total);
    }
    bar.set_prefix(what);
    bar
}

/// Draws a fit.
pub struct FitProgress {
    bar: ProgressBar,
    stage: String,
    talk: Talk,
}

impl FitProgress {
    pub fn new(talk: Talk) -> Self {
        Self { bar: ProgressBar::hidden(), stage: String::new(), talk }
    }

    fn begin(&mut self, stage: &str, template: &str) {
        self.bar.finish_and_clear();
        self.stage = stage.to_string();
        self.bar = bar(template, self.talk);
        self.bar.enable_steady_tick(Duration::from_millis(120));
    }
}

impl Drop for FitProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for FitProgress {
    fn stage(&mut self, name: &str) {
        self.begin(name, STAGE);
        self.bar.set_message(name.to_string());
    }

    fn rows(&mut self, what: &'static str, done: u64, total: Option<u64>) {
        if self.stage != what {
            self.bar.finish_and_clear();
            self.stage = what.into();
            self.bar = rows_bar(what, total, self.talk);
        }
        self.bar.set_position(done);
    }

    fn step(&mut self, progress: &Progress) {
        if progress.step == 1 || self.stage != progress.stage {
            self.begin(progress.stage, STEPS);
            self.bar.set_prefix(progress.stage.to_string());
            self.bar.set_length(progress.total as u64);
        }
        self.bar.set_position(progress.step as u64);
        let terms: Vec<String> = progress.terms.iter().map(|(name, value)| format!("{name} {value:.4}")).collect();
        self.bar.set_message(terms.join("  "));
    }

    fn interrupted(&self) -> bool {
        crate::interrupt::requested()
    }
}
