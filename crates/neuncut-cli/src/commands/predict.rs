//! `neuncut predict`: labels rows of any number with a model.

use crate::args::{DataArgs, PredictArgs, Talk};
use crate::labeling::{Labelled, Labelling, check_width, chunk_rows, label_table, read_ahead};
use crate::level_columns::result_labels;
use crate::objects::{self, Shelf};
use crate::plan::{beside, check_outputs, table_spec, tell_columns, tell_skipped};
use crate::progress::{FilesBar, RowsBar, counted, rate, rows_bar};
use crate::shards::{Shard, model_hash};
use crate::standard_input::PipeFormat;
use crate::{interrupt, memory, speech};
use indicatif::HumanCount;
use ndarray::ArrayView2;
use neuncut::data::writers::{self, Columns};
use neuncut::data::{OnNull, Table, TableSpec, lists};
use neuncut::methods::Model;
use neuncut::{Error, Result, TableError};
use serde_json::{Value, json};
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
    if args.names && model.names().is_empty() {
        let model = args.model.display();
        let problem = format!(
            "the clusters of {model} have no names: give them some with `neuncut rename`, or leave out --names"
        );
        return Err(Error::Request(problem));
    }
    labelling(&args, &model)?; // before anything is opened
    if args.is_into_folder() {
        return label_shards(&args, &model, begin, talk);
    }
    if args.shard.is_some() {
        return Err(Error::config("shard", "given for one output", "used with a folder: -o out/"));
    }
    let table = open(&args, &model, args.data.files(), false)?;
    let read: Vec<_> = table.paths().into_iter().chain([args.model.clone()]).collect();
    check_outputs(&[("output", Some(&args.output))], &read)?;
    check_width(&model, &table)?; // before the writer, which may begin with a header
    tell_columns(&table, talk);
    let of_labels = [
        ("names", args.names),
        ("level", args.level.is_some()),
        ("levels", !args.levels.is_empty()),
        ("abstain", args.abstain.is_some()),
    ];
    if let Some((field, _)) = of_labels.into_iter().find(|(_, given)| args.embedding && *given) {
        return Err(Error::config(field, "given with --embedding", "left out: an embedding has no labels"));
    }
    if args.embedding {
        return embed(&args, &model, table, begin, talk);
    }
    let output = args.data.target(&args.output);
    let bar = rows_bar("labelling", table.row_count(), talk);
    let done = label(&args, &model, table, &output, talk, bar)?;
    report(&args, done, "labelled", begin, talk)
}

/// The table of some files, with the columns of the model.
fn open(args: &PredictArgs, model: &Model, paths: Vec<String>, shard: bool) -> Result<Table> {
    let image_size = model.config.features.leading_resize();
    let fitted = Some(model.column_names.clone());
    Ok(Table::open(&TableSpec { paths, image_size, fitted, shard, ..table_spec(&args.data) })?)
}

/// How rows are to be labelled.
fn labelling(args: &PredictArgs, model: &Model) -> Result<Labelling> {
    if let Some(least) = args.abstain.filter(|least| !(*least > 0.0 && *least <= 1.0)) {
        return Err(Error::config("abstain", least, "a share of membership above 0 and up to 1, such as 0.5"));
    }
    for (at, &count) in args.levels.iter().enumerate() {
        model.level(count)?;
        if args.levels[..at].contains(&count) {
            return Err(Error::config("levels", format!("given {count} twice"), "different numbers such as 5,12"));
        }
    }
    let level = args.level.map(|count| model.level(count)).transpose()?;
    Ok(Labelling { proba: args.proba, confidence: args.confidence, batch: args.batch, level, abstain: args.abstain })
}

/// Labels a table into one output. `of_columns` tells of columns that get other names.
fn label(
    args: &PredictArgs,
    model: &Model,
    table: Table,
    output: &str,
    of_columns: Talk,
    bar: RowsBar,
) -> Result<Labelled> {
    if args.proba && args.data.on_null == Some(OnNull::Skip) && !writers::is_table(output) {
        return Err(Error::config("on-null", "skip", "refuse or zero for memberships in npy: skipped rows have none"));
    }
    let labelling = labelling(args, model)?;
    let columns = match (args.confidence, args.proba) {
        (true, _) => Columns::LabelsAndConfidence,
        (_, true) => Columns::LabelsAndMemberships { n_clusters: labelling.n_clusters(model) },
        _ => Columns::Labels,
    };
    if !args.levels.is_empty() && !writers::is_table(output) {
        let must = "left out, or used with csv, tsv, jsonl, parquet or arrow: npy holds one label per row";
        return Err(Error::config("levels", "given for npy", must));
    }
    let names = args.names || (model.record.titles_by_person && writers::is_table(output));
    let labels = result_labels(names, &args.levels, model, labelling.level.as_ref())?;
    let beside = beside(output, &table, args.keep.as_ref(), columns, labels, of_columns)?;
    let writer = writers::create_beside(output, columns, beside)?;
    let (done, labels) = label_table(model, table, writer, &labelling, |done| bar.set_position(done))?;
    labels.place()?;
    bar.finish_and_clear();
    Ok(done)
}

/// Labels each file into one of its own; files that are labelled already are passed over. A file that cannot be used is reported, and does
/// not keep the others from being labelled.
fn label_shards(args: &PredictArgs, model: &Model, begin: Instant, talk: Talk) -> Result<()> {
    if args.embedding {
        return Err(Error::config("embedding", "asked for a folder", "used with -o FILE"));
    }
    let directory = Path::new(&args.output);
    let format = args.data.format.as_ref().map(PipeFormat::of_results);
    let mut shards = Shard::plan(objects::files(&args.data.files())?, directory, format)?;
    if let Some(part) = args.shard {
        shards = part.of(shards);
    }
    let hash = model_hash(&args.model)?;
    let options = shard_options(args);
    let (mut all, mut labelled, mut there, mut failed) = (Labelled::default(), 0, 0, 0);
    let mut shelf = Shelf::default();
    let mut bar = FilesBar::new(shards.len(), talk);
    for (before, shard) in shards.iter().enumerate() {
        interrupt::check()?;
        (bar.number, bar.rows) = (before + 1, all.rows);
        let of_columns = Talk { quiet: talk.quiet || labelled > 0 };
        let done = label_shard(args, model, shard, (&hash, &options), &mut shelf, of_columns, &bar);
        shelf.clear();
        match done {
            Ok(Some(done)) => {
                labelled += 1;
                all.rows += done.rows;
                all.skipped += done.skipped;
                all.abstained += done.abstained;
                all.outliers += done.outliers;
            }
            Ok(None) => there += 1,
            Err(error) if is_about_input(&error) => {
                failed += 1;
                speech::complain(error);
            }
            Err(error) => return Err(error),
        }
    }
    drop(bar);
    let files = counted(labelled, "file");
    speech::remark(talk, format_args!("{files} labelled into {}, {there} were there already", args.output));
    report(args, all, "labelled", begin, talk)?;
    match failed {
        0 => Ok(()),
        _ => Err(Error::data(
            &args.output,
            format!(
                "{failed} of {} could not be labelled, as said above, the others are: mend or remove them, and run it again",
                counted(shards.len() as u64, "file")
            ),
        )),
    }
}

/// Labels one file into one of its own; nothing where that is there already.
fn label_shard(
    args: &PredictArgs,
    model: &Model,
    shard: &Shard,
    (hash, options): (&str, &Value),
    shelf: &mut Shelf,
    of_columns: Talk,
    bar: &FilesBar,
) -> Result<Option<Labelled>> {
    let record = shard.record(hash, options)?;
    if shard.done(&record).is_some() {
        return Ok(None);
    }
    let output = shard.output.to_string_lossy();
    let read: Vec<_> = lists(&args.data.data).into_iter().chain([shard.input.clone(), args.model.clone()]).collect();
    check_outputs(&[("output", Some(&output))], &read)?;
    let input = shelf.take_in(&shard.input)?;
    let table = open(args, model, vec![input.to_string_lossy().into_owned()], true)?;
    check_width(model, &table)?;
    shard.make_folders()?;
    let bar = bar.rows_bar("labelling", table.row_count());
    let done = label(args, model, table, &shelf.room_for(&shard.output)?.to_string_lossy(), of_columns, bar)?;
    shelf.deliver()?;
    shard.write_record(record, done.rows)?;
    Ok(Some(done))
}

/// Whether an error is about one file of rows, so that others may do.
fn is_about_input(error: &Error) -> bool {
    match error {
        Error::Table(TableError::Io { action, .. }) => *action == "read",
        Error::Table(TableError::Data { .. } | TableError::NonFinite { .. } | TableError::Width { .. }) => true,
        _ => false,
    }
}

/// What was asked for that changes outputs, for their records.
fn shard_options(args: &PredictArgs) -> Value {
    let DataArgs { columns, exclude, label_column, header, on_null, .. } = &args.data;
    let mut options = json!({
        "proba": args.proba, "confidence": args.confidence, "names": args.names, "level": args.level, "levels": args.levels, "abstain": args.abstain,
        "keep": args.keep.as_ref().map(ToString::to_string), "columns": columns, "exclude": exclude, "label_column": label_column,
        "header": header, "on_null": on_null.map(|policy| policy.to_string()),
    });
    if let Some(options) = options.as_object_mut() {
        options.retain(|_, value| !(value.is_null() || *value == json!(false) || *value == json!([])));
    }
    options
}

/// Writes the spectral embedding of all rows in a stream.
fn embed(args: &PredictArgs, model: &Model, table: Table, begin: Instant, talk: Talk) -> Result<()> {
    let output = args.data.target(&args.output);
    let mut writer = writers::create_matrix(&output, model.embedding_columns()?)?;
    let bar = rows_bar("embedding", table.row_count(), talk);
    let mut done = Labelled::default();
    let chunk = args.batch.unwrap_or_else(|| chunk_rows(model.columns));
    let embed = |rows: ArrayView2<f32>| model.embedding(rows);
    read_ahead(table, chunk, embed, |embedding, skipped| {
        interrupt::check()?;
        writer.write(embedding.view())?;
        done.rows += embedding.nrows() as u64;
        done.skipped += skipped.len() as u64;
        bar.set_position(done.rows);
        Ok(())
    })?;
    writer.finish()?;
    bar.finish_and_clear();
    report(args, done, "embedded", begin, talk)
}

fn report(args: &PredictArgs, done: Labelled, what: &str, begin: Instant, talk: Talk) -> Result<()> {
    let seconds = begin.elapsed().as_secs_f64();
    let Labelled { rows, skipped, abstained, outliers } = done;
    if args.json {
        let peak = memory::peak();
        let output = &args.output;
        speech::answer(serde_json::json!({
            "rows": rows, "skipped": skipped, "abstained": abstained, "outliers": outliers, "seconds": seconds, "output": output, "peak_memory": peak,
        }))?;
    }
    tell_skipped(skipped, talk);
    if let Some(least) = args.abstain {
        let (count, beyond) = (HumanCount(abstained), HumanCount(outliers));
        let unsure = HumanCount(abstained - outliers);
        speech::remark(
            talk,
            format_args!(
                "{count} rows have no label (-1): {beyond} too far from any cluster, {unsure} with a membership below {least}"
            ),
        );
    }
    if args.output != "-" {
        let (count, rate) = (counted(rows - skipped, "row"), rate(rows, seconds));
        speech::remark(talk, format_args!("{count} {what} in {seconds:.1} s ({rate}) into {}", args.output));
    }
    Ok(())
}
