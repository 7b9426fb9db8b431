//! The record batches of a Parquet file, one row group after another, each with the rows that the footer promises.

use super::parquet_lengths::PageFile;
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::ops::Range;

/// Batches of some columns.
pub(super) struct Groups {
    file: File,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    batch_rows: usize,
    /// Row groups that were not begun yet.
    groups: Range<usize>,
    current: Option<ParquetRecordBatchReader>,
    /// Rows of the current group that have not come yet.
    missing: u64,
}

impl Groups {
    pub(super) fn new(
        file: File,
        metadata: ArrowReaderMetadata,
        mask: ProjectionMask,
        batch_rows: usize,
        first_group: usize,
    ) -> Self {
        let groups = first_group..metadata.metadata().num_row_groups();
        Self { file, metadata, mask, batch_rows, groups, current: None, missing: 0 }
    }

    /// Rows that the footer promises of some groups.
    pub(super) fn rows_of(&self, groups: Range<usize>) -> u64 {
        groups.map(|group| self.metadata.metadata().row_group(group).num_rows() as u64).sum()
    }

    /// Begins the next group; false at the end.
    fn begin(&mut self) -> Result<bool, ArrowError> {
        let Some(group) = self.groups.next() else { return Ok(false) };
        let file = PageFile(self.file.try_clone()?);
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let builder = builder.with_projection(self.mask.clone()).with_batch_size(self.batch_rows);
        self.current = Some(builder.with_row_groups(vec![group]).build()?);
        self.missing = self.rows_of(group..group + 1);
        Ok(true)
    }

    fn advance(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            if let Some(batches) = &mut self.current {
                if let Some(batch) = batches.next().transpose()? {
                    let rows = batch.num_rows() as u64;
                    self.missing = self.missing.checked_sub(rows).ok_or_else(|| contradiction("more"))?;
                    return Ok(Some(batch));
                }
                if self.missing > 0 {
                    return Err(contradiction("fewer"));
                }
                self.current = None;
            }
            if !self.begin()? {
                return Ok(None);
            }
        }
    }
}

impl Iterator for Groups {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

fn contradiction(how: &str) -> ArrowError {
    ArrowError::ParquetError(format!("a row group has {how} rows than the footer says"))
}
