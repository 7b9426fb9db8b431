//! JSON lines: one object per row, with the kept columns, `label` and perhaps `memberships`; `features` for rows of numbers.

use super::arrow_table::{ResultColumns, arrow_error, list_field, lists};
use super::{Beside, Complete, MatrixWriter, Output, RowWriter, check_width};
use crate::Result;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_json::writer::LineDelimited;
use arrow_json::{Writer, WriterBuilder};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use ndarray::ArrayView2;
use std::path::PathBuf;
use std::sync::Arc;

/// Lines of objects with these columns.
struct Lines {
    path: PathBuf,
    schema: SchemaRef,
    writer: Writer<Output, LineDelimited>,
}

impl Lines {
    fn new(output: Output, fields: Vec<FieldRef>) -> Self {
        let path = output.path().to_owned();
        let writer = WriterBuilder::new().with_explicit_nulls(true).build(output);
        Self { path, schema: Arc::new(Schema::new(fields)), writer }
    }

    fn write(&mut self, columns: Vec<ArrayRef>) -> Result<()> {
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        let written = batch.and_then(|batch| self.writer.write(&batch));
        written.map_err(|error| arrow_error(&self.path, error))?;
        self.writer.get_mut().pass_on()
    }

    fn complete(mut self) -> Result<Complete> {
        self.writer.finish().map_err(|error| arrow_error(&self.path, error))?;
        self.writer.into_inner().complete()
    }
}

/// Labels and perhaps memberships.
pub(super) struct JsonRows {
    lines: Lines,
    results: ResultColumns,
    beside: Beside,
}

impl JsonRows {
    pub(super) fn new(output: Output, results: ResultColumns, beside: Beside) -> Self {
        // numbers of half precision and dictionaries have no JSON of their own: their values do
        let plain = |field: FieldRef| match field.data_type() {
            DataType::Dictionary(_, values) => Arc::new(field.as_ref().clone().with_data_type(values.as_ref().clone())),
            DataType::Float16 => Arc::new(field.as_ref().clone().with_data_type(DataType::Float32)),
            _ => field,
        };
        let fields = beside.typed_fields().into_iter().map(plain).chain(results.fields()).collect();
        Self { lines: Lines::new(output, fields), results, beside }
    }
}

impl RowWriter for JsonRows {
    fn write(&mut self, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()> {
        let results = self.results.of(&self.lines.path, labels, memberships)?;
        let kept = self.beside.take(labels.len())?;
        let mut columns = Vec::with_capacity(kept.len() + results.len());
        for (column, field) in kept.iter().zip(self.lines.schema.fields()) {
            columns.push(cast(column, field.data_type()).map_err(|error| arrow_error(&self.lines.path, error))?);
        }
        columns.extend(results);
        self.lines.write(columns)
    }

    fn complete(mut self: Box<Self>) -> Result<Complete> {
        self.beside.finish()?;
        self.lines.complete()
    }
}

/// Rows of numbers as one column `features`.
pub(super) struct JsonMatrix {
    lines: Lines,
    width: usize,
}

impl JsonMatrix {
    pub(super) fn new(output: Output, width: usize) -> Self {
        Self { lines: Lines::new(output, vec![list_field("features", width, false)]), width }
    }
}

impl MatrixWriter for JsonMatrix {
    fn write(&mut self, rows: ArrayView2<f32>) -> Result<()> {
        check_width(&self.lines.path, rows, self.width)?;
        self.lines.write(vec![lists(rows, None)])
    }

    fn complete(self: Box<Self>) -> Result<Complete> {
        self.lines.complete()
    }
}
