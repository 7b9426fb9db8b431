//! `fit` and `tune_gamma`: the library on rows of Python, as the command does it: a sample is fitted, all rows are labelled.

use crate::errors::{in_python, to_python};
use crate::matrix::{Matrix, MatrixRows};
use crate::model::{Model, blocks, later};
use crate::rows::Rows;
use crate::settings::{config, image_shape, json};
use crate::watch::watched;
use neuncut::data::{ColumnNames, EdgeList, ImageShape, Link, LinkList};
use neuncut::job::{Earlier, Job, Outcome, RowWeights, StartLabels};
use neuncut::methods;
use neuncut::methods::neural_cut::tune::{GAMMAS, GammaSweep};
use neuncut::train::Observer;
use neuncut::{Config, Error, Result};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::Arc;

/// A sparse matrix of scipy: where rows begin, columns, values.
type Sparse<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f32>);

/// Pairs of rows that must be in one cluster, and pairs that cannot.
type Pairs<'py> = (PyReadonlyArray2<'py, i64>, PyReadonlyArray2<'py, i64>);

/// What a fit gives: the model where the method leaves one, the labels, what a spectral method saw of its graph, how many links hold, and
/// what there is to say where there is no model to say it.
type Fitted<'py> = (Option<Model>, Bound<'py, PyArray1<i32>>, Option<String>, Option<String>, Vec<String>);

/// Fits the method that the settings name; `start` are labels to begin with (-1 for none), `graph` joins all rows, `earlier` is a model
/// whose clusters keep their numbers where they still hold, `links` are pairs of rows that must and that cannot be together, `weights`
/// say how much each row weighs.
#[pyfunction]
#[pyo3(signature = (settings, rows, *, images=None, start=None, graph=None, earlier=None, links=None, weights=None, watcher=None))]
#[allow(clippy::too_many_arguments)] // Python's keywords
pub fn fit<'py>(
    py: Python<'py>,
    settings: &str,
    rows: &Rows,
    images: Option<Vec<usize>>,
    start: Option<PyReadonlyArray1<'py, i64>>,
    graph: Option<Sparse<'py>>,
    earlier: Option<PyRef<'py, Model>>,
    links: Option<Pairs<'py>>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    watcher: Option<Bound<'py, PyAny>>,
) -> PyResult<Fitted<'py>> {
    let config = config(settings)?;
    let matrix = rows.matrix.clone();
    let images = image_shape(images, matrix.n_columns()).map_err(to_python)?;
    let start = start.map(|labels| labels.as_array().iter().map(|&label| u32::try_from(label).ok()).collect());
    let graph = graph.map(|sparse| edges(&sparse)).transpose().map_err(to_python)?;
    let earlier = earlier.map(|earlier| Earlier { model: earlier.inner.as_ref().clone(), follow: false });
    let links = links.map(|pairs| link_list(&pairs)).transpose().map_err(to_python)?;
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let names = rows.names.clone();
    let job = RowsJob { config, matrix, names, images, start, graph, earlier, links, weights };
    let (outcome, labels) = watched(py, watcher, move |observer| job.run(observer))?;
    let findings = outcome.graph.as_ref().map(json).transpose()?;
    let links = outcome.links.as_ref().map(json).transpose()?;
    let of_graph = outcome.graph.iter().flat_map(|graph| graph.warnings.clone());
    let warnings = of_graph.chain(outcome.warnings.iter().map(ToString::to_string));
    let warnings = warnings.map(|sentence| in_python(&sentence)).collect();
    Ok((outcome.model.map(Model::new), labels.into_pyarray(py), findings, links, warnings))
}

/// Searches for gamma without labels; the findings come as JSON.
#[pyfunction]
#[pyo3(signature = (settings, rows, *, gammas=None, images=None, graph=None, watcher=None))]
pub fn tune_gamma<'py>(
    py: Python<'py>,
    settings: &str,
    rows: &Rows,
    gammas: Option<Vec<f32>>,
    images: Option<Vec<usize>>,
    graph: Option<Sparse<'py>>,
    watcher: Option<Bound<'py, PyAny>>,
) -> PyResult<String> {
    let config = config(settings)?;
    let matrix = rows.matrix.clone();
    let images = image_shape(images, matrix.n_columns()).map_err(to_python)?;
    let graph = graph.map(|sparse| edges(&sparse)).transpose().map_err(to_python)?;
    let names = rows.names.clone();
    let (start, earlier, links, weights) = (None, None, None, None);
    let job = RowsJob { config, matrix, names, images, start, graph, earlier, links, weights };
    let gammas = gammas.unwrap_or_else(|| GAMMAS.to_vec());
    json(&watched(py, watcher, move |observer| job.tune(&gammas, observer))?)
}

/// The edges of a sparse matrix; the job checks the rest.
fn edges((begins, columns, values): &Sparse) -> Result<EdgeList> {
    let (begins, columns, values) = (begins.as_array(), columns.as_array(), values.as_array());
    let mut edges = Vec::with_capacity(values.len());
    for (row, begin) in begins.iter().take(begins.len().saturating_sub(1)).enumerate() {
        for entry in *begin as usize..begins[row + 1] as usize {
            let weight = values[entry];
            if !(weight >= 0.0 && weight.is_finite()) {
                let given = format!("a matrix with the weight {weight} between rows {row} and {}", columns[entry]);
                return Err(Error::config("affinity", given, "one of finite weights, none below zero"));
            }
            edges.push((row as u32, columns[entry] as u32, weight));
        }
    }
    let nodes = Some(begins.len().saturating_sub(1));
    Ok(EdgeList { path: "affinity".into(), nodes, edges })
}

/// The links of two arrays of pairs; the job checks the rest.
fn link_list((must, cannot): &Pairs) -> Result<LinkList> {
    let mut links = Vec::with_capacity(must.as_array().nrows() + cannot.as_array().nrows());
    for (pairs, name, must) in [(must, "must_link", true), (cannot, "cannot_link", false)] {
        for pair in pairs.as_array().rows() {
            let (Ok(i), Ok(j)) = (u32::try_from(pair[0]), u32::try_from(pair[1])) else {
                let given = format!("a pair of rows {} and {}", pair[0], pair[1]);
                return Err(Error::config(name, given, "pairs of row numbers, counted from 0"));
            };
            if i == j {
                let given = format!("a pair of row {i} and itself");
                return Err(Error::config(name, given, "pairs of different rows"));
            }
            links.push(Link { i, j, must });
        }
    }
    Ok(LinkList { path: "must_link and cannot_link".into(), links })
}

/// Everything a fit needs, free of Python.
struct RowsJob {
    config: Config,
    matrix: Arc<Matrix>,
    names: ColumnNames,
    images: Option<ImageShape>,
    start: Option<Vec<Option<u32>>>,
    graph: Option<EdgeList>,
    earlier: Option<Earlier>,
    links: Option<LinkList>,
    weights: Option<Vec<f64>>,
}

impl RowsJob {
    /// Fits, and labels all rows.
    fn run(self, observer: &mut dyn Observer) -> Result<(Outcome, Vec<i32>)> {
        let (job, mut rows) = self.ready()?;
        let outcome = job.run(&mut rows, observer)?;
        let labels = match (&outcome.model, &outcome.fitted) {
            (Some(model), Some(_)) => label_all(model, rows.matrix(), observer)?,
            _ => signed(&outcome.labels),
        };
        Ok((outcome, labels))
    }

    fn tune(self, gammas: &[f32], observer: &mut dyn Observer) -> Result<GammaSweep> {
        let (job, mut rows) = self.ready()?;
        Ok(job.tune(&mut rows, gammas, observer)?.0)
    }

    /// The library's job, and the rows it reads.
    fn ready(self) -> Result<(Job, MatrixRows)> {
        let mut job = Job::new(self.config)?;
        job.start = self.start.map(|labels| StartLabels { path: "init".into(), labels, names: Vec::new() });
        job.graph = self.graph;
        job.earlier = self.earlier;
        job.links = self.links;
        job.weights = self.weights.map(|values| RowWeights { name: "sample_weight".into(), values });
        Ok((job, MatrixRows::new(self.matrix, self.names, self.images)))
    }
}

/// The label of every row.
fn label_all(model: &methods::Model, matrix: &Matrix, observer: &mut dyn Observer) -> Result<Vec<i32>> {
    observer.stage("labels of all rows");
    let mut labels = Vec::with_capacity(matrix.n_rows());
    for (first, count) in blocks(matrix) {
        if observer.interrupted() {
            return Err(Error::Interrupted);
        }
        let found = model.predict(matrix.block(first, count)?.view()).map_err(|e| later(e, first))?;
        labels.extend(signed(&found));
    }
    Ok(labels)
}

fn signed(labels: &[u32]) -> Vec<i32> {
    labels.iter().map(|&label| label as i32).collect()
}
