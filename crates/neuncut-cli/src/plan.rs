//! What was typed, resolved into what to do.

use crate::args::{BaseArgs, CompareArgs, DataArgs, FitArgs, SettingArgs, Talk};
use crate::progress::counted;
use crate::speech;
use crate::start_labels;
use crate::text_file;
use neuncut::data::writers::{self, Beside, Columns, Labels};
use neuncut::data::{ColumnNames, Keep, KeptColumns, OnNull, Table, TableSpec};
use neuncut::job::StartLabels;
use neuncut::methods::{Config, Method, Model, Start};
use neuncut::{Error, Result};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Threads that can be asked for: so many, or so many for each core where that is more.
const MOST_THREADS: usize = 64;
const THREADS_PER_CORE: usize = 4;

/// Sizes the thread pool.
pub fn use_threads(threads: Option<usize>) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = MOST_THREADS.max(THREADS_PER_CORE * cores);
    match threads {
        None => Ok(()),
        Some(0) => Err(Error::config("threads", 0, "at least 1")),
        Some(n) if n > most => {
            let must = format!("at most {most}: more than there are cores ({cores}) only stand in each other's way");
            Err(Error::config("threads", n, must))
        }
        Some(n) => rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build_global()
            .map_err(|e| Error::config("threads", n, format!("a number of threads this machine can start ({e})"))),
    }
}

/// Rows that are counted at a time.
const COUNTED_AT_ONCE: usize = 4096;

/// The table that was named.
pub fn table_spec(args: &DataArgs) -> TableSpec {
    TableSpec {
        paths: args.files(),
        columns: args.columns.clone(),
        exclude: args.exclude.clone(),
        fitted: None,
        label_column: args.label_column.clone(),
        header: args.header,
        image_size: None,
        image_shape: args.image_shape,
        on_null: args.on_null.unwrap_or_default(),
        shard: false,
        stream: args.stream.clone(),
    }
}

/// Tells which column the rows are, and which are left out, where that was found and not given.
pub fn tell_columns(table: &Table, talk: Talk) {
    if table.left_out().is_empty() {
        return;
    }
    let left_out = table.left_out().join(", ");
    match table.column_names() {
        ColumnNames::List(name) => {
            let width = table.width();
            speech::remark(
                talk,
                format_args!("rows are the lists of column {name} ({width} numbers each), beside {left_out}"),
            );
        }
        _ => speech::remark(talk, format_args!("columns left out: {left_out}; --columns takes them in")),
    }
}

/// Tells how many rows were skipped.
pub fn tell_skipped(skipped: u64, talk: Talk) {
    if skipped > 0 {
        let skipped = counted(skipped, "row");
        speech::remark(talk, format_args!("{skipped} skipped, in which values are missing (--on-null skip)"));
    }
}

/// What stands beside labels: columns of the table, where both are tables, and names of clusters, in the place of labels or beside them.
/// Columns with the name of a result get another one, which is told.
pub fn beside(
    target: &str,
    table: &Table,
    keep: Option<&Keep>,
    columns: Columns,
    labels: Labels,
    talk: Talk,
) -> Result<Beside> {
    if !labels.beside.is_empty() && !writers::is_table(target) {
        return Err(Error::config(
            "names",
            "given for npy",
            "left out, or used with csv, tsv, jsonl, parquet or arrow",
        ));
    }
    if !writers::is_table(target) {
        return match keep {
            Some(Keep::Nothing) | None => Ok(Beside::default()),
            Some(_) => {
                Err(Error::config("keep", "given for npy", "left out, or used with csv, tsv, jsonl, parquet or arrow"))
            }
        };
    }
    let mut kept = KeptColumns::open(table, keep.unwrap_or(&Keep::Scalars))?;
    for (name, other) in kept.iter_mut().flat_map(|kept| kept.avoid(&columns.names(&labels))) {
        speech::remark(
            talk,
            format_args!("column {name} of the data is written as {other}, beside the result of that name"),
        );
    }
    Ok(Beside { kept, labels: Labels { some_missing: table.on_null() == OnNull::Skip, ..labels } })
}

/// The configuration of a fit: the preset or file, with the flags over it, checked. Labels to start from say how many clusters there are.
pub fn fit_config(args: &FitArgs, earlier: Option<&Model>) -> Result<(Config, Option<StartLabels>)> {
    let mut config = args.settings.over(base_config(&args.base)?)?;
    let start = match config.method.neural_cut().map(|options| &options.init) {
        Some(Start::Labels(Some(path))) => Some(start_labels::read(path)?),
        _ => None,
    };
    if let Some(earlier) = earlier {
        if start.is_some() {
            return Err(Error::config("like", "given with --init labels", "left out, or --init: there is one start"));
        }
        if config.clusters == 0 && config.range.is_none() {
            config.clusters = earlier.n_alive();
        }
    }
    if let Some(start) = start.as_ref().filter(|_| config.range.is_none()) {
        config.clusters = start_labels::clusters(start, (config.clusters > 0).then_some(config.clusters))?;
    }
    let clusters = config.least_clusters();
    let config = checked(config, &args.settings);
    Ok((config.map_err(|error| too_few_rows(args, clusters).unwrap_or(error))?, start))
}

/// That there are fewer rows than clusters, which is what is wrong where other settings do not fit so many clusters either.
fn too_few_rows(args: &FitArgs, clusters: usize) -> Option<Error> {
    let mut table = Table::open(&table_spec(&args.data)).ok()?;
    let rows = table.row_count().or_else(|| rows_up_to(&mut table, clusters)).filter(|&rows| rows < clusters as u64)?;
    let remedy = format!("{clusters} clusters need at least as many rows; ask for fewer with -k");
    Some(Error::TooFewRows { what: table.name(), rows, needed: clusters as u64, remedy })
}

/// Rows of a table, counted up to this many; none where they cannot be read.
fn rows_up_to(table: &mut Table, most: usize) -> Option<u64> {
    let (mut rows, mut values) = (0, Vec::new());
    while rows < most {
        values.clear();
        match table.read(COUNTED_AT_ONCE, &mut values).ok()? {
            0 => break,
            read => rows += read,
        }
    }
    Some(rows as u64)
}

/// The configurations of all methods of a comparison: the file, with the flags over it, as far as each has such settings.
pub fn compare_configs(args: &CompareArgs) -> Result<Vec<Config>> {
    let mut methods: Vec<Method> = Vec::new();
    for method in args.methods.iter().filter_map(|name| Method::named(name)) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    args.settings.check_owners(&methods)?;
    let file: Map<String, Value> = match &args.config {
        Some(path) => text_file::read_toml(path, "config", "settings")?,
        None => Map::new(),
    };
    let mut unknown: BTreeSet<&String> = file.keys().filter(|key| *key != "method").collect();
    let mut configs = Vec::new();
    for method in methods {
        let config = Config::of(method, 0);
        let known = config.settings();
        unknown.retain(|key| !known.contains_key(*key));
        let own = file.iter().filter(|(key, _)| *key != "method" && known.contains_key(*key));
        let own = own.map(|(key, value)| (key.clone(), value.clone())).collect();
        let path = args.config.as_deref().unwrap_or(Path::new(""));
        let config = config.with_settings(own).map_err(|error| in_file(error, path))?;
        configs.push(with_number(checked(args.settings.where_known(config)?, &args.settings)?)?);
    }
    match unknown.first() {
        Some(key) => Err(Error::config((*key).clone(), "given", "left out: it is no setting of these methods")),
        None => Ok(configs),
    }
}

/// The configuration of a command that has a preset, a file and the flags of a fit, in this order.
pub fn command_config(base: &BaseArgs, settings: &SettingArgs) -> Result<Config> {
    with_number(checked(settings.over(base_config(base)?)?, settings)?)
}

/// Refuses a number of clusters that is yet to be chosen.
fn with_number(config: Config) -> Result<Config> {
    match config.range {
        Some(range) => Err(Error::config("k", range, "a number here: `neuncut choose` finds one")),
        None => Ok(config),
    }
}

fn base_config(base: &BaseArgs) -> Result<Config> {
    match (&base.config, base.preset.as_deref()) {
        (Some(path), _) => {
            let settings = text_file::read_toml(path, "config", "settings")?;
            Config::default().with_settings(settings).map_err(|error| in_file(error, path))
        }
        (None, Some("paper")) => Ok(Config::paper(0)),
        _ => Ok(Config::default()),
    }
}

/// An error about a setting, as one about the line of the file that holds it.
fn in_file(error: Error, path: &Path) -> Error {
    let Error::Config { field, .. } = &error else { return error };
    let text = text_file::read(path).unwrap_or_default();
    let line = 1 + text.lines().position(|line| line.trim_start().starts_with(&**field)).unwrap_or(0);
    Error::config("config", path.display(), format!("a TOML file of settings, but its line {line} is not: {error}"))
}

fn checked(config: Config, settings: &SettingArgs) -> Result<Config> {
    if config.clusters == 0 && config.range.is_none() && !settings.is_typed("clusters") {
        return Err(Error::config("k", "not given", "the number of clusters: add -k K, or -k auto to have it chosen"));
    }
    config.check()?;
    Ok(config)
}

/// Refuses two outputs in one place, and an output in place of a file that is read.
pub fn check_outputs(outputs: &[(&'static str, Option<&str>)], inputs: &[PathBuf]) -> Result<()> {
    let mut taken: Vec<(PathBuf, String)> =
        inputs.iter().map(|path| (place(path), "one of the files that are read".into())).collect();
    for &(field, path) in outputs {
        let Some(path) = path.filter(|path| !is_device(Path::new(path))) else { continue };
        let place = place(Path::new(path));
        if let Some((_, other)) = taken.iter().find(|(other, _)| *other == place) {
            return Err(Error::config(field, path, format!("a file of its own, not {other}")));
        }
        taken.push((place, format!("that of the {field}")));
    }
    Ok(())
}

/// One name for each file, however it is reached; the file itself need not exist.
fn place(path: &Path) -> PathBuf {
    let named_in = |directory: &Path| Some(directory.canonicalize().ok()?.join(path.file_name()?));
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    path.canonicalize().ok().or_else(|| named_in(directory)).unwrap_or_else(|| path.to_owned())
}

fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}
