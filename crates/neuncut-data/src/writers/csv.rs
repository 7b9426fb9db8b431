//! Delimited text with a line of column names.

use super::{Beside, Columns, Complete, MatrixWriter, Output, RowWriter, check_width};
use crate::source::Format;
use crate::{Error, Result};
use arrow_array::{Array, ArrayRef};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_json::writer::{EncoderOptions, NullableEncoder, make_encoder};
use arrow_schema::{ArrowError, Field, FieldRef};
use ndarray::{ArrayView1, ArrayView2};
use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

/// The delimiter of a text format.
pub(super) fn delimiter(format: Format) -> u8 {
    if format == Format::Tsv { b'\t' } else { b',' }
}

/// Text that is made a chunk at a time.
struct Text {
    output: Output,
    delimiter: u8,
    text: Vec<u8>,
}

impl Text {
    fn new(mut output: Output, delimiter: u8, names: impl Iterator<Item = String>) -> Result<Self> {
        let mut header = names.collect::<Vec<_>>().join(std::str::from_utf8(&[delimiter]).unwrap_or(","));
        header.push('\n');
        output.put(header.as_bytes())?;
        Ok(Self { output, delimiter, text: Vec::new() })
    }

    /// Appends numbers, with a delimiter before each but the first of a line.
    fn append(&mut self, values: ArrayView1<f32>, mut starts_line: bool) {
        for value in values {
            if !std::mem::take(&mut starts_line) {
                self.text.push(self.delimiter);
            }
            append_number(&mut self.text, *value);
        }
    }

    fn put(&mut self) -> Result<()> {
        let result = self.output.put(&self.text);
        self.text.clear();
        result.and_then(|()| self.output.pass_on())
    }
}

/// The shortest text that gives the same `f32` again; very small and large numbers have an exponent.
fn append_number(text: &mut Vec<u8>, value: f32) {
    let plain = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    // Writing to memory cannot fail.
    let _ = if plain { write!(text, "{value}") } else { write!(text, "{value:e}") };
}

/// `label` and perhaps `p0`, `p1`, ... or `confidence`.
pub(super) struct CsvRows {
    text: Text,
    columns: Columns,
    beside: Beside,
}

impl CsvRows {
    pub(super) fn new(output: Output, delimiter: u8, columns: Columns, beside: Beside) -> Result<Self> {
        let memberships = columns.membership_names();
        let kept = beside.fields().into_iter().map(|field| quoted(field.name(), delimiter).into_owned());
        let by_cluster = beside.labels.beside.iter().map(|column| column.name.clone());
        let names = kept.chain(std::iter::once("label".to_owned())).chain(by_cluster).chain(memberships);
        Ok(Self { text: Text::new(output, delimiter, names)?, columns, beside })
    }
}

impl RowWriter for CsvRows {
    fn write(&mut self, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()> {
        self.columns.check(self.text.output.path(), labels, memberships)?;
        let kept = self.beside.take(labels.len())?;
        let broken = |error: ArrowError| Error::data("the data", format!("{error}: leave the column out with --keep"));
        let forms = Forms::default();
        let fields = kept.iter().map(|column| Arc::new(Field::new("", column.data_type().clone(), true)));
        let fields: Vec<FieldRef> = fields.collect();
        let cells = kept.iter().zip(&fields).map(|(column, field)| Cells::of(column, field, &forms));
        let mut cells = cells.collect::<Result<Vec<_>, _>>().map_err(broken)?;
        let delimiter = self.text.delimiter;
        for (row, &label) in labels.iter().enumerate() {
            for column in &mut cells {
                let value = column.text(row).map_err(broken)?;
                self.text.text.extend_from_slice(quoted(&value, delimiter).as_bytes());
                self.text.text.push(delimiter);
            }
            let missing = label < 0 && self.beside.labels.some_missing;
            match self.beside.labels.given_name(label) {
                Some(name) => self.text.text.extend_from_slice(quoted(name, delimiter).as_bytes()),
                None if missing => {}
                None => drop(write!(self.text.text, "{label}")),
            }
            for column in &self.beside.labels.beside {
                let value = column.text(label, self.beside.labels.some_missing);
                self.text.text.push(delimiter);
                self.text.text.extend_from_slice(quoted(&value, delimiter).as_bytes());
            }
            match memberships {
                Some(memberships) if missing => {
                    self.text.text.extend(std::iter::repeat_n(delimiter, memberships.ncols()));
                }
                Some(memberships) => self.text.append(memberships.row(row), false),
                None => {}
            }
            self.text.text.push(b'\n');
        }
        self.text.put()
    }

    fn complete(mut self: Box<Self>) -> Result<Complete> {
        self.beside.finish()?;
        self.text.output.complete()
    }
}

/// How numbers, times and nested values become text.
struct Forms {
    plain: FormatOptions<'static>,
    nested: EncoderOptions,
}

impl Default for Forms {
    fn default() -> Self {
        Self { plain: FormatOptions::default(), nested: EncoderOptions::default().with_explicit_nulls(true) }
    }
}

/// The values of a kept column as text.
enum Cells<'a> {
    Plain(ArrayFormatter<'a>),
    /// Lists, structures and maps are JSON, which other programs read.
    Nested(NullableEncoder<'a>),
}

impl<'a> Cells<'a> {
    fn of(column: &'a ArrayRef, field: &'a FieldRef, forms: &'a Forms) -> Result<Self, ArrowError> {
        if column.data_type().is_nested() {
            make_encoder(field, column, &forms.nested).map(Self::Nested)
        } else {
            ArrayFormatter::try_new(column, &forms.plain).map(Self::Plain)
        }
    }

    fn text(&mut self, row: usize) -> Result<String, ArrowError> {
        match self {
            Self::Plain(format) => format.value(row).try_to_string(),
            Self::Nested(encoder) if encoder.is_null(row) => Ok(String::new()),
            Self::Nested(encoder) => {
                let mut json = Vec::new();
                encoder.encode(row, &mut json);
                String::from_utf8(json).map_err(|error| ArrowError::JsonError(error.to_string()))
            }
        }
    }
}

/// A field in quotes, where it needs them.
fn quoted(text: &str, delimiter: u8) -> Cow<'_, str> {
    if !text.contains([char::from(delimiter), '"', '\n', '\r']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
}

/// `x1`, `x2`, ...
pub(super) struct CsvMatrix {
    text: Text,
    width: usize,
}

impl CsvMatrix {
    pub(super) fn new(output: Output, delimiter: u8, width: usize) -> Result<Self> {
        let names = (1..=width).map(|column| format!("x{column}"));
        Ok(Self { text: Text::new(output, delimiter, names)?, width })
    }
}

impl MatrixWriter for CsvMatrix {
    fn write(&mut self, rows: ArrayView2<f32>) -> Result<()> {
        check_width(self.text.output.path(), rows, self.width)?;
        for row in rows.rows() {
            self.text.append(row, true);
            self.text.text.push(b'\n');
        }
        self.text.put()
    }

    fn complete(self: Box<Self>) -> Result<Complete> {
        self.text.output.complete()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(value: f32) -> String {
        let mut text = Vec::new();
        append_number(&mut text, value);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1.0, 0.1, -0.0, 1e-30, 3e20, 0.333_333_34].map(text),
            ["1", "0.1", "-0", "1e-30", "3e20", "0.33333334"]
        );
    }

    proptest! {
        #[test]
        fn numbers_come_back(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(text(value).parse::<f32>().unwrap().to_bits(), bits);
        }
    }
}
