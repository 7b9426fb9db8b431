//! Parquet and Arrow files: `label` as int32, `memberships` and `features` as fixed-size lists of float32.

use super::{Columns, MatrixWriter, Output, RowWriter, check_width};
use crate::{Error, Result};
use arrow::array::{ArrayRef, FixedSizeListArray, Float32Array, Int32Array, RecordBatch};
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
    fn parquet(output: Output, fields: Vec<FieldRef>, width: usize, compression: Compression) -> Result<Self> {
        let (path, schema) = (output.path().to_owned(), Arc::new(Schema::new(fields)));
        let rows = (GROUP_VALUES / width.max(1)).clamp(1 << 10, 1 << 20);
        // Dictionaries and statistics do not help continuous numbers.
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .set_dictionary_enabled(width == 1)
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
}

impl ArrowRows {
    pub(super) fn parquet(output: Output, columns: Columns) -> Result<Self> {
        let width = 1 + columns.n_memberships().unwrap_or(0);
        let compression = Compression::ZSTD(ZstdLevel::default());
        Ok(Self { file: ArrowFile::parquet(output, Self::fields(columns), width, compression)?, columns })
    }

    pub(super) fn ipc(output: Output, columns: Columns) -> Result<Self> {
        Ok(Self { file: ArrowFile::ipc(output, Self::fields(columns))?, columns })
    }

    fn fields(columns: Columns) -> Vec<FieldRef> {
        let label = Arc::new(Field::new("label", DataType::Int32, false));
        let memberships = columns.n_memberships().map(|n_clusters| list_field("memberships", n_clusters));
        std::iter::once(label).chain(memberships).collect()
    }
}

impl RowWriter for ArrowRows {
    fn write(&mut self, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()> {
        self.columns.check(labels, memberships)?;
        let label: ArrayRef = Arc::new(Int32Array::from(labels.to_vec()));
        self.file.write(std::iter::once(label).chain(memberships.map(lists)).collect())
    }

    fn finish(self: Box<Self>) -> Result<()> {
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
        Ok(Self { file: ArrowFile::parquet(output, fields, width + 1, Compression::SNAPPY)?, width })
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
