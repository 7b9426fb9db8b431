//! `Features`: feature steps that are fitted by themselves.

use crate::errors::to_python;
use crate::matrix::{MatrixRows, check_finite};
use crate::model::blocks;
use crate::rows::Rows;
use crate::settings::image_shape;
use crate::threads::on_all_threads;
use crate::watch::watched;
use ndarray::{Array2, s};
use neuncut::features::{Chain, ChainOptions, FittedChain};
use neuncut::{Error, Result, TableError};
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};

/// Fitted feature steps.
#[pyclass(frozen, module = "neuncut._core")]
pub struct Features {
    inner: FittedChain,
}

#[pymethods]
impl Features {
    /// Fits a chain of steps on all rows.
    #[staticmethod]
    #[pyo3(signature = (chain, rows, *, images=None, seed=0, watcher=None))]
    fn fit(
        py: Python<'_>,
        chain: &str,
        rows: &Rows,
        images: Option<Vec<usize>>,
        seed: u64,
        watcher: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let chain: Chain = chain.parse().map_err(to_python)?;
        let shape = image_shape(images, rows.matrix.n_columns()).map_err(to_python)?;
        let mut source = MatrixRows::new(rows.matrix.clone(), rows.names.clone(), shape);
        let fitted = watched(py, watcher, move |observer| {
            chain.fit(&mut source, &ChainOptions { seed, ..Default::default() }, observer)
        })?;
        Ok(Self { inner: fitted })
    }

    /// The features of rows.
    fn transform<'py>(&self, py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (matrix, expected) = (&rows.matrix, self.inner.columns);
        if matrix.n_columns() != expected {
            let (what, given) = ("X".into(), matrix.n_columns());
            let remedy = "give the columns that the steps were fitted on".into();
            return Err(to_python(Error::Table(TableError::Width { what, given, expected, remedy })));
        }
        let mut all = Array2::zeros((matrix.n_rows(), self.n_outputs()));
        for (first, count) in blocks(matrix) {
            let work = || -> Result<Array2<f32>> {
                let block = matrix.block(first, count)?;
                check_finite(block.view(), first)?;
                self.inner.transform(block.view())
            };
            let found = py.detach(|| on_all_threads(work))?.map_err(to_python)?;
            all.slice_mut(s![first..first + count, ..]).assign(&found);
            py.check_signals()?;
        }
        Ok(all.into_pyarray(py))
    }

    /// Columns that come out.
    #[getter]
    fn n_outputs(&self) -> usize {
        self.inner.pipeline.n_features(self.inner.columns)
    }

    /// Columns that go in.
    #[getter]
    fn n_columns(&self) -> usize {
        self.inner.columns
    }

    /// The chain as it was written.
    #[getter]
    fn chain(&self) -> String {
        self.inner.chain.to_string()
    }

    /// Writes the file that `neuncut features --save` writes.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.inner.save(&path).map_err(to_python)
    }

    /// Reads such a file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        FittedChain::load(&path).map(|inner| Self { inner }).map_err(to_python)
    }

    /// The bytes of such a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.inner.to_bytes().map(|bytes| PyBytes::new(py, &bytes)).map_err(to_python)
    }

    /// How a pickle brings it back.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.import("neuncut._pickling")?.getattr("features")?, (self.to_bytes(py)?,)))
    }

    /// Steps from the bytes of such a file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        FittedChain::from_bytes(bytes, Path::new("features")).map(|inner| Self { inner }).map_err(to_python)
    }
}
