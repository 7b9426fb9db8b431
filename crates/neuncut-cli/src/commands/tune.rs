//! `neuncut tune`: the penalty's weight, found without labels.

use super::fit::{inputs, read_graph};
use crate::args::{Talk, TuneArgs};
use crate::plan::{check_outputs, command_config, table_spec, tell_columns};
use crate::progress::FitProgress;
use crate::report::gamma_picture;
use crate::{speech, text_file};
use neuncut::data::{Table, TableSpec};
use neuncut::job::Job;
use neuncut::methods::Start;
use neuncut::methods::neural_cut::tune::{GAMMAS, GammaSweep};
use neuncut::{Error, Result};
use std::fmt::Write;
use std::time::Instant;

pub fn run(args: TuneArgs, talk: Talk) -> Result<()> {
    let begin = Instant::now();
    let config = command_config(&args.base, &args.settings)?;
    if config.method.neural_cut().is_some_and(|options| matches!(options.init, Start::Labels(_))) {
        return Err(Error::config("init", "labels", "a start that tune can find: leave it out"));
    }
    let mut job = Job::new(config.clone())?;
    let spec = TableSpec { image_size: config.features.leading_resize(), ..table_spec(&args.data) };
    let mut table = Table::open(&spec)?;
    let svg = args.svg.as_ref().map(|path| path.to_string_lossy());
    let read: Vec<_> = inputs(&config, &table).into_iter().chain(args.base.config.clone()).collect();
    check_outputs(&[("svg", svg.as_deref())], &read)?;
    tell_columns(&table, talk);
    job.graph = read_graph(&config)?;
    let gammas = args.gammas.as_deref().unwrap_or(&GAMMAS);
    let (sweep, rows) = job.tune(&mut table, gammas, &mut FitProgress::new(talk))?;
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(path) = &args.svg {
        text_file::write(path, &gamma_picture(&sweep, &table.name()))?;
    }
    if args.json {
        let peak = crate::memory::peak();
        let answer = serde_json::json!({
            "gamma": sweep.threshold, "sweep": sweep, "rows": rows, "seconds": seconds, "peak_memory": peak,
            "config": config,
        });
        return speech::answer(answer);
    }
    speech::answer(table_of(&sweep))?;
    speech::remark(talk, format_args!("{rows} rows, {} fits in {seconds:.1} s", sweep.points.len()));
    Ok(())
}

/// All values that were tried, and the one that was chosen.
fn table_of(sweep: &GammaSweep) -> String {
    let mut text = String::from("    gamma   L_lap  L_orth  clusters\n");
    for point in &sweep.points {
        let chosen = if point.gamma == sweep.threshold { "  <- threshold" } else { "" };
        let gamma = format!("{}", point.gamma);
        let _ = writeln!(text, "{gamma:>9}  {:.4}  {:.4}  {:>8}{chosen}", point.lap, point.orth, point.live_clusters);
    }
    let _ = writeln!(text, "gamma {}", sweep.threshold);
    text
}
