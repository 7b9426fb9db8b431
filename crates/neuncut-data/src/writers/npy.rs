//! npy files: the header is written with room to spare, and patched when the number of rows is known.

use super::{Columns, Complete, MatrixWriter, Output, RowWriter, check_width};
use crate::Result;
use crate::npy_header::format_header;
use arrow_buffer::ToByteSlice;
use ndarray::ArrayView2;
use std::io::{Seek, SeekFrom};

/// A growing array of little-endian numbers.
struct NpyFile {
    output: Output,
    descr: &'static str,
    width: Option<usize>,
    rows: u64,
}

impl NpyFile {
    fn new(mut output: Output, descr: &'static str, width: Option<usize>) -> Result<Self> {
        output.put(&format_header(descr, 0, width))?;
        Ok(Self { output, descr, width, rows: 0 })
    }

    /// Appends rows, given as the bytes of their numbers.
    fn append(&mut self, rows: usize, bytes: &[u8]) -> Result<()> {
        self.rows += rows as u64;
        self.output.put(bytes)
    }

    fn append_matrix(&mut self, rows: ArrayView2<f32>) -> Result<()> {
        match rows.as_slice() {
            Some(values) if cfg!(target_endian = "little") => self.append(rows.nrows(), values.to_byte_slice()),
            _ => {
                let bytes: Vec<u8> = rows.iter().flat_map(|value| value.to_le_bytes()).collect();
                self.append(rows.nrows(), &bytes)
            }
        }
    }

    fn complete(mut self) -> Result<Complete> {
        let header = format_header(self.descr, self.rows, self.width);
        if let Output::File(file) = &mut self.output {
            let sought = file.seek(SeekFrom::Start(0));
            sought.map_err(|error| self.output.error(error))?;
            self.output.put(&header)?;
        }
        self.output.complete()
    }
}

/// Labels as an array of `i32`, or memberships as a matrix of `f32`.
pub(super) struct NpyRows {
    file: NpyFile,
    columns: Columns,
}

impl NpyRows {
    pub(super) fn new(output: Output, columns: Columns) -> Result<Self> {
        let width = columns.n_memberships();
        let descr = if width.is_some() { "<f4" } else { "<i4" };
        Ok(Self { file: NpyFile::new(output, descr, width)?, columns })
    }
}

impl RowWriter for NpyRows {
    fn write(&mut self, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()> {
        self.columns.check(self.file.output.path(), labels, memberships)?;
        match memberships {
            Some(memberships) => self.file.append_matrix(memberships),
            None => {
                let bytes: Vec<u8> = labels.iter().flat_map(|label| label.to_le_bytes()).collect();
                self.file.append(labels.len(), &bytes)
            }
        }
    }

    fn complete(self: Box<Self>) -> Result<Complete> {
        self.file.complete()
    }
}

/// Rows as a matrix of `f32`.
pub(super) struct NpyMatrix {
    file: NpyFile,
    width: usize,
}

impl NpyMatrix {
    pub(super) fn new(output: Output, width: usize) -> Result<Self> {
        Ok(Self { file: NpyFile::new(output, "<f4", Some(width))?, width })
    }
}

impl MatrixWriter for NpyMatrix {
    fn write(&mut self, rows: ArrayView2<f32>) -> Result<()> {
        check_width(self.file.output.path(), rows, self.width)?;
        self.file.append_matrix(rows)
    }

    fn complete(self: Box<Self>) -> Result<Complete> {
        self.file.complete()
    }
}
