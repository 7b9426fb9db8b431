//! The arrays of a `.npz` file: a ZIP archive of `.npy` files, stored or deflated.
//!
//! Parsed here because the few fields that numpy writes are all that is needed, and any bytes must be survived: every offset and
//! length is checked, and what is unpacked has the length and checksum that the archive says.

use super::npy_header::{Item, NpyHeader};
use super::source::{Format, Source};
use crate::{Error, Result};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::Read;
use std::path::Path;

/// Signatures of the end of the directory, of an entry in it, and of a member.
const END: u32 = 0x0605_4b50;
const ENTRY: u32 = 0x0201_4b50;
const MEMBER: u32 = 0x0403_4b50;
/// Fixed parts of the three, in bytes; the end may be followed by a comment.
const END_LENGTH: usize = 22;
const ENTRY_LENGTH: usize = 46;
const MEMBER_LENGTH: usize = 30;
const LONGEST_COMMENT: usize = 1 << 16;
/// How members are compressed.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// How much larger an array may be than in the file, and by how much any may be.
const MOST_UNPACKED: usize = 64;
const ALWAYS_UNPACKED: usize = 64 << 20;

/// A `.npz` file in memory.
pub(crate) struct Npz {
    source: Source,
    bytes: Vec<u8>,
}

/// Where a member's bytes are, and what they become.
struct Entry {
    method: u16,
    checksum: u32,
    packed: usize,
    unpacked: usize,
    member: usize,
}

/// One array: what its items are, its shape, and their bytes.
pub(crate) struct NpzArray {
    pub(crate) header: NpyHeader,
    bytes: Vec<u8>,
}

impl Npz {
    /// Reads the file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
        let source = Source { path: path.to_owned(), format: Format::Npy, gzip: false, image_size: None };
        Ok(Self { source, bytes })
    }

    /// An error about this file's content.
    pub(crate) fn error(&self, problem: impl Into<String>) -> Error {
        self.source.error(problem)
    }

    /// The array of this name; `None` if there is none.
    pub(crate) fn array(&self, name: &str) -> Result<Option<NpzArray>> {
        let damaged = || self.error("this is not a .npz file, or is damaged: save it again with scipy.sparse.save_npz");
        let Some(entry) = self.entry(&format!("{name}.npy")).ok_or_else(damaged)? else { return Ok(None) };
        let content = self.unpack(&entry).ok_or_else(damaged)?;
        let mut rest = &content[..];
        let header = NpyHeader::read(&self.source, &mut rest)?;
        let items = header.shape.iter().try_fold(1_u64, |product, &size| product.checked_mul(size));
        let length = items.and_then(|items| items.checked_mul(header.item.size() as u64));
        if header.fortran && header.shape.len() > 1 || length != Some(rest.len() as u64) {
            return Err(self.error(format!("its array {name} is cut short: save the file again")));
        }
        let bytes = rest.to_vec();
        Ok(Some(NpzArray { header, bytes }))
    }

    /// Finds a name in the archive's directory; the outer `None` says that there is no directory.
    fn entry(&self, name: &str) -> Option<Option<Entry>> {
        let bytes = &self.bytes;
        let last = bytes.len().checked_sub(END_LENGTH)?;
        let end = (last.saturating_sub(LONGEST_COMMENT)..=last).rev().find(|&at| u32_at(bytes, at) == Some(END))?;
        let mut at = u32_at(bytes, end + 16)? as usize;
        for _ in 0..u16_at(bytes, end + 10)? {
            if u32_at(bytes, at)? != ENTRY {
                return None;
            }
            let [name_length, extra, comment] = [28, 30, 32].map(|field| u16_at(bytes, at + field).map(usize::from));
            let (name_length, after) = (name_length?, extra? + comment?);
            let found = bytes.get(at + ENTRY_LENGTH..at + ENTRY_LENGTH + name_length)?;
            if found == name.as_bytes() {
                return Some(Some(Entry {
                    method: u16_at(bytes, at + 10)?,
                    checksum: u32_at(bytes, at + 16)?,
                    packed: u32_at(bytes, at + 20)? as usize,
                    unpacked: u32_at(bytes, at + 24)? as usize,
                    member: u32_at(bytes, at + 42)? as usize,
                }));
            }
            at += ENTRY_LENGTH + name_length + after;
        }
        Some(None)
    }

    /// A member's content, where it is what the directory says.
    fn unpack(&self, entry: &Entry) -> Option<Vec<u8>> {
        let at = entry.member;
        if u32_at(&self.bytes, at)? != MEMBER {
            return None;
        }
        let names = usize::from(u16_at(&self.bytes, at + 26)?) + usize::from(u16_at(&self.bytes, at + 28)?);
        let first = at.checked_add(MEMBER_LENGTH + names)?;
        let packed = self.bytes.get(first..first.checked_add(entry.packed)?)?;
        let mut content = Vec::new();
        match entry.method {
            STORED => content.extend_from_slice(packed),
            DEFLATED if entry.unpacked > MOST_UNPACKED * packed.len() + ALWAYS_UNPACKED => return None,
            DEFLATED => {
                DeflateDecoder::new(packed).take(entry.unpacked as u64 + 1).read_to_end(&mut content).ok()?;
            }
            _ => return None,
        }
        let mut checksum = Crc::new();
        checksum.update(&content);
        (content.len() == entry.unpacked && checksum.sum() == entry.checksum).then_some(content)
    }
}

impl NpzArray {
    /// The items as whole numbers; `None` where one is not, or is negative.
    pub(crate) fn whole_numbers(&self) -> Option<Vec<u64>> {
        let Item::Number(element) = self.header.item else { return None };
        self.bytes.chunks_exact(element.size()).map(|item| element.text(item).parse().ok()).collect()
    }

    /// The items as numbers; `None` where they are text.
    pub(crate) fn numbers(&self) -> Option<Vec<f32>> {
        let Item::Number(element) = self.header.item else { return None };
        let mut values = Vec::new();
        element.decode(&self.bytes, &mut values);
        Some(values)
    }

    /// Text, where the array is one; four bytes a character are narrowed to one.
    pub(crate) fn text(&self) -> String {
        let kept = self.bytes.iter().filter(|&&byte| byte != 0);
        kept.map(|&byte| char::from(byte)).collect()
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?).map(|b| u16::from_le_bytes([b[0], b[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::npy_header::format_header;
    use flate2::{Compression, write::DeflateEncoder};
    use std::io::Write;

    /// The bytes of a `.npy` file of one dimension.
    pub(crate) fn npy(descr: &str, rows: u64, items: &[u8]) -> Vec<u8> {
        [format_header(descr, rows, None), items.to_vec()].concat()
    }

    /// An archive of these members, every other one deflated.
    pub(crate) fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (m, (name, content)) in members.iter().enumerate() {
            let (method, packed) = if m % 2 == 0 { (STORED, content.clone()) } else { (DEFLATED, deflate(content)) };
            let mut checksum = Crc::new();
            checksum.update(content);
            let sizes = [checksum.sum(), packed.len() as u32, content.len() as u32].map(u32::to_le_bytes).concat();
            let member = bytes.len() as u32;
            let name_length = (name.len() as u16).to_le_bytes();
            bytes.extend([&MEMBER.to_le_bytes()[..], &[20, 0, 0, 0], &method.to_le_bytes(), &[0; 4], &sizes].concat());
            bytes.extend([&name_length[..], &[0, 0], name.as_bytes(), &packed].concat());
            directory
                .extend([&ENTRY.to_le_bytes()[..], &[20, 0, 20, 0, 0, 0], &method.to_le_bytes(), &[0; 4]].concat());
            directory.extend([&sizes[..], &name_length, &[0; 12], &member.to_le_bytes(), name.as_bytes()].concat());
        }
        let count = (members.len() as u16).to_le_bytes();
        let first = bytes.len() as u32;
        let size = directory.len() as u32;
        bytes.extend(directory);
        bytes.extend([&END.to_le_bytes()[..], &[0; 4], &count, &count].concat());
        bytes.extend([&size.to_le_bytes()[..], &first.to_le_bytes(), &[0, 0]].concat());
        bytes
    }

    fn deflate(content: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{archive, npy};
    use super::*;
    use crate::testing::Dir;

    fn sample() -> Vec<u8> {
        let whole: Vec<u8> = [3_i32, 0, 7].iter().flat_map(|x| x.to_le_bytes()).collect();
        let numbers: Vec<u8> = [0.5_f64, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        archive(&[
            ("a.npy", npy("<i4", 3, &whole)),
            ("b.npy", npy("<f8", 2, &numbers)),
            ("c.npy", npy("|S3", 1, b"csr")),
        ])
    }

    #[test]
    fn stored_and_deflated_arrays_come_back() {
        let dir = Dir::new();
        let npz = Npz::open(dir.file("a.npz", sample()).as_ref()).unwrap();
        assert_eq!(npz.array("a").unwrap().unwrap().whole_numbers(), Some(vec![3, 0, 7]));
        assert_eq!(npz.array("b").unwrap().unwrap().numbers(), Some(vec![0.5, -2.0]));
        assert_eq!(npz.array("b").unwrap().unwrap().whole_numbers(), None);
        assert_eq!(npz.array("c").unwrap().unwrap().text(), "csr");
        assert!(npz.array("d").unwrap().is_none());
    }

    #[test]
    fn damage_is_an_error_wherever_it_is() {
        let dir = Dir::new();
        let whole = sample();
        for length in (0..whole.len()).step_by(7) {
            let npz = Npz::open(dir.file("cut.npz", &whole[..length]).as_ref()).unwrap();
            assert!(npz.array("b").is_err(), "cut to {length} bytes");
        }
        let mut flipped = 0;
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            let npz = Npz::open(dir.file("flipped.npz", bytes).as_ref()).unwrap();
            // never a panic, and never other numbers than were saved
            match npz.array("b") {
                Err(_) => flipped += 1,
                Ok(None) => {}
                Ok(Some(array)) => assert_eq!(array.numbers(), Some(vec![0.5, -2.0]), "byte {at}"),
            }
        }
        assert!(flipped > 50, "{flipped}");
    }
}
