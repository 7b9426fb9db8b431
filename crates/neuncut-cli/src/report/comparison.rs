//! Runs of several methods in one table: Markdown, CSV, JSON.

use neuncut::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt::Write;

/// What one run reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    pub accuracy: f64,
    pub nmi: f64,
    pub ari: f64,
    /// From the start of the process that fits to its end.
    pub fit_seconds: f64,
    /// The same for the process that labels all rows, where there is one.
    pub predict_seconds: Option<f64>,
    /// The larger of both processes, in bytes.
    pub peak_memory: Option<u64>,
}

/// One method with one seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub method: Method,
    pub seed: u64,
    pub score: Option<Score>,
    /// Why there is no score.
    pub error: Option<String>,
}

impl Run {
    /// The run in one line.
    pub fn line(&self) -> String {
        let name = format!("{} seed {}", self.method, self.seed);
        match (&self.score, &self.error) {
            (Some(s), _) => {
                format!("{name}: ACC {:.4}  NMI {:.4}  ARI {:.4}  {:.1} s", s.accuracy, s.nmi, s.ari, s.fit_seconds)
            }
            (None, error) => format!("{name}: failed: {}", error.as_deref().unwrap_or("without a word")),
        }
    }
}

/// All runs.
pub struct Comparison {
    files: Vec<String>,
    clusters: usize,
    rows: u64,
    runs: Vec<Run>,
}

/// Mean and deviation over seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Spread {
    mean: f64,
    deviation: f64,
}

impl Spread {
    /// None where there is no value; the deviation of one is zero.
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        (n > 0.0).then(|| Self { mean, deviation: (squares / (n - 1.0).max(1.0)).sqrt() })
    }
}

/// A method over its seeds.
#[derive(Debug, Clone, Serialize)]
struct Row {
    method: Method,
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
    pub fn new(files: Vec<String>, clusters: usize, rows: u64, runs: Vec<Run>) -> Self {
        Self { files, clusters, rows, runs }
    }

    /// One row a method, in the order of the runs.
    fn table(&self) -> Vec<Row> {
        let mut methods: Vec<Method> = self.runs.iter().map(|run| run.method).collect();
        methods.dedup();
        methods.into_iter().map(|method| self.row(method)).collect()
    }

    fn row(&self, method: Method) -> Row {
        let own: Vec<&Run> = self.runs.iter().filter(|run| run.method == method).collect();
        let scores: Vec<&Score> = own.iter().filter_map(|run| run.score.as_ref()).collect();
        let spread = |of: fn(&Score) -> f64| Spread::of(scores.iter().map(|score| of(score)));
        Row {
            method,
            runs: scores.len(),
            failed: own.len() - scores.len(),
            accuracy: spread(|s| s.accuracy),
            nmi: spread(|s| s.nmi),
            ari: spread(|s| s.ari),
            fit_seconds: spread(|s| s.fit_seconds),
            predict_seconds: Spread::of(scores.iter().filter_map(|score| score.predict_seconds)),
            peak_memory: scores.iter().filter_map(|score| score.peak_memory).max(),
            labels_new_rows: method.labels_new_rows(),
        }
    }

    /// A table for people.
    pub fn markdown(&self) -> String {
        let mut text = format!("{} rows of {}, {} clusters\n\n", self.rows, self.files.join(" "), self.clusters);
        text += "| method | ACC | NMI | ARI | fit, s | predict, s | memory, MB | labels new rows | runs |\n";
        text += "|---|---|---|---|---|---|---|---|---|\n";
        let show = |spread: Option<Spread>, digits: usize| {
            spread.map_or("-".into(), |s| format!("{:.digits$} ± {:.digits$}", s.mean, s.deviation))
        };
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
                let _ = match spread {
                    Some(spread) => write!(text, ",{},{}", spread.mean, spread.deviation),
                    None => write!(text, ",,"),
                };
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

    #[test]
    fn means_deviations_and_failures() {
        let score = |accuracy| Score {
            accuracy,
            nmi: 0.5,
            ari: 0.25,
            fit_seconds: 2.0,
            predict_seconds: None,
            peak_memory: Some(3_000_000),
        };
        let run = |seed, score, error| Run { method: Method::Ncut, seed, score, error };
        let runs = vec![
            run(0, Some(score(0.7)), None),
            run(1, Some(score(0.9)), None),
            run(2, None, Some("no edges".to_string())),
        ];
        let comparison = Comparison::new(vec!["x.npy".into()], 3, 10, runs);
        let text = comparison.markdown();
        assert!(text.contains("| ncut | 0.8000 ± 0.1414 | 0.5000 ± 0.0000 |"), "{text}");
        assert!(
            text.contains("| - | 3 | no | 2 (1 failed) |") && text.contains("ncut seed 2: failed: no edges"),
            "{text}"
        );
        let csv = comparison.csv();
        assert_eq!(csv.lines().count(), 2);
        assert!(csv.lines().all(|line| line.split(',').count() == 15), "{csv}");
        assert_eq!(comparison.json()["methods"][0]["failed"], 1);
    }
}
