//! `neuncut edit`: clusters merged, split and dropped by hand.

use crate::args::{EditArgs, Talk};
use crate::plan::check_outputs;
use crate::progress::FitProgress;
use crate::speech;
use neuncut::data::{Table, TableSpec, expand, lists, sample_rows};
use neuncut::methods::Model;
use neuncut::{Error, Result, Seed};
use std::path::PathBuf;

/// Most rows that a split looks at.
const ROWS: usize = 20_000;

pub fn run(args: EditArgs, talk: Talk) -> Result<()> {
    if args.merge.is_empty() && args.split.is_empty() && args.drop.is_empty() && !args.renumber {
        return Err(Error::Request("nothing to do: give --merge, --split, --drop or --renumber".into()));
    }
    check_once(&args)?;
    let mut read: Vec<PathBuf> = if args.data.is_empty() { Vec::new() } else { expand(&args.data)? };
    read.extend(lists(&args.data).into_iter().chain([args.model.clone()]));
    check_outputs(&[("output", Some(&*args.output.to_string_lossy()))], &read)?;
    let mut model = Model::load(&args.model)?;
    let before = model.n_alive();
    args.merge.iter().try_for_each(|clusters| model.merge(&clusters.0))?;
    split(&mut model, &args, talk)?;
    args.drop.iter().try_for_each(|&cluster| model.drop_cluster(cluster))?;
    if args.renumber {
        model.renumber();
    }
    model.save(&args.output)?;
    let after = model.n_alive();
    speech::remark(talk, format_args!("{before} clusters became {after}; model written to {}", args.output.display()));
    Ok(())
}

/// Refuses to drop or to split what is merged: it is then one cluster with others.
fn check_once(args: &EditArgs) -> Result<()> {
    let again = args.drop.iter().map(|&cluster| ("drop", cluster));
    let again = again.chain(args.split.iter().map(|parts| ("split", parts.cluster)));
    for (what, cluster) in again {
        if let Some(merged) = args.merge.iter().find(|merged| merged.0.contains(&cluster)) {
            let others: Vec<String> = merged.0.iter().map(u32::to_string).collect();
            let must =
                format!("a cluster that is not merged by the same command: --merge {} makes it one", others.join(","));
            return Err(Error::config(what, cluster, must));
        }
    }
    Ok(())
}

/// Splits clusters by a sample of the rows.
fn split(model: &mut Model, args: &EditArgs, talk: Talk) -> Result<()> {
    if args.split.is_empty() {
        return Ok(());
    }
    let spec = TableSpec {
        paths: args.data.clone(),
        fitted: Some(model.column_names.clone()),
        image_size: model.config.features.leading_resize(),
        ..Default::default()
    };
    let mut table = Table::open(&spec)?;
    crate::labeling::check_width(model, &table)?;
    let mut rng = Seed(args.seed).stream("sample");
    let sample = sample_rows::<Error>(&mut table, ROWS, &mut rng, &mut |_| crate::interrupt::check())?;
    for parts in &args.split {
        let mut progress = FitProgress::new(talk);
        let done = model.split(parts.cluster, parts.count, sample.rows.view(), args.seed, &mut progress)?;
        drop(progress);
        let numbers: Vec<String> = done.parts.iter().map(u32::to_string).collect();
        let sizes: Vec<String> = done.sizes.iter().map(usize::to_string).collect();
        let (numbers, sizes) = (list(&numbers), list(&sizes));
        speech::remark(talk, format_args!("cluster {} was split into {numbers} ({sizes} rows)", parts.cluster));
    }
    Ok(())
}

/// Words with commas between them, and `and` before the last.
fn list(words: &[String]) -> String {
    match words {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => words.concat(),
    }
}
