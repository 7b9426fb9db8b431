//! `neuncut fit`: clusters a sample of the rows and saves a model.

use crate::args::{FitArgs, Talk};
use crate::commands::rival;
use crate::labeling::label_table;
use crate::plan::{check_outputs, fit_config, table_spec};
use crate::progress::{FitProgress, rows_bar};
use crate::report::history::HistoryFile;
use crate::report::page::{LookAt, Page};
use crate::start_labels::{Init, StartLabels};
use crate::watch::{EpochScores, Truth, Watch};
use crate::{interrupt, memory, report, speech};
use neuncut::affinity::Precomputed;
use neuncut::data::writers::{self, Columns, RowWriter};
use neuncut::data::{AtomicFile, EdgeList, Sample, Table, TableSpec, read_edges, sample_rows};
use neuncut::features::FittedChain;
use neuncut::neural_cut::{AffinityKind, Config, Model, NeuralCut};
use neuncut::{Error, Result, Seed};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Most rows that a page about a fit looks at, and puts on its map.
pub const REPORT_ROWS: usize = 20_000;
pub const MAP_ROWS: usize = 1500;

pub fn run(args: FitArgs, talk: Talk) -> Result<()> {
    let begin = Instant::now();
    let start = match &args.method.init {
        Some(Init::Labels(path)) => Some(StartLabels::read(path)?),
        _ => None,
    };
    let config = fit_config(&args, start.as_ref())?;
    if !config.method.is_neural_cut() {
        return rival::run(&args, config, talk);
    }
    let mut neural_cut = NeuralCut::new(config.clone())?;
    let spec = TableSpec { image_size: config.features.leading_resize(), ..table_spec(&args.data) };
    let mut table = Table::open(&spec)?;
    let column_names = table.column_names();
    let outputs = Outputs::open(&args, &config, &table)?;
    let output = model_path(&args);
    let graph = read_graph(&config)?;
    let truth = read_truth(&args)?;

    let features = fit_chain(&config, &mut table, talk)?;
    let sample = read_sample(&mut table, config.train_rows(), config.seed, talk)?;
    if let Some(start) = &start {
        neural_cut = neural_cut.with_start_labels(start.of_rows(&sample.indices, sample.total)?);
    }
    let graph = graph.map(|edges| Precomputed::of_edges(edges, sample.rows.nrows())).transpose()?;
    neural_cut = neural_cut.with_graph(graph);
    let classes = match (&truth, &args.truth) {
        (Some(truth), Some(path)) => Some(truth.of_rows(&sample.indices, sample.total, path)?),
        _ => None,
    };
    let mut watch = Watch::new(FitProgress::new(talk), classes.as_deref());
    let fitted = match &features {
        Some(features) => neural_cut.fit_behind(features, sample.rows.view(), &mut watch),
        None => neural_cut.fit_observed(sample.rows.view(), &mut watch),
    };
    let scores = std::mem::take(&mut watch.scores);
    drop(watch);
    let mut model = fitted.map_err(|error| name_the_data(error, &table))?.model;
    model.column_names = column_names;
    model.record.rows = sample.total;
    model.record.fingerprint = format!("{:016x}", sample.fingerprint);
    model.record.files = args.data.data.clone();
    model.record.cluster_names = start.map(|start| start.names).unwrap_or_default();

    outputs.write(&model, &spec, About { args: &args, truth: truth.as_ref(), scores: &scores }, talk)?;
    report_model(&model, &scores, begin.elapsed().as_secs_f64(), output, args.json, talk)
}

/// The true classes, where they were given.
pub fn read_truth(args: &FitArgs) -> Result<Option<Truth>> {
    args.truth.as_deref().map(|path| Truth::read(path, None)).transpose()
}

/// Where the model goes.
pub fn model_path(args: &FitArgs) -> &str {
    args.output.as_deref().unwrap_or("model.safetensors")
}

/// Says what a fit that left a model came to.
pub fn report_model(
    model: &Model,
    scores: &[EpochScores],
    seconds: f64,
    output: &str,
    json: bool,
    talk: Talk,
) -> Result<()> {
    for warning in &model.record.diagnostics.warnings {
        speech::complain(format_args!("warning: {warning}"));
    }
    speech::remark(talk, report::text::fit_summary(model, seconds).trim_end());
    speech::remark(talk, format_args!("model written to {output}"));
    if json { speech::answer(summary_json(model, scores, seconds, output)) } else { Ok(()) }
}

/// Every file a fit writes. All are opened before the work, so that a bad path is known at once, and put in their places
/// after it, when all are known to be complete.
pub struct Outputs {
    model: AtomicFile,
    history: Option<HistoryFile>,
    labels: Option<Box<dyn RowWriter>>,
    report: Option<AtomicFile>,
}

/// What a page says about a fit beside its model.
#[derive(Clone, Copy)]
pub struct About<'a> {
    pub args: &'a FitArgs,
    pub truth: Option<&'a Truth>,
    pub scores: &'a [EpochScores],
}

impl About<'_> {
    /// The page about a model of this table.
    fn page(&self, model: &Model, spec: &TableSpec, talk: Talk) -> Result<String> {
        let truth = self.truth.zip(self.args.truth.as_deref());
        let look = LookAt { model, truth, sample: REPORT_ROWS, map: MAP_ROWS, talk }.look(&mut Table::open(spec)?)?;
        Page { model, look: &look, scores: self.scores }.html()
    }
}

impl Outputs {
    pub fn open(args: &FitArgs, config: &Config, table: &Table) -> Result<Self> {
        let output = model_path(args);
        let (labels, history) = (args.labels_out.as_deref(), args.history.as_deref());
        let report = args.report.as_deref();
        let outputs = [("output", Some(output)), ("history", history), ("labels-out", labels), ("report", report)];
        check_outputs(&outputs, &inputs(config, table))?;
        if output == "-" {
            return Err(Error::config("output", "-", "the name of a file: a model is not text"));
        }
        if args.json && labels == Some("-") {
            return Err(Error::config(
                "json",
                "on standard output together with the labels",
                "used with --labels-out FILE",
            ));
        }
        Ok(Self {
            model: AtomicFile::create(output)?,
            history: history.map(HistoryFile::create).transpose()?,
            labels: labels.map(|path| writers::create(path, Columns::Labels)).transpose()?,
            report: report.map(AtomicFile::create).transpose()?,
        })
    }

    pub fn write(mut self, model: &Model, spec: &TableSpec, about: About, talk: Talk) -> Result<()> {
        model.write_to(&mut self.model)?;
        if let Some(history) = &mut self.history {
            history.write(&model.record.history)?;
        }
        if let Some(writer) = self.labels {
            let bar = rows_bar("labelling", Some(model.record.rows), talk);
            let table = Table::open(spec)?;
            match label_table(model, table, writer, false, None, |done| bar.set_position(done)) {
                Err(error) if !error.is_broken_pipe() => return Err(error),
                _ => bar.finish_and_clear(), // a reader of the labels that went away does not cost the model
            }
        }
        if let Some(file) = &mut self.report {
            let page = about.page(model, spec, talk)?;
            file.write_all(page.as_bytes()).and_then(|()| file.flush()).map_err(Error::io("write", file.path()))?;
        }
        self.history.map_or(Ok(()), HistoryFile::commit)?;
        self.report.map_or(Ok(()), AtomicFile::commit)?;
        Ok(self.model.commit()?)
    }
}

/// The feature steps, fitted on all rows; none unless asked for.
pub fn fit_chain(config: &Config, table: &mut Table, talk: Talk) -> Result<Option<FittedChain>> {
    if config.features.is_empty() {
        return Ok(None);
    }
    config.fit_chain(table, &mut FitProgress::new(talk)).map(Some).map_err(|error| name_the_data(error, table))
}

/// Every file that is read.
pub fn inputs(config: &Config, table: &Table) -> Vec<PathBuf> {
    let graph = match config.affinity() {
        AffinityKind::Graph(path) => Some(path),
        _ => None,
    };
    table.paths().into_iter().chain(graph).collect()
}

/// The edges of the user's graph, read before the rows so that a bad file is known at once.
pub fn read_graph(config: &Config) -> Result<Option<EdgeList>> {
    match config.affinity() {
        AffinityKind::Graph(path) => Ok(Some(read_edges(&path)?)),
        _ => Ok(None),
    }
}

/// A uniform sample of the table's rows, with a bar.
pub fn read_sample(table: &mut Table, at_most: usize, seed: u64, talk: Talk) -> Result<Sample> {
    let bar = rows_bar("reading", table.row_count(), talk);
    let sample = sample_rows(table, at_most, &mut Seed(seed).stream("sample"), &mut |done| {
        bar.set_position(done);
        interrupt::check()
    })?;
    bar.finish_and_clear();
    Ok(sample)
}

/// The library knows rows only; here they have a file.
pub fn name_the_data(mut error: Error, table: &Table) -> Error {
    if let Error::TooFewRows { what, .. } = &mut error {
        *what = table.name();
    }
    error
}

/// What `inspect --json` gives, without the curves (which `--history` writes).
fn summary_json(model: &Model, scores: &[EpochScores], seconds: f64, output: &str) -> serde_json::Value {
    let mut summary = report::text::inspect_json(model);
    if let Some(record) = summary["record"].as_object_mut() {
        record.remove("history");
    }
    summary["seconds"] = seconds.into();
    summary["peak_memory"] = memory::peak().into();
    summary["model"] = output.into();
    if !scores.is_empty() {
        summary["scores_by_epoch"] = serde_json::json!(scores);
    }
    summary
}
