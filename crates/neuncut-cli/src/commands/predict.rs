//! `neuncut predict`: labels rows of any number with a model.

use crate::args::{PredictArgs, Talk};
use crate::labeling::{check_width, chunk_rows, label_table, read_ahead};
use crate::plan::{check_outputs, table_spec};
use crate::progress::rows_bar;
use crate::{interrupt, memory, speech};
use ndarray::ArrayView2;
use neuncut::data::writers::{self, Columns};
use neuncut::data::{Table, TableSpec};
use neuncut::neural_cut::Model;
use neuncut::{Error, Result};
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
    let image_size = model.config.features.leading_resize();
    let table = Table::open(&TableSpec { image_size, ..table_spec(&args.data) })?;
    check_outputs(&[("output", Some(&args.output))], &table.paths())?;
    check_width(&model, &table)?; // before the writer, which may begin with a header
    if args.embedding {
        return embed(&args, &model, table, begin, talk);
    }
    let columns = match args.proba {
        true => Columns::LabelsAndMemberships { n_clusters: model.n_clusters() },
        false => Columns::Labels,
    };
    let writer = writers::create(&args.output, columns)?;
    let bar = rows_bar("labelling", table.row_count(), talk);
    let rows = label_table(&model, table, writer, args.proba, args.batch, |done| bar.set_position(done))?;
    bar.finish_and_clear();
    report(&args, rows, "labelled", begin, talk)
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
