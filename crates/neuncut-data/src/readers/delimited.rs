//! Delimited text as records: which delimiter it has, whether it begins with column names, where each record stands.

use crate::Result;
use crate::element::{VANISHED, narrowed};
use crate::source::{Format, Source};
use ::csv::{ByteRecord, Reader, ReaderBuilder};
use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much of a file is looked at to find its delimiter.
const SNIFFED: usize = 1 << 16;
/// Lines of a stream that are looked at.
const SNIFFED_LINES: usize = 3;

/// The longest record, in bytes.
const LONGEST: u64 = 1 << 26;

/// Records as they are read, none of them longer than [`LONGEST`].
struct Records {
    reader: Reader<Box<dyn Read + Send>>,
    /// Bytes that were read since the last record began, as [`Counted`] tells.
    taken: Arc<AtomicU64>,
}

/// Bytes that are counted, and refused beyond [`LONGEST`]: a quote that is never closed would swallow a whole file.
struct Counted<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(bytes)?;
        if self.taken.fetch_add(count as u64, Ordering::Relaxed) > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(count)
    }
}

/// A file of records that all have the same number of fields.
pub(crate) struct Delimited {
    source: Source,
    reader: Records,
    /// Records that were read to find out about the header.
    pending: VecDeque<ByteRecord>,
    record: ByteRecord,
    /// The column names, if the file has them.
    pub(crate) names: Option<Vec<String>>,
    /// Fields a record.
    pub(crate) width: usize,
}

impl Delimited {
    /// Opens the file. `has_names` decides from the first two records whether the first holds column names.
    pub(crate) fn open(
        source: &Source,
        has_names: impl FnOnce(&ByteRecord, Option<&ByteRecord>) -> bool,
    ) -> Result<Self> {
        let mut reader = reader(source)?;
        let mut pending = VecDeque::new();
        for _ in 0..2 {
            let mut record = ByteRecord::new();
            if read_record(source, &mut reader, &mut record)? {
                pending.push_back(record);
            }
        }
        let Some(first) = pending.front() else {
            return Err(source.error("the file has no rows: write one row of numbers per line"));
        };
        let width = first.len();
        let names = has_names(first, pending.get(1)).then(|| first.iter().map(field_text).collect());
        if names.is_some() {
            pending.pop_front();
        }
        Ok(Self { source: source.clone(), reader, pending, record: ByteRecord::new(), names, width })
    }

    /// The first record behind the names, before any was read.
    pub(crate) fn first(&self) -> Option<&ByteRecord> {
        self.pending.front()
    }

    /// The next record and its line, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(&ByteRecord, u64)>> {
        match self.pending.pop_front() {
            Some(record) => self.record = record,
            None if read_record(&self.source, &mut self.reader, &mut self.record)? => {}
            None => return Ok(None),
        }
        let line = self.record.position().map_or(0, |position| position.line());
        if self.record.len() != self.width {
            let (fields, width) = (self.record.len(), self.width);
            let problem =
                format!("line {line} has {fields} fields, but {width} are expected: make all lines equally long");
            return Err(self.source.error(problem));
        }
        Ok(Some((&self.record, line)))
    }
}

fn read_record(source: &Source, records: &mut Records, record: &mut ByteRecord) -> Result<bool> {
    records.taken.store(0, Ordering::Relaxed);
    let line = records.reader.position().line();
    records.reader.read_byte_record(record).map_err(|error| match error.into_kind() {
        ::csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => source.error(format!(
            "line {line} begins a row of more than {LONGEST} bytes: end each row with a newline, and close every quote"
        )),
        ::csv::ErrorKind::Io(error) => source.read_error(error),
        kind => source.error(format!("this is not delimited text ({kind:?}): write one row of numbers per line")),
    })
}

fn reader(source: &Source) -> Result<Records> {
    let mut rest = source.bytes()?;
    let mut start = Vec::new();
    let mut block = vec![0; SNIFFED];
    // of a stream no more than is needed: who writes it may wait for the first results
    let is_enough =
        |start: &[u8]| source.is_stream() && start.iter().filter(|byte| **byte == b'\n').count() >= SNIFFED_LINES;
    while start.len() < SNIFFED && !is_enough(&start) {
        match rest.read(&mut block[..SNIFFED - start.len()]) {
            Ok(0) => break,
            Ok(count) => start.extend_from_slice(&block[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(source.read_error(error)),
        }
    }
    if start.contains(&0) {
        return Err(source
            .error("this is not text in UTF-8: save it as CSV in UTF-8, or give the file the ending of its format"));
    }
    if start.trim_ascii_start().starts_with(b"{\"") {
        return Err(source.error("this looks like JSON lines: give the file the ending .jsonl"));
    }
    let delimiter = if source.format == Format::Tsv { b'\t' } else { sniff(&start) };
    let taken = Arc::new(AtomicU64::new(0));
    let bytes = Counted { inner: Cursor::new(start).chain(rest), taken: taken.clone() };
    let bytes: Box<dyn Read + Send> = if delimiter == b' ' { Box::new(Squeezed::new(bytes)) } else { Box::new(bytes) };
    let comment = (source.format == Format::Txt).then_some(b'#');
    let mut builder = ReaderBuilder::new();
    builder.delimiter(delimiter).comment(comment).has_headers(false).flexible(true).buffer_capacity(1 << 17);
    Ok(Records { reader: builder.from_reader(bytes), taken })
}

/// The delimiter that the first two lines agree on: tab or semicolon before comma, because numbers may hold commas.
fn sniff(start: &[u8]) -> u8 {
    let lines =
        || start.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty() && line[0] != b'#').take(2);
    let counts = |wanted: u8| lines().map(move |line| line.iter().filter(|byte| **byte == wanted).count());
    let agreed = |wanted: &u8| {
        let mut counts = counts(*wanted);
        let first = counts.next().unwrap_or(0);
        first > 0 && counts.all(|count| count == first)
    };
    let present = |wanted: &u8| counts(*wanted).next().unwrap_or(0) > 0;
    let candidates = || [b'\t', b';', b','].into_iter();
    let found = candidates().find(agreed).or_else(|| candidates().rev().find(present));
    let numbers_and_spaces =
        |line: &[u8]| line.trim_ascii().contains(&b' ') && line.split(u8::is_ascii_whitespace).all(is_number_or_empty);
    found.unwrap_or(if lines().last().is_some_and(numbers_and_spaces) { b' ' } else { b',' })
}

fn is_number_or_empty(field: &[u8]) -> bool {
    field.is_empty() || number(field).is_some()
}

/// A field as a number.
pub(crate) fn number(field: &[u8]) -> Option<f32> {
    let text = std::str::from_utf8(field.trim_ascii()).ok()?;
    let number: f32 = text.parse().ok()?;
    Some(match number {
        number if number.is_infinite() => narrowed(text.parse().unwrap_or(f64::from(number))),
        0.0 if has_digit_above_zero(text) => VANISHED,
        number => number,
    })
}

/// Whether a number that is written so is another than zero, however small.
fn has_digit_above_zero(text: &str) -> bool {
    text.bytes().take_while(|byte| !matches!(byte, b'e' | b'E')).any(|byte| matches!(byte, b'1'..=b'9'))
}

/// A field as text.
pub(crate) fn field_text(field: &[u8]) -> String {
    String::from_utf8_lossy(field.trim_ascii()).into_owned()
}

/// Whether the first record holds column names: some field is a word above a number, or nothing in it is a number.
pub(crate) fn looks_like_names(first: &ByteRecord, second: Option<&ByteRecord>) -> bool {
    let Some(second) = second else {
        return first.iter().all(is_word);
    };
    let is_number = |field: &[u8]| number(field).is_some() || with_comma(field).is_some();
    let is_name = |field: &[u8]| is_word(field) && with_comma(field).is_none();
    let word_above_number = first.iter().zip(second).any(|(above, below)| is_name(above) && is_number(below));
    word_above_number || is_numbered_by_pandas(first)
}

/// A number whose decimals stand behind a comma.
pub(crate) fn with_comma(field: &[u8]) -> Option<f32> {
    let point = |byte: &u8| if *byte == b',' { b'.' } else { *byte };
    number(&field.iter().map(point).collect::<Vec<_>>()).filter(|_| field.contains(&b','))
}

/// Neither a number nor one of the usual marks of a missing value.
fn is_word(field: &[u8]) -> bool {
    number(field).is_none() && !is_missing(field)
}

/// One of the usual marks of a missing value.
pub(crate) fn is_missing(field: &[u8]) -> bool {
    let marks: [&[u8]; 7] = [b"", b"NA", b"N/A", b"null", b"NULL", b"None", b"?"];
    marks.contains(&field.trim_ascii())
}

/// pandas writes unnamed columns with their index as `,0,1,2`.
fn is_numbered_by_pandas(first: &ByteRecord) -> bool {
    let counts = |(index, field): (usize, &[u8])| field == index.to_string().as_bytes();
    first.len() > 1 && first[0].is_empty() && first.iter().skip(1).enumerate().all(counts)
}

/// Text whose runs of blanks are read as one space, and whose lines begin and end without any.
struct Squeezed<R> {
    inner: R,
    raw: Vec<u8>,
    /// A blank was seen after a field; it is given out when another field follows in the same line.
    blank: bool,
    in_line: bool,
}

impl<R: Read> Squeezed<R> {
    fn new(inner: R) -> Self {
        Self { inner, raw: Vec::new(), blank: false, in_line: false }
    }

    /// Squeezes the bytes read; at most two bytes come out for one.
    fn squeeze(&mut self, count: usize, out: &mut [u8]) -> usize {
        let mut written = 0;
        for &byte in &self.raw[..count] {
            match byte {
                b' ' | b'\t' | b'\r' => self.blank = self.in_line,
                b'\n' => (self.blank, self.in_line) = (false, false),
                _ => {
                    if std::mem::take(&mut self.blank) {
                        out[written] = b' ';
                        written += 1;
                    }
                    self.in_line = true;
                }
            }
            if !matches!(byte, b' ' | b'\t' | b'\r') {
                out[written] = byte;
                written += 1;
            }
        }
        written
    }
}

impl<R: Read> Read for Squeezed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.raw.resize((out.len() / 2).max(1), 0);
        loop {
            let count = self.inner.read(&mut self.raw)?;
            let written = self.squeeze(count, out);
            if written > 0 || count == 0 {
                return Ok(written);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(first: &[&str], second: &[&str]) -> bool {
        looks_like_names(&ByteRecord::from(first.to_vec()), Some(&ByteRecord::from(second.to_vec())))
    }

    #[test]
    fn column_names_are_recognised() {
        assert!(names(&["x", "y", "species"], &["1", "2", "setosa"]));
        assert!(!names(&["5.1", "3.5", "setosa"], &["4.9", "3.0", "setosa"]));
        assert!(names(&["", "0", "1"], &["0", "2.5", "3"]));
        assert!(names(&["x", "y"], &["1,5", "2,5"]) && !names(&["0,5", "1"], &["1,5", "2,5"]));
        assert!(!names(&["1", "", "NA"], &["1", "2", "3"]));
        assert!(!names(&["nan", "2"], &["1", "2"]));
        assert!(looks_like_names(&ByteRecord::from(vec!["a", "b"]), None));
        assert!(!looks_like_names(&ByteRecord::from(vec!["a", "1"]), None));
    }

    #[test]
    fn delimiters_are_sniffed() {
        assert_eq!(sniff(b"1,2\n3,4\n"), b',');
        assert_eq!(sniff(b"1,5;2,5\n3,5;4\n"), b';');
        assert_eq!(sniff(b"a;b, c\td\n1\t2\n"), b'\t');
        assert_eq!(sniff(b"# made by hand\n 1.0  2.0\n 3 4\n"), b' ');
        assert_eq!(sniff(b"one word\n"), b',');
        assert_eq!(sniff(b""), b',');
    }

    #[test]
    fn blanks_are_squeezed_whatever_the_buffer() {
        for length in [2, 3, 64] {
            let mut squeezed = Squeezed::new(&b"  1   2 \r\n\n3\t 4"[..]);
            let (mut text, mut buffer) = (Vec::<u8>::new(), vec![0; length]);
            loop {
                match squeezed.read(&mut buffer).unwrap() {
                    0 => break,
                    count => text.extend(&buffer[..count]),
                }
            }
            assert_eq!(text, b"1 2\n\n3 4");
        }
    }
}
