//! Runs of several methods in one table: Markdown, CSV, JSON.

use super::spread::Spread;
use crate::experiment::record::{Record, Score};
use neuncut::Method;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// All runs.
pub struct Comparison {
    files: Vec<String>,
    clusters: usize,
    rows: u64,
    runs: Vec<Record>,
}

/// A method over its seeds.
#[derive(Debug, Clone, Serialize)]
struct Row {
    method: String,
    runs: usize,
    failed: usize,
    accuracy: Option<Spread>,
    nmi: Option<Spread>,
    ari: Option<Spread>,
    fit_seconds: Option<Spread>,
    predict_seconds: Option<Spread>,
    /// The most of all runs, in bytes.
    peak_memory: Option<u64>,
    labels_new_rows: bool,
}

impl Comparison {
    pub fn new(files: Vec<String>, clusters: usize, rows: u64, runs: Vec<Record>) -> Self {
        Self { files, clusters, rows, runs }
    }

    /// One row a method, in the order of the runs.
    fn table(&self) -> Vec<Row> {
        let mut methods: Vec<&str> = self.runs.iter().map(|run| run.method.as_str()).collect();
        methods.dedup();
        methods.into_iter().map(|method| self.row(method)).collect()
    }

    fn row(&self, method: &str) -> Row {
        let own: Vec<&Record> = self.runs.iter().filter(|run| run.method == method).collect();
        let scores: Vec<&Score> = own.iter().filter_map(|run| run.score.as_ref()).collect();
        let spread = |of: fn(&Score) -> f64| Spread::of(scores.iter().map(|score| of(score)));
        Row {
            method: method.into(),
            runs: scores.len(),
            failed: own.len() - scores.len(),
            accuracy: spread(|s| s.accuracy),
            nmi: spread(|s| s.nmi),
            ari: spread(|s| s.ari),
            fit_seconds: spread(|s| s.fit_seconds),
            predict_seconds: Spread::of(scores.iter().filter_map(|score| score.predict_seconds)),
            peak_memory: scores.iter().filter_map(|score| score.peak_memory).max(),
            labels_new_rows: Method::named(method).is_some_and(|method| method.labels_new_rows()),
        }
    }

    /// A table for people.
    pub fn markdown(&self) -> String {
        let mut text = format!("{} rows of {}, {} clusters\n\n", self.rows, self.files.join(" "), self.clusters);
        text += "| method | ACC | NMI | ARI | fit, s | predict, s | memory, MB | labels new rows | runs |\n";
        text += "|---|---|---|---|---|---|---|---|---|\n";
        let show = |spread: Option<Spread>, digits: usize| spread.map_or("-".into(), |s| s.text(digits));
        for row in self.table() {
            let memory = row.peak_memory.map_or("-".into(), |bytes| (bytes / 1_000_000).to_string());
            let failed = if row.failed > 0 { format!(" ({} failed)", row.failed) } else { String::new() };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {memory} | {} | {}{failed} |",
                row.method,
                show(row.accuracy, 4),
                show(row.nmi, 4),
                show(row.ari, 4),
                show(row.fit_seconds, 1),
                show(row.predict_seconds, 1),
                if row.labels_new_rows { "yes" } else { "no" },
                row.runs
            );
        }
        for run in self.runs.iter().filter(|run| run.error.is_some()) {
            let _ = write!(text, "\n{}", run.line());
        }
        text
    }

    /// The same for spreadsheets.
    pub fn csv(&self) -> String {
        let measures = ["accuracy", "nmi", "ari", "fit_seconds", "predict_seconds"];
        let mut text = String::from("method,runs,failed");
        measures.iter().for_each(|name| {
            let _ = write!(text, ",{name},{name}_deviation");
        });
        text += ",peak_memory,labels_new_rows\n";
        for row in self.table() {
            let _ = write!(text, "{},{},{}", row.method, row.runs, row.failed);
            for spread in [row.accuracy, row.nmi, row.ari, row.fit_seconds, row.predict_seconds] {
                for number in [spread.map(|spread| spread.mean), spread.and_then(|spread| spread.deviation)] {
                    let _ = write!(text, ",{}", number.map(|number| number.to_string()).unwrap_or_default());
                }
            }
            let memory = row.peak_memory.map_or(String::new(), |bytes| bytes.to_string());
            let _ = writeln!(text, ",{memory},{}", row.labels_new_rows);
        }
        text
    }

    /// Everything, for programs.
    pub fn json(&self) -> Value {
        json!({
            "files": self.files, "rows": self.rows, "clusters": self.clusters, "methods": self.table(), "runs": self.runs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::record::tests::record;

    #[test]
    fn means_deviations_and_failures() {
        let runs = [(0, Some(0.7)), (1, Some(0.9)), (2, None)].map(|(seed, accuracy)| record("ncut", seed, accuracy));
        let comparison = Comparison::new(vec!["x.npy".into()], 3, 10, runs.to_vec());
        let text = comparison.markdown();
        assert!(text.contains("| ncut | 0.8000 ± 0.1414 | 0.5000 ± 0.0000 |"), "{text}");
        assert!(
            text.contains("| - | 3 | no | 2 (1 failed) |") && text.contains("ncut/a/2: failed: no edges"),
            "{text}"
        );
        let csv = comparison.csv();
        assert_eq!(csv.lines().count(), 2);
        assert!(csv.lines().all(|line| line.split(',').count() == 15), "{csv}");
        assert_eq!(comparison.json()["methods"][0]["failed"], 1);
    }
}
