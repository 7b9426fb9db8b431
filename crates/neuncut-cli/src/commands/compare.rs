//! `neuncut compare`: several methods on the same rows and features, each run a process of its own.
//!
//! A process of its own makes time and memory those of the method, and a method that fails costs the others nothing. Every
//! run leaves a record; a run whose record is there, of the same data and settings, is not done again.

use super::fit::read_graph;
use crate::args::{CompareArgs, DataArgs, Talk};
use crate::plan::{compare_config, table_spec};
use crate::progress::rows_bar;
use crate::report::comparison::{Comparison, Run, Score};
use crate::{interrupt, program, speech};
use neuncut::data::{AtomicFile, Table, TableSpec, read_labels, sample_rows};
use neuncut::metrics::{encode, scores};
use neuncut::neural_cut::Config;
use neuncut::{Error, Method, Result, Seed};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(args: CompareArgs, threads: Option<usize>, talk: Talk) -> Result<()> {
    let config = compare_config(&args)?;
    if let Some(method) = &args.method.method {
        return Err(Error::config("method", method, "named in --methods: compare runs several"));
    }
    if args.seeds == 0 {
        return Err(Error::config("seeds", 0, "at least 1"));
    }
    let truth = encode(&read_labels(&args.truth, args.truth_column.as_deref())?);
    let data = Data::new(&args, &config, truth.len(), talk)?;
    std::fs::create_dir_all(args.out.join("runs")).map_err(Error::io("create", &args.out))?;
    let mut bench = Bench { args: &args, config, data, truth, threads, talk };
    bench.prepare()?;
    let mut runs = Vec::new();
    for method in methods(&args.methods)? {
        for seed in (0..args.seeds).map(|s| bench.config.seed + s) {
            interrupt::check()?;
            runs.push(bench.run(method, seed)?);
        }
    }
    let comparison = Comparison::new(args.data.data.clone(), bench.config.clusters, bench.data.rows, runs);
    for (name, text) in [
        ("compare.md", comparison.markdown()),
        ("compare.csv", comparison.csv()),
        ("compare.json", format!("{:#}\n", comparison.json())),
    ] {
        write(&args.out.join(name), &text)?;
    }
    speech::remark(talk, format_args!("tables and records are in {}", args.out.display()));
    if args.json { speech::answer(comparison.json()) } else { speech::answer(comparison.markdown()) }
}

/// The methods that were named, each once.
fn methods(names: &[String]) -> Result<Vec<Method>> {
    let mut found = Vec::new();
    for name in names {
        let method = Method::ALL.into_iter().find(|method| method.name() == name);
        let method =
            method.ok_or_else(|| Error::config("methods", name, format!("one of {}", Method::NAMES.join(", "))))?;
        if !found.contains(&method) {
            found.push(method);
        }
    }
    Ok(found)
}

/// The table that all methods get.
struct Data {
    /// As the runs are told it.
    args: DataArgs,
    rows: u64,
    fingerprint: String,
}

impl Data {
    /// Reads the data once, and the user's graph, for size and fingerprint.
    fn new(args: &CompareArgs, config: &Config, classes: usize, talk: Talk) -> Result<Self> {
        let image_size = config.features.leading_resize();
        let mut table = Table::open(&TableSpec { image_size, ..table_spec(&args.data) })?;
        let bar = rows_bar("reading", table.row_count(), talk);
        let sample = sample_rows(&mut table, 1, &mut Seed(0).stream("compare"), &mut |done| {
            bar.set_position(done);
            interrupt::check()
        })?;
        bar.finish_and_clear();
        if sample.total != classes as u64 {
            let problem = format!(
                "has {classes} classes, but {} has {} rows: give the truth of the same rows in the same order",
                table.name(),
                sample.total
            );
            return Err(Error::data(&args.truth, problem));
        }
        let mut fingerprint = format!("{:016x}", sample.fingerprint);
        if let Some(graph) = read_graph(config)? {
            fingerprint += &format!("-{:016x}", graph.fingerprint());
        }
        Ok(Self { args: args.data.clone(), rows: sample.total, fingerprint })
    }

    fn arguments(&self) -> Vec<String> {
        let mut words = self.args.data.clone();
        let mut flag = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_string(), value]));
        };
        flag("--columns", self.args.columns.as_ref().map(|columns| columns.join(",")));
        flag("--label-column", self.args.label_column.clone());
        flag("--header", self.args.header.map(|header| header.to_string()));
        words
    }
}

/// All that runs share.
struct Bench<'a> {
    args: &'a CompareArgs,
    config: Config,
    data: Data,
    truth: Vec<u32>,
    threads: Option<usize>,
    talk: Talk,
}

impl Bench<'_> {
    fn place(&self, name: &str) -> PathBuf {
        self.args.out.join(name)
    }

    /// Makes the features once, where there are any, and writes the settings that all runs share.
    fn prepare(&mut self) -> Result<()> {
        if !self.config.features.is_empty() {
            let features = self.place("features.npy");
            let key = json!({
                "chain": self.config.features, "fingerprint": self.data.fingerprint, "seed": self.config.seed,
                "version": env!("CARGO_PKG_VERSION"),
            });
            let record = self.place("features.json");
            if read_json(&record).as_ref() != Some(&key) || !features.exists() {
                speech::remark(self.talk, format_args!("features {}", self.config.features));
                let mut words = vec!["features".to_string(), self.config.features.to_string()];
                words.extend(self.data.arguments());
                words.extend(["--seed".into(), self.config.seed.to_string(), "-o".into(), path_text(&features)]);
                self.process(words)?.map_err(Error::Degenerate)?;
                write(&record, &key.to_string())?;
            }
            let args = DataArgs { data: vec![path_text(&features)], columns: None, label_column: None, header: None };
            self.data.args = args;
        }
        let shared = Config { features: Default::default(), ..self.config.clone() };
        let text = toml::to_string(&shared).map_err(|e| Error::config("config", "", e.to_string()))?;
        write(&self.place("settings.toml"), &text)
    }

    /// One method with one seed, from its record where that is there.
    fn run(&self, method: Method, seed: u64) -> Result<Run> {
        let record = self.place("runs").join(format!("{method}-{seed}.json"));
        let settings = Config { method, seed, ..self.config.clone() };
        let key = json!({
            "settings": settings, "fingerprint": self.data.fingerprint, "version": env!("CARGO_PKG_VERSION"),
        });
        if let Some(found) = read_json(&record)
            && found["key"] == key
            && let Ok(run) = serde_json::from_value::<Run>(found["run"].clone())
            && run.error.is_none()
        {
            return Ok(run);
        }
        let outcome = self.measure(method, seed)?;
        let run = match outcome {
            Ok(score) => Run { method, seed, score: Some(score), error: None },
            Err(error) => Run { method, seed, score: None, error: Some(error) },
        };
        speech::remark(self.talk, run.line());
        write(&record, &format!("{:#}\n", json!({ "key": key, "run": run })))?;
        Ok(run)
    }

    /// Fits, labels and scores; the inner error is a method's that failed.
    fn measure(&self, method: Method, seed: u64) -> Result<std::result::Result<Score, String>> {
        let (model, labels) = (self.place("model.safetensors"), self.place("labels.npy"));
        let mut words = vec!["fit".to_string()];
        words.extend(self.data.arguments());
        let settings = path_text(&self.place("settings.toml"));
        words.extend(
            ["--config", &settings, "--method", method.name(), "--seed", &seed.to_string(), "--json"].map(Into::into),
        );
        words.extend(match method.labels_new_rows() {
            true => ["-o".to_string(), path_text(&model)],
            false => ["--labels-out".to_string(), path_text(&labels)],
        });
        let fit = match self.process(words)? {
            Ok(answer) => answer,
            Err(error) => return Ok(Err(error)),
        };
        let mut predict = Value::Null;
        if method.labels_new_rows() {
            let mut words = vec!["predict".to_string(), path_text(&model)];
            words.extend(self.data.arguments());
            words.extend(["-o".into(), path_text(&labels), "--json".into()]);
            predict = match self.process(words)? {
                Ok(answer) => answer,
                Err(error) => return Ok(Err(error)),
            };
        }
        let found = encode(&read_labels(&labels, None)?);
        let reached = scores(&found, &self.truth)?;
        for file in [model, labels] {
            let _ = std::fs::remove_file(file); // what is left over is overwritten by the next run
        }
        Ok(Ok(Score {
            accuracy: reached.accuracy,
            nmi: reached.nmi,
            ari: reached.ari,
            fit_seconds: fit["seconds"].as_f64().unwrap_or(f64::NAN),
            predict_seconds: predict["seconds"].as_f64(),
            peak_memory: fit["peak_memory"].as_u64().max(predict["peak_memory"].as_u64()),
        }))
    }

    /// Runs this program with these words; gives its JSON answer, or its last words where it failed.
    fn process(&self, words: Vec<String>) -> Result<std::result::Result<Value, String>> {
        let mut command = program::again()?;
        command.args(words).arg("--quiet");
        if let Some(threads) = self.threads {
            command.args(["--threads", &threads.to_string()]);
        }
        let output = command.output().map_err(Error::io("start", "this program"))?;
        interrupt::check()?;
        if output.status.success() {
            return Ok(Ok(serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or("it said nothing");
        Ok(Err(last.strip_prefix("neuncut: ").unwrap_or(last).to_string()))
    }
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

fn write(path: &Path, text: &str) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(Error::io("write", path))?;
    file.commit()
}
