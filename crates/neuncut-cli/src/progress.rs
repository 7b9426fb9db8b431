//! Progress on a terminal: stages, a bar with loss terms, rate and time left. Without a terminal, a line every ten seconds.

use crate::args::Talk;
use crate::heartbeat::{Doing, Heartbeat};
use crate::timings::Timings;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use neuncut::train::{Interrupt, Observer, Progress};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

const STEPS: &str = "{prefix:>16} {bar:28} {pos}/{len} {steps_rate:>10} {eta:>4} left  {msg}";
const ROWS: &str = "{prefix:>16} {bar:28} {human_pos}/{human_len} rows {rows_rate:>14} {eta:>4} left";
const ROWS_UNKNOWN: &str = "{prefix:>16} {spinner} {human_pos} rows {rows_rate:>14}";
const STAGE: &str = "{spinner} {msg}";

fn bar(template: &str, talk: Talk) -> ProgressBar {
    let target = if talk.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target);
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let rows = |state: &ProgressState, text: &mut dyn Write| {
        let _ = write!(text, "{} rows/s", count(state.per_sec()));
    };
    let steps = |state: &ProgressState, text: &mut dyn Write| {
        let _ = write!(text, "{}/s", count(state.per_sec()));
    };
    bar.set_style(style.with_key("rows_rate", rows).with_key("steps_rate", steps));
    bar
}

/// A number as people write it: 1,234,567, and below ten one digit behind the point.
fn count(number: f64) -> String {
    if number < 10.0 { format!("{number:.1}") } else { HumanCount(number as u64).to_string() }
}

/// So many things, in words: 1 file, 1,200 rows.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", HumanCount(number), if number == 1 { "" } else { "s" })
}

/// Rows by the second, as people write it.
pub fn rate(rows: u64, seconds: f64) -> String {
    format!("{} rows/s", count(rows as f64 / seconds.max(1e-9)))
}

/// Rows that are counted: on a bar, or where there is no terminal in a line every ten seconds.
pub struct RowsBar {
    bar: ProgressBar,
    heartbeat: Arc<Heartbeat>,
    /// What is done at the beginning.
    doing: Doing,
}

/// A bar that counts rows; `total` where it is known.
pub fn rows_bar(what: &'static str, total: Option<u64>, talk: Talk) -> RowsBar {
    rows_bar_with(Arc::new(Heartbeat::new(talk)), what, total, talk)
}

fn rows_bar_with(heartbeat: Arc<Heartbeat>, what: &'static str, total: Option<u64>, talk: Talk) -> RowsBar {
    let bar = bar(if total.is_some() { ROWS } else { ROWS_UNKNOWN }, talk);
    if let Some(total) = total {
        bar.set_length(total);
    }
    bar.set_prefix(what);
    RowsBar { bar, heartbeat, doing: Doing::Rows { what, done: 0, total, begin: Instant::now() } }
}

impl RowsBar {
    pub fn set_position(&self, rows: u64) {
        self.bar.set_position(rows);
        let mut doing = self.doing.clone();
        match &mut doing {
            Doing::Rows { done, .. } => *done = rows,
            Doing::File { rows: done, .. } => *done += rows,
            _ => {}
        }
        self.heartbeat.tell(doing);
    }

    pub fn finish_and_clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Files one after another, each of which has a bar.
pub struct FilesBar {
    heartbeat: Arc<Heartbeat>,
    begin: Instant,
    talk: Talk,
    of: usize,
    /// The file that is next, counted from 1, and the rows of those before it.
    pub number: usize,
    pub rows: u64,
}

impl FilesBar {
    pub fn new(of: usize, talk: Talk) -> Self {
        Self { heartbeat: Arc::new(Heartbeat::new(talk)), begin: Instant::now(), talk, of, number: 1, rows: 0 }
    }

    /// The bar of the next file.
    pub fn rows_bar(&self, what: &'static str, total: Option<u64>) -> RowsBar {
        let &Self { begin, of, number, rows, .. } = self;
        let doing = Doing::File { what, number, of, rows, begin };
        RowsBar { doing, ..rows_bar_with(Arc::clone(&self.heartbeat), what, total, self.talk) }
    }
}

/// Draws a fit.
pub struct FitProgress {
    bar: ProgressBar,
    rows: Option<RowsBar>,
    stage: String,
    talk: Talk,
    heartbeat: Arc<Heartbeat>,
    timings: Timings,
}

impl FitProgress {
    pub fn new(talk: Talk) -> Self {
        Self::since(Instant::now(), talk)
    }

    /// Of work that began at this moment, for its timings.
    pub fn since(begin: Instant, talk: Talk) -> Self {
        let (bar, heartbeat) = (ProgressBar::hidden(), Arc::new(Heartbeat::new(talk)));
        Self { bar, rows: None, stage: String::new(), talk, heartbeat, timings: Timings::since(begin) }
    }

    /// Ends the drawing, and leaves how long each stage took; what follows belongs to `next`.
    pub fn end(mut self, next: &str) -> Timings {
        let now = Instant::now();
        let mut timings = std::mem::replace(&mut self.timings, Timings::since(now));
        timings.enter(next);
        timings
    }

    fn begin(&mut self, stage: &str, template: &str) {
        self.clear();
        self.stage = stage.to_string();
        self.bar = bar(template, self.talk);
        self.bar.enable_steady_tick(Duration::from_millis(120));
    }
}

impl FitProgress {
    fn clear(&mut self) {
        self.bar.finish_and_clear();
        if let Some(rows) = self.rows.take() {
            rows.finish_and_clear();
        }
    }
}

impl Drop for FitProgress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Observer for FitProgress {
    fn stage(&mut self, name: &str) {
        self.timings.enter(name);
        self.begin(name, STAGE);
        self.bar.set_message(name.to_string());
        self.heartbeat.tell(Doing::Stage { name: name.to_owned(), begin: Instant::now() });
    }

    fn rows(&mut self, what: &'static str, done: u64, total: Option<u64>) {
        if self.stage != what {
            self.timings.enter(what);
            self.clear();
            self.stage = what.into();
            self.rows = Some(rows_bar_with(Arc::clone(&self.heartbeat), what, total, self.talk));
        }
        if let Some(rows) = &self.rows {
            rows.set_position(done);
        }
    }

    fn step(&mut self, progress: &Progress) {
        if progress.step == 1 || self.stage != progress.stage {
            self.timings.enter(progress.stage);
            self.begin(progress.stage, STEPS);
            self.bar.set_prefix(progress.stage.to_string());
            self.bar.set_length(progress.total as u64);
        }
        self.bar.set_position(progress.step as u64);
        let terms: Vec<String> = progress.terms.iter().map(|(name, value)| format!("{name} {value:.4}")).collect();
        self.bar.set_message(terms.join("  "));
        let Progress { stage, step, total, .. } = progress;
        self.heartbeat.tell(Doing::Steps(format!("{stage}: step {step} of {total}, {}", terms.join(", "))));
    }

    fn interrupt(&self) -> Interrupt {
        crate::interrupt::flag()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        assert_eq!(rate(3_000_000, 2.0), "1,500,000 rows/s");
        assert_eq!(rate(3, 2.0), "1.5 rows/s");
    }
}
