//! `neuncut predict`: labels rows of any number with a model.

use crate::args::{DataArgs, PredictArgs, Talk};
use crate::labeling::{check_width, chunk_rows, label_table, read_ahead};
use crate::plan::{beside, check_outputs, table_spec, tell_columns};
use crate::progress::rows_bar;
use crate::shards::{Shard, model_hash};
use crate::{interrupt, memory, speech};
use ndarray::ArrayView2;
use neuncut::data::writers::{self, Columns};
use neuncut::data::{Table, TableSpec, expand};
use neuncut::methods::Model;
use neuncut::{Error, Result};
use std::path::Path;
use std::time::Instant;

pub fn run(args: PredictArgs, talk: Talk) -> Result<()> {
    if args.json && args.output == "-" {
        return Err(Error::config("json", "on standard output together with the labels", "used with -o FILE"));
    }
    if args.batch == Some(0) {
        return Err(Error::config("batch", 0, "at least 1"));
    }
    let begin = Instant::now();
    let model = Model::load(&args.model)?;
    let output = Path::new(&args.output);
    if args.output.ends_with('/') || (output.is_dir() && output.extension().is_none()) {
        return label_shards(&args, &model, begin, talk);
    }
    if args.shard.is_some() {
        return Err(Error::config("shard", "given for one output", "used with a folder: -o out/"));
    }
    let table = open(&args, &model, args.data.data.clone())?;
    let read: Vec<_> = table.paths().into_iter().chain([args.model.clone()]).collect();
    check_outputs(&[("output", Some(&args.output))], &read)?;
    check_width(&model, &table)?; // before the writer, which may begin with a header
    tell_columns(&table, talk);
    if args.embedding {
        return embed(&args, &model, table, begin, talk);
    }
    let rows = label(&args, &model, table, &args.output, talk)?;
    report(&args, rows, "labelled", begin, talk)
}

/// The table of some files, with the columns of the model.
fn open(args: &PredictArgs, model: &Model, paths: Vec<String>) -> Result<Table> {
    let image_size = model.config.features.leading_resize();
    let fitted = Some(model.column_names.clone());
    Ok(Table::open(&TableSpec { paths, image_size, fitted, ..table_spec(&args.data) })?)
}

/// Labels a table into one output.
fn label(args: &PredictArgs, model: &Model, table: Table, output: &str, talk: Talk) -> Result<u64> {
    let columns = match args.proba {
        true => Columns::LabelsAndMemberships { n_clusters: model.n_clusters() },
        false => Columns::Labels,
    };
    let beside = beside(output, &table, args.keep.as_ref(), &model.record.cluster_names)?;
    let writer = writers::create_beside(output, columns, beside)?;
    let bar = rows_bar("labelling", table.row_count(), talk);
    let rows = label_table(model, table, writer, args.proba, args.batch, |done| bar.set_position(done))?;
    bar.finish_and_clear();
    Ok(rows)
}

/// Labels each file into one of its own; files that are labelled already are passed over.
fn label_shards(args: &PredictArgs, model: &Model, begin: Instant, talk: Talk) -> Result<()> {
    if args.embedding {
        return Err(Error::config("embedding", "asked for a folder", "used with -o FILE"));
    }
    let directory = Path::new(&args.output);
    let mut shards = Shard::plan(expand(&args.data.data)?, directory)?;
    if let Some(part) = args.shard {
        shards = part.of(shards);
    }
    let hash = model_hash(&args.model)?;
    let DataArgs { columns, exclude, label_column, header, .. } = &args.data;
    let options = format!("{:?}", (args.proba, &args.keep, columns, exclude, label_column, header));
    let (mut rows, mut labelled) = (0, 0);
    for shard in &shards {
        interrupt::check()?;
        let record = shard.record(&hash, &options)?;
        if shard.done(&record).is_some() {
            continue;
        }
        let output = shard.output.to_string_lossy();
        check_outputs(&[("output", Some(&output))], &[shard.input.clone(), args.model.clone()])?;
        let table = open(args, model, vec![shard.input.to_string_lossy().into_owned()])?;
        check_width(model, &table)?;
        shard.make_folders()?;
        let count = label(args, model, table, &output, talk)?;
        shard.write_record(record, count)?;
        (rows, labelled) = (rows + count, labelled + 1);
    }
    let there = shards.len() - labelled;
    speech::remark(talk, format_args!("{labelled} files labelled into {}, {there} were there already", args.output));
    report(args, rows, "labelled", begin, talk)
}

/// Writes the spectral embedding of all rows in a stream.
fn embed(args: &PredictArgs, model: &Model, table: Table, begin: Instant, talk: Talk) -> Result<()> {
    let mut writer = writers::create_matrix(&args.output, model.embedding_columns()?)?;
    let bar = rows_bar("embedding", table.row_count(), talk);
    let mut rows = 0;
    let chunk = args.batch.unwrap_or_else(|| chunk_rows(model.columns));
    let embed = |rows: ArrayView2<f32>| model.embedding(rows);
    read_ahead(table, chunk, embed, |embedding| {
        interrupt::check()?;
        writer.write(embedding.view())?;
        rows += embedding.nrows() as u64;
        bar.set_position(rows);
        Ok(())
    })?;
    writer.finish()?;
    bar.finish_and_clear();
    report(args, rows, "embedded", begin, talk)
}

fn report(args: &PredictArgs, rows: u64, what: &str, begin: Instant, talk: Talk) -> Result<()> {
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        let peak = memory::peak();
        let output = &args.output;
        speech::answer(serde_json::json!({ "rows": rows, "seconds": seconds, "output": output, "peak_memory": peak }))?;
    }
    if args.output != "-" {
        let rate = rows as f64 / seconds;
        speech::remark(
            talk,
            format_args!("{rows} rows {what} in {seconds:.1} s ({rate:.0} rows a second) into {}", args.output),
        );
    }
    Ok(())
}
