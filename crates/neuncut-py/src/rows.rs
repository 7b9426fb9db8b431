//! `Rows`: what `fit` and `predict` take, made from numpy or from Arrow without a copy of the values.

use crate::errors::to_python;
use crate::matrix::{Matrix, is_number};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, StructArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Fields};
use neuncut::data::ColumnNames;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyArray;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

/// A table of numbers that Python holds.
#[pyclass(frozen, module = "neuncut._core")]
pub struct Rows {
    pub matrix: Arc<Matrix>,
    /// What the columns are called, which a model remembers.
    pub names: ColumnNames,
}

#[pymethods]
impl Rows {
    /// The rows of an array of float32 in C order, which must not change as long as this lives.
    #[staticmethod]
    #[pyo3(signature = (array, names=None))]
    #[allow(unsafe_code, reason = "Arrow cannot know that a buffer of numpy's stays where it is")]
    fn from_numpy(array: &Bound<'_, PyArray2<f32>>, names: Option<Vec<String>>) -> PyResult<Self> {
        let [rows, columns] = [array.shape()[0], array.shape()[1]];
        let Some(data) = NonNull::new(array.data().cast::<u8>()).filter(|_| array.is_c_contiguous()) else {
            return Err(PyValueError::new_err("the array must be of float32 in C order"));
        };
        let (length, owner) = (rows * columns * size_of::<f32>(), array.clone().unbind());
        // SAFETY: the array is C contiguous, so that its values are this many bytes from `data`, and the buffer keeps it alive.
        let buffer = unsafe { Buffer::from_custom_allocation(data, length, Arc::new(AssertUnwindSafe(owner))) };
        let values = ScalarBuffer::new(buffer, 0, rows * columns);
        let names = names.map_or(ColumnNames::Unnamed, ColumnNames::Named);
        Ok(Self { matrix: Arc::new(Matrix::flat(values, rows, columns)), names })
    }

    /// The rows of an object with `__arrow_c_array__` or `__arrow_c_stream__`: columns of numbers, or one of equally long lists, which
    /// is found among others where no columns are named.
    #[staticmethod]
    #[pyo3(signature = (data, columns=None))]
    fn from_arrow(data: AnyArray, columns: Option<Vec<String>>) -> PyResult<Self> {
        let reader = data.into_reader()?;
        let data_type = reader.field().data_type().clone();
        let chunks = reader.collect::<Result<Vec<ArrayRef>, _>>();
        let chunks = chunks.map_err(|e| PyValueError::new_err(format!("the Arrow data cannot be read: {e}")))?;
        let DataType::Struct(fields) = &data_type else {
            return Ok(Self { matrix: Arc::new(lists(&data_type, chunks, "X")?), names: ColumnNames::Unnamed });
        };
        let all = || fields.iter().map(|field| field.name().clone()).collect();
        let columns: Vec<String> = match columns {
            Some(columns) => columns,
            None => embedding_column(fields)?.map_or_else(all, |name| vec![name]),
        };
        let places = columns.iter().map(|name| match fields.find(name) {
            Some((place, field)) => Ok((place, field.data_type().clone())),
            None => Err(PyKeyError::new_err(format!("there is no column {name:?}: the columns are {:?}", all()))),
        });
        let places: Vec<(usize, DataType)> = places.collect::<PyResult<_>>()?;
        let structs = chunks.iter().map(|chunk| chunk.as_struct());
        if let [(place, data_type)] = &places[..]
            && !is_number(data_type)
        {
            let chunks = structs.map(|chunk: &StructArray| chunk.column(*place).clone()).collect();
            let names = ColumnNames::List(columns[0].clone());
            return Ok(Self { matrix: Arc::new(lists(data_type, chunks, &columns[0])?), names });
        }
        for (name, (_, data_type)) in columns.iter().zip(&places) {
            if !is_number(data_type) {
                return Err(not_numbers(name, data_type, places.len() > 1));
            }
        }
        let mut matrix = Matrix::empty(places.len());
        for chunk in structs {
            matrix.append_columns(places.iter().map(|(place, _)| chunk.column(*place).clone()).collect(), chunk.len());
        }
        Ok(Self { matrix: Arc::new(matrix), names: ColumnNames::Named(columns) })
    }

    /// How many rows there are.
    #[getter]
    fn n_rows(&self) -> usize {
        self.matrix.n_rows()
    }

    /// How many columns they have.
    #[getter]
    fn n_columns(&self) -> usize {
        self.matrix.n_columns()
    }

    /// The names of the columns, where each is an array of its own.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        match &self.names {
            ColumnNames::Named(names) => Some(names.clone()),
            _ => None,
        }
    }

    /// A copy of all rows as one array.
    fn to_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let rows = self.matrix.block(0, self.matrix.n_rows()).map_err(to_python)?;
        Ok(rows.into_owned().into_pyarray(py))
    }

    /// Whether all rows can be seen at once without a copy.
    #[getter]
    fn is_one_view(&self) -> bool {
        self.matrix.is_one_view()
    }
}

/// The one column of lists of numbers; none where there is none.
fn embedding_column(fields: &Fields) -> PyResult<Option<String>> {
    let is_list = |kind: &DataType| match kind {
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            is_number(item.data_type())
        }
        _ => false,
    };
    let lists: Vec<&str> =
        fields.iter().filter(|field| is_list(field.data_type())).map(|field| field.name().as_str()).collect();
    match lists[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.to_owned())),
        _ => Err(PyValueError::new_err(format!(
            "several columns hold lists of numbers ({}): pass one of them",
            lists.join(", ")
        ))),
    }
}

/// A type in words that users of Python know.
fn in_words(data_type: &DataType) -> String {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".into(),
        DataType::Dictionary(_, values) => format!("categories of {}", in_words(values)),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            format!("lists of {}", in_words(item.data_type()))
        }
        DataType::Struct(_) => "structures".into(),
        DataType::Map(..) => "maps".into(),
        DataType::Duration(_) | DataType::Interval(_) => "durations".into(),
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 | DataType::Time32(_) | DataType::Time64(_) => {
            "times".into()
        }
        DataType::Null => "nothing but nulls".into(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "bytes".into()
        }
        other => other.to_string().to_lowercase(),
    }
}

/// A matrix of arrays of lists; `name` is what errors call them.
fn lists(data_type: &DataType, chunks: Vec<ArrayRef>, name: &str) -> PyResult<Matrix> {
    let element = match data_type {
        DataType::FixedSizeList(element, _) | DataType::List(element) | DataType::LargeList(element) => element,
        other if is_number(other) => {
            return Err(PyValueError::new_err(
                "Expected 2D array, got 1D array instead: give a table, or a column of lists",
            ));
        }
        other => return Err(not_numbers(name, other, false)),
    };
    if !is_number(element.data_type()) {
        return Err(not_numbers(name, data_type, false));
    }
    let mut matrix: Option<Matrix> = None;
    let mut done = 0;
    for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
        if let Some(row) = (0..chunk.len()).find(|&row| chunk.is_null(row)) {
            let row = done + row + 1;
            return Err(PyValueError::new_err(format!("Input X contains NaN: the list in row {row} is null")));
        }
        let (values, width) = match data_type {
            DataType::FixedSizeList(_, width) => {
                let (list, width) = (chunk.as_fixed_size_list(), *width as usize);
                (list.values().slice(list.value_offset(0) as usize, chunk.len() * width), width)
            }
            DataType::List(_) => equal_lists(chunk.as_list::<i32>().offsets(), chunk.as_list::<i32>().values(), done)?,
            _ => equal_lists(chunk.as_list::<i64>().offsets(), chunk.as_list::<i64>().values(), done)?,
        };
        let matrix = matrix.get_or_insert_with(|| Matrix::empty(width));
        if matrix.n_columns() != width {
            return Err(ragged(done + 1, width, matrix.n_columns()));
        }
        matrix.append_values(&values, chunk.len());
        done += chunk.len();
    }
    let width = if let DataType::FixedSizeList(_, width) = data_type { *width as usize } else { 0 };
    Ok(matrix.unwrap_or_else(|| Matrix::empty(width)))
}

/// The values of lists and their length, where all have the same.
fn equal_lists<O: OffsetSizeTrait>(
    offsets: &OffsetBuffer<O>,
    values: &ArrayRef,
    done: usize,
) -> PyResult<(ArrayRef, usize)> {
    let begin = offsets[0].as_usize();
    let width = offsets[1].as_usize() - begin;
    let lengths = offsets.windows(2).map(|pair| pair[1].as_usize() - pair[0].as_usize());
    if let Some((row, length)) = lengths.enumerate().find(|&(_, length)| length != width) {
        return Err(ragged(done + row + 1, length, width));
    }
    Ok((values.slice(begin, (offsets.len() - 1) * width), width))
}

fn ragged(row: usize, length: usize, expected: usize) -> PyErr {
    PyValueError::new_err(format!(
        "the list in row {row} has {length} values, but those before it have {expected}: all lists must be equally long"
    ))
}

fn not_numbers(name: &str, data_type: &DataType, among_others: bool) -> PyErr {
    let remedy = match data_type {
        DataType::FixedSizeList(..) | DataType::List(_) | DataType::LargeList(_) if among_others => {
            "pass this column alone"
        }
        _ => "choose columns of numbers, or encode it",
    };
    let kind = in_words(data_type);
    PyValueError::new_err(format!("column {name} holds {kind}, which are not numbers: {remedy}"))
}
