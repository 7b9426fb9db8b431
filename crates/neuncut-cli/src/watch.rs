//! Scores during a fit: an observer that knows the true classes, which the fit does not.

use crate::progress::FitProgress;
use crate::timings::Timings;
use neuncut::data::read_labels;
use neuncut::metrics::{Scores, encode, scores};
use neuncut::train::{Interrupt, Observer, Progress};
use neuncut::{Error, Result};
use serde::Serialize;
use std::path::Path;

/// Rows that are scored after each epoch, evenly spaced among those that are fitted.
const WATCHED: usize = 2000;

/// The scores after an epoch of training on the cut.
#[derive(Debug, Clone, Serialize)]
pub struct EpochScores {
    pub epoch: usize,
    #[serde(flatten)]
    pub scores: Scores,
}

/// Draws a fit, and scores some of its rows after each epoch where their classes are known.
pub struct Watch<'a> {
    progress: FitProgress,
    truth: Option<(&'a Truth, &'a Path)>,
    rows: Vec<usize>,
    classes: Vec<u32>,
    /// The scores of the last training on the cut.
    pub scores: Vec<EpochScores>,
}

impl<'a> Watch<'a> {
    /// `classes` are those of the rows that are fitted; none where they are not known.
    pub fn new(progress: FitProgress, classes: Option<&[u32]>) -> Self {
        let mut watch = Self::of_rows(progress, None);
        watch.choose(classes.unwrap_or_default());
        watch
    }

    /// `truth` are the classes of all rows, with their file, of which some will be fitted; none where they are not known.
    pub fn of_rows(progress: FitProgress, truth: Option<(&'a Truth, &'a Path)>) -> Self {
        Self { progress, truth, rows: Vec::new(), classes: Vec::new(), scores: Vec::new() }
    }

    /// Ends the drawing, and leaves how long each stage took; what follows belongs to `next`.
    pub fn end(self, next: &str) -> Timings {
        self.progress.end(next)
    }

    /// Chooses the rows to score, by the classes of those that are fitted.
    fn choose(&mut self, known: &[u32]) {
        let count = known.len().min(WATCHED);
        self.rows = (0..count).map(|i| i * known.len() / count).collect();
        self.classes = self.rows.iter().map(|&row| known[row]).collect();
    }
}

impl Observer for Watch<'_> {
    fn stage(&mut self, name: &str) {
        self.progress.stage(name);
    }

    fn rows(&mut self, what: &'static str, done: u64, total: Option<u64>) {
        self.progress.rows(what, done, total);
    }

    fn drawn(&mut self, rows: Option<&[u64]>, total: u64) -> Result<()> {
        if let Some((truth, path)) = self.truth {
            truth.check(total, path)?;
            match rows {
                Some(rows) => self.choose(&truth.of_rows(rows, total, path)?),
                None => self.choose(&truth.classes),
            }
        }
        Ok(())
    }

    fn step(&mut self, progress: &Progress) {
        self.progress.step(progress);
    }

    fn watched(&self) -> &[usize] {
        &self.rows
    }

    fn labelled(&mut self, _stage: &str, epoch: usize, labels: &[u32]) {
        if epoch == 1 {
            self.scores.clear(); // trained again, after clusters had died or with another gamma
        }
        if let Ok(scores) = scores(labels, &self.classes) {
            self.scores.push(EpochScores { epoch, scores });
        }
    }

    fn interrupt(&self) -> Interrupt {
        self.progress.interrupt()
    }
}

/// The classes of all rows of a table, with their names.
#[derive(Debug, Clone)]
pub struct Truth {
    pub classes: Vec<u32>,
    pub names: Vec<String>,
}

impl Truth {
    /// Reads them; numbers are named in their order, text by the alphabet.
    pub fn read(path: &Path, column: Option<&str>) -> Result<Self> {
        let labels = read_labels(path, column)?;
        let codes = encode(&labels);
        let count = codes.iter().max().map_or(0, |&largest| largest as usize + 1);
        let mut names = vec![String::new(); count];
        labels.into_iter().zip(&codes).for_each(|(label, &code)| names[code as usize] = label);
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&code| {
            names[code].parse::<i64>().map_or((1, 0, names[code].clone()), |number| (0, number, String::new()))
        });
        let mut place = vec![0; count];
        order.iter().enumerate().for_each(|(at, &code)| place[code] = at as u32);
        let classes = codes.iter().map(|&code| place[code as usize]).collect();
        Ok(Self { classes, names: order.into_iter().map(|code| std::mem::take(&mut names[code])).collect() })
    }

    /// The classes of some rows of a table of so many.
    pub fn of_rows(&self, indices: &[u64], total: u64, path: &Path) -> Result<Vec<u32>> {
        self.check(total, path)?;
        Ok(indices.iter().map(|&row| self.classes[row as usize]).collect())
    }

    /// Refuses the classes of another number of rows.
    fn check(&self, total: u64, path: &Path) -> Result<()> {
        if self.classes.len() as u64 != total {
            let problem = format!(
                "has {} classes for {total} rows of data: give the truth of the same rows in the same order",
                self.classes.len()
            );
            return Err(Error::data(path, problem));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Talk;

    #[test]
    fn rows_are_evenly_spaced_and_scored_after_each_epoch() {
        let classes: Vec<u32> = (0..5000).map(|row| row / 2500).collect();
        let mut watch = Watch::new(FitProgress::new(Talk { quiet: true }), Some(&classes));
        assert_eq!((watch.watched().len(), watch.watched()[1], watch.watched()[1999]), (2000, 2, 4997));
        let right: Vec<u32> = watch.watched().iter().map(|&row| 1 - classes[row]).collect();
        watch.labelled("neural cut", 1, &[0; 2000]);
        watch.labelled("neural cut", 1, &[0; 2000]);
        watch.labelled("neural cut", 2, &right);
        assert_eq!(watch.scores.iter().map(|s| s.scores.accuracy).collect::<Vec<_>>(), [0.5, 1.0]);
    }

    #[test]
    fn classes_are_numbered_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("truth.csv");
        std::fs::write(&path, "label\n10\n9\n10\n1\n").unwrap();
        let truth = Truth::read(&path, None).unwrap();
        assert_eq!((truth.classes, truth.names), (vec![2, 1, 2, 0], vec!["1".into(), "9".into(), "10".into()]));
    }
}
