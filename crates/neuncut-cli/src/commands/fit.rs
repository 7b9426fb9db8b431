//! `neuncut fit`: clusters a sample of the rows and saves a model.

use crate::args::{FitArgs, Talk};
use crate::commands::labels_alone;
use crate::labeling::{Labelling, label_table};
use crate::objects;
use crate::plan::{beside, check_outputs, fit_config, table_spec, tell_columns, tell_skipped};
use crate::progress::{FitProgress, rows_bar};
use crate::report::history::HistoryFile;
use crate::report::page::{LookAt, Page};
use crate::watch::{EpochScores, Truth, Watch};
use crate::{memory, naming, report, speech};
use neuncut::data::writers::{self, Columns, Labels, RowWriter};
use neuncut::data::{
    AtomicFile, Complete, EdgeList, Table, TableSpec, place_all, read_edges, read_links, read_weights,
};
use neuncut::job::{Earlier, Job, RowWeights};
use neuncut::methods::{AffinityKind, Config, Model, Start};
use neuncut::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Most rows that a page about a fit looks at, and puts on its map.
pub const REPORT_ROWS: usize = 20_000;
pub const MAP_ROWS: usize = 1500;
/// The last of the timings: labels of all rows, the page and the model.
pub const WRITING: &str = "labels and files";

pub fn run(args: FitArgs, talk: Talk) -> Result<()> {
    let begin = Instant::now();
    let earlier = args.like.as_deref().map(Model::load).transpose()?;
    let (config, start) = fit_config(&args, earlier.as_ref())?;
    let mut job = Job::new(config)?;
    job.start = start;
    job.links = args.links.as_deref().map(read_links).transpose()?;
    let fitted = earlier.as_ref().map(|earlier| earlier.column_names.clone());
    let follow = job.config().range.is_none() && !args.settings.is_typed("clusters") && args.base.config.is_none();
    job.earlier = earlier.map(|model| Earlier { model, follow });
    let mut spec = TableSpec { image_size: job.config().features.leading_resize(), fitted, ..table_spec(&args.data) };
    spec.exclude.extend(args.weights.clone());
    match job.config().method.labels_new_rows() {
        true => with_model(job, &args, &spec, begin, talk),
        false => labels_alone::run(job, &args, &spec, begin, talk),
    }
}

/// A sample of the rows is fitted, and the model labels them all.
fn with_model(mut job: Job, args: &FitArgs, spec: &TableSpec, begin: Instant, talk: Talk) -> Result<()> {
    let mut table = Table::open(spec)?;
    let text = naming::text_column(args.text.as_deref(), &table, args.data.label_column.as_deref())?;
    let given = job.start.as_ref().map(|start| start.names.clone()).unwrap_or_default();
    let names = if given.iter().all(|name| name.parse::<i32>().is_ok()) { Vec::new() } else { given };
    let outputs = Outputs::open(args, job.config(), &table, &names, talk)?;
    tell_columns(&table, talk);
    job.graph = read_graph(job.config())?;
    job.weights = read_row_weights(args, &mut table)?;
    let truth = read_truth(args)?;
    let mut watch = Watch::of_rows(FitProgress::since(begin, talk), truth.as_ref().zip(args.truth.as_deref()));
    let outcome = job.run(&mut table, &mut watch);
    let scores = std::mem::take(&mut watch.scores);
    let timings = watch.end(WRITING);
    let outcome = outcome?;
    let mut model = outcome.model.expect("the method leaves a model");
    model.record.files = objects::public_names(&args.data.data);
    if let (Some(succession), Some(path)) = (&mut model.record.succession, &args.like) {
        succession.earlier = speech::as_typed(path.display());
    }
    let skipped = table.rows_skipped();
    if let Some(column) = &text {
        let kept = naming::kept_names(&model);
        naming::name_clusters(&mut model, &mut table, column, (&outcome.labels, outcome.fitted.as_deref()), talk)?;
        naming::restore_names(&mut model, kept);
    }
    let about = About { args, truth: truth.as_ref(), scores: &scores, text: text.as_deref() };
    let complete = outputs.write(&model, spec, about, talk)?;
    let seconds = begin.elapsed().as_secs_f64();
    let said = match args.json {
        true => speech::answer(summary_json(&model, &scores, seconds, model_path(args))),
        false => Ok(()),
    };
    if let Err(error) = said
        && !error.is_broken_pipe()
    {
        return Err(error); // a reader that went away does not cost the model, a full disk does
    }
    place_all(complete)?; // when nothing else can fail
    tell_skipped(skipped, talk);
    tell_files(args, talk);
    if args.timings {
        speech::remark(talk, timings.table());
    }
    tell_model(&model, seconds, model_path(args), talk);
    Ok(())
}

/// Tells which files were written beside the model.
fn tell_files(args: &FitArgs, talk: Talk) {
    let files = [("labels", &args.labels_out), ("learning curves", &args.history), ("page", &args.report)];
    for (what, file) in files {
        if let Some(file) = file.as_deref().filter(|file| *file != "-") {
            speech::remark(talk, format_args!("{what} written to {file}"));
        }
    }
}

/// The true classes, where they were given.
pub fn read_truth(args: &FitArgs) -> Result<Option<Truth>> {
    args.truth.as_deref().map(|path| Truth::read(path, args.truth_column.as_deref())).transpose()
}

/// Where the model goes.
pub fn model_path(args: &FitArgs) -> &str {
    args.output.as_deref().unwrap_or("model.safetensors")
}

/// Says what a fit that left a model came to.
fn tell_model(model: &Model, seconds: f64, output: &str, talk: Talk) {
    for warning in &model.record.diagnostics.warnings {
        speech::complain(format_args!("warning: {warning}"));
    }
    speech::remark(talk, report::text::fit_summary(model, seconds).trim_end());
    speech::remark(talk, format_args!("model written to {output}"));
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
    /// The column of texts.
    pub text: Option<&'a str>,
}

impl About<'_> {
    /// The page about a model of this table.
    fn page(&self, model: &Model, spec: &TableSpec, talk: Talk) -> Result<String> {
        let truth = self.truth.zip(self.args.truth.as_deref());
        let look = LookAt { model, truth, text: self.text, is_fitted: true, sample: REPORT_ROWS, map: MAP_ROWS, talk };
        let look = look.look(&mut Table::open(spec)?)?;
        Page { model, look: &look, scores: self.scores }.html()
    }
}

impl Outputs {
    pub fn open(args: &FitArgs, config: &Config, table: &Table, names: &[String], talk: Talk) -> Result<Self> {
        let output = model_path(args);
        let (labels, history) = (args.labels_out.as_deref(), args.history.as_deref());
        let report = args.report.as_deref();
        let outputs = [("output", Some(output)), ("history", history), ("labels-out", labels), ("report", report)];
        check_outputs(&outputs, &fit_inputs(args, config, table))?;
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
            labels: labels.map(|path| label_writer(path, table, args, names, talk)).transpose()?,
            report: report.map(AtomicFile::create).transpose()?,
        })
    }

    /// Writes them all, to be put in their places.
    pub fn write(mut self, model: &Model, spec: &TableSpec, about: About, talk: Talk) -> Result<Vec<Complete>> {
        model.write_to(&mut self.model)?;
        if let Some(history) = &mut self.history {
            history.write(&model.record.history)?;
        }
        if let Some(file) = &mut self.report {
            let page = about.page(model, spec, talk)?;
            file.write_all(page.as_bytes()).and_then(|()| file.flush()).map_err(Error::io("write", file.path()))?;
        }
        let mut complete = Vec::new();
        if let Some(writer) = self.labels {
            let bar = rows_bar("labelling", Some(model.record.rows), talk);
            let table = Table::open(spec)?;
            match label_table(model, table, writer, &Labelling::default(), |done| bar.set_position(done)) {
                Ok((_, labels)) => complete.push(labels),
                Err(error) if error.is_broken_pipe() => {} // a reader of the labels that went away does not cost the model
                Err(error) => return Err(error),
            }
            bar.finish_and_clear();
        }
        complete.extend(self.history.map(HistoryFile::complete).transpose()?);
        complete.extend(self.report.map(AtomicFile::complete).transpose()?);
        complete.push(self.model.complete()?); // the last: where there is a model, there is all that was asked for
        Ok(complete)
    }
}

/// Every file that a fit reads.
pub fn fit_inputs(args: &FitArgs, config: &Config, table: &Table) -> Vec<PathBuf> {
    let start = match config.method.neural_cut().map(|options| &options.init) {
        Some(Start::Labels(path)) => path.clone(),
        _ => None,
    };
    let files = [start, args.like.clone(), args.links.clone(), args.truth.clone(), args.base.config.clone()];
    inputs(config, table).into_iter().chain(files.into_iter().flatten()).collect()
}

/// Where labels go, with what stands beside them.
pub fn label_writer(
    path: &str,
    table: &Table,
    args: &FitArgs,
    names: &[String],
    talk: Talk,
) -> Result<Box<dyn RowWriter>> {
    let path = args.data.target(path);
    let labels = Labels { names: names.to_vec(), ..Labels::default() };
    let beside = beside(&path, table, args.keep.as_ref(), Columns::Labels, labels, talk)?;
    Ok(writers::create_beside(&path, Columns::Labels, beside)?)
}

/// The rows and the graph.
pub fn inputs(config: &Config, table: &Table) -> Vec<PathBuf> {
    let graph = graph_file(config).map(Path::to_owned);
    table.paths().into_iter().chain(graph).chain(config.features.files().map(Path::to_owned)).collect()
}

/// The edges of the user's graph, read before the rows so that a bad file is known at once.
pub fn read_graph(config: &Config) -> Result<Option<EdgeList>> {
    Ok(graph_file(config).map(read_edges).transpose()?)
}

/// What each row weighs, where a column says so; the table stands at its first row.
pub fn read_row_weights(args: &FitArgs, table: &mut Table) -> Result<Option<RowWeights>> {
    let Some(name) = args.weights.clone() else { return Ok(None) };
    Ok(Some(RowWeights { values: read_weights(table, &name)?, name }))
}

fn graph_file(config: &Config) -> Option<&Path> {
    match config.method.affinity().map(|options| &options.affinity) {
        Some(AffinityKind::Graph(path)) => Some(path),
        _ => None,
    }
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
