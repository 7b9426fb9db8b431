//! Some columns of a reader that itself knows only whole rows.

use crate::Result;
use crate::columns::{ColumnChoice, ColumnNames, numbered};
use crate::image_shape::ImageShape;
use crate::source::Source;
use crate::table::{RowReader, check_columns};

/// Whole rows are read a block at a time, to stay in the processor's cache.
const BLOCK_VALUES: usize = 1 << 16;

/// The chosen columns of an unnamed reader.
struct Projected {
    whole: Box<dyn RowReader>,
    columns: Vec<usize>,
    block: Vec<f32>,
}

/// The chosen columns, by number, of a reader whose columns have no names.
pub(crate) fn project(source: &Source, choice: &ColumnChoice, whole: Box<dyn RowReader>) -> Result<Box<dyn RowReader>> {
    if choice.is_everything(whole.width()) {
        return Ok(whole);
    }
    check_columns(source, whole.width())?;
    let columns = choice.resolve(&source.path, &numbered(whole.width()), false)?;
    Ok(Box::new(Projected { whole, columns, block: Vec::new() }))
}

impl RowReader for Projected {
    fn width(&self) -> usize {
        self.columns.len()
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let width = self.whole.width();
        let mut read = 0;
        while read < max_rows {
            self.block.clear();
            let count = self.whole.read((BLOCK_VALUES / width).clamp(1, max_rows - read), &mut self.block)?;
            if count == 0 {
                break;
            }
            for row in self.block.chunks_exact(width) {
                rows.extend(self.columns.iter().map(|&column| row[column]));
            }
            read += count;
        }
        Ok(read)
    }

    fn row_count(&self) -> Option<u64> {
        self.whole.row_count()
    }

    fn column_name(&self, column: usize) -> String {
        self.whole.column_name(self.columns[column])
    }

    fn image_shape(&self) -> Option<ImageShape> {
        None
    }

    fn names(&self) -> ColumnNames {
        ColumnNames::Numbered { numbers: (0..self.columns.len()).map(|column| self.column_name(column)).collect() }
    }
}
