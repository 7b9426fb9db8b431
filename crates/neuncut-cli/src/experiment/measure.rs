//! One run: processes that fit, label and search, and the scores of what they leave.

use super::cache::{FeatureSource, features};
use super::file::Kind;
use super::job::Job;
use super::record::Score;
use crate::process::{Answer, Program, path_text, words};
use crate::text_file;
use neuncut::data::{Scratch, read_labels};
use neuncut::methods::Config;
use neuncut::metrics::{encode, scores};
use neuncut::{Error, Result};
use serde_json::{Value, json};
use std::path::Path;

/// What a run left: scores, and whatever else was found.
pub struct Outcome {
    pub score: Option<Score>,
    pub found: Value,
}

/// An outcome, or why there is none.
pub type Measured = std::result::Result<Outcome, String>;

/// Where and how runs are done.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    pub program: Program,
    /// Features that runs share, and the seed they are made with.
    pub cache: &'a Path,
    pub feature_seed: u64,
    /// A directory for pictures, where runs are to leave some.
    pub pictures: Option<&'a Path>,
}

impl Bench<'_> {
    /// The words that name the data of a run: files, or features of them, made before.
    pub fn data(&self, job: &Job) -> Result<std::result::Result<Vec<String>, String>> {
        let set = &job.data;
        if set.spec.deformed && job.subset.is_none() {
            return Ok(Ok(set.files.clone()));
        }
        if let Some(rows) = job.subset {
            return self.first_of_stream(job, rows);
        }
        if job.config.features.is_empty() {
            return Ok(Ok(set.files.clone()));
        }
        let source = FeatureSource { name: &set.name, data: &set.files, fingerprint: &set.fingerprint };
        let made = features(&source, &job.config.features, self.feature_seed, self.cache, self.program)?;
        Ok(made.map(|file| words([&path_text(&file)])))
    }

    /// Features of the first rows of a stream, for methods that must hold all of their rows.
    fn first_of_stream(&self, job: &Job, rows: u64) -> Result<std::result::Result<Vec<String>, String>> {
        let file = self.cache.join(format!("{}-first-{rows}.npy", job.data.name));
        let key = file.with_extension("json");
        let what = json!({ "features": job.config.features, "fingerprint": job.fingerprint() });
        if !file.exists() || text_file::read_json(&key).as_ref() != Some(&what) {
            let mut line = words(["deform"]);
            line.extend(job.data.files.iter().cloned());
            line.extend(["--truth".into(), path_text(&job.data.truth_file), "-n".into(), rows.to_string()]);
            line.extend(["--features".into(), job.config.features.to_string(), "-o".into(), path_text(&file)]);
            if let Err(problem) = self.program.run(&line)? {
                return Ok(Err(problem));
            }
            text_file::write(&key, &what.to_string())?;
        }
        Ok(Ok(words([&path_text(&file)])))
    }

    /// Does the run; `data` is what [`Bench::data`] gave.
    pub fn measure(&self, job: &Job, data: &[String]) -> Result<Measured> {
        let scratch = Scratch::create_in(self.cache)?;
        let settings = scratch.path().join("settings.toml");
        let streams = job.data.spec.deformed && job.subset.is_none();
        let mut config = job.config.clone();
        if !streams {
            config.features = Default::default(); // they were made before
        }
        write_settings(&settings, &config)?;
        let run = Run { bench: self, job, data, scratch: scratch.path(), settings: path_text(&settings) };
        match job.kind {
            _ if streams => run.stream(),
            Kind::Fit => run.fit(false),
            Kind::Curves => run.fit(true),
            Kind::Tune => run.tune(),
        }
    }
}

/// Writes the settings of a run for `--config`.
fn write_settings(path: &Path, config: &Config) -> Result<()> {
    let text = toml::to_string(config).map_err(|e| Error::config("config", "", e.to_string()))?;
    text_file::write(path, &text)
}

/// A run under way.
struct Run<'a> {
    bench: &'a Bench<'a>,
    job: &'a Job,
    data: &'a [String],
    scratch: &'a Path,
    settings: String,
}

impl Run<'_> {
    fn process(&self, command: &str, before: &[String], rest: &[String]) -> Result<Answer> {
        let mut line = words([command]);
        line.extend(before.iter().chain(self.data).chain(rest).cloned());
        line.push("--json".into());
        self.bench.program.run(&line)
    }

    fn fit(&self, with_curves: bool) -> Result<Measured> {
        let (model, labels) = (self.scratch.join("model.safetensors"), self.scratch.join("labels.npy"));
        let history = self.scratch.join("history.json");
        let has_model = self.job.config.method.labels_new_rows();
        let mut rest = words(["--config", &self.settings]);
        rest.extend(match has_model {
            true => words(["-o", &path_text(&model)]),
            false => words(["--labels-out", &path_text(&labels)]),
        });
        if with_curves {
            rest.extend(words(["--truth", &path_text(&self.job.data.truth_file), "--history", &path_text(&history)]));
        }
        let fit = match self.process("fit", &[], &rest)? {
            Ok(answer) => answer,
            Err(problem) => return Ok(Err(problem)),
        };
        let mut predict = Value::Null;
        if has_model {
            let rest = words(["-o", &path_text(&labels)]);
            predict = match self.process("predict", &words([&path_text(&model)]), &rest)? {
                Ok(answer) => answer,
                Err(problem) => return Ok(Err(problem)),
            };
        }
        let found = encode(&read_labels(&labels, None)?);
        let rows = found.len();
        let truth: Vec<u32> = (0..rows).map(|row| self.job.data.truth[row % self.job.data.truth.len()]).collect();
        let reached = scores(&found, &truth)?;
        let score = Score {
            accuracy: reached.accuracy,
            nmi: reached.nmi,
            ari: reached.ari,
            fit_seconds: fit["seconds"].as_f64().unwrap_or(f64::NAN),
            predict_seconds: predict["seconds"].as_f64(),
            peak_memory: fit["peak_memory"].as_u64().max(predict["peak_memory"].as_u64()),
        };
        let mut extra = json!({});
        if let Some(gamma) = fit.pointer("/record/diagnostics/gamma_sweep/threshold") {
            extra["gamma"] = gamma.clone();
        }
        if with_curves {
            extra["history"] = text_file::read_json(&history).unwrap_or(Value::Null);
            extra["scores"] = fit["scores_by_epoch"].clone();
        }
        self.draw(&labels, &score)?;
        let found = if extra == json!({}) { Value::Null } else { extra };
        Ok(Ok(Outcome { score: Some(score), found }))
    }

    /// A picture of the first run of a shape.
    fn draw(&self, labels: &Path, score: &Score) -> Result<()> {
        let Some(directory) = self.bench.pictures.filter(|_| self.job.data.spec.shape.is_some()) else { return Ok(()) };
        let set = &self.job.data;
        let subtitle = format!("{} rows labelled, ACC {:.5}; 6000 drawn", set.rows, score.accuracy);
        let svg = crate::report::shape_picture(&set.files[0], labels, &set.spec.title, &subtitle)?;
        text_file::write(&directory.join(format!("{}.svg", set.name)), &svg)
    }

    fn tune(&self) -> Result<Measured> {
        let answer = self.process("tune", &[], &words(["--config", &self.settings]))?;
        Ok(answer.map(|found| Outcome { score: None, found }))
    }

    /// Fits on a sample of a stream and labels all of it, in one process.
    fn stream(&self) -> Result<Measured> {
        let mut rest = words(["--truth", &path_text(&self.job.data.truth_file), "--config", &self.settings]);
        rest.extend(["-n".into(), self.job.data.rows.to_string()]);
        let answer = match self.process("deform", &[], &rest)? {
            Ok(answer) => answer,
            Err(problem) => return Ok(Err(problem)),
        };
        let number = |name: &str| answer[name].as_f64().unwrap_or(f64::NAN);
        let score = Score {
            accuracy: number("accuracy"),
            nmi: number("nmi"),
            ari: number("ari"),
            fit_seconds: number("fit_seconds"),
            predict_seconds: answer["label_seconds"].as_f64(),
            peak_memory: answer["peak_memory"].as_u64(),
        };
        Ok(Ok(Outcome { score: Some(score), found: answer }))
    }
}
