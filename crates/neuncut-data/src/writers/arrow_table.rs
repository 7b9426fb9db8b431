//! Parquet and Arrow files: `label` as int32, `memberships` and `features` as fixed-size lists of float32.

use super::{Beside, Columns, MatrixWriter, Output, RowWriter, check_width};
use crate::kept::KeptColumns;
use crate::{Error, Result};
use arrow::array::{ArrayRef, FixedSizeListArray, Float32Array, Int32Array, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::writer::FileWriter;
use ndarray::ArrayView2;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Rows of a Parquet row group: small enough that a group of wide rows fits in memory while it is being made.
const GROUP_VALUES: usize = 1 << 24;

/// Values per row from which on most of them are continuous numbers, on which zstd and dictionaries are wasted.
const WIDE: usize = 64;

/// Either kind of file.
enum Encoder {
    Parquet(Box<ArrowWriter<Output>>),
    Ipc(Box<FileWriter<Output>>),
}

/// A file of record batches.
struct ArrowFile {
    path: PathBuf,
    schema: SchemaRef,
    encoder: Encoder,
}

impl ArrowFile {
    fn parquet(
        output: Output,
        fields: Vec<FieldRef>,
        width: usize,
        compression: Compression,
        dictionaries: bool,
    ) -> Result<Self> {
        let (path, schema) = (output.path().to_owned(), Arc::new(Schema::new(fields)));
        let rows = (GROUP_VALUES / width.max(1)).clamp(1 << 10, 1 << 20);
        // Dictionaries and statistics do not help continuous numbers.
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .set_dictionary_enabled(dictionaries)
            .set_max_row_group_row_count(Some(rows))
            .build();
        let writer = ArrowWriter::try_new(output, schema.clone(), Some(properties));
        let writer = writer.map_err(|error| parquet_error(&path, error))?;
        Ok(Self { path, schema, encoder: Encoder::Parquet(Box::new(writer)) })
    }

    fn ipc(output: Output, fields: Vec<FieldRef>) -> Result<Self> {
        let (path, schema) = (output.path().to_owned(), Arc::new(Schema::new(fields)));
        let writer = FileWriter::try_new(output, &schema).map_err(|error| arrow_error(&path, error))?;
        Ok(Self { path, schema, encoder: Encoder::Ipc(Box::new(writer)) })
    }

    fn write(&mut self, columns: Vec<ArrayRef>) -> Result<()> {
        let batch =
            RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| arrow_error(&self.path, error))?;
        match &mut self.encoder {
            Encoder::Parquet(writer) => writer.write(&batch).map_err(|error| parquet_error(&self.path, error)),
            Encoder::Ipc(writer) => writer.write(&batch).map_err(|error| arrow_error(&self.path, error)),
        }
    }

    fn finish(self) -> Result<()> {
        let output = match self.encoder {
            Encoder::Parquet(writer) => writer.into_inner().map_err(|error| parquet_error(&self.path, error))?,
            Encoder::Ipc(writer) => writer.into_inner().map_err(|error| arrow_error(&self.path, error))?,
        };
        output.finish()
    }
}

fn arrow_error(path: &PathBuf, error: ArrowError) -> Error {
    let source = match error {
        ArrowError::IoError(_, source) => source,
        other => io::Error::other(other),
    };
    Error::io("write", path)(source)
}

fn parquet_error(path: &PathBuf, error: ParquetError) -> Error {
    let source = match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => *source,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    };
    Error::io("write", path)(source)
}

/// A column of lists of `width` numbers.
fn list_field(name: &str, width: usize) -> FieldRef {
    let kind = DataType::FixedSizeList(item(), i32::try_from(width).unwrap_or(i32::MAX));
    Arc::new(Field::new(name, kind, false))
}

fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::Float32, false))
}

fn lists(rows: ArrayView2<f32>) -> ArrayRef {
    let values = Float32Array::from_iter_values(rows.iter().copied());
    Arc::new(FixedSizeListArray::new(item(), rows.ncols() as i32, Arc::new(values), None))
}

/// Labels and perhaps memberships.
pub(super) struct ArrowRows {
    file: ArrowFile,
    columns: Columns,
    beside: Beside,
}

impl ArrowRows {
    pub(super) fn parquet(output: Output, columns: Columns, beside: Beside) -> Result<Self> {
        let kept = beside.kept.as_ref().map_or(0, KeptColumns::values_per_row);
        let width = 1 + columns.n_memberships().unwrap_or(0) + kept;
        let compression = if width < WIDE { Compression::ZSTD(ZstdLevel::default()) } else { Compression::SNAPPY };
        let dictionaries = columns.n_memberships().is_none() && width < WIDE;
        let fields = Self::fields(columns, &beside);
        Ok(Self { file: ArrowFile::parquet(output, fields, width, compression, dictionaries)?, columns, beside })
    }

    pub(super) fn ipc(output: Output, columns: Columns, beside: Beside) -> Result<Self> {
        // a file has one dictionary per column, and each batch may bring another: values take their place
        let fields = Self::fields(columns, &beside).into_iter().map(|field| match field.data_type() {
            DataType::Dictionary(_, values) => Arc::new(field.as_ref().clone().with_data_type(values.as_ref().clone())),
            _ => field,
        });
        Ok(Self { file: ArrowFile::ipc(output, fields.collect())?, columns, beside })
    }

    fn fields(columns: Columns, beside: &Beside) -> Vec<FieldRef> {
        let kind = if beside.names.is_empty() { DataType::Int32 } else { DataType::Utf8 };
        let label = Arc::new(Field::new("label", kind, false));
        let memberships = columns.n_memberships().map(|n_clusters| list_field("memberships", n_clusters));
        beside.typed_fields().into_iter().chain([label]).chain(memberships).collect()
    }

    /// Labels as numbers or names.
    fn labels(&self, labels: &[i32]) -> ArrayRef {
        if self.beside.names.is_empty() {
            return Arc::new(Int32Array::from(labels.to_vec()));
        }
        let name = |&label: &i32| self.beside.name(label).map_or_else(|| label.to_string(), str::to_owned);
        Arc::new(StringArray::from_iter_values(labels.iter().map(name)))
    }
}

impl RowWriter for ArrowRows {
    fn write(&mut self, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()> {
        self.columns.check(&self.file.path, labels, memberships)?;
        let mut columns = self.beside.take(labels.len())?;
        for (column, field) in columns.iter_mut().zip(self.file.schema.fields()) {
            if column.data_type() != field.data_type() {
                *column = cast(column, field.data_type()).map_err(|error| arrow_error(&self.file.path, error))?;
            }
        }
        columns.push(self.labels(labels));
        columns.extend(memberships.map(lists));
        self.file.write(columns)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.beside.finish()?;
        self.file.finish()
    }
}

/// Rows of numbers as one column `features`.
pub(super) struct ArrowMatrix {
    file: ArrowFile,
    width: usize,
}

impl ArrowMatrix {
    pub(super) fn parquet(output: Output, width: usize) -> Result<Self> {
        // Continuous numbers hardly become smaller: by 7% with zstd, which then takes a third of the time of labelling them.
        let fields = vec![list_field("features", width)];
        Ok(Self { file: ArrowFile::parquet(output, fields, width + 1, Compression::SNAPPY, false)?, width })
    }

    pub(super) fn ipc(output: Output, width: usize) -> Result<Self> {
        Ok(Self { file: ArrowFile::ipc(output, vec![list_field("features", width)])?, width })
    }
}

impl MatrixWriter for ArrowMatrix {
    fn write(&mut self, rows: ArrayView2<f32>) -> Result<()> {
        check_width(&self.file.path, rows, self.width)?;
        self.file.write(vec![lists(rows)])
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.file.finish()
    }
}
