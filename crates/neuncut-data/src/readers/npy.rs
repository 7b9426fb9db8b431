//! NumPy's `.npy` files: any plain number type, either byte order, C or Fortran order, any number of axes.

use super::projected::project;
use super::raw::{Layout, RawRows, check_length, cut_short, image_shape};
use crate::Result;
use crate::columns::ColumnChoice;
use crate::image_shape::ImageShape;
use crate::npy_header::{Item, NpyHeader};
use crate::source::{Packing, Source};
use crate::table::{RowReader, check_columns};
use crate::temporary;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Opens a `.npy` or `.npy.gz` file. A one-dimensional array is one column; axes behind the second are laid out flat.
pub(crate) fn open(source: &Source, choice: &ColumnChoice) -> Result<Box<dyn RowReader>> {
    let mut bytes = source.bytes()?;
    let header = NpyHeader::read(source, &mut bytes)?;
    let layout = layout(source, &header)?;
    let whole: Box<dyn RowReader> = if header.fortran && header.shape.len() > 1 {
        Box::new(FortranRows::new(source, &header, layout)?)
    } else {
        Box::new(RawRows::new(source, bytes, layout))
    };
    project(source, choice, whole)
}

fn layout(source: &Source, header: &NpyHeader) -> Result<Layout> {
    let Item::Number(element) = header.item else {
        return Err(source.error("the array holds text, not numbers: leave text out of the features, or encode it"));
    };
    if header.shape.is_empty() {
        return Err(source.error("the array has no rows and columns: save an array of two dimensions"));
    }
    let Some((rows, width)) = header.rows_and_width() else {
        return Err(source.error("the header's shape is larger than any memory: save it again with numpy.save"));
    };
    if width == 0 {
        return Err(source.error("the array has no columns: save an array of shape (rows, features)"));
    }
    check_columns(source, width)?;
    let bytes = rows * width as u64 * element.size() as u64;
    check_length(source, rows, header.data_start + bytes)?;
    Ok(Layout { element, rows, width, image_shape: image_shape(&header.shape) })
}

/// Columns one after another: a chunk of rows is gathered by one read per column.
struct FortranRows {
    source: Source,
    file: File,
    data_start: u64,
    layout: Layout,
    /// For each column of the flat row, which of the file's columns it is.
    order: Vec<u64>,
    rows_done: u64,
    bytes: Vec<u8>,
    column: Vec<f32>,
}

impl FortranRows {
    fn new(source: &Source, header: &NpyHeader, layout: Layout) -> Result<Self> {
        let length = header.data_start + layout.rows * (layout.width * layout.element.size()) as u64;
        let file = if source.packing == Packing::Plain { source.file()? } else { unpack(source, length)? };
        if file.metadata().map_err(|error| source.read_error(error))?.len() < length {
            return Err(cut_short(source, layout.rows));
        }
        Ok(Self {
            source: source.clone(),
            file,
            data_start: header.data_start,
            layout,
            order: column_order(&header.shape[1..]),
            rows_done: 0,
            bytes: Vec::new(),
            column: Vec::new(),
        })
    }

    /// Reads the next rows of one of the file's columns into `self.column`.
    fn read_column(&mut self, column: u64, count: usize) -> Result<()> {
        let size = self.layout.element.size();
        let at = self.data_start + (column * self.layout.rows + self.rows_done) * size as u64;
        self.bytes.resize(count * size, 0);
        let read = self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.read_exact(&mut self.bytes));
        read.map_err(|error| self.source.read_error(error))?;
        self.column.clear();
        self.layout.element.decode(&self.bytes, &mut self.column);
        Ok(())
    }
}

impl RowReader for FortranRows {
    fn width(&self) -> usize {
        self.layout.width
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let (width, start) = (self.layout.width, rows.len());
        let count = (self.layout.rows - self.rows_done).min(max_rows as u64) as usize;
        rows.resize(start + count * width, 0.0);
        for column in 0..width {
            self.read_column(self.order[column], count)?;
            for (row, value) in self.column.iter().enumerate() {
                rows[start + row * width + column] = *value;
            }
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

/// Columns cannot be gathered from a compressed stream: its first `length` bytes are unpacked into an unnamed temporary file.
fn unpack(source: &Source, length: u64) -> Result<File> {
    let mut bytes = source.bytes()?.take(length);
    let unpacked = temporary::nameless().and_then(|mut file| std::io::copy(&mut bytes, &mut file).map(|_| file));
    unpacked.map_err(|error| source.read_error(error))
}

/// Maps columns counted with the last axis fastest to columns counted with the first axis fastest.
fn column_order(axes: &[u64]) -> Vec<u64> {
    let width: u64 = axes.iter().product();
    let place = |column: u64| {
        let (mut rest, mut stride, mut place) = (column, width, 0);
        for &size in axes.iter().rev() {
            stride /= size;
            place += (rest % size) * stride;
            rest /= size;
        }
        place
    };
    (0..width).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Dir, error_of, read_all, spec};
    use crate::{Table, TableSpec};

    /// An npy file with the given header and data.
    fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn le(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn read(bytes: Vec<u8>) -> (usize, Vec<f32>) {
        let dir = Dir::new();
        read_all(&spec(&dir.file("a.npy", bytes))).unwrap()
    }

    #[test]
    fn every_type_and_byte_order() {
        macro_rules! check {
            ($($descr:literal $type:ty),*) => { $(
                let little: Vec<u8> = [0 as $type, 1 as $type, 100 as $type].iter().flat_map(|v| v.to_le_bytes()).collect();
                let big: Vec<u8> = [0 as $type, 1 as $type, 100 as $type].iter().flat_map(|v| v.to_be_bytes()).collect();
                assert_eq!(read(npy(concat!("<", $descr), "False", "(3,)", &little)), (1, vec![0.0, 1.0, 100.0]));
                assert_eq!(read(npy(concat!(">", $descr), "False", "(3, 1)", &big)), (1, vec![0.0, 1.0, 100.0]));
            )* };
        }
        check!("u1" u8, "i1" i8, "u2" u16, "i2" i16, "u4" u32, "i4" i32, "u8" u64, "i8" i64, "f4" f32, "f8" f64);
        assert_eq!(read(npy("|b1", "False", "(1, 2)", &[1, 0])), (2, vec![1.0, 0.0]));
        assert_eq!(read(npy("<f2", "False", "(1, 1)", &[0, 0x3c])), (1, vec![1.0]));
    }

    #[test]
    fn fortran_order_gives_the_same_rows() {
        // a[i, j, k] = 100 i + 10 j + k, of shape (3, 2, 2).
        let value = |i: usize, j: usize, k: usize| (100 * i + 10 * j + k) as f32;
        let rows: Vec<f32> = (0..12).map(|n| value(n / 4, n / 2 % 2, n % 2)).collect();
        let stored: Vec<f32> = (0..12).map(|n| value(n % 3, n / 3 % 2, n / 6)).collect();
        let bytes = npy("<f4", "True", "(3, 2, 2)", &le(&stored));
        assert_eq!(read(bytes.clone()), (4, rows.clone()));
        let dir = Dir::new();
        assert_eq!(read_all(&spec(&dir.file("a.npy.gz", bytes))).unwrap(), (4, rows));
    }

    #[test]
    fn large_and_compressed_files_cross_blocks() {
        let values: Vec<f32> = (0..300_000).map(|value| value as f32).collect();
        let bytes = npy("<f4", "False", "(1000, 300)", &le(&values));
        let dir = Dir::new();
        for name in ["a.npy", "a.npy.gz"] {
            assert_eq!(read_all(&spec(&dir.file(name, &bytes))).unwrap(), (300, values.clone()));
        }
    }

    #[test]
    fn images_keep_their_shape_unless_columns_are_chosen() {
        let dir = Dir::new();
        let path = dir.file("a.npy", npy("|u1", "False", "(1, 2, 2, 3)", &[7; 12]));
        let shape = ImageShape { height: 2, width: 2, channels: 3 };
        assert_eq!(Table::open(&spec(&path)).unwrap().image_shape(), Some(shape));
        let some = TableSpec { columns: Some(vec!["12".into(), "1-2".into()]), ..spec(&path) };
        assert_eq!(Table::open(&some).unwrap().image_shape(), None);
        assert_eq!(read_all(&some).unwrap(), (3, vec![7.0; 3]));
    }

    #[test]
    fn broken_files_are_explained() {
        let dir = Dir::new();
        let message = |bytes: Vec<u8>| error_of(&spec(&dir.file("a.npy", bytes)));
        assert!(
            message(npy("<f4", "False", "(5, 1)", &le(&[1.0]))).contains("promises 5 rows, but the file is cut short")
        );
        assert!(message(npy("<f4", "False", "(5, 0)", &[])).contains("has no columns"));
        assert!(message(npy("<f4", "False", "()", &[0; 4])).contains("has no rows and columns"));
        assert!(message(npy("<U4", "False", "(1,)", &[0; 16])).contains("holds text"));
        let huge = message(npy("<f4", "False", "(18446744073709551615, 2)", &[]));
        assert!(huge.contains("larger than any memory"), "{huge}");
        let path = dir.file("b.npy.gz", npy("<f4", "False", "(5, 1)", &le(&[1.0])));
        assert!(error_of(&spec(&path)).contains("cut short"));
        std::fs::write(&path, b"not compressed").unwrap();
        assert!(error_of(&spec(&path)).contains("does not decompress"));
    }
}
