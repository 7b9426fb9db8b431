//! The lengths that a Parquet file claims, checked before parquet allocates them: row groups or parts of columns that are not in the file,
//! or a page that unpacks to gigabytes, would otherwise take memory without end, or end the program.

use super::arrow_lengths::most_unpacked;
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};

/// The footer's length and the closing magic.
const TRAILER: u64 = 8;
const MAGIC: &[u8] = b"PAR1";

/// Types of Thrift's compact protocol, and the end of a structure.
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// The field of a footer that is its schema, and that of an element of the schema which tells its children.
const SCHEMA: i64 = 2;
const CHILDREN: i64 = 5;
/// The fields of a page's header that are its sizes.
const UNPACKED: i64 = 2;
const PACKED: i64 = 3;

/// How deep structures lie in each other, at most; Parquet's own need seven.
const DEEPEST: usize = 32;

/// Whether every length in the footer can be. What is no footer at all is left to parquet, which says so.
pub(super) fn footer_is_sound(file: &mut File) -> io::Result<bool> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut trailer = [0; TRAILER as usize];
    if size < TRAILER {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(size - TRAILER))?;
    file.read_exact(&mut trailer)?;
    let (length, magic) = trailer.split_at(4);
    let length = length.iter().rev().fold(0, |length, byte| length << 8 | u64::from(*byte));
    if magic != MAGIC || length > size - TRAILER {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(size - TRAILER - length))?;
    let mut footer = vec![0; length as usize];
    file.read_exact(&mut footer)?;
    Ok(lengths_are_sound(&footer))
}

fn lengths_are_sound(footer: &[u8]) -> bool {
    Walk { rest: footer, children: 0 }.structure(Part::Footer, 0).is_some()
}

/// Whether a page unpacks to a size that can be, as far as its header is there.
fn page_is_sound(header: &[u8]) -> bool {
    let mut sizes = [None; 2];
    let _ = Walk { rest: header, children: 0 }.sizes(&mut sizes); // long statistics may follow
    matches!(sizes, [Some(unpacked), Some(packed)] if unpacked <= most_unpacked(packed))
}

/// A file as parquet reads it: what the header of a page claims is checked before the page is unpacked.
pub(super) struct PageFile(pub(super) File);

impl Length for PageFile {
    fn len(&self) -> u64 {
        Length::len(&self.0)
    }
}

impl ChunkReader for PageFile {
    type T = PageHeader;

    fn get_read(&self, start: u64) -> Result<PageHeader> {
        Ok(PageHeader { bytes: self.0.get_read(start)?, is_new: true })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if length as u64 > self.len().saturating_sub(start) {
            return Err(ParquetError::EOF("a page lies behind the end of the file".into()));
        }
        self.0.get_bytes(start, length)
    }
}

/// The bytes from the header of a page on. Where nothing is read from it, it is no header.
pub(super) struct PageHeader {
    bytes: BufReader<File>,
    is_new: bool,
}

impl Read for PageHeader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.is_new) && !page_is_sound(self.bytes.fill_buf()?) {
            return Err(io::Error::new(ErrorKind::InvalidData, "the size of a page cannot be right"));
        }
        self.bytes.read(out)
    }
}

/// What a structure is.
#[derive(Clone, Copy)]
enum Part {
    Footer,
    /// An element of a schema of so many.
    Element(u64),
    Other,
}

/// Bytes that have not been walked over, and the children of the elements so far.
struct Walk<'a> {
    rest: &'a [u8],
    children: u64,
}

/// Each step gives nothing where a length cannot be, or the bytes end.
impl Walk<'_> {
    fn structure(&mut self, part: Part, depth: usize) -> Option<()> {
        let mut field = 0;
        loop {
            match (self.next_field(&mut field)?, part, field) {
                (STOP, ..) => return Some(()),
                (TRUE | FALSE, ..) => {} // the type is the value
                (LIST, Part::Footer, SCHEMA) => self.list(true, depth)?,
                (I32, Part::Element(elements), CHILDREN) => {
                    self.children = self.children.saturating_add(u64::try_from(self.number()?).unwrap_or(0));
                    // every element but the first is a child of one other
                    (self.children <= elements).then_some(())?;
                }
                (kind, ..) => self.value(kind, depth)?,
            }
        }
    }

    /// The largest size of a page that is claimed, and the smallest size in the file.
    fn sizes(&mut self, sizes: &mut [Option<i64>; 2]) -> Option<()> {
        let [unpacked, packed] = sizes;
        let mut field = 0;
        loop {
            match (self.next_field(&mut field)?, field) {
                (STOP, _) => return Some(()),
                (TRUE | FALSE, _) => {}
                (I32, UNPACKED) => *unpacked = Some(self.number()?).max(*unpacked),
                (I32, PACKED) => {
                    let size = self.number()?;
                    *packed = Some(packed.map_or(size, |packed| packed.min(size)));
                }
                (kind, _) => self.value(kind, 0)?,
            }
        }
    }

    /// Moves on to the next field, and gives the type of its value.
    fn next_field(&mut self, field: &mut i64) -> Option<u8> {
        let head = self.byte()?;
        if head != STOP {
            *field = match head >> 4 {
                0 => self.number()?,
                step => field.wrapping_add(step.into()),
            };
        }
        Some(head & 0x0f)
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            TRUE | FALSE | BYTE => self.pass(1),
            I16 | I32 | I64 => self.varint().map(drop),
            DOUBLE => self.pass(8),
            BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            LIST | SET => self.list(false, depth),
            MAP => {
                let count = self.varint()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                (0..self.possible(count)?).try_for_each(|_| {
                    self.value(kinds >> 4, depth + 1)?;
                    self.value(kinds & 0x0f, depth + 1)
                })
            }
            STRUCT => self.structure(Part::Other, depth + 1),
            _ => None,
        }
    }

    fn list(&mut self, is_schema: bool, depth: usize) -> Option<()> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            count => count.into(),
        };
        let count = self.possible(count)?;
        (0..count).try_for_each(|_| match (is_schema, head & 0x0f) {
            (true, STRUCT) => self.structure(Part::Element(count), depth + 1),
            (_, kind) => self.value(kind, depth + 1),
        })
    }

    /// So many elements, each of which takes a byte at least.
    fn possible(&self, count: u64) -> Option<u64> {
        (count <= self.rest.len() as u64).then_some(count)
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    /// Seven bits per byte, the lowest first.
    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number with its sign in the lowest bit.
    fn number(&mut self) -> Option<i64> {
        let bits = self.varint()?;
        Some((bits >> 1) as i64 ^ -((bits & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer with a schema of two elements, the first with so many children, and so many row groups said and none there.
    fn footer(children: u8, groups: &[u8]) -> Vec<u8> {
        let elements = [0x48, 1, b'r', 0x15, children, 0, 0x48, 1, b'x', 0];
        [&[0x15, 2, 0x19, 0x2c], &elements[..], &[0x16, 0, 0x19], groups, &[0]].concat()
    }

    #[test]
    fn pages_unpack_to_what_can_be() {
        // type 0, unpacked to a size, packed to 100 bytes
        let header = |unpacked: &[u8]| [&[0x15, 0, 0x15], unpacked, &[0x15, 0xc8, 1, 0]].concat();
        assert!(page_is_sound(&header(&[0x80, 0x0f])));
        assert!(!page_is_sound(&header(&[0xfe, 0xff, 0xff, 0xff, 0x0f])), "2 GB of 100 bytes");
        assert!(page_is_sound(&header(&[0x80, 0x0f])[..8]), "what follows the sizes may be long");
        assert!(!page_is_sound(&[]) && !page_is_sound(&header(&[0x80, 0x0f])[..4]));
    }

    #[test]
    fn lengths_that_cannot_be_are_refused() {
        assert!(lengths_are_sound(&footer(2, &[0x0c])));
        assert!(!lengths_are_sound(&footer(6, &[0x0c])), "three children of two elements");
        assert!(!lengths_are_sound(&footer(2, &[0xfc, 0xff, 0xff, 0xff, 0xff, 7])), "row groups without end");
        assert!(lengths_are_sound(&footer(1, &[0x0c])), "a number below zero is left to parquet");
        assert!(!lengths_are_sound(&[0x1c; 1000]), "structures in each other without end");
        assert!(!lengths_are_sound(&[0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]));
        assert!(!lengths_are_sound(&footer(2, &[0x0c])[..9]), "it is cut short");
    }
}
