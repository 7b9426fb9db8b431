//! Parquet with columns that come along from Parquet: row group by row group, their chunks are copied and the results put beside them.

use super::arrow_table::{ResultColumns, notes, parquet_error, properties};
use super::{Columns, Complete, Output, RowWriter};
use crate::kept_chunks::KeptChunks;
use crate::{Error, Result};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{FieldRef, Schema};
use ndarray::ArrayView2;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter, add_encoded_arrow_schema_to_metadata};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::EnabledStatistics;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Labels and perhaps memberships beside copied columns.
pub(super) struct CopiedRows {
    path: PathBuf,
    kept: KeptChunks,
    results: ResultColumns,
    fields: Vec<FieldRef>,
    file: SerializedFileWriter<Output>,
    /// Makes the writers of the results' columns of a row group.
    factory: ArrowRowGroupWriterFactory,
    /// Those of the current row group, and its rows that are missing yet.
    group: Option<(Vec<ArrowColumnWriter>, usize)>,
    groups: usize,
}

impl CopiedRows {
    pub(super) fn new(output: Output, kept: KeptChunks, results: ResultColumns) -> Result<Self> {
        let path = output.path().to_owned();
        let fields = results.fields();
        let parts = begin(output, &kept, &fields, results.columns()).map_err(|error| parquet_error(&path, error));
        let (file, factory) = parts?;
        Ok(Self { path, kept, results, fields, file, factory, group: None, groups: 0 })
    }

    /// Puts results of some rows into the current row group, and ends it where it is complete. Gives the rows that it took.
    fn put(&mut self, columns: &[ArrayRef]) -> ParquetResult<usize> {
        let (mut writers, missing) = match self.group.take() {
            Some(group) => group,
            None => {
                let rows = self.kept.next_rows().ok_or_else(|| changed("fewer"))?;
                (self.factory.create_column_writers(self.groups)?, rows)
            }
        };
        let rows = columns.first().map_or(0, |column| column.len()).min(missing);
        let mut leaves = writers.iter_mut();
        for (field, column) in self.fields.iter().zip(columns) {
            for leaf in compute_leaves(field, &column.slice(0, rows))? {
                leaves.next().ok_or_else(|| changed("other"))?.write(&leaf)?;
            }
        }
        match missing - rows {
            0 => self.end(writers)?,
            left => self.group = Some((writers, left)),
        }
        Ok(rows)
    }

    fn end(&mut self, writers: Vec<ArrowColumnWriter>) -> ParquetResult<()> {
        let mut group = self.file.next_row_group()?;
        self.kept.copy(&mut group)?;
        for writer in writers {
            writer.close()?.append_to_row_group(&mut group)?;
        }
        self.groups += 1;
        group.close().map(drop)
    }
}

/// The file, with the columns kept and those of the results, and what writes the latter.
fn begin(
    output: Output,
    kept: &KeptChunks,
    results: &[FieldRef],
    columns: Columns,
) -> ParquetResult<(SerializedFileWriter<Output>, ArrowRowGroupWriterFactory)> {
    // a file has page indexes for all columns or for none, and those of copied chunks would have to be moved
    let mut properties = properties(columns, 1 + columns.n_memberships().unwrap_or(0))
        .into_builder()
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(notes(&kept.metadata))
        .build();
    let alone = Arc::new(Schema::new(results.to_vec()));
    let types = ArrowSchemaConverter::new().convert(&alone)?.root_schema().get_fields().to_vec();
    let (_, factory) = ArrowWriter::try_new(io::sink(), alone, Some(properties.clone()))?.into_serialized_writer()?;
    let fields: Vec<FieldRef> = kept.fields.iter().chain(results).cloned().collect();
    let all = Schema::new_with_metadata(fields, kept.metadata.clone());
    add_encoded_arrow_schema_to_metadata(&all, &mut properties);
    let types = kept.types.iter().cloned().chain(types).collect();
    let root = Type::group_type_builder("arrow_schema").with_fields(types).build()?;
    Ok((SerializedFileWriter::new(output, Arc::new(root), Arc::new(properties))?, factory))
}

fn changed(how: &str) -> ParquetError {
    ParquetError::General(format!(
        "the columns to keep have {how} rows than the table: the files have changed; run it again"
    ))
}

impl RowWriter for CopiedRows {
    fn write(&mut self, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()> {
        let mut columns = self.results.of(&self.path, labels, memberships)?;
        let mut left = labels.len();
        while left > 0 {
            let taken = self.put(&columns).map_err(|error| parquet_error(&self.path, error))?;
            left -= taken;
            columns.iter_mut().for_each(|column| *column = column.slice(taken, left));
        }
        Ok(())
    }

    fn complete(mut self: Box<Self>) -> Result<Complete> {
        if self.group.is_some() || self.kept.next_rows().is_some() {
            return Err(Error::Io { action: "write", path: self.path, source: io::Error::other(changed("more")) });
        }
        let output = self.file.into_inner().map_err(|error| parquet_error(&self.path, error))?;
        output.complete()
    }
}
