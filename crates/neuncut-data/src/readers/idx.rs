//! IDX files, the format of MNIST: big-endian numbers behind a header of their axes. Images keep their shape.

use super::projected::project;
use super::raw::{Layout, RawRows, check_length, image_shape};
use crate::Result;
use crate::columns::ColumnChoice;
use crate::element::{Element, NumberKind};
use crate::source::Source;
use crate::table::RowReader;
use std::io::Read;

/// Opens an idx or idx.gz file.
pub(crate) fn open(source: &Source, choice: &ColumnChoice) -> Result<Box<dyn RowReader>> {
    let mut bytes = source.bytes()?;
    let header = IdxHeader::read(source, &mut bytes)?;
    let layout = Layout {
        element: header.element,
        rows: header.shape[0],
        width: header.width,
        image_shape: image_shape(&header.shape),
    };
    project(source, choice, Box::new(RawRows::new(source, bytes, layout)))
}

/// The type and shape of the one array in the file.
#[derive(Debug)]
pub(crate) struct IdxHeader {
    pub(crate) element: Element,
    /// At least one axis, the first being rows.
    pub(crate) shape: Vec<u64>,
    /// Values per row, at least one.
    pub(crate) width: usize,
}

impl IdxHeader {
    /// Reads the header and checks the file's length against it; the reader is then at the data.
    pub(crate) fn read(source: &Source, reader: &mut dyn Read) -> Result<Self> {
        let mut read = |bytes: &mut [u8]| reader.read_exact(bytes).map_err(|error| source.read_error(error));
        let mut magic = [0; 4];
        read(&mut magic)?;
        let kind = match magic {
            [0, 0, 0x08, _] => NumberKind::U8,
            [0, 0, 0x09, _] => NumberKind::I8,
            [0, 0, 0x0b, _] => NumberKind::I16,
            [0, 0, 0x0c, _] => NumberKind::I32,
            [0, 0, 0x0d, _] => NumberKind::F32,
            [0, 0, 0x0e, _] => NumberKind::F64,
            _ => return Err(source.error("this is not an idx file: give the file the ending of its format")),
        };
        let mut shape = Vec::new();
        for _ in 0..magic[3] {
            let mut size = [0; 4];
            read(&mut size)?;
            shape.push(u64::from(u32::from_be_bytes(size)));
        }
        Self::check(source, Element { kind, big_endian: true }, shape)
    }

    fn check(source: &Source, element: Element, shape: Vec<u64>) -> Result<Self> {
        let Some((rows, axes)) = shape.split_first() else {
            return Err(source.error("the idx header has no axes: write the file again"));
        };
        let width = axes.iter().try_fold(1u64, |width, size| width.checked_mul(*size));
        let bytes = width.and_then(|width| rows.checked_mul(width)?.checked_mul(element.size() as u64));
        let (Some(width @ 1..), Some(bytes)) = (width, bytes) else {
            return Err(
                source.error(format!("the idx header has the impossible shape {shape:?}: write the file again"))
            );
        };
        check_length(source, *rows, bytes.saturating_add(4 + 4 * shape.len() as u64))?;
        Ok(Self { element, width: width as usize, shape })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Dir, error_of, read_all, spec};
    use crate::{ImageShape, Table};
    use proptest::prelude::*;

    fn idx(kind: u8, shape: &[u32], data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 0, kind, shape.len() as u8];
        bytes.extend(shape.iter().flat_map(|size| size.to_be_bytes()));
        bytes.extend(data);
        bytes
    }

    #[test]
    fn images_are_rows_and_keep_their_shape() {
        let dir = Dir::new();
        for name in ["t10k-images-idx3-ubyte", "t10k-images-idx3-ubyte.gz", "a.idx"] {
            let path = dir.file(name, idx(8, &[2, 1, 3], &[1, 2, 3, 4, 5, 6]));
            assert_eq!(read_all(&spec(&path)).unwrap(), (3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
            let table = Table::open(&spec(&path)).unwrap();
            assert_eq!(table.image_shape(), Some(ImageShape { height: 1, width: 3, channels: 1 }));
            assert_eq!(table.row_count(), Some(2));
        }
    }

    #[test]
    fn every_type() {
        let dir = Dir::new();
        let data = [
            (9, vec![0xff]),
            (0x0b, (-1i16).to_be_bytes().to_vec()),
            (0x0c, (-1i32).to_be_bytes().to_vec()),
            (0x0d, (-1f32).to_be_bytes().to_vec()),
            (0x0e, (-1f64).to_be_bytes().to_vec()),
        ];
        for (kind, data) in data {
            assert_eq!(read_all(&spec(&dir.file("a.idx", idx(kind, &[1], &data)))).unwrap(), (1, vec![-1.0]));
        }
    }

    #[test]
    fn broken_files_are_explained() {
        let dir = Dir::new();
        let message = |bytes: Vec<u8>| error_of(&spec(&dir.file("a.idx", bytes)));
        assert!(message(b"<html>".to_vec()).contains("not an idx file"));
        assert!(message(idx(8, &[], &[])).contains("no axes"));
        assert!(message(idx(8, &[5, 0], &[])).contains("impossible shape [5, 0]"));
        assert!(message(idx(8, &[5], &[1])).contains("promises 5 rows, but the file is cut short"));
        assert!(message(vec![0, 0, 8, 3, 0]).contains("cut short"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 1..64), kind in 8u8..15, axes in 0u8..5) {
            let dir = Dir::new();
            let mut framed = vec![0, 0, kind, axes];
            framed.extend(&bytes);
            for name in ["a.idx", "a.idx.gz"] {
                let _ = read_all(&spec(&dir.file(name, &bytes)));
                // A compressed file's promise can only be checked by reading it.
                let _ = read_all(&spec(&dir.file(name, &framed)));
            }
        }
    }
}
