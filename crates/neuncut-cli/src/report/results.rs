//! The records of experiments as tables: the paper's number and ours side by side, and where ours falls short, by how much.

use super::figures::figure;
use super::spread::Spread;
use crate::experiment::file::{ExperimentFile, Measure, RowSpec};
use crate::experiment::record::{Record, RecordFile, Score};
use crate::experiment::sets::{SETS_FILE, SetSpec, read_absent, read_sets};
use crate::text_file;
use neuncut::methods::neural_cut::tune::GammaSweep;
use neuncut::{Error, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Ours is short of the paper's where it is lower by more than this: a printed number is rounded.
const SHORT: f64 = 0.0005;

/// Whether a directory holds records of experiments.
pub fn is_runs(directory: &Path) -> bool {
    directory.join(SETS_FILE).exists()
}

/// Writes the tables of a directory of records into it, one file an experiment, all of them in `RESULTS.md`, and the figures.
/// Gives the number of tables.
pub fn write(directory: &Path) -> Result<usize> {
    if !is_runs(directory) {
        let problem = "holds no records of `neuncut experiment`: give the directory that was its --out";
        return Err(Error::data(directory, problem));
    }
    let (sets, absent) = (read_sets(directory)?, read_absent(directory));
    let entries = std::fs::read_dir(directory).map_err(Error::io("read", directory))?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    files.sort();
    // tables before figures
    files.sort_by_key(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("figure")));
    let mut whole = String::new();
    let mut machines: Vec<String> = Vec::new();
    let mut quick = false;
    for path in &files {
        let file = ExperimentFile::read(&path.with_extension("toml"))?;
        let records = RecordFile::new(path).read()?;
        let results = Results { file: &file, sets: &sets, absent: &absent, records: &records };
        let mut text = results.markdown();
        let damaged =
            |e| Error::data(path, format!("a record is damaged ({e}): remove its line, and its run is done again"));
        if let Some(svg) = figure(&file, &sets, &records).map_err(damaged)? {
            let picture = path.with_extension("svg");
            text_file::write(&picture, &svg)?;
            let name = picture.file_name().unwrap_or_default().to_string_lossy();
            let _ = writeln!(text, "\n![{}]({name})", file.title);
        }
        for set in file.sets.iter().filter(|set| directory.join(format!("{set}.svg")).exists()) {
            let _ = writeln!(text, "\n![{set}]({set}.svg)");
        }
        text_file::write(&path.with_extension("md"), &text)?;
        whole += &format!("\n{}", text.replacen("# ", "## ", 1).replace("\n## ", "\n### "));
        quick |= records.iter().any(|record| record.quick);
        for record in &records {
            let line = record.machine.line();
            if !machines.contains(&line) {
                machines.push(line);
            }
        }
    }
    let small =
        if quick { " **Runs of `--quick` are among them: they show that it runs, not what it finds.**" } else { "" };
    let head = format!(
        "# Results\n\nMade by `neuncut report` from the records beside this file; nothing is typed by hand. \"paper\" is the number \
         of He et al. (2025), \"here\" the mean and deviation over seeds.{small} Measured on {}.\n",
        machines.join("; ")
    );
    text_file::write(&directory.join("RESULTS.md"), &(head + &whole))?;
    Ok(files.len())
}

/// The records of one experiment.
pub struct Results<'a> {
    pub file: &'a ExperimentFile,
    pub sets: &'a BTreeMap<String, SetSpec>,
    /// Sets that were looked for in vain, with the reasons.
    pub absent: &'a BTreeMap<String, String>,
    pub records: &'a [Record],
}

/// The value of a measure in a run.
pub fn value(measure: Measure, score: &Score) -> f64 {
    match measure {
        Measure::Accuracy => score.accuracy,
        Measure::Nmi => score.nmi,
        Measure::Ari => score.ari,
        Measure::Seconds => score.seconds(),
        Measure::Minutes => score.seconds() / 60.0,
    }
}

/// The last record of each seed of a row on a data set.
pub fn runs<'a>(records: &'a [Record], row: &RowSpec, set: &str) -> Vec<&'a Record> {
    let mut by_seed: BTreeMap<u64, &Record> = BTreeMap::new();
    let own = |record: &&Record| (&record.id.group, &record.id.row) == (&row.group, &row.name) && record.id.set == set;
    for record in records.iter().filter(own) {
        by_seed.insert(record.id.seed, record);
    }
    by_seed.into_values().collect()
}

/// Mean and deviation of a measure over the runs that have scores.
pub fn spread(runs: &[&Record], measure: Measure) -> Option<Spread> {
    Spread::of(runs.iter().filter_map(|run| run.score.as_ref()).map(|score| value(measure, score)))
}

impl Results<'_> {
    /// All data sets, one table each, and what to know about them.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n{} Estimated cost: {}.\n", self.file.title, self.file.about, self.file.cost);
        for set in &self.file.sets {
            text += &self.table(set);
        }
        text
    }

    fn title<'a>(&'a self, set: &'a str) -> &'a str {
        self.sets.get(set).map_or(set, |spec| &spec.title)
    }

    fn table(&self, set: &str) -> String {
        let rows: Vec<&RowSpec> = self
            .file
            .row
            .iter()
            .filter(|row| row.is_on(set) && (row.method.is_some() || row.paper.contains_key(set)))
            .collect();
        let mut text = format!("\n## {}\n\n", self.title(set));
        if let Some(note) = self.sets.get(set).map(|spec| &spec.note).filter(|note| !note.is_empty()) {
            let _ = writeln!(text, "{note}\n");
        }
        if let Some(problem) = self.absent.get(set) {
            let _ = writeln!(text, "Not available: {problem}.\n");
        }
        // a row that says nothing is only counted
        let is_shown = |row: &&RowSpec| row.paper.contains_key(set) || !runs(self.records, row, set).is_empty();
        let (rows, silent): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_shown);
        let silence = match &silent[..] {
            [] => String::new(),
            [only] => format!("\nNot run: {}.\n", only.name),
            [first, .., last] => format!("\nNot run: {} rows, {} to {}.\n", silent.len(), first.name, last.name),
        };
        if rows.is_empty() {
            return text + silence.trim_start();
        }
        let grouped = rows.iter().any(|row| !row.group.is_empty());
        let has_paper = rows.iter().any(|row| row.paper.contains_key(set));
        let mut head = vec![if grouped { "setting | method" } else { "method" }.to_string()];
        for measure in &self.file.measures {
            if has_paper {
                head.push(format!("{} paper", measure.title()));
            }
            head.push(format!("{} here", measure.title()));
        }
        head.extend(["fit, s", "label, s", "memory, MB", "runs"].map(Into::into));
        let head = head.join(" | ");
        let _ = writeln!(text, "| {head} |\n|{}", "---|".repeat(head.matches('|').count() + 1));
        let mut failures = Vec::new();
        for row in &rows {
            let _ = writeln!(text, "{}", self.line(row, set, grouped, has_paper));
            let errors = runs(self.records, row, set).into_iter().filter_map(|run| Some((run, run.error.as_ref()?)));
            failures.extend(errors.map(|(run, error)| format!("- {} failed: {error}", run.id)));
        }
        for failure in failures {
            let _ = write!(text, "\n{failure}");
        }
        text + &silence + &self.comparison(&rows, set) + &self.sweeps(&rows, set)
    }

    fn line(&self, row: &RowSpec, set: &str, grouped: bool, has_paper: bool) -> String {
        let runs = runs(self.records, row, set);
        let mut cells = vec![row.name.clone()];
        if grouped {
            cells.insert(0, row.group.clone());
        }
        let absent = match (&row.method, runs.is_empty()) {
            (None, _) => "not in this program",
            (_, true) if self.absent.contains_key(set) => "not available",
            (_, true) => "not run",
            _ => "-",
        };
        for (at, measure) in self.file.measures.iter().enumerate() {
            if has_paper {
                let paper = row.paper.get(set).map(|numbers| numbers[at].text(measure.digits()));
                cells.push(paper.unwrap_or_default());
            }
            let ours = spread(&runs, *measure).map(|spread| spread.text(measure.digits().max(1)));
            cells.push(ours.unwrap_or_else(|| if at == 0 { absent.into() } else { String::new() }));
        }
        let scores: Vec<&Score> = runs.iter().filter_map(|run| run.score.as_ref()).collect();
        let mean =
            |values: Vec<f64>| Spread::of(values.into_iter()).map_or(String::new(), |s| format!("{:.1}", s.mean));
        cells.push(mean(scores.iter().map(|s| s.fit_seconds).collect()));
        cells.push(mean(scores.iter().filter_map(|s| s.predict_seconds).collect()));
        let memory = scores.iter().filter_map(|s| s.peak_memory).max();
        cells.push(memory.map_or(String::new(), |bytes| (bytes / 1_000_000).to_string()));
        let subset = row.subset.filter(|_| !runs.is_empty()).map_or(String::new(), |n| format!(" ({n} rows)"));
        cells.push(if row.method.is_some() { format!("{}{subset}", runs.len()) } else { String::new() });
        format!("| {} |", cells.join(" | "))
    }

    /// Where ours is below the paper's, by how much, and how often it is not.
    fn comparison(&self, rows: &[&RowSpec], set: &str) -> String {
        let (mut short, mut below, mut level) = (Vec::new(), 0, 0);
        for row in rows {
            let runs = runs(self.records, row, set);
            let mut lacks = Vec::new();
            for (at, measure) in self.file.measures.iter().enumerate().filter(|(_, measure)| measure.is_score()) {
                let paper = row.paper.get(set).and_then(|numbers| numbers[at].number());
                let (Some(paper), Some(ours)) = (paper, spread(&runs, *measure)) else { continue };
                let difference = paper - ours.mean;
                if difference > SHORT {
                    lacks.push(format!("{} by {difference:.3}", measure.title()));
                } else {
                    level += 1;
                }
            }
            if !lacks.is_empty() {
                below += lacks.len();
                short.push(format!("- {}: {}", format!("{} {}", row.group, row.name).trim(), lacks.join(", ")));
            }
        }
        match (below, level) {
            (0, 0) => String::new(),
            (0, level) => format!("\nAt or above the paper's in all {level} scores.\n"),
            (below, level) => {
                format!("\nAt or above the paper's in {level} scores, below it in {below}:\n\n{}\n", short.join("\n"))
            }
        }
    }

    /// What searches for gamma found.
    fn sweeps(&self, rows: &[&RowSpec], set: &str) -> String {
        let mut text = String::new();
        for row in rows {
            for run in runs(self.records, row, set) {
                let Ok(sweep) = serde_json::from_value::<GammaSweep>(run.found["sweep"].clone()) else { continue };
                let _ = writeln!(text, "\n{}: gamma {} is chosen.\n", run.id, sweep.threshold);
                let _ = writeln!(text, "| gamma | L_lap | L_orth | clusters in use |\n|---|---|---|---|");
                for p in &sweep.points {
                    let _ = writeln!(text, "| {} | {:.4} | {:.4} | {} |", p.gamma, p.lap, p.orth, p.live_clusters);
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::record::tests::record;

    #[test]
    fn the_papers_number_stands_beside_ours_and_a_lack_is_said() {
        let text = "title = 'Table 9'\nabout = 'made up'\ncost = 'none'\nmeasures = ['ACC']\nsets = ['a', 'b']\n\
                    [[row]]\nname = 'x'\nmethod = 'ncut'\npaper = { a = [0.9], b = [0.5] }\n\
                    [[row]]\nname = 'y'\nmethod = 'ncut'\npaper = { a = ['0.7*'] }\n\
                    [[row]]\nname = 'z'\npaper = { a = ['-'] }\n";
        let file: ExperimentFile = toml::from_str(text).unwrap();
        let sets = BTreeMap::from([("a".into(), SetSpec { title: "Set A".into(), ..Default::default() })]);
        let records = [
            record("x", 0, Some(0.5)),
            record("x", 0, Some(0.8)),
            record("x", 1, Some(0.82)),
            record("y", 0, Some(0.7)),
        ];
        let absent = BTreeMap::from([("b".to_string(), "b.npy is not in the data directory".to_string())]);
        let text = Results { file: &file, sets: &sets, absent: &absent, records: &records }.markdown();
        assert!(text.contains("| x | 0.900 | 0.810 ± 0.014 | 2.0 |  | 3 | 2 |"), "{text}");
        assert!(text.contains("| y | 0.7\\* | 0.700 |"), "{text}");
        assert!(text.contains("| z | - | not in this program |"), "{text}");
        assert!(text.contains("| x | 0.500 | not available |") && text.contains("Not available: b.npy"), "{text}");
        let text = Results { file: &file, sets: &sets, absent: &BTreeMap::new(), records: &records }.markdown();
        assert!(text.contains("| x | 0.500 | not run |"), "{text}");
        assert!(text.contains("in 1 scores, below it in 1:\n\n- x: ACC by 0.090"), "{text}");
        assert!(text.ends_with("\nNot run: y.\n"), "{text}");
    }
}
