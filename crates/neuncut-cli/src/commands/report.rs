//! `neuncut report`: a model as a page for a browser; or the records of experiments as tables.

use crate::args::{ReportArgs, Talk};
use crate::plan::check_outputs;
use crate::report::page::{LookAt, Page};
use crate::report::results;
use crate::watch::Truth;
use crate::{naming, speech, text_file};
use neuncut::data::{Table, TableSpec};
use neuncut::methods::Model;
use neuncut::{Error, Result};
use std::path::Path;

pub fn run(args: ReportArgs, talk: Talk) -> Result<()> {
    if args.of.is_dir() {
        return tables(&args, talk);
    }
    let model = Model::load(&args.of)?;
    let paths = if args.data.is_empty() { model.record.files.clone() } else { args.data.clone() };
    if paths.is_empty() {
        return Err(Error::config("data", "not given", "files of rows to look at: the model does not name any"));
    }
    let is_fitted = paths == model.record.files;
    let spec = TableSpec {
        paths,
        columns: args.columns.clone(),
        exclude: Vec::new(),
        fitted: Some(model.column_names.clone()),
        label_column: args.label_column.clone(),
        header: args.header,
        image_size: model.config.features.leading_resize(),
        image_shape: args.image_shape.or_else(|| model.image_shape()),
        on_null: args.on_null.unwrap_or_default(),
        shard: false,
        stream: None,
    };
    let mut table = Table::open(&spec)?;
    crate::labeling::check_width(&model, &table)?;
    let output = args.output.as_deref().unwrap_or(Path::new("report.html"));
    let mut inputs = table.paths();
    inputs.push(args.of.clone());
    inputs.extend(args.truth.clone());
    check_outputs(&[("output", Some(&output.to_string_lossy()))], &inputs)?;
    let text = naming::text_column(args.text.as_deref(), &table, args.label_column.as_deref())?;
    let truth = args.truth.as_deref().map(|path| Truth::read(path, args.truth_column.as_deref())).transpose()?;
    let truth = truth.as_ref().zip(args.truth.as_deref());
    let (sample, map) = (args.sample, args.map);
    let look = LookAt { model: &model, truth, text: text.as_deref(), is_fitted, sample, map, talk };
    let look = look.look(&mut table)?;
    let page = Page { model: &model, look: &look, scores: &[] };
    text_file::write(output, &page.html()?)?;
    speech::remark(talk, format_args!("page written to {}", output.display()));
    if let Some(directory) = &args.svg {
        page.write_pictures(directory)?;
        speech::remark(talk, format_args!("pictures written to {}", directory.display()));
    }
    Ok(())
}

/// The tables of a directory of records.
fn tables(args: &ReportArgs, talk: Talk) -> Result<()> {
    if let Some(output) = &args.output {
        let must = "left out: the tables of experiments go into their directory";
        return Err(Error::config("output", output.display(), must));
    }
    let written = results::write(&args.of)?;
    speech::remark(talk, format_args!("{written} tables and RESULTS.md written to {}", args.of.display()));
    Ok(())
}
