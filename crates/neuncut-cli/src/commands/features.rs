//! `neuncut features`: rows become features, written to a file; the fitted steps can be kept and used again.

use crate::args::{FeaturesArgs, Talk};
use crate::labeling::{chunk_rows, read_ahead};
use crate::plan::{check_outputs, table_spec, tell_columns, tell_skipped};
use crate::progress::{FitProgress, rows_bar};
use crate::{interrupt, speech};
use ndarray::ArrayView2;
use neuncut::data::{AtomicFile, Table, TableSpec, place_all, writers};
use neuncut::features::{Chain, ChainOptions, FittedChain};
use neuncut::{Error, Result, TableError};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub fn run(mut args: FeaturesArgs, talk: Talk) -> Result<()> {
    let begin = Instant::now();
    let loaded = args.load.as_deref().map(FittedChain::load).transpose()?;
    let chain = take_chain(&mut args, loaded.as_ref())?;
    let spec = TableSpec { image_size: chain.leading_resize(), ..table_spec(&args.data) };
    let mut table = Table::open(&spec)?;
    let encoders = chain.files().map(PathBuf::from);
    let read: Vec<_> = table.paths().into_iter().chain(args.load.clone()).chain(encoders).collect();
    check_outputs(&[("output", Some(&args.output)), ("save", args.save.as_deref())], &read)?;
    tell_columns(&table, talk);
    let mut save = args.save.as_deref().map(AtomicFile::create).transpose()?;
    let fitted = match loaded {
        Some(fitted) => fitted,
        None => {
            let options = ChainOptions { seed: args.seed, ..Default::default() };
            chain.fit(&mut table, &options, &mut FitProgress::new(talk))?
        }
    };
    if table.width() != fitted.columns {
        return Err(Error::Table(TableError::Width {
            what: table.name(),
            given: table.width(),
            expected: fitted.columns,
            remedy: "give the columns the steps were fitted on (--columns, --label-column)".into(),
        }));
    }
    let width = fitted.pipeline.n_features(fitted.columns);
    let output = args.data.target(&args.output);
    let mut writer = writers::create_matrix(&output, width)?;
    let bar = rows_bar("features", table.row_count(), talk);
    let mut rows = 0;
    let transform = |chunk: ArrayView2<f32>| fitted.transform(chunk);
    let mut skipped = 0;
    read_ahead(table, chunk_rows(fitted.columns.max(width)), transform, |features, without| {
        skipped += without.len() as u64;
        interrupt::check()?;
        writer.write(features.view())?;
        rows += features.nrows() as u64;
        bar.set_position(rows);
        Ok(())
    })?;
    if let Some(file) = &mut save {
        fitted.write_to(file)?;
    }
    let (features, steps) = (writer.complete()?, save.map(AtomicFile::complete).transpose()?);
    place_all(std::iter::once(features).chain(steps))?;
    bar.finish_and_clear();
    tell_skipped(skipped, talk);
    if args.output != "-" {
        let seconds = begin.elapsed().as_secs_f64();
        speech::remark(talk, format_args!("{rows} rows of {width} features in {seconds:.1} s into {}", args.output));
    }
    Ok(())
}

/// The chain is the first argument. With `--load` it may be left out, and must be the loaded one where it is given.
fn take_chain(args: &mut FeaturesArgs, loaded: Option<&FittedChain>) -> Result<Chain> {
    let first = &args.data.data[0];
    if let Some(fitted) = loaded {
        match first.parse::<Chain>() {
            Err(_) => return Ok(fitted.chain.clone()),
            Ok(_) if Path::new(first).exists() => return Ok(fitted.chain.clone()),
            Ok(chain) if chain != fitted.chain => {
                return Err(Error::config(
                    "features",
                    &chain,
                    format!("{}, the steps that --load gives: leave it out", fitted.chain),
                ));
            }
            Ok(_) => {}
        }
    }
    let chain = args.data.data.remove(0).parse::<Chain>()?;
    if args.data.data.is_empty() {
        return Err(Error::config(
            "data",
            "not given",
            "files behind the chain: neuncut features CHAIN DATA... -o FILE",
        ));
    }
    Ok(chain)
}
