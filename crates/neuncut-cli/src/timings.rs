//! How long each stage of a fit took, for `fit --timings`.

use std::fmt;
use std::time::{Duration, Instant};

/// What comes before the first stage that a fit tells of.
const BEGINNING: &str = "settings and files";

/// Stages in the order in which they first came, with the time spent in each.
#[derive(Debug)]
pub struct Timings {
    stages: Vec<(String, Duration)>,
    current: usize,
    since: Instant,
}

impl Timings {
    /// Of work that began at this moment.
    pub fn since(begin: Instant) -> Self {
        Self { stages: vec![(BEGINNING.to_owned(), Duration::ZERO)], current: 0, since: begin }
    }

    /// From now on time belongs to this stage, which may have been entered before.
    pub fn enter(&mut self, stage: &str) {
        self.enter_at(stage, Instant::now());
    }

    fn enter_at(&mut self, stage: &str, now: Instant) {
        if self.stages[self.current].0 == stage {
            return;
        }
        self.stages[self.current].1 += now.saturating_duration_since(self.since);
        self.since = now;
        self.current = self.stages.iter().position(|(name, _)| name == stage).unwrap_or_else(|| {
            self.stages.push((stage.to_owned(), Duration::ZERO));
            self.stages.len() - 1
        });
    }

    /// The table, with the stage under way ending now.
    pub fn table(&self) -> impl fmt::Display + use<> {
        self.table_at(Instant::now())
    }

    fn table_at(&self, now: Instant) -> String {
        let mut stages = self.stages.clone();
        stages[self.current].1 += now.saturating_duration_since(self.since);
        let total: f64 = stages.iter().map(|(_, time)| time.as_secs_f64()).sum();
        let width = stages.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let mut lines = vec!["seconds by stage:".to_owned()];
        lines.extend(stages.iter().map(|(name, time)| {
            let seconds = time.as_secs_f64();
            format!("  {name:width$} {seconds:9.3} {:4.0} %", 100.0 * seconds / total.max(1e-9))
        }));
        lines.push(format!("  {:width$} {total:9.3}", "all"));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_that_comes_back_is_one_line_and_the_lines_add_up() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut timings = Timings::since(begin);
        timings.enter_at("neighbours", at(1));
        timings.enter_at("warm start", at(3));
        timings.enter_at("warm start", at(4));
        timings.enter_at("neighbours", at(7));
        let table = timings.table_at(at(10));
        let expected = [
            "seconds by stage:",
            "  settings and files     1.000   10 %",
            "  neighbours             5.000   50 %",
            "  warm start             4.000   40 %",
            "  all                   10.000",
        ];
        assert_eq!(table.lines().collect::<Vec<_>>(), expected);
    }
}
