//! `neuncut fit --method` of a method that knows no rows but those it is fitted on: it leaves labels and no model.

use super::fit::{WRITING, fit_inputs, label_writer, read_graph, read_row_weights};
use crate::args::{FitArgs, Talk};
use crate::plan::{check_outputs, tell_columns};
use crate::progress::FitProgress;
use crate::report::text::links_text;
use crate::{memory, speech};
use neuncut::data::{Table, TableSpec};
use neuncut::job::{Job, Outcome};
use neuncut::{Config, Error, Result};
use std::time::Instant;

/// All rows are fitted and labelled; nothing else is left.
pub fn run(mut job: Job, args: &FitArgs, spec: &TableSpec, begin: Instant, talk: Talk) -> Result<()> {
    let config = job.config().clone();
    let path = labels_path(&config, args)?;
    let mut table = Table::open(spec)?;
    check_outputs(&[("labels-out", Some(path))], &fit_inputs(args, &config, &table))?;
    let mut writer = label_writer(path, &table, args, &[], talk)?;
    tell_columns(&table, talk);
    job.graph = read_graph(&config)?;
    job.weights = read_row_weights(args, &mut table)?;
    let mut progress = FitProgress::since(begin, talk);
    let outcome = job.run(&mut table, &mut progress)?;
    let timings = progress.end(WRITING);
    let labels: Vec<i32> = outcome.labels.iter().map(|&label| label as i32).collect();
    writer.write(&labels, None)?;
    writer.finish()?;
    if args.timings {
        speech::remark(talk, timings.table());
    }
    report_labels(&config, &outcome, begin.elapsed().as_secs_f64(), path, args.json, talk)
}

/// Where the labels go, or why what was asked for cannot be had.
fn labels_path<'a>(config: &Config, args: &'a FitArgs) -> Result<&'a str> {
    let method = &config.method;
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
    if let Some(like) = &args.like {
        let must = format!("left out: {method} leaves labels and no model that could go on another");
        return Err(Error::config("like", like.display(), must));
    }
    if let Some(history) = &args.history {
        return Err(Error::config("history", history, format!("left out: {method} leaves labels and no curves")));
    }
    if let Some(report) = &args.report {
        return Err(Error::config("report", report, format!("left out: {method} leaves labels and no model")));
    }
    if let Some(text) = &args.text {
        return Err(Error::config(
            "text",
            text,
            format!("left out: {method} leaves labels and no model to name clusters in"),
        ));
    }
    if args.settings.is_typed("train_rows") {
        return Err(Error::config(
            "train-rows",
            config.train_rows,
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

fn report_labels(config: &Config, outcome: &Outcome, seconds: f64, path: &str, json: bool, talk: Talk) -> Result<()> {
    let rows = outcome.labels.len();
    for warning in &outcome.warnings {
        speech::complain(format_args!("warning: {warning}"));
    }
    if let Some(graph) = &outcome.graph {
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
    if let Some(count) = &outcome.cluster_count {
        speech::remark(talk, &count.reason);
    }
    if let Some(links) = &outcome.links {
        speech::remark(talk, links_text(links));
    }
    speech::remark(talk, format_args!("labels written to {path}"));
    if !json {
        return Ok(());
    }
    let mut answer = serde_json::json!({
        "config": config, "rows": rows, "graph": outcome.graph, "cluster_count": outcome.cluster_count, "seconds": seconds, "labels": path,
        "peak_memory": memory::peak(),
    });
    if !outcome.warnings.is_empty() {
        answer["warnings"] = serde_json::json!(outcome.warnings);
    }
    if let Some(links) = &outcome.links {
        answer["links"] = serde_json::json!(links);
    }
    speech::answer(answer)
}
