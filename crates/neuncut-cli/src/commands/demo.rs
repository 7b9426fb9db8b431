//! `neuncut demo`: the main job on built-in shapes, with pictures.

use crate::args::{DemoArgs, Talk};
use crate::commands::fit::MAP_ROWS;
use crate::progress::{FitProgress, RowsBar, rows_bar};
use crate::report::page::{LookAt, Page};
use crate::report::{Series, learning_curves, scatter};
use crate::watch::{EpochScores, Truth, Watch};
use crate::{interrupt, speech, text_file};
use ndarray::{Array2, ArrayView2};
use neuncut::data::Sample;
use neuncut::data::synthetic::{Generator, Shape};
use neuncut::features::ArrayRows;
use neuncut::job::Job;
use neuncut::methods::{Auto, Config, Model};
use neuncut::metrics::{Scores, scores};
use neuncut::{Error, Result, Seed};
use std::path::Path;
use std::time::Instant;

/// Rows that are fitted.
const TRAIN_ROWS: usize = 10_000;
/// Rows labelled at a time.
const CHUNK: u64 = 1 << 16;
/// Points in a picture.
const DRAWN: usize = 4000;

pub fn run(args: DemoArgs, talk: Talk) -> Result<()> {
    std::fs::create_dir_all(&args.out).map_err(Error::io("create", &args.out))?;
    for name in ["rings", "double-c"] {
        let shape: Shape = name.parse()?;
        let outcome = one_shape(name, &shape, &args, talk)?;
        if args.json {
            speech::answer(serde_json::json!({
                "shape": name, "rows": args.rows, "accuracy": outcome.scores.accuracy, "nmi": outcome.scores.nmi,
                "ari": outcome.scores.ari, "fit_seconds": outcome.fit_seconds, "label_seconds": outcome.label_seconds,
            }))?;
        } else {
            speech::answer(format_args!(
                "{name:<9} ACC {:.5}  NMI {:.4}  ARI {:.4}   fitted on {} rows in {:.1} s, {} rows labelled in {:.1} s ({:.0} per second)",
                outcome.scores.accuracy,
                outcome.scores.nmi,
                outcome.scores.ari,
                TRAIN_ROWS.min(args.rows as usize),
                outcome.fit_seconds,
                args.rows,
                outcome.label_seconds,
                args.rows as f64 / outcome.label_seconds
            ))?;
        }
    }
    speech::remark(talk, format_args!("pictures, pages and models are in {}", args.out.display()));
    Ok(())
}

struct Outcome {
    scores: Scores,
    fit_seconds: f64,
    label_seconds: f64,
}

fn one_shape(name: &str, shape: &Shape, args: &DemoArgs, talk: Talk) -> Result<Outcome> {
    let seed = Seed(args.seed);
    let begin = Instant::now();
    // rows of the stream are independent draws, so its first ones are a uniform sample
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    let mut generator = shape.generator(None, seed)?;
    generator.fill(TRAIN_ROWS.min(args.rows as usize), &mut rows, &mut truth);
    let train_rows = Auto::Given(truth.len());
    let config = Config { seed: args.seed, train_rows, ..Config::new(generator.n_classes()) };
    let classes: Vec<u32> = truth.iter().map(|&class| class as u32).collect();
    // the classes are for the page: the fit gets rows alone
    let mut watch = Watch::new(FitProgress::new(talk), Some(&classes));
    let fitted = view(&rows, generator.dimension())?;
    let outcome = Job::new(config)?.run(&mut ArrayRows::new(fitted, None), &mut watch)?;
    let model = outcome.model.expect("a neural cut leaves a model");
    let epochs = std::mem::take(&mut watch.scores);
    drop(watch);
    let fit_seconds = begin.elapsed().as_secs_f64();
    model.save(&args.out.join(format!("{name}.safetensors")))?;
    let names = (0..generator.n_classes()).map(|class| class.to_string()).collect();
    let page = page(&model, fitted.to_owned(), Truth { classes, names }, &epochs, talk)?;
    text_file::write(&args.out.join(format!("{name}.html")), &page)?;

    let begin = Instant::now();
    let bar = rows_bar("labelling", Some(args.rows), talk);
    let labelled = label_stream(&model, shape.generator(None, seed)?, args.rows, &bar)?;
    bar.finish_and_clear();
    let label_seconds = begin.elapsed().as_secs_f64();
    let scores = scores(&labelled.found, &labelled.truth)?;

    let points: Vec<[f32; 2]> = labelled.first_rows.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
    let drawn: Vec<i32> = labelled.found.iter().take(points.len()).map(|&l| l as i32).collect();
    let subtitle = format!("{} rows labelled, ACC {:.4}; {} drawn", args.rows, scores.accuracy, points.len());
    text_file::write(&args.out.join(format!("{name}.svg")), &scatter(&points, &drawn, name, &subtitle))?;
    text_file::write(&args.out.join(format!("{name}-curves.svg")), &curves(&model, name))?;
    Ok(Outcome { scores, fit_seconds, label_seconds })
}

/// A page about the rows that were fitted.
fn page(model: &Model, rows: Array2<f32>, truth: Truth, epochs: &[EpochScores], talk: Talk) -> Result<String> {
    let total = rows.nrows() as u64;
    let sample = Sample { rows, indices: (0..total).collect(), total, fingerprint: 0 };
    let known = Some((&truth, Path::new("the made rows")));
    let look = LookAt { model, truth: known, text: None, is_fitted: true, sample: total as usize, map: MAP_ROWS, talk }
        .look_at(&sample, None, None)?;
    Page { model, look: &look, scores: epochs }.html()
}

struct Labelled {
    found: Vec<u32>,
    truth: Vec<u32>,
    first_rows: Vec<f32>,
}

fn label_stream(model: &Model, mut generator: Generator, n: u64, bar: &RowsBar) -> Result<Labelled> {
    let mut labelled = Labelled { found: Vec::new(), truth: Vec::new(), first_rows: Vec::new() };
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    while (labelled.found.len() as u64) < n {
        interrupt::check()?;
        rows.clear();
        truth.clear();
        generator.fill(CHUNK.min(n - labelled.found.len() as u64) as usize, &mut rows, &mut truth);
        if labelled.first_rows.is_empty() {
            labelled.first_rows = rows[..rows.len().min(2 * DRAWN)].to_vec();
        }
        labelled.found.extend(model.predict(view(&rows, generator.dimension())?)?);
        labelled.truth.extend(truth.iter().map(|&label| label as u32));
        bar.set_position(labelled.found.len() as u64);
    }
    Ok(labelled)
}

fn view(rows: &[f32], width: usize) -> Result<ArrayView2<'_, f32>> {
    ArrayView2::from_shape((rows.len() / width, width), rows).map_err(|e| Error::Degenerate(e.to_string()))
}

/// The learning curves of the training on the cut.
fn curves(model: &Model, name: &str) -> String {
    let Some(stage) = model.record.history.last() else { return String::new() };
    let column = |t: usize| -> Vec<f64> { stage.epochs.iter().map(|epoch| epoch.values[t]).collect() };
    let terms: Vec<Vec<f64>> = (0..stage.terms.len()).map(column).collect();
    let rates: Vec<f64> = stage.epochs.iter().map(|epoch| epoch.learning_rate).collect();
    let label = |term: &str| match term {
        "lap" => "L_lap",
        "orth" => "L_orth",
        _ => "total loss",
    };
    let mut series: Vec<Series> =
        stage.terms.iter().zip(&terms).map(|(t, values)| Series { name: label(t), values }).collect();
    series.push(Series { name: "learning rate", values: &rates });
    let batch = model.config.method.network().map_or(TRAIN_ROWS, |network| network.rows_per_batch());
    let per_epoch = (TRAIN_ROWS / batch).max(1);
    learning_curves(&series, per_epoch, "step", (&format!("{name}: training on the cut"), "mean of each epoch"))
}
