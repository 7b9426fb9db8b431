//! What was typed, resolved into what to do.

use crate::args::{CompareArgs, DataArgs, FitArgs, MethodArgs, Talk, TrainingArgs};
use crate::speech;
use crate::start_labels::{self, Init};
use crate::text_file;
use neuncut::data::writers::{self, Beside};
use neuncut::data::{ColumnNames, Keep, KeptColumns, Table, TableSpec};
use neuncut::ensemble::EnsembleOptions;
use neuncut::job::StartLabels;
use neuncut::neural_cut::{Config, Start};
use neuncut::{Error, Result};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Sizes the thread pool.
pub fn use_threads(threads: Option<usize>) -> Result<()> {
    match threads {
        None => Ok(()),
        Some(0) => Err(Error::config("threads", 0, "at least 1")),
        Some(n) => rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build_global()
            .map_err(|e| Error::config("threads", n, format!("a number of threads this machine can start ({e})"))),
    }
}

/// The table that was named.
pub fn table_spec(args: &DataArgs) -> TableSpec {
    TableSpec {
        paths: args.data.clone(),
        columns: args.columns.clone(),
        exclude: args.exclude.clone(),
        fitted: None,
        label_column: args.label_column.clone(),
        header: args.header,
        image_size: None,
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

/// What stands beside labels: columns of the table, where both are tables, and names of clusters.
pub fn beside(target: &str, table: &Table, keep: Option<&Keep>, names: &[String]) -> Result<Beside> {
    if !writers::is_table(target) {
        return match keep {
            Some(Keep::Nothing) | None => Ok(Beside::default()),
            Some(_) => Err(Error::config("keep", "given for npy", "left out, or used with csv, tsv, parquet or arrow")),
        };
    }
    let kept = KeptColumns::open(table, keep.unwrap_or(&Keep::Scalars))?;
    Ok(Beside { kept, names: names.to_vec() })
}

/// The configuration of a fit: the preset or file, with the flags over it, checked. Given labels say how many clusters there are.
pub fn fit_config(args: &FitArgs, start: Option<&StartLabels>) -> Result<Config> {
    let mut config = base_config(args.config.as_deref(), args.preset.as_deref())?;
    set(&mut config.stability, args.stability.map(usize::from));
    let k = match start {
        Some(start) => {
            Some(start_labels::clusters(start, args.k.or((config.clusters > 0).then_some(config.clusters)))?)
        }
        None => args.k,
    };
    with_flags(config, k, &args.method, &args.training)
}

/// The configuration that all methods of a comparison share: the file, with the flags over it, checked.
pub fn compare_config(args: &CompareArgs) -> Result<Config> {
    command_config(args.config.as_deref(), None, args.k, &args.method, &args.training)
}

/// The configuration of a command that has a preset, a file and the flags of a fit, in this order.
pub fn command_config(
    file: Option<&Path>,
    preset: Option<&str>,
    k: Option<usize>,
    method: &MethodArgs,
    training: &TrainingArgs,
) -> Result<Config> {
    with_flags(base_config(file, preset)?, k, method, training)
}

fn base_config(file: Option<&Path>, preset: Option<&str>) -> Result<Config> {
    match (file, preset) {
        (Some(path), _) => text_file::read_toml(path, "config", "settings"),
        (None, Some("paper")) => Ok(Config::paper(0)),
        _ => Ok(Config::default()),
    }
}

fn with_flags(mut config: Config, k: Option<usize>, method: &MethodArgs, training: &TrainingArgs) -> Result<Config> {
    if let Some(k) = k {
        config.clusters = k;
    } else if config.clusters == 0 {
        return Err(Error::config("k", "not given", "the number of clusters: add -k K"));
    }
    apply_method(&mut config, method)?;
    apply_training(&mut config, training)?;
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

fn apply_method(config: &mut Config, args: &MethodArgs) -> Result<()> {
    set_word(&mut config.method, "method", &args.method)?;
    set_word(&mut config.objective, "objective", &args.objective)?;
    set_word(&mut config.rounding, "rounding", &args.rounding)?;
    set_word(&mut config.row_norm, "row-norm", &args.row_norm)?;
    set_word(&mut config.graph, "graph", &args.graph)?;
    set_word(&mut config.senet_size, "senet-size", &args.senet_size)?;
    set_word(&mut config.penalty, "penalty", &args.penalty)?;
    set_word(&mut config.volumes, "volumes", &args.volumes)?;
    match &args.init {
        Some(Init::Word(word)) => set_word(&mut config.init, "init", &Some(word.clone()))?,
        Some(Init::Labels(_)) => config.init = Start::Labels,
        None => {}
    }
    if let Some(chain) = &args.features {
        config.features = chain.parse()?;
    }
    set(&mut config.eigenvectors, args.eigenvectors);
    set(&mut config.restarts, args.restarts);
    set(&mut config.affinity, args.affinity.clone());
    set(&mut config.senet_layers, args.senet_layers.clone());
    set(&mut config.senet_steps, args.senet_steps);
    set(&mut config.senet_block, args.senet_block);
    config.keep_affinity |= args.keep_affinity;
    set(&mut config.sigma, args.sigma);
    set(&mut config.neighbors, args.neighbors);
    set(&mut config.ridge, args.ridge);
    set(&mut config.gamma, args.gamma);
    set(&mut config.representation, args.representation);
    set(&mut config.landmarks, args.landmarks);
    config.guard &= !args.no_guard;
    for constant in &args.ensemble {
        set_constant(&mut config.ensemble, constant)?;
    }
    Ok(())
}

/// Sets one constant of the ensemble from `KEY=VALUE`.
fn set_constant(options: &mut EnsembleOptions, text: &str) -> Result<()> {
    let wrong =
        |why: String| Error::config("ensemble", text, format!("KEY=VALUE with a constant of the start ({why})"));
    let (key, value) = text.split_once('=').ok_or_else(|| wrong("there is no =".into()))?;
    let mut table = toml::Table::try_from(&*options).map_err(|e| wrong(e.to_string()))?;
    let given: toml::Table =
        toml::from_str(&format!("value = {value}")).map_err(|_| wrong(format!("{value} is no number or list")))?;
    table.extend(given.into_iter().map(|(_, value)| (key.to_owned(), value)));
    *options = table.try_into().map_err(|e: toml::de::Error| wrong(e.message().into()))?;
    Ok(())
}

fn apply_training(config: &mut Config, args: &TrainingArgs) -> Result<()> {
    set_word(&mut config.device, "device", &args.device)?;
    set(&mut config.train_rows, args.train_rows);
    set(&mut config.batch, args.batch);
    set(&mut config.epochs, args.epochs);
    set(&mut config.hidden, args.hidden.clone());
    set(&mut config.lr, args.lr);
    set(&mut config.weight_decay, args.weight_decay);
    set(&mut config.seed, args.seed);
    Ok(())
}

fn set<T>(field: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *field = value;
    }
}

/// Sets a field whose values are words, by the names they have in configuration files.
fn set_word<T: DeserializeOwned>(field: &mut T, name: &'static str, given: &Option<String>) -> Result<()> {
    if let Some(word) = given {
        *field = serde_json::from_value(serde_json::Value::String(word.clone()))
            .map_err(|e| Error::config(name, word, e.to_string()))?;
    }
    Ok(())
}
