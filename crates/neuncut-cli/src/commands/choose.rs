//! `neuncut choose`: how many clusters there are, found without labels.

use crate::args::{ChooseArgs, Talk};
use crate::plan::{check_outputs, table_spec, tell_columns};
use crate::progress::FitProgress;
use crate::report::{count_picture, count_table};
use crate::{memory, speech, text_file};
use neuncut::data::{Table, TableSpec};
use neuncut::job::Job;
use neuncut::{Config, Error, Result};
use std::path::Path;
use std::time::Instant;

pub fn run(args: ChooseArgs, talk: Talk) -> Result<()> {
    let begin = Instant::now();
    if let Some(k) = args.range.single() {
        return Err(Error::config("k", k, "auto or a range such as 5..40: one number leaves nothing to choose"));
    }
    let config = Config {
        range: Some(args.range),
        features: args.features.clone(),
        representation: args.representation,
        train_rows: args.train_rows,
        seed: args.seed,
        ..Config::default()
    };
    let spec = TableSpec { image_size: config.features.leading_resize(), ..table_spec(&args.data) };
    let job = Job::new(config)?;
    let mut table = Table::open(&spec)?;
    let name = |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
    let (list, svg) = (name(&args.table), name(&args.svg));
    check_outputs(&[("table", list.as_deref()), ("svg", svg.as_deref())], &table.paths())?;
    check_ending("table", args.table.as_deref(), &["csv", "json"])?;
    check_ending("svg", args.svg.as_deref(), &["svg"])?;
    tell_columns(&table, talk);
    let (found, rows) = job.choose(&mut table, &mut FitProgress::new(talk)).map_err(too_few)?;
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(path) = &args.table {
        let text = match path.extension().is_some_and(|ending| ending == "json") {
            true => format!("{:#}\n", serde_json::json!(found)),
            false => count_table::csv(&found),
        };
        text_file::write(path, &text)?;
    }
    if let Some(path) = &args.svg {
        text_file::write(path, &count_picture(&found, &table.name()))?;
    }
    if args.json {
        let peak = memory::peak();
        return speech::answer(serde_json::json!({
            "clusters": found.chosen(), "findings": found, "rows": rows, "seconds": seconds, "peak_memory": peak,
        }));
    }
    speech::answer(count_table::text(&found))?;
    speech::remark(talk, format_args!("{rows} rows in {seconds:.1} s"));
    Ok(())
}

/// Refuses a file that would hold something else than its name says.
fn check_ending(field: &'static str, path: Option<&Path>, endings: &[&str]) -> Result<()> {
    match path {
        Some(path) if !path.extension().is_some_and(|own| endings.iter().any(|ending| own == *ending)) => {
            let must = format!("a name that ends in .{}", endings.join(" or ."));
            Err(Error::config(field, path.display(), must))
        }
        _ => Ok(()),
    }
}

/// What to do about too few rows: this command has no number to give.
fn too_few(mut error: Error) -> Error {
    if let Error::TooFewRows { remedy, .. } = &mut error {
        *remedy =
            "numbers of clusters are compared by rows of each; `neuncut fit -k K` fits a number of your own".into();
    }
    error
}
