//! The figures of experiments, from their records.

use super::lines::{Line, Panel, Point, line_panels};
use super::pictures::gamma_panels;
use super::results::{runs, spread};
use crate::experiment::file::{ExperimentFile, Measure, Plot};
use crate::experiment::record::Record;
use crate::experiment::sets::SetSpec;
use neuncut::methods::neural_cut::tune::GammaSweep;
use neuncut::train::History;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// The picture that an experiment asks for; none where nothing was recorded for it. An error is a record that is damaged.
pub fn figure(
    file: &ExperimentFile,
    sets: &BTreeMap<String, SetSpec>,
    records: &[Record],
) -> serde_json::Result<Option<String>> {
    let Some(plot) = &file.plot else { return Ok(None) };
    match plot {
        Plot::Lines { x, log } => Ok(lines(file, sets, records, x, *log)),
        Plot::Sweep => sweeps(file, sets, records),
        Plot::Curves => curves(sets, records),
        Plot::Points => Ok(None), // runs leave them
    }
}

fn title<'a>(sets: &'a BTreeMap<String, SetSpec>, set: &'a str) -> &'a str {
    sets.get(set).map_or(set, |spec| &spec.title)
}

/// What a run found under a name, where it recorded that.
fn found<T: DeserializeOwned>(run: &Record, name: &str) -> serde_json::Result<Option<T>> {
    serde_json::from_value(run.found[name].clone())
}

/// Two panels per search for gamma.
fn sweeps(
    file: &ExperimentFile,
    sets: &BTreeMap<String, SetSpec>,
    records: &[Record],
) -> serde_json::Result<Option<String>> {
    let mut panels = Vec::new();
    for set in &file.sets {
        for row in &file.row {
            let runs = runs(records, row, set);
            let sweep = runs.first().map(|run| found::<GammaSweep>(run, "sweep")).transpose()?.flatten();
            if let Some(sweep) = sweep {
                panels.extend(gamma_panels(&sweep, &format!("{}, {}: ", title(sets, set), row.name)));
            }
        }
    }
    let subtitle = "the threshold that is found without labels is marked";
    Ok((!panels.is_empty()).then(|| line_panels(&panels, &file.title, subtitle)))
}

/// One panel per data set and measure, one line per series.
fn lines(
    file: &ExperimentFile,
    sets: &BTreeMap<String, SetSpec>,
    records: &[Record],
    x_title: &str,
    log: bool,
) -> Option<String> {
    let mut panels = Vec::new();
    for set in file.sets.iter().filter(|set| records.iter().any(|record| &record.id.set == *set)) {
        for measure in &file.measures {
            let lines = series(file, records, set, *measure);
            let title = format!("{}, {}", title(sets, set), measure.title());
            panels.push(Panel { title, x_title: x_title.into(), log, lines, from_zero: false, mark: None });
        }
    }
    let first = records.first().map(|record| record.id.seed);
    let subtitle = match records.iter().all(|record| Some(record.id.seed) == first) {
        true => "one seed",
        false => "mean over seeds, and deviation where there are several",
    };
    (!panels.is_empty()).then(|| line_panels(&panels, &file.title, subtitle))
}

fn series(file: &ExperimentFile, records: &[Record], set: &str, measure: Measure) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in file.row.iter().filter(|row| row.is_on(set)) {
        let (Some(x), Some(found)) = (row.x, spread(&runs(records, row, set), measure)) else { continue };
        let name = row.series.clone().unwrap_or_else(|| row.group.clone());
        let point = Point { x, y: found.mean, deviation: found.deviation.unwrap_or(0.0) };
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { name, points: vec![point] }),
        }
    }
    lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    lines
}

/// Scores and losses by epoch of every row that recorded them, seed 0.
fn curves(sets: &BTreeMap<String, SetSpec>, records: &[Record]) -> serde_json::Result<Option<String>> {
    let mut panels = Vec::new();
    for record in records.iter().filter(|record| record.id.seed == 0 && record.found["scores"].is_array()) {
        let name = format!("{}, {}", title(sets, &record.id.set), record.id.row);
        let panel = |what: &str, lines| {
            let title = format!("{name}: {what}");
            Panel { title, x_title: "epoch".into(), log: false, lines, from_zero: false, mark: None }
        };
        panels.retain(|panel: &Panel| !panel.title.starts_with(&format!("{name}:")));
        panels.push(panel("scores", scores_by_epoch(&record.found["scores"])));
        let history: Vec<History> = found(record, "history")?.unwrap_or_default();
        panels.push(panel("losses", history.last().map(loss_lines).unwrap_or_default()));
    }
    Ok((!panels.is_empty()).then(|| line_panels(&panels, "Learning curves", "training on the cut, seed 0")))
}

/// ACC, NMI and ARI after each epoch.
pub fn scores_by_epoch(scores: &Value) -> Vec<Line> {
    let line = |(name, key): (&str, &str)| {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let rows = scores.as_array().into_iter().flatten();
        let point = |row: &Value| Point { x: number(&row["epoch"]), y: number(&row[key]), deviation: 0.0 };
        Line { name: name.into(), points: rows.map(point).collect() }
    };
    [("ACC", "accuracy"), ("NMI", "nmi"), ("ARI", "ari")].map(line).into()
}

/// `L_lap` and `L_orth` of each epoch.
fn loss_lines(history: &History) -> Vec<Line> {
    let term = |(name, key): (&str, &str)| {
        let at = history.terms.iter().position(|term| term == key)?;
        let points = history.epochs.iter().map(|e| Point { x: e.epoch as f64, y: e.values[at], deviation: 0.0 });
        Some(Line { name: name.into(), points: points.collect() })
    };
    [("L_lap", "lap"), ("L_orth", "orth")].into_iter().filter_map(term).collect()
}
