//! The header of a `.npy` file: the type, order and shape of the one array in it.
//!
//! Parsed here and not by a crate because it must survive any bytes: lengths and products are checked, nothing recurses.

use super::element::{Element, NumberKind};
use super::source::{Source, excerpt};
use crate::Result;
use std::io::Read;

/// The longest header that is believed; numpy itself stops at 10,000 bytes.
const LONGEST: usize = 1 << 16;

/// What one item of the array is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    Number(Element),
    /// Fixed-length text, four bytes a character.
    Unicode {
        chars: usize,
        big_endian: bool,
    },
    /// Fixed-length bytes.
    Bytes(usize),
}

impl Item {
    /// Bytes of one item.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Number(element) => element.size(),
            Self::Unicode { chars, .. } => chars.saturating_mul(4),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// From numpy's type text, such as `<f4`.
    fn parse(text: &str) -> Option<Self> {
        let (order, rest) = text.split_at_checked(1)?;
        let (class, size) = rest.split_at_checked(1)?;
        let size = size.parse::<usize>().ok()?;
        let big_endian = match order {
            "<" | "|" | "=" => false,
            ">" => true,
            _ => return None,
        };
        let kind = match (class, size) {
            ("U", chars) => return Some(Self::Unicode { chars, big_endian }),
            ("S", bytes) => return Some(Self::Bytes(bytes)),
            ("b", 1) => NumberKind::Bool,
            ("u", 1) => NumberKind::U8,
            ("i", 1) => NumberKind::I8,
            ("u", 2) => NumberKind::U16,
            ("i", 2) => NumberKind::I16,
            ("u", 4) => NumberKind::U32,
            ("i", 4) => NumberKind::I32,
            ("u", 8) => NumberKind::U64,
            ("i", 8) => NumberKind::I64,
            ("f", 2) => NumberKind::F16,
            ("f", 4) => NumberKind::F32,
            ("f", 8) => NumberKind::F64,
            _ => return None,
        };
        Some(Self::Number(Element { kind, big_endian }))
    }
}

/// The type, order and shape of the array, and where its data begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NpyHeader {
    pub(crate) item: Item,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<u64>,
    pub(crate) data_start: u64,
}

impl NpyHeader {
    /// Reads the header; the reader is then at the data.
    pub(crate) fn read(source: &Source, reader: &mut dyn Read) -> Result<Self> {
        let foreign = || source.error("this is not a .npy file: save the array with numpy.save");
        let mut start = [0; 12];
        read_exact(source, reader, &mut start[..10])?;
        if start[..6] != *b"\x93NUMPY" {
            return Err(foreign());
        }
        let (length, before) = match start[6] {
            1 => (u16::from_le_bytes([start[8], start[9]]) as usize, 10),
            2 | 3 => {
                read_exact(source, reader, &mut start[10..])?;
                (u32::from_le_bytes([start[8], start[9], start[10], start[11]]) as usize, 12)
            }
            version => {
                return Err(source.error(format!("version {version} of .npy is not known: save it with numpy.save")));
            }
        };
        if length > LONGEST {
            return Err(
                source.error(format!("the header of {length} bytes is not plausible: save it again with numpy.save"))
            );
        }
        let mut text = vec![0; length];
        read_exact(source, reader, &mut text)?;
        let text = String::from_utf8_lossy(&text).replace('"', "'");
        Self::parse(source, &text, (length + before) as u64)
    }

    fn parse(source: &Source, text: &str, data_start: u64) -> Result<Self> {
        let broken =
            |what: &str| source.error(format!("the header has no valid '{what}': save it again with numpy.save"));
        let descr = value_of(text, "'descr'").ok_or_else(|| broken("descr"))?;
        let fortran = match value_of(text, "'fortran_order'") {
            Some(value) if value.starts_with("True") => true,
            Some(value) if value.starts_with("False") => false,
            _ => return Err(broken("fortran_order")),
        };
        let shape = value_of(text, "'shape'").and_then(parse_shape).ok_or_else(|| broken("shape"))?;
        let item = descr.strip_prefix('\'').and_then(|rest| rest.split('\'').next());
        let item = item.and_then(Item::parse).ok_or_else(|| {
            let name = excerpt(descr.split_inclusive([',', ']']).next().unwrap_or_default().trim_end_matches(','));
            source.error(format!(
                "the array has type {name}, not plain numbers: convert it with .astype('float32') and save again"
            ))
        })?;
        Ok(Self { item, fortran, shape, data_start })
    }

    /// Rows and columns when everything behind the first axis is laid out flat; `None` for sizes beyond all memory.
    pub(crate) fn rows_and_width(&self) -> Option<(u64, usize)> {
        let rows = *self.shape.first()?;
        let width = self.shape[1..].iter().try_fold(1u64, |width, &size| width.checked_mul(size))?;
        rows.checked_mul(width)?.checked_mul(self.item.size() as u64)?.checked_add(self.data_start)?;
        Some((rows, usize::try_from(width).ok()?))
    }
}

/// What follows `key:` in the header's dictionary.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(key)?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

fn parse_shape(text: &str) -> Option<Vec<u64>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    // A one-element tuple ends in a comma; Python 2 wrote an L behind long numbers.
    let sizes = inside.split(',').map(|size| size.trim().trim_end_matches('L')).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().ok()).collect()
}

fn read_exact(source: &Source, reader: &mut dyn Read, bytes: &mut [u8]) -> Result<()> {
    reader.read_exact(bytes).map_err(|error| source.read_error(error))
}

/// The bytes of a header with room for a row count of any size: always 128 bytes, so that it can be patched in place.
pub(crate) fn format_header(descr: &str, rows: u64, width: Option<usize>) -> Vec<u8> {
    let shape = width.map_or(format!("({rows},)"), |width| format!("({rows}, {width})"));
    let dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // 6 bytes of magic, 2 of version, 2 of length (118), the dictionary padded with spaces, a newline.
    let mut header = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    header.extend_from_slice(format!("{dictionary:<117}\n").as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Format;
    use proptest::prelude::*;

    fn parse(bytes: &[u8]) -> Result<NpyHeader> {
        let source = Source::plain("a.npy".as_ref(), Format::Npy);
        NpyHeader::read(&source, &mut &bytes[..])
    }

    fn with_text(text: &str) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }

    #[test]
    fn formatted_headers_parse_and_have_one_length() {
        let largest = format_header("<f4", u64::MAX, Some(usize::MAX));
        assert_eq!(largest.len(), 128);
        assert_eq!(format_header("<i4", 0, None).len(), 128);
        let header = parse(&format_header("<f4", 7, Some(3))).unwrap();
        assert_eq!((header.fortran, header.shape.clone(), header.data_start), (false, vec![7, 3], 128));
        assert_eq!(header.rows_and_width(), Some((7, 3)));
        assert_eq!(parse(&largest).unwrap().rows_and_width(), None);
    }

    #[test]
    fn python_two_and_text_types() {
        let header = parse(&with_text("{'descr': '>U3', 'fortran_order': True, 'shape': (5L,), }")).unwrap();
        assert_eq!((header.item, header.shape), (Item::Unicode { chars: 3, big_endian: true }, vec![5]));
    }

    #[test]
    fn every_fault_has_its_sentence() {
        let message = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        assert!(message(b"PK\x03\x04 zip file").contains("not a .npy file: save the array with numpy.save"));
        assert!(message(b"\x93NUMPY\x01\x00\xff\x00{").contains("cut short"));
        assert!(message(b"\x93NUMPY\x09\x00\xff\x00{").contains("version 9"));
        assert!(message(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").contains("not plausible"));
        assert!(message(&with_text("{'descr': '<f4'}")).contains("no valid 'fortran_order'"));
        let object = with_text("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }");
        assert!(message(&object).contains(r#"type "'|O'", not plain numbers"#), "{}", message(&object));
        let record = with_text("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }");
        assert!(message(&record).contains("not plain numbers"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut framed = b"\x93NUMPY\x01\x00".to_vec();
            framed.extend(&bytes);
            let _ = parse(&bytes);
            let _ = parse(&framed);
        }

        #[test]
        fn no_text_makes_it_panic(descr in ".{0,8}", shape in "[(),L0-9 ]{0,60}", fortran in "True|False|.{0,3}") {
            let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
            if let Ok(header) = parse(&with_text(&text)) {
                let _ = header.rows_and_width();
            }
        }
    }
}
