//! `neuncut fit`: clusters a sample of the rows and saves a model.

use crate::args::{FitArgs, Talk};
use crate::labeling::label_table;
use crate::plan::{fit_config, table_spec};
use crate::progress::{FitProgress, rows_bar};
use crate::{interrupt, report};
use neuncut::data::writers::{self, Columns};
use neuncut::data::{AtomicFile, Sample, Table, sample_rows};
use neuncut::neural_cut::{Model, NeuralCut};
use neuncut::train::History;
use neuncut::{Error, Result, Seed};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

pub fn run(args: FitArgs, talk: Talk) -> Result<()> {
    let begin = Instant::now();
    let config = fit_config(&args)?;
    let neural_cut = NeuralCut::new(config.clone())?;
    let spec = table_spec(&args.data);
    let mut table = Table::open(&spec)?;
    let labels_writer = args.labels_out.as_deref().map(|path| writers::create(path, Columns::Labels)).transpose()?;
    let model_file = AtomicFile::create(&args.output)?;
    let history_file = args.history.as_deref().map(|path| Ok((AtomicFile::create(path)?, path))).transpose()?;

    let sample = read_sample(&mut table, config.train_rows, config.seed, talk)?;
    let mut progress = FitProgress::new(talk);
    let mut model = neural_cut.fit_observed(sample.rows.view(), &mut progress)?.model;
    drop(progress);
    model.record.rows = sample.total;
    model.record.fingerprint = format!("{:016x}", sample.fingerprint);
    model.record.files = args.data.data.clone();

    if let Some(writer) = labels_writer {
        let bar = rows_bar("labelling", Some(sample.total), talk);
        label_table(&model, Table::open(&spec)?, writer, false, None, |done| bar.set_position(done))?;
        bar.finish_and_clear();
    }
    if let Some((file, path)) = history_file {
        write_history(file, path, &model.record.history)?;
    }
    model.write_to(model_file)?;

    let seconds = begin.elapsed().as_secs_f64();
    for warning in &model.record.diagnostics.warnings {
        eprintln!("neuncut: warning: {warning}");
    }
    if !talk.quiet {
        eprint!("{}", report::text::fit_summary(&model, seconds));
        eprintln!("model written to {}", args.output.display());
    }
    if args.json {
        println!("{}", summary_json(&model, seconds, &args.output));
    }
    Ok(())
}

fn read_sample(table: &mut Table, at_most: usize, seed: u64, talk: Talk) -> Result<Sample> {
    let bar = rows_bar("reading", table.row_count(), talk);
    let mut stopped = Ok(());
    let sample = sample_rows(table, at_most, &mut Seed(seed).stream("sample"), &mut |done| {
        bar.set_position(done);
        stopped = interrupt::check();
    })?;
    bar.finish_and_clear();
    stopped.map(|()| sample)
}

fn summary_json(model: &Model, seconds: f64, output: &Path) -> serde_json::Value {
    let mut summary = report::text::inspect_json(model);
    summary["seconds"] = seconds.into();
    summary["model"] = output.display().to_string().into();
    summary
}

fn write_history(mut file: AtomicFile, path: &Path, history: &[History]) -> Result<()> {
    let text = match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => history_csv(history),
        Some("json") => serde_json::to_string_pretty(history).map_err(|e| Error::data(path, e.to_string()))?,
        _ => return Err(Error::data(path, "has an ending that is not known: name it .json or .csv")),
    };
    file.write_all(text.as_bytes()).map_err(Error::io("write", path))?;
    file.commit()
}

/// One line an epoch and term.
fn history_csv(history: &[History]) -> String {
    let mut text = String::from("stage,epoch,learning_rate,term,value\n");
    for stage in history {
        for epoch in &stage.epochs {
            for (term, value) in stage.terms.iter().zip(&epoch.values) {
                let _ = writeln!(text, "{},{},{},{term},{value}", stage.stage, epoch.epoch, epoch.learning_rate);
            }
        }
    }
    text
}
