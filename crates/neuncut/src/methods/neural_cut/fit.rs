//! A fit of neural normalized cut: what it is given, checked, and as many fits as are asked for.

use super::fit_start::are_few;
use super::options::{NeuralCutOptions, Start};
use super::stages::{BATCH_NEIGHBORS, Fit};
use super::{Config, Fitted, Prepared, Stability, Task, given_graph};
use crate::train::Observer;
use crate::{Error, Result, Seed};

/// Fits the rows, and where stability is asked for again with other seeds.
pub(super) fn fit(options: &NeuralCutOptions, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
    let mut fitted = with_fit(options, task, observer, |fit| fit.run())?;
    if options.stability > 1 {
        let mut fits = vec![fitted.labels.clone()];
        for more in 1..options.stability as u64 {
            observer.stage(&format!("fit {} of {} for stability", more + 1, options.stability));
            let config = Config { seed: task.config.seed.wrapping_add(more), ..task.config.clone() };
            fits.push(with_fit(options, Task { config: &config, ..task }, observer, |fit| fit.run())?.labels);
        }
        let model = fitted.model.as_mut().expect("a neural cut leaves a model");
        model.record.diagnostics.stability = Some(Stability::of(&fits)?);
    }
    Ok(fitted)
}

/// Prepares a fit of the rows and hands it to `go`.
pub(super) fn with_fit<T>(
    options: &NeuralCutOptions,
    task: Task,
    observer: &mut dyn Observer,
    go: impl FnOnce(Fit) -> Result<T>,
) -> Result<T> {
    let Task { config, rows, .. } = task;
    config.device.check()?;
    let given = match options.init {
        Start::Labels(_) => Some(given_labels(&task)?),
        _ => None,
    };
    if task.links.is_some() && options.is_algorithm_1() {
        let must = "another start with --links: Algorithm 1 has no labels that could obey them";
        return Err(Error::config("init", &options.init, must));
    }
    let graph = given_graph(&options.affinity, task.graph, rows.nrows())?;
    let prepared = Prepared::new(config, &options.affinity, rows, graph, BATCH_NEIGHBORS, observer)?;
    go(Fit {
        config,
        options,
        rows,
        given,
        links: task.links,
        weights: task.weights,
        prepared: &prepared,
        seed: Seed(config.seed),
        observer,
    })
}

/// The labels to start from, checked.
fn given_labels<'a>(task: &Task<'a>) -> Result<&'a [Option<u32>]> {
    let (rows, k) = (task.rows.nrows(), task.config.clusters);
    let Some(given) = task.start else {
        return Err(Error::config("init", "labels", "given with the labels: --init labels:FILE"));
    };
    if given.len() != rows {
        let must = format!("a label (or -1) for each of the {rows} rows");
        return Err(Error::config("init", format!("{} labels", given.len()), must));
    }
    let mut used = vec![false; k];
    for (row, label) in given.iter().enumerate() {
        match label {
            Some(label) if *label as usize >= k => {
                let must = format!("below {k}, the number of clusters");
                return Err(Error::config("init", format!("label {label} in row {}", row + 1), must));
            }
            Some(label) => used[*label as usize] = true,
            None => {}
        }
    }
    match used.iter().position(|used| !used) {
        Some(missing) if !are_few(given) => Err(Error::config(
            "init",
            format!("labels without any row of cluster {missing}"),
            "labels of every cluster among the rows that are fitted: raise --train-rows",
        )),
        _ => Ok(given),
    }
}
