//! `neuncut fit --method` of a rival: a model where the method labels new rows, labels where it does not.

use super::fit::{
    About, Outputs, fit_chain, inputs, model_path, name_the_data, read_graph, read_sample, read_truth, report_model,
};
use crate::args::{FitArgs, Talk};
use crate::labeling::chunk_rows;
use crate::plan::{check_outputs, table_spec};
use crate::progress::{FitProgress, rows_bar};
use crate::{interrupt, memory, speech};
use ndarray::{Array2, ArrayView2};
use neuncut::affinity::Precomputed;
use neuncut::clustering::Clustering;
use neuncut::data::writers::{self, Columns};
use neuncut::data::{Table, TableSpec};
use neuncut::features::FittedChain;
use neuncut::neural_cut::Config;
use neuncut::rivals::{Rival, RivalFitted};
use neuncut::{Error, Result};
use std::time::Instant;

pub fn run(args: &FitArgs, config: Config, talk: Talk) -> Result<()> {
    let begin = Instant::now();
    let rival = Rival::new(config)?;
    let config = rival.config();
    let spec = TableSpec { image_size: config.features.leading_resize(), ..table_spec(&args.data) };
    match config.method.labels_new_rows() {
        true => with_model(&rival, args, &spec, begin, talk),
        false => labels_alone(&rival, args, &spec, begin, talk),
    }
}

/// A sample of the rows is fitted, and the model labels them all.
fn with_model(rival: &Rival, args: &FitArgs, spec: &TableSpec, begin: Instant, talk: Talk) -> Result<()> {
    let config = rival.config();
    let mut table = Table::open(spec)?;
    let column_names = table.column_names();
    let outputs = Outputs::open(args, config, &table)?;
    let truth = read_truth(args)?;
    let features = fit_chain(rival.config(), &mut table, talk)?;
    let sample = read_sample(&mut table, config.train_rows(), config.seed, talk)?;
    let mut progress = FitProgress::new(talk);
    let fitted = match &features {
        Some(chain) => rival.fit_behind(chain, chain.pipeline.transform(sample.rows.view()).view(), &mut progress),
        None => rival.fit_observed(sample.rows.view(), &mut progress),
    };
    drop(progress);
    let model = fitted.map_err(|error| name_the_data(error, &table))?.model;
    let mut model = model.ok_or_else(|| Error::config("method", config.method, "one that leaves a model"))?;
    model.column_names = column_names;
    model.record.rows = sample.total;
    model.record.fingerprint = format!("{:016x}", sample.fingerprint);
    model.record.files = args.data.data.clone();
    outputs.write(&model, spec, About { args, truth: truth.as_ref(), scores: &[] }, talk)?;
    report_model(&model, &[], begin.elapsed().as_secs_f64(), model_path(args), args.json, talk)
}

/// All rows are fitted and labelled; nothing else is left.
fn labels_alone(rival: &Rival, args: &FitArgs, spec: &TableSpec, begin: Instant, talk: Talk) -> Result<()> {
    let path = labels_path(rival.config(), args)?;
    let mut table = Table::open(spec)?;
    check_outputs(&[("labels-out", Some(path))], &inputs(rival.config(), &table))?;
    let mut writer = writers::create(path, Columns::Labels)?;
    let graph = read_graph(rival.config())?;
    let features = fit_chain(rival.config(), &mut table, talk)?;
    let rows = read_features(&mut table, features.as_ref(), talk)?;
    let graph = graph.map(|edges| Precomputed::of_edges(edges, rows.nrows())).transpose()?;
    let fitted = rival.clone().with_graph(graph).fit_observed(rows.view(), &mut FitProgress::new(talk));
    let fitted = fitted.map_err(|error| name_the_data(error, &table))?;
    let labels: Vec<i32> = fitted.labels().iter().map(|&label| label as i32).collect();
    writer.write(&labels, None)?;
    writer.finish()?;
    report_labels(rival.config(), &fitted, begin.elapsed().as_secs_f64(), path, args.json, talk)
}

/// Where the labels go, or why what was asked for cannot be had.
fn labels_path<'a>(config: &Config, args: &'a FitArgs) -> Result<&'a str> {
    let method = config.method;
    if let Some(output) = &args.output {
        return Err(Error::config(
            "output",
            output,
            format!(
                "left out: {method} labels the rows it is fitted on and leaves no model, because its eigenvectors know no other \
                 rows; use --labels-out FILE, or --method neuncut, spectralnet or specnet2 for a model"
            ),
        ));
    }
    if let Some(history) = &args.history {
        return Err(Error::config("history", history, format!("left out: {method} leaves labels and no curves")));
    }
    if let Some(report) = &args.report {
        return Err(Error::config("report", report, format!("left out: {method} leaves labels and no model")));
    }
    if let Some(rows) = args.training.train_rows {
        return Err(Error::config(
            "train-rows",
            rows,
            format!("left out: {method} labels only the rows it is fitted on, so it fits them all"),
        ));
    }
    let path = args.labels_out.as_deref().ok_or_else(|| {
        Error::config("labels-out", "not given", format!("a file: {method} leaves labels and no model"))
    })?;
    if args.json && path == "-" {
        return Err(Error::config(
            "json",
            "on standard output together with the labels",
            "used with --labels-out FILE",
        ));
    }
    Ok(path)
}

/// All rows after the feature steps.
fn read_features(table: &mut Table, features: Option<&FittedChain>, talk: Talk) -> Result<Array2<f32>> {
    table.rewind();
    let bar = rows_bar("reading", table.row_count(), talk);
    let width = table.width();
    let columns = features.map_or(width, |chain| chain.pipeline.n_features(width));
    let (mut values, mut chunk) = (Vec::new(), Vec::new());
    let mut done = 0;
    loop {
        interrupt::check()?;
        chunk.clear();
        let count = table.read(chunk_rows(width.max(columns)), &mut chunk)?;
        if count == 0 {
            break;
        }
        let raw = ArrayView2::from_shape((count, width), &chunk).map_err(|e| Error::Degenerate(e.to_string()))?;
        match features {
            Some(chain) => values.extend(chain.pipeline.transform(raw)),
            None => values.extend_from_slice(&chunk),
        }
        done += count;
        bar.set_position(done as u64);
    }
    bar.finish_and_clear();
    Array2::from_shape_vec((done, columns), values).map_err(|e| Error::Degenerate(e.to_string()))
}

fn report_labels(
    config: &Config,
    fitted: &RivalFitted,
    seconds: f64,
    path: &str,
    json: bool,
    talk: Talk,
) -> Result<()> {
    let rows = fitted.labels().len();
    if let Some(graph) = &fitted.graph {
        for warning in &graph.warnings {
            speech::complain(format_args!("warning: {warning}"));
        }
        speech::remark(
            talk,
            format_args!(
                "{rows} rows labelled by {} in {seconds:.1} s: {} weights in {} pieces, cut {:.4}, eigenvectors to {:.0e}",
                config.method, graph.weights, graph.components, graph.cut, graph.residual
            ),
        );
    }
    speech::remark(talk, format_args!("labels written to {path}"));
    if !json {
        return Ok(());
    }
    speech::answer(serde_json::json!({
        "config": config, "rows": rows, "graph": fitted.graph, "seconds": seconds, "labels": path,
        "peak_memory": memory::peak(),
    }))
}
