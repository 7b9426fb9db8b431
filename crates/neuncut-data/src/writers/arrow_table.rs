//! Parquet and Arrow files: `label` as int32, `memberships` and `features` as fixed-size lists of float32.

use super::dictionaries::Dictionary;
use super::{Beside, CONFIDENCE, Columns, Complete, Labels, MatrixWriter, Output, RowWriter, check_width};
use crate::kept::KeptColumns;
use crate::{Error, Result};
use arrow_array::{ArrayRef, FixedSizeListArray, Float32Array, Int32Array, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_cast::cast;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use ndarray::ArrayView2;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
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
    fn parquet(output: Output, schema: Schema, properties: WriterProperties) -> Result<Self> {
        let (path, schema) = (output.path().to_owned(), Arc::new(schema));
        let properties = properties.into_builder().set_key_value_metadata(notes(schema.metadata())).build();
        let writer = ArrowWriter::try_new(output, schema.clone(), Some(properties));
        let writer = writer.map_err(|error| parquet_error(&path, error))?;
        Ok(Self { path, schema, encoder: Encoder::Parquet(Box::new(writer)) })
    }

    fn ipc(output: Output, schema: Schema) -> Result<Self> {
        let (path, schema) = (output.path().to_owned(), Arc::new(schema));
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

    fn complete(self) -> Result<Complete> {
        let output = match self.encoder {
            Encoder::Parquet(writer) => writer.into_inner().map_err(|error| parquet_error(&self.path, error))?,
            Encoder::Ipc(writer) => writer.into_inner().map_err(|error| arrow_error(&self.path, error))?,
        };
        output.complete()
    }
}

/// How a Parquet file of results is written that has so many values per row.
pub(super) fn properties(columns: Columns, width: usize) -> WriterProperties {
    let compression = if width < WIDE { Compression::ZSTD(ZstdLevel::default()) } else { Compression::SNAPPY };
    grouped(width, compression, columns.n_memberships().is_none() && width < WIDE)
}

fn grouped(width: usize, compression: Compression, dictionaries: bool) -> WriterProperties {
    let rows = (GROUP_VALUES / width.max(1)).clamp(1 << 10, 1 << 20);
    // Dictionaries and statistics do not help continuous numbers.
    WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(dictionaries)
        .set_max_row_group_row_count(Some(rows))
        .build()
}

/// What a table says about itself, as Parquet has it; nothing where it says nothing.
pub(super) fn notes(metadata: &HashMap<String, String>) -> Option<Vec<KeyValue>> {
    let mut notes: Vec<_> = metadata.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
    notes.sort_by(|a, b| a.key.cmp(&b.key)); // equal inputs give equal bytes
    (!notes.is_empty()).then_some(notes)
}

pub(super) fn arrow_error(path: &PathBuf, error: ArrowError) -> Error {
    let source = match error {
        ArrowError::IoError(_, source) => source,
        other => io::Error::other(other),
    };
    Error::io("write", path)(source)
}

pub(super) fn parquet_error(path: &PathBuf, error: ParquetError) -> Error {
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
pub(super) fn list_field(name: &str, width: usize, nullable: bool) -> FieldRef {
    let kind = DataType::FixedSizeList(item(), i32::try_from(width).unwrap_or(i32::MAX));
    Arc::new(Field::new(name, kind, nullable))
}

fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::Float32, false))
}

/// Rows as lists, of which some may be missing.
pub(super) fn lists(rows: ArrayView2<f32>, missing: Option<NullBuffer>) -> ArrayRef {
    let values = Float32Array::from_iter_values(rows.iter().copied());
    Arc::new(FixedSizeListArray::new(item(), rows.ncols() as i32, Arc::new(values), missing))
}

/// `label`, and perhaps `memberships` or `confidence`, as columns.
pub(super) struct ResultColumns {
    columns: Columns,
    labels: Labels,
}

impl ResultColumns {
    pub(super) fn new(columns: Columns, labels: Labels) -> Self {
        Self { columns, labels }
    }

    pub(super) fn columns(&self) -> Columns {
        self.columns
    }

    pub(super) fn fields(&self) -> Vec<FieldRef> {
        let nullable = self.labels.some_missing;
        let kind = if self.labels.names.is_empty() { DataType::Int32 } else { DataType::Utf8 };
        let label = Arc::new(Field::new("label", kind, nullable));
        let memberships = match self.columns {
            Columns::Labels => None,
            Columns::LabelsAndConfidence => Some(Arc::new(Field::new(CONFIDENCE, DataType::Float32, nullable))),
            Columns::LabelsAndMemberships { n_clusters } => Some(list_field("memberships", n_clusters, nullable)),
        };
        let by_cluster = self.labels.beside.iter().map(|column| column.field(nullable));
        std::iter::once(label).chain(by_cluster).chain(memberships).collect()
    }

    /// The columns of some rows; labels below zero are null.
    pub(super) fn of(
        &self,
        path: &Path,
        labels: &[i32],
        memberships: Option<ArrayView2<f32>>,
    ) -> Result<Vec<ArrayRef>> {
        self.columns.check(path, labels, memberships)?;
        let there: Vec<bool> = labels.iter().map(|&label| label >= 0).collect();
        let missing = self.labels.some_missing.then(|| NullBuffer::from(there));
        let label: ArrayRef = match self.labels.names.is_empty() {
            true => Arc::new(Int32Array::new(labels.to_vec().into(), missing.clone())),
            false => Arc::new(labels.iter().map(|&label| self.labels.name(label)).collect::<StringArray>()),
        };
        let by_cluster = self.labels.beside.iter().map(|column| column.array(labels, missing.clone()));
        let by_cluster: Vec<ArrayRef> = by_cluster.collect();
        let numbers = |rows: ArrayView2<f32>| -> ArrayRef {
            match self.columns {
                Columns::LabelsAndConfidence => {
                    Arc::new(Float32Array::new(rows.iter().copied().collect::<Vec<f32>>().into(), missing))
                }
                _ => lists(rows, missing),
            }
        };
        Ok(std::iter::once(label).chain(by_cluster).chain(memberships.map(numbers)).collect())
    }
}

/// Results, with columns of the input before them.
pub(super) struct ArrowRows {
    file: ArrowFile,
    results: ResultColumns,
    beside: Beside,
    /// Those of kept columns, by their place.
    dictionaries: HashMap<usize, Dictionary>,
}

impl ArrowRows {
    pub(super) fn parquet(output: Output, results: ResultColumns, beside: Beside) -> Result<Self> {
        let kept = beside.kept.as_ref().map_or(0, KeptColumns::values_per_row);
        let width = 1 + results.columns.n_memberships().unwrap_or(0) + kept;
        // the writer knows no dictionaries of views
        let plain = |field: FieldRef| match field.data_type() {
            DataType::Dictionary(keys, values) if matches!(**values, DataType::Utf8View | DataType::BinaryView) => {
                let values = if **values == DataType::Utf8View { DataType::Utf8 } else { DataType::Binary };
                Arc::new(field.as_ref().clone().with_data_type(DataType::Dictionary(keys.clone(), values.into())))
            }
            _ => field,
        };
        let schema = Self::schema(&results, &beside, plain);
        let file = ArrowFile::parquet(output, schema, properties(results.columns, width))?;
        Ok(Self { file, results, beside, dictionaries: HashMap::new() })
    }

    pub(super) fn ipc(output: Output, results: ResultColumns, beside: Beside) -> Result<Self> {
        let mut found = beside.kept.as_ref().map_or(Ok(HashMap::new()), Dictionary::of_columns)?;
        let names = beside.kept.iter().flat_map(|kept| kept.schema().fields()).map(|field| field.name());
        let dictionaries: HashMap<usize, Dictionary> =
            names.enumerate().filter_map(|(place, name)| Some((place, found.remove(name)?))).collect();
        let mut place = 0..;
        // values take the place of a dictionary that is too large for its keys
        let plain = |field: FieldRef| match (field.data_type(), place.next()) {
            (DataType::Dictionary(_, values), Some(place)) if !dictionaries.contains_key(&place) => {
                Arc::new(field.as_ref().clone().with_data_type(values.as_ref().clone()))
            }
            _ => field,
        };
        let schema = Self::schema(&results, &beside, plain);
        Ok(Self { file: ArrowFile::ipc(output, schema)?, results, beside, dictionaries })
    }

    /// The columns, with those of the input as `plain` makes them.
    fn schema(results: &ResultColumns, beside: &Beside, plain: impl FnMut(FieldRef) -> FieldRef) -> Schema {
        let fields: Vec<FieldRef> = beside.typed_fields().into_iter().map(plain).chain(results.fields()).collect();
        Schema::new_with_metadata(fields, beside.metadata())
    }
}

impl RowWriter for ArrowRows {
    fn write(&mut self, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()> {
        let results = self.results.of(&self.file.path, labels, memberships)?;
        let mut columns = self.beside.take(labels.len())?;
        for (place, (column, field)) in columns.iter_mut().zip(self.file.schema.fields()).enumerate() {
            let other = match self.dictionaries.get(&place) {
                Some(dictionary) => dictionary.apply(column),
                None if column.data_type() != field.data_type() => cast(column, field.data_type()),
                None => continue,
            };
            *column = other.map_err(|error| arrow_error(&self.file.path, error))?;
        }
        columns.extend(results);
        self.file.write(columns)
    }

    fn complete(mut self: Box<Self>) -> Result<Complete> {
        self.beside.finish()?;
        self.file.complete()
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
        let fields = vec![list_field("features", width, false)];
        let properties = grouped(width + 1, Compression::SNAPPY, false);
        Ok(Self { file: ArrowFile::parquet(output, Schema::new(fields), properties)?, width })
    }

    pub(super) fn ipc(output: Output, width: usize) -> Result<Self> {
        Ok(Self { file: ArrowFile::ipc(output, Schema::new(vec![list_field("features", width, false)]))?, width })
    }
}

impl MatrixWriter for ArrowMatrix {
    fn write(&mut self, rows: ArrayView2<f32>) -> Result<()> {
        check_width(&self.file.path, rows, self.width)?;
        self.file.write(vec![lists(rows, None)])
    }

    fn complete(self: Box<Self>) -> Result<Complete> {
        self.file.complete()
    }
}
