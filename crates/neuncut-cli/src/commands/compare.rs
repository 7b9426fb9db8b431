//! `neuncut compare`: several methods on the same rows and features, as one experiment of the user's own.

use super::fit::read_graph;
use crate::args::{CompareArgs, DataArgs, Talk};
use crate::experiment::file::Kind;
use crate::experiment::job::Job;
use crate::experiment::measure::Bench;
use crate::experiment::record::{RecordFile, RunId};
use crate::experiment::runner::Runner;
use crate::experiment::sets::{SetData, SetSpec};
use crate::objects;
use crate::plan::{compare_configs, table_spec};
use crate::process::Program;
use crate::progress::rows_bar;
use crate::report::comparison::Comparison;
use crate::{interrupt, speech, text_file};
use neuncut::data::{Table, TableSpec, read_labels, sample_rows};
use neuncut::metrics::encode;
use neuncut::{Config, Error, Result, Seed};
use std::path::PathBuf;
use std::sync::Arc;

pub fn run(args: CompareArgs, threads: Option<usize>, talk: Talk) -> Result<()> {
    if let Some(method) = args.settings.method() {
        return Err(Error::config("method", method, "named in --methods: compare runs several"));
    }
    if args.seeds == 0 {
        return Err(Error::config("seeds", 0, "at least 1"));
    }
    let configs = compare_configs(&args)?;
    let config = configs.first().ok_or_else(|| Error::config("methods", "none", "one method at least"))?;
    let data = Arc::new(data(&args, &configs, talk)?);
    std::fs::create_dir_all(&args.out).map_err(Error::io("create", &args.out))?;
    let mut jobs = Vec::new();
    for config in &configs {
        for seed in (0..args.seeds).map(|s| config.seed + s) {
            let id = RunId { group: String::new(), row: config.method.name().into(), set: "data".into(), seed };
            let config = Config { seed, ..config.clone() };
            jobs.push(Job { id, kind: Kind::Fit, config, data: Arc::clone(&data), subset: None, quick: false });
        }
    }
    let bench = Bench { program: Program { threads }, cache: &args.out, feature_seed: config.seed, pictures: None };
    let runner = Runner { bench, jobs: 1, source: &args.out, talk };
    let records = runner.run(&jobs, &RecordFile::new(args.out.join("runs.jsonl")))?;
    let comparison = Comparison::new(objects::public_names(&args.data.data), config.clusters, data.rows, records);
    for (name, text) in [
        ("compare.md", comparison.markdown()),
        ("compare.csv", comparison.csv()),
        ("compare.json", format!("{:#}\n", comparison.json())),
    ] {
        text_file::write(&args.out.join(name), &text)?;
    }
    speech::remark(talk, format_args!("tables and records are in {}", args.out.display()));
    if args.json { speech::answer(comparison.json()) } else { speech::answer(comparison.markdown()) }
}

/// Reads the data once, and the user's graph, for size and fingerprint.
fn data(args: &CompareArgs, configs: &[Config], talk: Talk) -> Result<SetData> {
    let truth = encode(&read_labels(&args.truth, args.truth_column.as_deref())?);
    let config = &configs[0]; // what all methods share
    let image_size = config.features.leading_resize();
    let mut table = Table::open(&TableSpec { image_size, ..table_spec(&args.data) })?;
    let bar = rows_bar("reading", table.row_count(), talk);
    let sample = sample_rows(&mut table, 1, &mut Seed(0).stream("compare"), &mut |done| {
        bar.set_position(done);
        interrupt::check()
    })?;
    bar.finish_and_clear();
    if sample.total != truth.len() as u64 {
        let problem = format!(
            "has {} classes, but {} has {} rows: give the truth of the same rows in the same order",
            truth.len(),
            table.name(),
            sample.total
        );
        return Err(Error::data(&args.truth, problem));
    }
    let mut fingerprint = format!("{:016x}", sample.fingerprint);
    let graphs = configs.iter().map(read_graph).collect::<Result<Vec<_>>>()?;
    if let Some(graph) = graphs.into_iter().flatten().next() {
        fingerprint += &format!("-{:016x}", graph.fingerprint());
    }
    Ok(SetData {
        name: "data".into(),
        spec: SetSpec { clusters: config.clusters, ..Default::default() },
        files: arguments(&args.data),
        truth_file: PathBuf::new(),
        truth,
        rows: sample.total,
        fingerprint,
    })
}

/// The data as the runs are told it.
fn arguments(args: &DataArgs) -> Vec<String> {
    let mut words = args.files();
    let mut flag = |name: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [name.to_string(), value]));
    };
    flag("--columns", args.columns.as_ref().map(|columns| columns.join(",")));
    flag("--exclude", (!args.exclude.is_empty()).then(|| args.exclude.join(",")));
    flag("--on-null", args.on_null.map(|policy| policy.to_string()));
    flag("--image-shape", args.image_shape.map(|shape| shape.to_string()));
    flag("--label-column", args.label_column.clone());
    flag("--header", args.header.map(|header| header.to_string()));
    words
}
