//! Sparse text, one `label index:value index:value ...` a line. Labels are skipped; absent values are 0.

use super::projected::project;
use crate::Result;
use crate::columns::ColumnChoice;
use crate::image_shape::ImageShape;
use crate::source::{Format, Source, excerpt};
use crate::table::RowReader;
use std::io::{BufRead, BufReader, Read};

/// The widest dense row that is made of sparse text.
const WIDEST: u64 = 1 << 22;

/// The longest line, in bytes.
const LONGEST: u64 = 1 << 26;

/// The smallest and largest index of all sparse files of a table. The smallest is 0 or 1, as files count from either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SparseExtent {
    first: u64,
    last: u64,
}

/// Looks through all sparse files for their indices, because no header tells them; `None` without sparse files.
pub(crate) fn sparse_extent(sources: &[Source]) -> Result<Option<SparseExtent>> {
    let mut extent: Option<SparseExtent> = None;
    for source in sources.iter().filter(|source| source.format == Format::Libsvm) {
        let mut lines = Lines::open(source)?;
        let whole = extent.get_or_insert(SparseExtent { first: 1, last: 0 });
        let mut widen =
            |index: u64, _: f32| (whole.first, whole.last) = (whole.first.min(index), whole.last.max(index));
        while lines.next(&mut widen)? {}
        if whole.last - whole.first.min(whole.last) >= WIDEST {
            let problem =
                format!("index {} makes rows too wide: reduce the features to fewer than {WIDEST}", whole.last);
            return Err(source.error(problem));
        }
    }
    match extent {
        Some(SparseExtent { first, last }) if last < first => Err(sources[0].error("no line has an index:value pair")),
        extent => Ok(extent),
    }
}

/// Dense rows of one file.
struct SparseRows {
    lines: Lines,
    extent: SparseExtent,
}

/// Opens sparse text; without an extent it is looked for.
pub(crate) fn open(source: &Source, choice: &ColumnChoice, extent: Option<SparseExtent>) -> Result<Box<dyn RowReader>> {
    let extent = match extent {
        Some(extent) => Some(extent),
        None => sparse_extent(std::slice::from_ref(source))?,
    };
    let extent = extent.ok_or_else(|| source.error("no line has an index:value pair"))?;
    project(source, choice, Box::new(SparseRows { lines: Lines::open(source)?, extent }))
}

impl RowReader for SparseRows {
    fn width(&self) -> usize {
        (self.extent.last - self.extent.first + 1) as usize
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let (width, first) = (self.width(), self.extent.first);
        let mut row = vec![0.0; width];
        for count in 0..max_rows {
            row.fill(0.0);
            // The extent covers every index, unless the file has changed since it was looked through.
            let mut set = |index: u64, value: f32| {
                if let Some(place) = row.get_mut(index.wrapping_sub(first) as usize) {
                    *place = value;
                }
            };
            if !self.lines.next(&mut set)? {
                return Ok(count);
            }
            rows.extend_from_slice(&row);
        }
        Ok(max_rows)
    }

    fn row_count(&self) -> Option<u64> {
        None
    }

    fn column_name(&self, column: usize) -> String {
        (column as u64 + self.extent.first).to_string()
    }

    fn image_shape(&self) -> Option<ImageShape> {
        None
    }
}

/// The lines that hold a row.
struct Lines {
    source: Source,
    reader: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    fn open(source: &Source) -> Result<Self> {
        let reader = BufReader::with_capacity(1 << 17, source.bytes()?);
        Ok(Self { source: source.clone(), reader, line: Vec::new(), number: 0 })
    }

    /// Gives each index and value of the next row to `set`; false at the end.
    fn next(&mut self, set: &mut dyn FnMut(u64, f32)) -> Result<bool> {
        loop {
            self.line.clear();
            let read = self.reader.by_ref().take(LONGEST).read_until(b'\n', &mut self.line);
            let read = read.map_err(|error| self.source.read_error(error))?;
            if read as u64 == LONGEST {
                let line = self.number + 1;
                return Err(self
                    .source
                    .error(format!("line {line} has more than {LONGEST} bytes: write one row per line")));
            }
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            let content = self.line.split(|byte| *byte == b'#').next().unwrap_or_default();
            let mut pairs = content.split(u8::is_ascii_whitespace).filter(|pair| !pair.is_empty()).peekable();
            if pairs.peek().is_none() {
                continue;
            }
            // The label, which has no colon; `qid:3` numbers a query and is no feature.
            pairs.next_if(|pair| !pair.contains(&b':'));
            for pair in pairs.filter(|pair| !pair.starts_with(b"qid:")) {
                let (index, value) = parse(pair).ok_or_else(|| malformed(&self.source, self.number, pair))?;
                set(index, value);
            }
            return Ok(true);
        }
    }
}

fn parse(pair: &[u8]) -> Option<(u64, f32)> {
    let (index, value) = std::str::from_utf8(pair).ok()?.split_once(':')?;
    Some((index.parse().ok()?, value.parse().ok()?))
}

fn malformed(source: &Source, line: u64, pair: &[u8]) -> crate::Error {
    let found = excerpt(&String::from_utf8_lossy(pair));
    source.error(format!("line {line} has {found} where an index:value pair should be: write 'label 1:0.5 7:2'"))
}

#[cfg(test)]
mod tests {
    use crate::TableSpec;
    use crate::testing::{Dir, error_of, read_all, spec};

    #[test]
    fn absent_values_are_zero() {
        let dir = Dir::new();
        let text = "+1 1:0.5 3:2 # a comment\n\n-1 qid:9 2:1\n0\n";
        let expected = (3, vec![0.5, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        for name in ["a.libsvm", "a.svm.gz"] {
            assert_eq!(read_all(&spec(&dir.file(name, text))).unwrap(), expected);
        }
        let chosen = TableSpec { columns: Some(vec!["3".into()]), ..spec(&dir.path("a.libsvm")) };
        assert_eq!(read_all(&chosen).unwrap(), (1, vec![2.0, 0.0, 0.0]));
    }

    #[test]
    fn several_files_share_the_widest_extent_and_the_first_index() {
        let dir = Dir::new();
        dir.file("a.svm", "1 1:5\n");
        dir.file("b.svm", "1 0:6 2:7\n");
        assert_eq!(read_all(&spec(&dir.path("*.svm"))).unwrap(), (3, vec![0.0, 5.0, 0.0, 6.0, 0.0, 7.0]));
    }

    #[test]
    fn faults_are_located() {
        let dir = Dir::new();
        let message = |text: &str| error_of(&spec(&dir.file("a.svm", text)));
        assert!(message("1 1:2\n1 3\n").contains(r#"line 2 has "3" where an index:value pair should be"#));
        assert!(message("1 1:2\n1 -3:1\n").contains("line 2"));
        assert!(message("1 99999999999:1\n").contains("makes rows too wide"));
        assert!(message("1\n0\n").contains("no line has an index:value pair"));
        assert!(message("1 1:nan\n").contains("row 1, column 1 is NaN"));
    }
}
