//! `neuncut deform`: deformed images without end, written out, or clustered in a stream: fitted on a sample, labelled as they are
//! made, scored against the classes they were made from. No file lies between.

use crate::args::{DeformArgs, Talk};
use crate::labeling::chunk_rows;
use crate::plan::{check_outputs, command_config, table_spec};
use crate::progress::{FitProgress, rows_bar};
use crate::watch::Truth;
use crate::{interrupt, memory, speech};
use ndarray::{Array2, ArrayView2};
use neuncut::data::synthetic::{Deformation, DeformedImages};
use neuncut::data::writers::{self, Columns};
use neuncut::data::{Table, place_all, sample_rows};
use neuncut::features::{ArrayRows, ChainOptions};
use neuncut::job::Job;
use neuncut::methods::{Config, Model};
use neuncut::metrics::{Scores, scores};
use neuncut::{Error, Result, Seed};
use std::path::PathBuf;
use std::time::Instant;

/// Rows that feature steps are fitted on where rows are written.
const CHAIN_ROWS: usize = 20_000;

pub fn run(args: DeformArgs, talk: Talk) -> Result<()> {
    let (images, read) = images(&args)?;
    match &args.output {
        Some(output) => write_rows(&args, images, read, output, talk),
        None => cluster(&args, images, talk),
    }
}

/// Reads the images and their classes; gives the files that were read as well.
fn images(args: &DeformArgs) -> Result<(DeformedImages, Vec<PathBuf>)> {
    if args.n == 0 {
        return Err(Error::config("rows", 0, "at least 1"));
    }
    let mut table = Table::open(&table_spec(&args.data))?;
    let shape = table.image_shape().ok_or_else(|| {
        let must = "images: idx files, npy files of shape (rows, height, width), or folders of PNG or JPEG";
        Error::config("data", format!("{}, whose rows are not images", table.name()), must)
    })?;
    let truth = Truth::read(&args.truth, None)?;
    let all = sample_rows(&mut table, usize::MAX, &mut Seed(0).stream("images"), &mut |_| interrupt::check())?;
    let classes = truth.of_rows(&all.indices, all.total, &args.truth)?;
    let usual = Deformation::default();
    let deformation = Deformation {
        shift: args.shift.unwrap_or(usual.shift),
        turn: args.turn.unwrap_or(usual.turn),
        elastic: args.elastic.unwrap_or(usual.elastic),
        ..usual
    };
    let images = DeformedImages::new(all.rows.view(), classes, shape, args.n, deformation, Seed(args.image_seed))?;
    let beside = [Some(args.truth.clone()), args.base.config.clone()];
    Ok((images, table.paths().into_iter().chain(beside.into_iter().flatten()).collect()))
}

/// Writes rows, or what the feature steps make of them.
fn write_rows(
    args: &DeformArgs,
    mut images: DeformedImages,
    mut read: Vec<PathBuf>,
    output: &str,
    talk: Talk,
) -> Result<()> {
    let Config { features, seed, .. } = args.settings.over(Config::default())?;
    read.extend(features.files().map(PathBuf::from));
    check_outputs(&[("output", Some(output)), ("truth-out", args.truth_out.as_deref())], &read)?;
    let sample = images.rows(&images.sample(CHAIN_ROWS, Seed(seed)));
    let options = ChainOptions { seed, ..Default::default() };
    let mut source = ArrayRows::new(sample.view(), Some(images.shape()));
    let fitted = features.fit(&mut source, &options, &mut FitProgress::new(talk))?;
    drop(sample);
    let mut writer = writers::create_matrix(output, fitted.pipeline.n_features(fitted.columns))?;
    let mut truth = args.truth_out.as_deref().map(|path| writers::create(path, Columns::Labels)).transpose()?;
    stream(&mut images, "writing", talk, |rows, classes| {
        writer.write(fitted.transform(rows)?.view())?;
        let classes: Vec<i32> = classes.iter().map(|&class| class as i32).collect();
        Ok(truth.as_mut().map_or(Ok(()), |out| out.write(&classes, None))?)
    })?;
    let (rows, truth) = (writer.complete()?, truth.map(|out| out.complete()).transpose()?);
    Ok(place_all(std::iter::once(rows).chain(truth))?)
}

/// Fits on a sample, labels all rows as they are made, and scores them.
fn cluster(args: &DeformArgs, mut images: DeformedImages, talk: Talk) -> Result<()> {
    let begin = Instant::now();
    let config = command_config(&args.base, &args.settings)?;
    if !config.method.labels_new_rows() {
        return Err(Error::config("method", &config.method, "one that labels new rows, or rows written with -o"));
    }
    let sample = images.rows(&images.sample(config.train_rows(), Seed(config.seed)));
    let model = fit(&config, sample, &images, talk)?;
    let fit_seconds = begin.elapsed().as_secs_f64();

    let begin = Instant::now();
    let (mut found, mut truth) = (Vec::new(), Vec::new());
    stream(&mut images, "labelling", talk, |rows, classes| {
        found.extend(model.predict(rows)?);
        truth.extend_from_slice(classes);
        Ok(())
    })?;
    let label_seconds = begin.elapsed().as_secs_f64();
    answer(args, &scores(&found, &truth)?, fit_seconds, label_seconds)
}

fn answer(args: &DeformArgs, scores: &Scores, fit_seconds: f64, label_seconds: f64) -> Result<()> {
    let rate = args.n as f64 / label_seconds;
    let peak = memory::peak();
    if args.json {
        return speech::answer(serde_json::json!({
            "rows": args.n, "accuracy": scores.accuracy, "nmi": scores.nmi, "ari": scores.ari, "fit_seconds": fit_seconds,
            "label_seconds": label_seconds, "rows_a_second": rate, "peak_memory": peak,
        }));
    }
    let peak = peak.map_or("unknown".into(), |bytes| format!("{} MB", bytes / 1_000_000));
    speech::answer(format_args!(
        "ACC {:.4}  NMI {:.4}  ARI {:.4}   fitted in {fit_seconds:.1} s, {} rows made and labelled in {label_seconds:.1} s \
         ({rate:.0} a second), peak memory {peak}",
        scores.accuracy, scores.nmi, scores.ari, args.n
    ))
}

/// A model of a sample of raw images.
fn fit(config: &Config, sample: Array2<f32>, images: &DeformedImages, talk: Talk) -> Result<Model> {
    let mut progress = FitProgress::new(talk);
    let mut rows = ArrayRows::new(sample.view(), Some(images.shape()));
    let outcome = Job::new(config.clone())?.run(&mut rows, &mut progress)?;
    outcome.model.ok_or_else(|| Error::config("method", &config.method, "one that leaves a model"))
}

/// Hands all rows, as they are made, and their classes to `consume`.
fn stream(
    images: &mut DeformedImages,
    what: &'static str,
    talk: Talk,
    mut consume: impl FnMut(ArrayView2<f32>, &[u32]) -> Result<()>,
) -> Result<()> {
    images.rewind();
    let bar = rows_bar(what, Some(images.total()), talk);
    let width = images.shape().len();
    let (mut rows, mut done) = (Vec::new(), 0);
    loop {
        interrupt::check()?;
        rows.clear();
        let count = images.read(chunk_rows(width), &mut rows);
        if count == 0 {
            break;
        }
        let classes: Vec<u32> = (done..done + count as u64).map(|row| images.class(row)).collect();
        let view = ArrayView2::from_shape((count, width), &rows).map_err(|e| Error::Degenerate(e.to_string()))?;
        consume(view, &classes)?;
        done += count as u64;
        bar.set_position(done);
    }
    bar.finish_and_clear();
    Ok(())
}
