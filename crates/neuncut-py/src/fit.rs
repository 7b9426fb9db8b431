//! `fit` and `tune_gamma`: the library on rows of Python, as the command does it: a sample is fitted, all rows are labelled.

use crate::errors::to_python;
use crate::matrix::{Matrix, MatrixRows};
use crate::model::{Model, blocks, later};
use crate::rows::Rows;
use crate::settings::{config, image_shape, json};
use crate::watch::watched;
use ndarray::CowArray;
use neuncut::affinity::Precomputed;
use neuncut::clustering::Clustering;
use neuncut::data::{EdgeList, ImageShape, sample_indices};
use neuncut::features::FittedChain;
use neuncut::neural_cut::tune::{GAMMAS, GammaSweep};
use neuncut::neural_cut::{self, Config, NeuralCut};
use neuncut::rivals::{GraphFindings, Rival};
use neuncut::train::Observer;
use neuncut::{Error, Result, Seed, TableError};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::sync::Arc;

/// A sparse matrix of scipy: where rows begin, columns, values.
type Sparse<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f32>);

/// What a fit gives: the model where the method leaves one, the labels, and what a spectral method saw of its graph.
type Fitted<'py> = (Option<Model>, Bound<'py, PyArray1<i32>>, Option<String>);

/// Fits the method that the settings name; `start` are labels to begin with (-1 for none), `graph` joins all rows.
#[pyfunction]
#[pyo3(signature = (settings, rows, *, images=None, start=None, graph=None, watcher=None))]
pub fn fit<'py>(
    py: Python<'py>,
    settings: &str,
    rows: &Rows,
    images: Option<Vec<usize>>,
    start: Option<PyReadonlyArray1<'py, i64>>,
    graph: Option<Sparse<'py>>,
    watcher: Option<Bound<'py, PyAny>>,
) -> PyResult<Fitted<'py>> {
    let config = config(settings)?;
    let matrix = rows.matrix.clone();
    let images = image_shape(images, matrix.n_columns()).map_err(to_python)?;
    let start = start.map(|labels| labels.as_array().iter().map(|&label| u32::try_from(label).ok()).collect());
    let graph = graph.map(|sparse| edges(&sparse, matrix.n_rows())).transpose().map_err(to_python)?;
    let job = Job { config, matrix, images, start, graph };
    let done = watched(py, watcher, move |observer| job.run(observer))?;
    let findings = done.findings.as_ref().map(json).transpose()?;
    Ok((done.model.map(Model::new), done.labels.into_pyarray(py), findings))
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
    let graph = graph.map(|sparse| edges(&sparse, matrix.n_rows())).transpose().map_err(to_python)?;
    let job = Job { config, matrix, images, start: None, graph };
    let gammas = gammas.unwrap_or_else(|| GAMMAS.to_vec());
    json(&watched(py, watcher, move |observer| job.tune(&gammas, observer))?)
}

/// The edges of a sparse matrix over so many rows; `Precomputed` checks the rest.
fn edges((begins, columns, values): &Sparse, rows: usize) -> Result<Precomputed> {
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
    Precomputed::of_edges(EdgeList { path: "affinity".into(), nodes, edges }, rows)
}

/// Everything a fit needs, free of Python.
struct Job {
    config: Config,
    matrix: Arc<Matrix>,
    images: Option<ImageShape>,
    start: Option<Vec<Option<u32>>>,
    graph: Option<Precomputed>,
}

/// What is fitted.
struct Chosen<'a> {
    chain: Option<FittedChain>,
    /// Which rows of the table, where not all.
    sample: Option<Vec<u64>>,
    rows: CowArray<'a, f32, ndarray::Ix2>,
}

/// What it gives.
struct Done {
    model: Option<neural_cut::Model>,
    labels: Vec<i32>,
    findings: Option<GraphFindings>,
}

impl Job {
    fn run(self, observer: &mut dyn Observer) -> Result<Done> {
        let (matrix, Chosen { chain, sample, rows }) = (&self.matrix, self.chosen(observer)?);
        let mut done = self.fit(chain.as_ref(), rows, sample.as_deref(), observer).map_err(|e| in_table(e, &sample))?;
        if let Some(model) = &mut done.model {
            model.record.rows = matrix.n_rows() as u64;
            if sample.is_some() {
                done.labels = label_all(model, matrix, observer)?;
            }
        }
        Ok(done)
    }

    fn tune(self, gammas: &[f32], observer: &mut dyn Observer) -> Result<GammaSweep> {
        let Chosen { chain, sample, rows } = self.chosen(observer)?;
        let plain = Config { features: Default::default(), ..self.config.clone() };
        let neural_cut = NeuralCut::new(plain)?.with_graph(self.graph.clone());
        let features = chain.map(|chain| chain.pipeline.transform(rows.view()));
        let rows = features.as_ref().map_or(rows.view(), |features| features.view());
        neural_cut.tune(rows, gammas, observer).map_err(|e| in_table(e, &sample))
    }

    /// Checks the settings, fits the feature steps, and draws the rows to be fitted.
    fn chosen(&self, observer: &mut dyn Observer) -> Result<Chosen<'_>> {
        self.config.check()?;
        let (config, matrix) = (&self.config, &self.matrix);
        let clusters = config.clusters;
        if matrix.n_rows() < clusters {
            let (what, rows, needed) = ("X".into(), matrix.n_rows() as u64, clusters as u64);
            return Err(Error::TooFewRows { what, rows, needed, remedy: "ask for fewer clusters".into() });
        }
        let chain = match config.features.is_empty() {
            true => None,
            false => Some(config.fit_chain(&mut MatrixRows::new(matrix.clone(), self.images), observer)?),
        };
        let most = if config.method.labels_new_rows() { config.train_rows() } else { usize::MAX };
        let sample = (matrix.n_rows() > most)
            .then(|| sample_indices(matrix.n_rows() as u64, most, &mut Seed(config.seed).stream("sample")));
        let rows = match &sample {
            Some(indices) => CowArray::from(matrix.gather(indices)?),
            None => matrix.block(0, matrix.n_rows())?,
        };
        Ok(Chosen { chain, sample, rows })
    }

    /// Fits the rows that were chosen.
    fn fit(
        &self,
        chain: Option<&FittedChain>,
        rows: CowArray<'_, f32, ndarray::Ix2>,
        sample: Option<&[u64]>,
        observer: &mut dyn Observer,
    ) -> Result<Done> {
        let config = self.config.clone();
        if config.method.is_neural_cut() {
            let mut neural_cut = NeuralCut::new(config)?.with_graph(self.graph.clone());
            if let Some(start) = &self.start {
                let of_sample =
                    |indices: &[u64]| indices.iter().map(|&i| start.get(i as usize).copied().flatten()).collect();
                neural_cut = neural_cut.with_start_labels(sample.map_or_else(|| start.clone(), of_sample));
            }
            let fitted = match chain {
                Some(chain) => neural_cut.fit_behind(chain, rows.view(), observer)?,
                None => neural_cut.fit_observed(rows.view(), observer)?,
            };
            return Ok(Done { labels: signed(fitted.labels()), model: Some(fitted.model), findings: None });
        }
        let rival = Rival::new(config)?.with_graph(self.graph.clone());
        let fitted = match chain {
            Some(chain) => {
                let features = chain.pipeline.transform(rows.view());
                drop(rows);
                rival.fit_behind(chain, features.view(), observer)?
            }
            None => rival.fit_observed(rows.view(), observer)?,
        };
        Ok(Done { labels: signed(fitted.labels()), model: fitted.model, findings: fitted.graph })
    }
}

/// The label of every row.
fn label_all(model: &neural_cut::Model, matrix: &Matrix, observer: &mut dyn Observer) -> Result<Vec<i32>> {
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

/// An error about a row of the sample, as one about the row of the table.
fn in_table(mut error: Error, sample: &Option<Vec<u64>>) -> Error {
    if let (Error::Table(TableError::NonFinite { row, .. }), Some(indices)) = (&mut error, sample) {
        *row = indices.get(*row as usize - 1).map_or(*row, |index| index + 1);
    }
    error
}
