//! Whether the files of a table fit to each other.

use super::RowReader;
use crate::columns::ColumnNames;
use crate::image_shape::ImageShape;
use crate::source::Source;
use crate::{Error, Result};

/// Whether a further file fits to the first one.
pub(super) fn check_alike(source: &Source, first: &dyn RowReader, reader: &dyn RowReader) -> Result<()> {
    if first.width() != reader.width() {
        return Err(Error::Width {
            what: source.path.display().to_string(),
            given: reader.width(),
            expected: first.width(),
            remedy: "all files of a table must have the columns of the first one; choose them with --columns".into(),
        });
    }
    if let (Some(a), Some(b)) = (first.image_shape(), reader.image_shape())
        && a != b
    {
        let size = |shape: ImageShape| format!("{}x{}", shape.width, shape.height);
        let problem = format!(
            "images of {} pixels, but those of the first file have {}: give images of one size",
            size(b),
            size(a)
        );
        return Err(source.error(problem));
    }
    if let (ColumnNames::Named(_), ColumnNames::Named(_)) = (first.names(), reader.names()) {
        let differs = (0..first.width()).find(|&column| first.column_name(column) != reader.column_name(column));
        if let Some(column) = differs {
            let (given, expected) = (reader.column_name(column), first.column_name(column));
            let problem = format!(
                "feature column {} is called {given}, but {expected} in the first file: name the columns in one order with --columns",
                column + 1
            );
            return Err(source.error(problem));
        }
    }
    Ok(())
}
