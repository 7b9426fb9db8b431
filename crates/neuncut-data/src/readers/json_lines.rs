//! JSON lines: one object per line, by way of Arrow record batches. The first lines tell the types of the columns.

use super::batches::{self, BatchIterator, Batches, broken, guarded};
use super::feature_columns::choose_features;
use super::json_schema::JsonColumns;
use super::parquet::places;
use crate::columns::ColumnChoice;
use crate::source::Source;
use crate::table::RowReader;
use crate::{Error, Result};
use arrow_array::RecordBatch;
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, FieldRef, Schema, SchemaRef};
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

const FORMAT: &str = "JSON lines";

/// Lines and bytes that are looked at to find the types of columns: more of either, and never more bytes than the last.
const LOOKED_AT: usize = 1000;
const LOOKED_AT_BYTES: usize = 1 << 20;
const MOST_LOOKED_AT: usize = 1 << 28;

/// Lines and bytes of a batch: few of either, because a line may hold thousands of numbers.
const BATCH_ROWS: usize = 4096;
const BATCH_BYTES: usize = 1 << 20;
/// Lines of a batch of a stream, whose writer may wait for the first results.
const STREAMED_ROWS: usize = 256;

/// The bytes of a line, at most: what does not end would be read into memory as a whole.
const LONGEST: usize = 1 << 26;

/// What Python writes in the place of numbers that JSON has not.
const NO_NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Opens a file of JSON lines.
pub(crate) fn open(source: &Source, choice: &ColumnChoice) -> Result<Box<dyn RowReader>> {
    let columns = columns(source)?;
    let schema = match choice.is_open() {
        true => columns.schema.clone(),
        false => {
            Schema::new((0..columns.schema.fields().len()).map(|index| columns.decimal(index)).collect::<Vec<_>>())
        }
    };
    let features = choose_features(source, &schema, choice)?;
    let fields = features.chosen.iter().map(|&index| columns.decimal(index)).collect();
    batches::open(source, in_batches(source, fields)?, features.left_out)
}

/// The batches of the columns that `choose` names by their index.
pub(crate) fn open_batches(source: &Source, choose: &mut dyn FnMut(&Schema) -> Result<Vec<usize>>) -> Result<Batches> {
    let columns = columns(source)?;
    let fields: Vec<FieldRef> = (0..columns.schema.fields().len()).map(|index| columns.exact(index)).collect();
    let chosen = choose(&Schema::new(fields.clone()))?;
    in_batches(source, chosen.iter().map(|&index| fields[index].clone()).collect())
}

/// The columns of the first lines.
fn columns(source: &Source) -> Result<JsonColumns> {
    let (mut lines, mut text, mut count) = (Lines::open(source)?, Vec::new(), 0);
    let enough = if source.is_stream() { 0 } else { LOOKED_AT_BYTES };
    while (count < LOOKED_AT || text.len() < enough) && text.len() < MOST_LOOKED_AT {
        if !lines.append(&mut text)? {
            break;
        }
        count += 1;
        if count == 1 {
            check_first(source, text.trim_ascii_start().first().copied())?;
        }
    }
    if count == 0 {
        return Err(source.error("the file has no rows: write one JSON object per line"));
    }
    let columns = guarded(source, FORMAT, || JsonColumns::of(&text)).or_else(|error| {
        // the line that is no object is named where there is one
        let mut lines = in_batches(source, Vec::new())?;
        while lines.next(source)?.is_some() {}
        Err(error)
    })?;
    match columns.schema.fields().is_empty() {
        true => Err(source.error("its lines hold no columns: write one JSON object with numbers per line")),
        false => Ok(columns),
    }
}

/// Refuses files that begin otherwise than with an object.
fn check_first(source: &Source, first: Option<u8>) -> Result<()> {
    match first {
        Some(b'{') => Ok(()),
        Some(b'[') => Err(source.error(
            "this is one JSON array: write one object per line, as `jq -c '.[]'` or pandas' to_json(orient=\"records\", lines=True) do",
        )),
        _ => Err(broken(source, FORMAT, &"its first line is not an object")),
    }
}

fn in_batches(source: &Source, fields: Vec<FieldRef>) -> Result<Batches> {
    let schema = Arc::new(Schema::new(fields.clone()));
    let batches: BatchIterator = Box::new(JsonBatches { lines: Lines::open(source)?, schema, text: Vec::new() });
    let chosen: Vec<usize> = (0..fields.len()).collect();
    let places = places(&chosen);
    Ok(Batches { format: FORMAT, fields, places, first_row: 0, rows: None, rows_done: 0, batches })
}

/// The lines of a file that hold something, counted.
struct Lines {
    source: Source,
    reader: BufReader<Box<dyn Read + Send>>,
    /// The line that was read last, counted from 1.
    number: u64,
}

impl Lines {
    fn open(source: &Source) -> Result<Self> {
        let reader = BufReader::with_capacity(1 << 17, source.bytes()?);
        Ok(Self { source: source.clone(), reader, number: 0 })
    }

    /// Appends the next line with its end; false where there is none.
    fn append(&mut self, text: &mut Vec<u8>) -> Result<bool> {
        let start = text.len();
        while text.len() == start {
            let mut line = self.reader.by_ref().take(LONGEST as u64 + 1);
            if line.read_until(b'\n', text).map_err(|error| self.source.read_error(error))? == 0 {
                return Ok(false);
            }
            self.number += 1;
            if text.len() - start > LONGEST {
                let number = self.number;
                let problem = format!("line {number} is longer than {LONGEST} bytes: end each object with a newline");
                return Err(self.source.error(problem));
            }
            if text[start..].trim_ascii().is_empty() {
                text.truncate(start);
            }
        }
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        if text[start..].iter().any(|byte| matches!(byte, b'N' | b'I')) {
            let line = without_no_numbers(&text[start..]);
            text.truncate(start);
            text.extend(line);
        }
        Ok(true)
    }
}

/// A line with null in the place of what is written for no number.
fn without_no_numbers(line: &[u8]) -> Vec<u8> {
    let (mut out, mut at, mut in_string) = (Vec::with_capacity(line.len() + 8), 0, false);
    while at < line.len() {
        let word = NO_NUMBERS.into_iter().find(|word| !in_string && line[at..].starts_with(word));
        let length = match (word, line[at]) {
            (Some(word), _) => {
                out.extend(b"null");
                at += word.len();
                continue;
            }
            (None, b'\\') if in_string => 2.min(line.len() - at),
            (None, b'"') => {
                in_string = !in_string;
                1
            }
            _ => 1,
        };
        out.extend(&line[at..at + length]);
        at += length;
    }
    out
}

/// Some lines at a time as a batch.
struct JsonBatches {
    lines: Lines,
    schema: SchemaRef,
    text: Vec<u8>,
}

impl JsonBatches {
    fn read(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        self.text.clear();
        let (mut ends, mut numbers) = (Vec::new(), Vec::new());
        let most = if self.lines.source.is_stream() { STREAMED_ROWS } else { BATCH_ROWS };
        while ends.len() < most && self.text.len() < BATCH_BYTES {
            match self.lines.append(&mut self.text) {
                Ok(true) => {}
                Ok(false) => break,
                Err(Error::Data { problem, .. }) => return Err(ArrowError::JsonError(problem)),
                Err(error) => return Err(ArrowError::JsonError(error.to_string())),
            }
            ends.push(self.text.len());
            numbers.push(self.lines.number);
        }
        if ends.is_empty() {
            return Ok(None);
        }
        self.decode(&self.text, ends.len()).map(Some).map_err(|error| {
            // one by one, to name the line
            let begins = std::iter::once(0).chain(ends.iter().copied());
            let mut lines = begins.zip(&ends).zip(&numbers);
            let found =
                lines.find_map(|((from, &to), number)| Some((number, self.decode(&self.text[from..to], 1).err()?)));
            let (number, error) = found.map_or((numbers[0], error), |(number, error)| (*number, error));
            ArrowError::JsonError(format!("line {number}: {}", batches::plain_reason(&error)))
        })
    }

    /// So many lines, each of them an object.
    fn decode(&self, text: &[u8], lines: usize) -> Result<RecordBatch, ArrowError> {
        let builder = ReaderBuilder::new(self.schema.clone()).with_batch_size(lines).with_coerce_primitive(true);
        let mut decoder = builder.build_decoder()?;
        let read = decoder.decode(text)?;
        if decoder.has_partial_record() || decoder.len() != lines || !text[read..].trim_ascii().is_empty() {
            return Err(ArrowError::JsonError("it is not one whole object".into()));
        }
        let batch = decoder.flush()?;
        batch.ok_or_else(|| ArrowError::JsonError("it holds no object".into()))
    }
}

impl Iterator for JsonBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Dir, error_of, read_all, spec};
    use crate::{OnNull, Table, TableSpec};

    const LINES: &str =
        "{\"id\": 7, \"text\": \"a\", \"v\": [1, 2]}\n{\"text\": null, \"v\": [0.5, -2e3], \"id\": 8}\n";

    #[test]
    fn lists_and_columns() {
        let dir = Dir::new();
        let path = dir.file("a.jsonl", LINES);
        assert_eq!(read_all(&spec(&path)).unwrap(), (2, vec![1.0, 2.0, 0.5, -2000.0]));
        assert_eq!(Table::open(&spec(&path)).unwrap().left_out(), ["id (id)", "text (text)"]);
        assert_eq!(read_all(&spec(&dir.file("a.ndjson.gz", LINES))).unwrap().1.len(), 4);
        let scalars = dir.file("b.jsonl", "{\"x\": 1, \"y\": true}\n\n{\"x\": 2.5, \"y\": false}\n");
        assert_eq!(read_all(&spec(&scalars)).unwrap(), (2, vec![1.0, 1.0, 2.5, 0.0]));
    }

    #[test]
    fn missing_values() {
        let dir = Dir::new();
        let path = dir
            .file("a.jsonl", "{\"v\": [1, 2]}\n{\"v\": null}\n{}\n{\"v\": []}\n{\"v\": [3, null]}\n{\"v\": [5, 6]}\n");
        assert!(error_of(&spec(&path)).contains("row 2, column v is null"));
        let skip = TableSpec { on_null: OnNull::Skip, ..spec(&path) };
        assert_eq!(read_all(&skip).unwrap(), (2, vec![1.0, 2.0, 5.0, 6.0]));
        let zero = TableSpec { on_null: OnNull::Zero, ..spec(&path) };
        assert_eq!(read_all(&zero).unwrap().1, [1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 5.0, 6.0]);
        let short = dir.file("b.jsonl", "{\"v\": [1, 2]}\n{\"v\": null}\n{\"v\": []}\n{\"v\": [3]}\n");
        for on_null in [OnNull::Skip, OnNull::Zero] {
            let message = error_of(&TableSpec { on_null, ..spec(&short) });
            assert!(message.contains("row 4, column v holds a list of 1 numbers"), "{message}");
        }
    }

    #[test]
    fn faults_are_explained() {
        let dir = Dir::new();
        let message = |text: &str| error_of(&spec(&dir.file("a.jsonl", text)));
        assert!(message("[{\"x\": 1}]").contains("write one object per line"));
        assert!(message("x,y\n1,2\n").contains("its first line is not an object"));
        assert!(message("{\"x\": 1}\n{\"x\": ").contains("cannot be read as JSON lines"));
        assert!(message("{}\n{}\n").contains("hold no columns"));
        assert!(message("\n").contains("no rows"));
    }

    #[test]
    fn lines_are_named_and_columns_keep_their_order() {
        let dir = Dir::new();
        let rows =
            |more: &str| (0..600).map(|i| format!("{{\"x\": {i}, \"b\": 1, \"a\": 2}}\n")).collect::<String>() + more;
        let message = error_of(&spec(&dir.file("a.jsonl", rows("{\"x\": 1, \"b\": "))));
        assert!(message.contains("line 601"), "{message}");
        let long = format!("{{\"x\": 1, \"s\": \"{}\"}}\n", "a".repeat(5000)).repeat(1000);
        let message = error_of(&spec(&dir.file("b.jsonl", long + "\n{\"x\": \"word\"}\n")));
        assert!(message.contains("line 1002"), "{message}");
        let table = Table::open(&spec(&dir.file("c.jsonl", rows("")))).unwrap();
        assert_eq!(table.column_names().of(1).as_deref(), Some("b"));
    }

    #[test]
    fn what_python_writes_for_no_number_is_missing() {
        let dir = Dir::new();
        let text = "{\"x\": NaN, \"s\": \"NaN, \\\"Infinity\"}\n{\"x\": -Infinity}\n{\"x\": 3}\n";
        let path = dir.file("a.jsonl", text);
        assert!(error_of(&spec(&path)).contains("row 1, column x is null"));
        assert_eq!(read_all(&TableSpec { on_null: OnNull::Skip, ..spec(&path) }).unwrap().1, [3.0]);
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let dir = Dir::new();
        let text = format!("{{\"x\": 1, \"s\": \"{}\"}}\n", "a".repeat(super::LONGEST));
        assert!(error_of(&spec(&dir.file("a.jsonl.gz", text))).contains("line 1 is longer than 67108864 bytes"));
    }
}
