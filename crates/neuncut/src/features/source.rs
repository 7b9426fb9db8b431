//! Raw rows that can be read more than once: each fitted step is one pass.

use crate::Result;
use crate::data::synthetic::DeformedImages;
use crate::data::{ImageShape, Table};
use ndarray::{ArrayView2, s};

/// Rows in order, from the beginning as often as asked.
pub trait RowSource {
    /// Values per row.
    fn width(&self) -> usize;
    /// The shape of each row, where rows are images.
    fn image_shape(&self) -> Option<ImageShape>;
    /// Goes back to the first row.
    fn rewind(&mut self);
    /// Appends up to `max_rows` rows and returns how many; 0 only at the end.
    ///
    /// # Errors
    /// When rows cannot be read.
    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize>;
}

impl RowSource for Table {
    fn width(&self) -> usize {
        Table::width(self)
    }

    fn image_shape(&self) -> Option<ImageShape> {
        Table::image_shape(self)
    }

    fn rewind(&mut self) {
        Table::rewind(self);
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        Ok(Table::read(self, max_rows, rows)?)
    }
}

impl RowSource for DeformedImages {
    fn width(&self) -> usize {
        self.shape().len()
    }

    fn image_shape(&self) -> Option<ImageShape> {
        Some(self.shape())
    }

    fn rewind(&mut self) {
        DeformedImages::rewind(self);
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        Ok(DeformedImages::read(self, max_rows, rows))
    }
}

/// Rows in memory.
#[derive(Debug, Clone)]
pub struct ArrayRows<'a> {
    rows: ArrayView2<'a, f32>,
    shape: Option<ImageShape>,
    done: usize,
}

impl<'a> ArrayRows<'a> {
    /// Rows, and their shape where they are images.
    pub fn new(rows: ArrayView2<'a, f32>, shape: Option<ImageShape>) -> Self {
        Self { rows, shape, done: 0 }
    }

    /// All of them.
    pub fn view(&self) -> ArrayView2<'a, f32> {
        self.rows
    }
}

impl RowSource for ArrayRows<'_> {
    fn width(&self) -> usize {
        self.rows.ncols()
    }

    fn image_shape(&self) -> Option<ImageShape> {
        self.shape
    }

    fn rewind(&mut self) {
        self.done = 0;
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let end = (self.done + max_rows).min(self.rows.nrows());
        rows.extend(self.rows.slice(s![self.done..end, ..]).iter());
        let count = end - self.done;
        self.done = end;
        Ok(count)
    }
}
