//! `Model`: a fitted model that labels any rows, in blocks between which Ctrl-C is heard.

use crate::errors::{in_python, to_python};
use crate::matrix::Matrix;
use crate::rows::Rows;
use crate::settings::json;
use crate::threads::on_all_threads;
use ndarray::{Array2, ArrayView2, s};
use neuncut::data::ColumnNames;
use neuncut::methods::{self, argmax_rows};
use neuncut::{Error, Result, TableError};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Values per block.
const BLOCK_VALUES: usize = 4 << 20;

/// A fitted model.
#[pyclass(frozen, module = "neuncut._core")]
pub struct Model {
    pub inner: Arc<methods::Model>,
    /// The labels of the rows it was fitted on, where the file that it was read from has them.
    labels: Option<Vec<u32>>,
}

impl Model {
    pub fn new(model: methods::Model) -> Self {
        Self { inner: Arc::new(model), labels: None }
    }
}

/// Labels, the membership in each row's own cluster, and all memberships.
type Labelled<'py> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f32>>, Option<Bound<'py, PyArray2<f32>>>);

#[pymethods]
impl Model {
    /// Reads a model file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        let (model, labels) = methods::Model::load_with_labels(&path).map_err(to_python)?;
        Ok(Self { labels, ..Self::new(model) })
    }

    /// The labels of the rows it was fitted on, where it was read from a file that has them.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i32>>> {
        let labels = self.labels.as_ref()?;
        Some(labels.iter().map(|&label| label as i32).collect::<Vec<_>>().into_pyarray(py))
    }

    /// A model from the bytes of its file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        methods::Model::from_bytes(bytes, Path::new("model")).map(Self::new).map_err(to_python)
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.inner.to_bytes().map(|bytes| PyBytes::new(py, &bytes)).map_err(to_python)
    }

    /// How a pickle brings it back.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.import("neuncut._pickling")?.getattr("model")?, (self.to_bytes(py)?,)))
    }

    /// Writes the model file, with the labels of the rows it was fitted on where they are given.
    #[pyo3(signature = (path, labels=None))]
    fn save(&self, path: PathBuf, labels: Option<PyReadonlyArray1<'_, u32>>) -> PyResult<()> {
        match labels {
            Some(labels) => self.inner.save_with_labels(&path, &labels.as_array().to_vec()),
            None => self.inner.save(&path),
        }
        .map_err(to_python)
    }

    /// Writes the model as an ONNX file.
    fn export_onnx(&self, path: PathBuf) -> PyResult<()> {
        self.inner.export_onnx(&path).map_err(to_python)
    }

    /// Number of clusters.
    #[getter]
    fn n_clusters(&self) -> usize {
        self.inner.n_clusters()
    }

    /// Columns that rows must have.
    #[getter]
    fn n_columns(&self) -> usize {
        self.inner.columns
    }

    /// What the columns are called, where each has a name.
    #[getter]
    fn column_names(&self) -> Option<Vec<String>> {
        match &self.inner.column_names {
            ColumnNames::Named(names) => Some(names.clone()),
            _ => None,
        }
    }

    /// The settings as JSON.
    fn config(&self) -> PyResult<String> {
        json(&self.inner.config)
    }

    /// How the model came about, as JSON.
    fn record(&self) -> PyResult<String> {
        json(&self.inner.record)
    }

    /// What the user should know about the fit, a sentence each.
    fn warnings(&self) -> Vec<String> {
        self.inner.record.diagnostics.warnings.iter().map(|warning| in_python(&warning.to_string())).collect()
    }

    /// The label of each row.
    fn predict<'py>(&self, py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let mut labels = Vec::new();
        let inference = py.detach(|| on_all_threads(|| self.inner.inference()))?;
        inference.expect(rows.matrix.n_rows());
        self.each_block(
            py,
            &rows.matrix,
            |model, rows| model.check(rows).and_then(|()| inference.labels(rows)),
            |_, found| labels.extend(found.into_iter().map(|label| label as i32)),
        )?;
        Ok(labels.into_pyarray(py))
    }

    /// The group of each cluster where clusters are merged until so many are left.
    fn groups<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let level = self.inner.level(count).map_err(to_python)?;
        Ok(level.group.iter().map(|&group| group as i32).collect::<Vec<_>>().into_pyarray(py))
    }

    /// The label of each row, how sure it is, and all memberships where asked for.
    #[pyo3(signature = (rows, memberships=false))]
    fn label<'py>(&self, py: Python<'py>, rows: &Rows, memberships: bool) -> PyResult<Labelled<'py>> {
        let (mut labels, mut confidence) = (Vec::new(), Vec::new());
        let mut all = memberships.then(|| Array2::zeros((rows.matrix.n_rows(), self.inner.n_clusters())));
        self.each_block(
            py,
            &rows.matrix,
            |model, rows| model.memberships(rows),
            |first, found| {
                let found_labels = argmax_rows(found.view());
                confidence.extend(found_labels.iter().zip(found.rows()).map(|(&label, row)| row[label as usize]));
                labels.extend(found_labels.into_iter().map(|label| label as i32));
                if let Some(all) = &mut all {
                    all.slice_mut(s![first..first + found.nrows(), ..]).assign(&found);
                }
            },
        )?;
        let all = all.map(|all| all.into_pyarray(py));
        Ok((labels.into_pyarray(py), confidence.into_pyarray(py), all))
    }

    /// The spectral embedding of rows, where the model learned one.
    fn embedding<'py>(&self, py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let columns = self.inner.embedding_columns().map_err(to_python)?;
        let mut all = Array2::zeros((rows.matrix.n_rows(), columns));
        self.each_block(
            py,
            &rows.matrix,
            |model, rows| model.embedding(rows),
            |first, found| {
                all.slice_mut(s![first..first + found.nrows(), ..]).assign(&found);
            },
        )?;
        Ok(all.into_pyarray(py))
    }

    /// The cut of the labels on the graph of nearest neighbours among the rows.
    fn cut(&self, py: Python<'_>, rows: &Rows) -> PyResult<f64> {
        let (model, matrix) = (&self.inner, &rows.matrix);
        let cut = || -> Result<f64> { model.cut(matrix.block(0, matrix.n_rows())?.view()) };
        py.detach(|| on_all_threads(cut))?.map_err(to_python)
    }
}

impl Model {
    /// Hands the result of each block of rows to `take`, with the number of its first row.
    fn each_block<T: Send>(
        &self,
        py: Python<'_>,
        matrix: &Matrix,
        apply: impl Fn(&methods::Model, ArrayView2<f32>) -> Result<T> + Sync,
        mut take: impl FnMut(usize, T),
    ) -> PyResult<()> {
        let model = &self.inner;
        for (first, count) in blocks(matrix) {
            let work = || apply(model, matrix.block(first, count)?.view()).map_err(|e| later(e, first));
            take(first, py.detach(|| on_all_threads(work))?.map_err(to_python)?);
            py.check_signals()?;
        }
        Ok(())
    }
}

/// First row and number of rows of each block.
pub fn blocks(matrix: &Matrix) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (rows, size) = (matrix.n_rows(), (BLOCK_VALUES / matrix.n_columns().max(1)).max(1024));
    (0..rows).step_by(size).map(move |first| (first, size.min(rows - first)))
}

/// An error about rows of a block, as one about the whole.
pub fn later(mut error: Error, first: usize) -> Error {
    if let Error::Table(TableError::NonFinite { row, .. }) = &mut error {
        *row += first as u64;
    }
    error
}
