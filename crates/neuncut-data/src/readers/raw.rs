//! Plain numbers, row after row, behind a header that has been read: C-ordered npy files and idx files.

use crate::Result;
use crate::element::Element;
use crate::image_shape::ImageShape;
use crate::source::Source;
use crate::table::RowReader;
use std::io::{ErrorKind, Read};

/// Bytes a system call: small enough to stay in the processor's cache between reading and decoding.
const BLOCK_BYTES: usize = 1 << 18;

/// What a header says about the numbers that follow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) element: Element,
    pub(crate) rows: u64,
    pub(crate) width: usize,
    pub(crate) image_shape: Option<ImageShape>,
}

/// A reader at its first number.
pub(crate) struct RawRows {
    source: Source,
    bytes: Box<dyn Read + Send>,
    layout: Layout,
    rows_done: u64,
    block: Vec<u8>,
}

impl RawRows {
    pub(crate) fn new(source: &Source, bytes: Box<dyn Read + Send>, layout: Layout) -> Self {
        Self { source: source.clone(), bytes, layout, rows_done: 0, block: Vec::new() }
    }

    fn read_block(&mut self, length: usize) -> Result<&[u8]> {
        self.block.resize(length, 0);
        self.bytes.read_exact(&mut self.block).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => cut_short(&self.source, self.layout.rows),
            _ => self.source.read_error(error),
        })?;
        Ok(&self.block)
    }
}

impl RowReader for RawRows {
    fn width(&self) -> usize {
        self.layout.width
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let Layout { element, width, .. } = self.layout;
        let count = (self.layout.rows - self.rows_done).min(max_rows as u64) as usize;
        // Headers of compressed files cannot be checked against a length, so no more than this is believed at once.
        rows.reserve(count.saturating_mul(width).min(1 << 24));
        let mut left = count as u64 * (width * element.size()) as u64;
        while left > 0 {
            let length = left.min(BLOCK_BYTES as u64) as usize;
            element.decode(self.read_block(length)?, rows);
            left -= length as u64;
        }
        self.rows_done += count as u64;
        Ok(count)
    }

    fn row_count(&self) -> Option<u64> {
        Some(self.layout.rows)
    }

    fn column_name(&self, column: usize) -> String {
        (column + 1).to_string()
    }

    fn image_shape(&self) -> Option<ImageShape> {
        self.layout.image_shape
    }
}

/// Checks the file's length, where it is known, against what its header promises.
pub(crate) fn check_length(source: &Source, rows: u64, promised: u64) -> Result<()> {
    match source.length() {
        Some(length) if length < promised => Err(cut_short(source, rows)),
        _ => Ok(()),
    }
}

/// A file that ends before its last row.
pub(crate) fn cut_short(source: &Source, rows: u64) -> crate::Error {
    source.error(format!("the header promises {rows} rows, but the file is cut short: copy or write it again"))
}

/// The image shape of an array, where its axes are rows, height, width and perhaps channels.
pub(crate) fn image_shape(shape: &[u64]) -> Option<ImageShape> {
    let (height, width, channels) = match *shape {
        [_, height, width] => (height, width, 1),
        [_, height, width, channels @ 1..=4] => (height, width, channels),
        _ => return None,
    };
    Some(ImageShape { height: height as usize, width: width as usize, channels: channels as usize })
}
