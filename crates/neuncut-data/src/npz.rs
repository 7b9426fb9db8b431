//! The arrays of a `.npz` file: a ZIP archive of `.npy` files, stored or deflated.
//!
//! Parsed here because the few fields that numpy writes are all that is needed, and any bytes must be survived: every offset and
//! length is checked, and what is unpacked has the length and checksum that the archive says.

use super::npy_header::{Item, NpyHeader};
use super::source::{Format, Source};
use crate::{Error, Result};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

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
/// What stands in place of sizes and offsets beyond 4 GB.
const BEYOND: u32 = u32::MAX;

/// How much larger an array may be than in the file, and by how much any may be.
const MOST_UNPACKED: u64 = 64;
const ALWAYS_UNPACKED: u64 = 64 << 20;

/// One array of an archive: where its bytes are, and what they become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArchiveMember {
    archive: PathBuf,
    name: String,
    method: u16,
    checksum: u32,
    packed: u32,
    unpacked: u32,
    offset: u32,
}

/// The archive that a path names, and the array in it: `file.npz:array`, or `file.npz` alone.
pub(crate) fn array_in(path: &Path) -> Option<(PathBuf, Option<String>)> {
    let text = path.to_str()?;
    let is_archive = |name: &str| name.len() > 4 && name.to_ascii_lowercase().ends_with(".npz");
    if is_archive(text) {
        return Some((path.to_owned(), None));
    }
    let (archive, array) = text.rsplit_once(':')?;
    (is_archive(archive) && !path.exists()).then(|| (PathBuf::from(archive), Some(array.to_owned())))
}

/// The array of this name, or the only one.
pub(crate) fn find(archive: &Path, name: Option<&str>) -> Result<ArchiveMember> {
    let members = members(archive)?;
    let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    let all = names.join(", ");
    let wanted = match name {
        Some(name) => members.iter().find(|member| member.name == name),
        None if names.contains(&"indptr") => {
            let problem =
                "this is a sparse matrix: give it as an affinity (graph:FILE), or save its rows with numpy.save";
            return Err(Error::data(archive, problem));
        }
        None => members.first().filter(|_| members.len() == 1),
    };
    let example = || format!("{}:{}", archive.display(), names.first().unwrap_or(&"array"));
    let found = wanted.cloned().ok_or_else(|| match name {
        Some(name) => Error::data(archive, format!("there is no array {name}: the arrays are {all}")),
        None => Error::data(archive, format!("it holds the arrays {all}: name one, as in {}", example())),
    })?;
    if [found.packed, found.unpacked, found.offset].contains(&BEYOND) {
        let problem = format!("its array {} is larger than 4 GB: write it with numpy.save", found.name);
        return Err(Error::data(archive, problem));
    }
    Ok(found)
}

fn damaged(archive: &Path) -> Error {
    Error::data(
        archive,
        "this is not a .npz file, or is damaged: save it again with numpy.savez or scipy.sparse.save_npz",
    )
}

/// The arrays that the archive's directory names.
fn members(archive: &Path) -> Result<Vec<ArchiveMember>> {
    let mut file = File::open(archive).map_err(Error::io("read", archive))?;
    let directory = directory(&mut file).map_err(Error::io("read", archive))?;
    directory.and_then(|(bytes, count)| entries(archive, &bytes, count)).ok_or_else(|| damaged(archive))
}

/// The bytes of the archive's directory and the number of its entries; `None` where there is none.
fn directory(file: &mut File) -> io::Result<Option<(Vec<u8>, u16)>> {
    let length = file.metadata()?.len();
    let first = length.saturating_sub((END_LENGTH + LONGEST_COMMENT) as u64);
    file.seek(SeekFrom::Start(first))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let place = || {
        let last = tail.len().checked_sub(END_LENGTH)?;
        let end = (0..=last).rev().find(|&at| u32_at(&tail, at) == Some(END))?;
        Some((u32_at(&tail, end + 16)?, u32_at(&tail, end + 12)?, u16_at(&tail, end + 10)?))
    };
    let Some((offset, size, count)) = place() else { return Ok(None) };
    if u64::from(offset) + u64::from(size) > length {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(offset.into()))?;
    let mut bytes = Vec::new();
    file.take(size.into()).read_to_end(&mut bytes)?;
    Ok(Some((bytes, count)))
}

fn entries(archive: &Path, bytes: &[u8], count: u16) -> Option<Vec<ArchiveMember>> {
    let (mut members, mut at) = (Vec::new(), 0);
    for _ in 0..count {
        if u32_at(bytes, at)? != ENTRY {
            return None;
        }
        let [name_length, extra, comment] = [28, 30, 32].map(|field| u16_at(bytes, at + field).map(usize::from));
        let (name_length, after) = (name_length?, extra? + comment?);
        let name = String::from_utf8_lossy(bytes.get(at + ENTRY_LENGTH..at + ENTRY_LENGTH + name_length)?);
        members.push(ArchiveMember {
            archive: archive.to_owned(),
            name: name.strip_suffix(".npy").unwrap_or(&name).to_owned(),
            method: u16_at(bytes, at + 10)?,
            checksum: u32_at(bytes, at + 16)?,
            packed: u32_at(bytes, at + 20)?,
            unpacked: u32_at(bytes, at + 24)?,
            offset: u32_at(bytes, at + 42)?,
        });
        at += ENTRY_LENGTH + name_length + after;
    }
    Some(members)
}

impl ArchiveMember {
    /// The array's npy file, unpacked as it is read. Its end is an error where the checksum is another one.
    pub(crate) fn bytes(&self) -> Result<Box<dyn Read + Send>> {
        let (packed, unpacked) = (u64::from(self.packed), u64::from(self.unpacked));
        let at_most = if self.method == STORED { packed } else { MOST_UNPACKED * packed + ALWAYS_UNPACKED };
        if !matches!(self.method, STORED | DEFLATED) || unpacked > at_most {
            return Err(damaged(&self.archive));
        }
        let mut file = File::open(&self.archive).map_err(Error::io("read", &self.archive))?;
        let first = self.first_byte(&mut file).ok_or_else(|| damaged(&self.archive))?;
        file.seek(SeekFrom::Start(first)).map_err(Error::io("read", &self.archive))?;
        let packed = BufReader::with_capacity(1 << 17, file.take(packed));
        let inner: Box<dyn Read + Send> =
            if self.method == STORED { Box::new(packed) } else { Box::new(DeflateDecoder::new(packed)) };
        Ok(Box::new(Checked { inner, left: unpacked, sum: Crc::new(), expected: self.checksum }))
    }

    /// Where the member's content begins, behind its own header.
    fn first_byte(&self, file: &mut File) -> Option<u64> {
        file.seek(SeekFrom::Start(self.offset.into())).ok()?;
        let mut header = [0; MEMBER_LENGTH];
        file.read_exact(&mut header).ok()?;
        if u32_at(&header, 0)? != MEMBER {
            return None;
        }
        let names = u64::from(u16_at(&header, 26)?) + u64::from(u16_at(&header, 28)?);
        Some(u64::from(self.offset) + MEMBER_LENGTH as u64 + names)
    }
}

/// So many bytes, the last of which come only if all have the checksum expected.
struct Checked {
    inner: Box<dyn Read + Send>,
    left: u64,
    sum: Crc,
    expected: u32,
}

impl Read for Checked {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let most = self.left.min(bytes.len() as u64) as usize;
        let count = self.inner.read(&mut bytes[..most])?;
        self.left -= count as u64;
        self.sum.update(&bytes[..count]);
        if self.left == 0 && self.sum.sum() != self.expected {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its checksum is wrong"));
        }
        Ok(count)
    }
}

/// A `.npz` file whose arrays are read whole.
pub(crate) struct Npz {
    source: Source,
}

/// One array: what its items are, its shape, and their bytes.
pub(crate) struct NpzArray {
    pub(crate) header: NpyHeader,
    bytes: Vec<u8>,
}

impl Npz {
    /// The file of this name.
    pub(crate) fn open(path: &Path) -> Self {
        Self { source: Source::plain(path, Format::Npy) }
    }

    /// An error about this file's content.
    pub(crate) fn error(&self, problem: impl Into<String>) -> Error {
        self.source.error(problem)
    }

    /// The array of this name; `None` if there is none.
    pub(crate) fn array(&self, name: &str) -> Result<Option<NpzArray>> {
        let path = &self.source.path;
        let Some(member) = members(path)?.into_iter().find(|member| member.name == name) else { return Ok(None) };
        let mut content = Vec::new();
        member.bytes()?.read_to_end(&mut content).map_err(|_| damaged(path))?;
        if content.len() as u64 != u64::from(member.unpacked) {
            return Err(damaged(path));
        }
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
    use crate::testing::{Dir, error_of, read_all, spec};

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
        let npz = Npz::open(dir.file("a.npz", sample()).as_ref());
        assert_eq!(npz.array("a").unwrap().unwrap().whole_numbers(), Some(vec![3, 0, 7]));
        assert_eq!(npz.array("b").unwrap().unwrap().numbers(), Some(vec![0.5, -2.0]));
        assert_eq!(npz.array("b").unwrap().unwrap().whole_numbers(), None);
        assert_eq!(npz.array("c").unwrap().unwrap().text(), "csr");
        assert!(npz.array("d").unwrap().is_none());
    }

    #[test]
    fn one_array_is_a_table() {
        let dir = Dir::new();
        let path = dir.file("a.npz", sample());
        assert_eq!(read_all(&spec(&format!("{path}:b"))).unwrap(), (1, vec![0.5, -2.0]));
        assert!(error_of(&spec(&path)).contains("it holds the arrays a, b, c: name one, as in"));
        assert!(error_of(&spec(&format!("{path}:z"))).contains("there is no array z: the arrays are a, b, c"));
        assert!(error_of(&spec(&format!("{path}:c"))).contains("holds text"));
        let only = dir.file("one.npz", archive(&[("x.npy", npy("<f4", 1, &2.5_f32.to_le_bytes()))]));
        assert_eq!(read_all(&spec(&only)).unwrap(), (1, vec![2.5]));
    }

    #[test]
    fn damage_is_an_error_wherever_it_is() {
        let dir = Dir::new();
        let whole = sample();
        for length in (0..whole.len()).step_by(7) {
            let npz = Npz::open(dir.file("cut.npz", &whole[..length]).as_ref());
            assert!(npz.array("b").is_err(), "cut to {length} bytes");
        }
        let mut flipped = 0;
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            let npz = Npz::open(dir.file("flipped.npz", bytes).as_ref());
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
