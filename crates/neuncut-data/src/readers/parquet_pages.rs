//! One list column of a Parquet file, page by page: where lists are of one length and nothing is null, a page is numbers row after
//! row, and is copied as it lies. Arrow would unfold two levels a number first, which takes longer than to decompress.
//!
//! Most programs begin a column with a dictionary, and drop it when it becomes too large: pages of both kinds are read here.
//!
//! Whatever is not so simple is left to arrow, from the beginning of its row group on: other encodings, nulls, lists of other lengths,
//! damage. So there is one place that explains what is wrong with a file. A row group must give the rows that the footer promises.

use super::batches::{check_count, guarded};
use super::parquet::{self, FORMAT};
use super::parquet_lengths::PageFile;
use super::parquet_runs::for_runs;
use crate::Result;
use crate::columns::ColumnNames;
use crate::element::{Element, NumberKind};
use crate::image_shape::ImageShape;
use crate::source::Source;
use crate::table::RowReader;
use ::parquet::arrow::arrow_reader::ArrowReaderMetadata;
use ::parquet::basic::{Encoding, Type};
use ::parquet::column::page::{Page, PageReader};
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::serialized_reader::SerializedPageReader;
use arrow_schema::DataType;
use std::ops::Range;
use std::sync::Arc;

/// Numbers of a dictionary, and of a page that takes its numbers from one: a few bytes may stand for any number of them.
const MOST_KNOWN: usize = 1 << 24;

/// Rows that are read again at a time.
const AGAIN_ROWS: usize = 1024;

/// Rows of one list column.
struct PageRows {
    source: Source,
    file: Arc<PageFile>,
    metadata: Arc<ParquetMetaData>,
    /// The column's place in the file, and that of its numbers among the columns of numbers.
    column: usize,
    leaf: usize,
    name: String,
    left_out: Vec<String>,
    element: Element,
    lists: Lists,
    /// The row groups opened so far, and the pages of the last one.
    groups: usize,
    pages: Option<SerializedPageReader<PageFile>>,
    /// The numbers of the row group's dictionary.
    dictionary: Vec<f32>,
    /// The numbers of the current page.
    page: Option<Numbers>,
    /// Numbers of the last row group that were given out.
    given: usize,
    /// Arrow's reader, where pages are not simple.
    rest: Option<Box<dyn RowReader>>,
}

/// The numbers of a page, and where those begin that were not given out yet.
enum Numbers {
    /// As they lie in the page.
    Plain(Page, Range<usize>),
    /// Taken from the dictionary.
    Known(Vec<f32>, usize),
}

/// Opens the list column `column` of a file, or says no where it is none or its first page is not simple.
pub(super) fn open(
    source: &Source,
    metadata: &ArrowReaderMetadata,
    column: usize,
    left_out: &[String],
) -> Result<Option<Box<dyn RowReader>>> {
    let schema = metadata.parquet_schema();
    let leaves: Vec<usize> = (0..schema.num_columns()).filter(|&l| schema.get_column_root_idx(l) == column).collect();
    let [leaf] = leaves[..] else { return Ok(None) };
    let numbers = schema.column(leaf);
    let kind = match numbers.physical_type() {
        Type::FLOAT => NumberKind::F32,
        Type::DOUBLE => NumberKind::F64,
        _ => return Ok(None),
    };
    if numbers.max_rep_level() != 1 {
        return Ok(None);
    }
    let field = metadata.schema().field(column);
    let width = match field.data_type() {
        DataType::FixedSizeList(_, length) => *length as usize,
        _ => 0,
    };
    let mut rows = PageRows {
        source: source.clone(),
        file: Arc::new(PageFile(source.file()?)),
        metadata: metadata.metadata().clone(),
        column,
        leaf,
        name: field.name().clone(),
        left_out: left_out.to_vec(),
        element: Element { kind, big_endian: false },
        lists: Lists { width, under_way: 0, begun: 0, deepest: numbers.max_def_level() as u32 },
        groups: 0,
        pages: None,
        dictionary: Vec::new(),
        page: None,
        given: 0,
        rest: None,
    };
    Ok((rows.advance() && rows.lists.width > 0).then(|| Box::new(rows) as Box<dyn RowReader>))
}

impl PageRows {
    /// Makes the next page that has numbers the current one, none at the end. False where it is not simple.
    fn advance(&mut self) -> bool {
        self.page = None;
        loop {
            if self.pages.is_none() {
                if !self.lists.end() || self.lists.begun != self.promised() {
                    return false;
                }
                if self.groups == self.metadata.num_row_groups() {
                    return true;
                }
                let group = self.metadata.row_group(self.groups);
                self.groups += 1;
                (self.lists.begun, self.given) = (0, 0);
                self.dictionary.clear();
                let (rows, chunk) = (group.num_rows() as usize, group.column(self.leaf));
                let pages =
                    guarded(&self.source, FORMAT, || SerializedPageReader::new(self.file.clone(), chunk, rows, None));
                match pages {
                    Ok(pages) => self.pages = Some(pages),
                    Err(_) => return false,
                }
            }
            let Some(pages) = &mut self.pages else { return false };
            match guarded(&self.source, FORMAT, || pages.get_next_page()) {
                Ok(None) => self.pages = None,
                Ok(Some(Page::DictionaryPage {
                    buf, encoding: Encoding::PLAIN | Encoding::PLAIN_DICTIONARY, ..
                })) => {
                    self.element.decode(&buf, &mut self.dictionary);
                }
                Ok(Some(page)) => {
                    let Some(numbers) = self.numbers(page) else { return false };
                    if !numbers.is_empty() {
                        self.page = Some(numbers);
                        return true;
                    }
                }
                Err(_) => return false,
            }
        }
    }

    /// Rows that the footer promises of the last row group.
    fn promised(&self) -> u64 {
        self.groups.checked_sub(1).map_or(0, |last| self.metadata.row_group(last).num_rows() as u64)
    }

    /// The numbers of a data page, if it is simple.
    fn numbers(&mut self, page: Page) -> Option<Numbers> {
        let count = page.num_values() as usize;
        let most = match page.encoding() {
            Encoding::PLAIN => page.buffer().len() / self.element.size(),
            _ => MOST_KNOWN,
        };
        if count > most {
            return None; // before its levels are counted, for a few bytes may stand for any number of them
        }
        let values = self.lists.values(&page)?;
        match page.encoding() {
            Encoding::PLAIN => (values.len() == count * self.element.size()).then(|| Numbers::Plain(page, values)),
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
                let mut known = Vec::with_capacity(count);
                let (&bits, places) = page.buffer()[values].split_first().filter(|(bits, _)| **bits <= 32)?;
                let found = for_runs(places, u32::from(bits), count, |place, times| {
                    let number = self.dictionary.get(place as usize);
                    number.map(|&number| known.extend(std::iter::repeat_n(number, times))).is_some()
                });
                found.then_some(Numbers::Known(known, 0))
            }
            _ => None,
        }
    }
}

impl PageRows {
    /// Arrow's reader of the last row group and all that follow, behind the rows of that group that were given out. Those are read
    /// again, and not passed over by their number, so that damage cannot shift rows.
    fn open_rest(&self, given: usize) -> Result<Box<dyn RowReader>> {
        let mut rest = parquet::open_rest(&self.source, self.column, self.groups.saturating_sub(1))?;
        let (mut left, mut again) = (given, Vec::new());
        while left > 0 {
            again.clear();
            match rest.read(left.min(AGAIN_ROWS), &mut again)? {
                0 => return check_count(&self.source, Some(given as u64), (given - left) as u64).map(|()| rest),
                count => left -= count,
            }
        }
        Ok(rest)
    }
}

impl Numbers {
    fn is_empty(&self) -> bool {
        match self {
            Self::Plain(_, left) => left.is_empty(),
            Self::Known(numbers, given) => numbers.len() == *given,
        }
    }

    /// Appends up to `most` numbers, and tells how many.
    fn give(&mut self, most: usize, element: Element, rows: &mut Vec<f32>) -> usize {
        let before = rows.len();
        match self {
            Self::Plain(page, left) => {
                let end = left.end.min(left.start + most * element.size());
                element.decode(&page.buffer()[left.start..end], rows);
                left.start = end;
            }
            Self::Known(numbers, given) => {
                let end = numbers.len().min(*given + most);
                rows.extend_from_slice(&numbers[*given..end]);
                *given = end;
            }
        }
        rows.len() - before
    }
}

impl RowReader for PageRows {
    fn width(&self) -> usize {
        self.lists.width
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let (width, start) = (self.lists.width, rows.len());
        let mut left = max_rows.saturating_mul(width);
        while left > 0 && self.rest.is_none() {
            if let Some(numbers) = &mut self.page {
                let given = numbers.give(left, self.element, rows);
                self.given += given;
                left -= given;
                if left == 0 {
                    break;
                }
            }
            if !self.advance() {
                let begun = (rows.len() - start) % width; // numbers of a row that was not given out whole
                rows.truncate(rows.len() - begun);
                self.rest = Some(self.open_rest((self.given - begun) / width)?);
            } else if self.page.is_none() {
                break;
            }
        }
        let count = (rows.len() - start) / width;
        match &mut self.rest {
            Some(rest) if count == 0 => rest.read(max_rows, rows),
            _ => Ok(count),
        }
    }

    fn row_count(&self) -> Option<u64> {
        u64::try_from(self.metadata.file_metadata().num_rows()).ok()
    }

    fn column_name(&self, column: usize) -> String {
        format!("{}[{column}]", self.name)
    }

    fn image_shape(&self) -> Option<ImageShape> {
        None
    }

    fn names(&self) -> ColumnNames {
        ColumnNames::List(self.name.clone())
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

/// What the levels of the pages so far say about lists. The repetition level is 0 where a list begins, else 1; the definition level
/// is the deepest where there is a number.
struct Lists {
    /// Numbers of each list; zero where the schema does not tell, until the first list has ended.
    width: usize,
    /// Numbers of the list under way.
    under_way: usize,
    /// Lists of the row group that have begun.
    begun: u64,
    deepest: u32,
}

impl Lists {
    /// Where a page has its values, if it has nothing but lists of one length without nulls.
    fn values(&mut self, page: &Page) -> Option<Range<usize>> {
        let bytes = page.buffer();
        let (repetitions, definitions, start) = match page {
            Page::DataPage { rep_level_encoding: Encoding::RLE, def_level_encoding: Encoding::RLE, .. } => {
                let (repetitions, rest) = behind_length(bytes)?;
                let (definitions, rest) = behind_length(rest)?;
                (repetitions, definitions, bytes.len() - rest.len())
            }
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                let (repetitions, rest) = bytes.split_at_checked(*rep_levels_byte_len as usize)?;
                let (definitions, rest) = rest.split_at_checked(*def_levels_byte_len as usize)?;
                (repetitions, definitions, bytes.len() - rest.len())
            }
            _ => return None,
        };
        let count = page.num_values() as usize;
        let whole = for_runs(definitions, 32 - self.deepest.leading_zeros(), count, |level, _| level == self.deepest);
        let simple = whole && for_runs(repetitions, 1, count, |level, times| self.take(level, times));
        simple.then_some(start..bytes.len())
    }

    /// Takes so many equal repetition levels; false where a list has another length than the first.
    fn take(&mut self, level: u32, times: usize) -> bool {
        if level > 1 {
            return false;
        }
        if level == 1 {
            let goes_on = self.under_way > 0;
            self.under_way += times;
            return goes_on && (self.width == 0 || self.under_way <= self.width);
        }
        (0..times).all(|_| {
            let ended = self.end();
            (self.under_way, self.begun) = (1, self.begun + 1);
            ended
        })
    }

    /// Ends the list under way, if there is one; false where it is too short.
    fn end(&mut self) -> bool {
        if self.width == 0 {
            self.width = self.under_way;
        }
        let whole = self.under_way == self.width || self.under_way == 0;
        self.under_way = 0;
        whole
    }
}

/// Bytes behind their length, and what follows.
fn behind_length(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

#[cfg(test)]
mod tests;
