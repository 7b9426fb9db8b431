//! Tables each of whose rows names two rows of the data, in the columns `i` and `j` (counted from 0), and says something about them: edges
//! with their weights, links with their word.

use super::columns::numbered;
use super::readers::delimited::{Delimited, field_text, looks_like_names};
use super::readers::{self, Batches};
use super::source::{Format, Source, excerpt};
use crate::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::DataType;

/// What a table of pairs is called and holds.
pub(crate) struct PairTable {
    /// What stands in it: "an edge list has", "links have".
    pub subject: &'static str,
    /// What a file of another format does not hold, and what to give instead.
    pub refusal: &'static str,
    /// The third column.
    pub third: &'static str,
    /// Whether the third column holds numbers, and may then be missing; otherwise it holds words.
    pub numbers: bool,
}

/// What the third column says.
#[derive(Clone, Copy)]
pub(crate) enum Third<'a> {
    Missing,
    Text(&'a str),
    Number(f64),
}

/// Where a pair stands in its file.
pub(crate) struct Place<'a> {
    source: &'a Source,
    unit: &'static str,
    number: u64,
}

impl Place<'_> {
    /// An error about this pair; `problem` follows the place.
    pub fn error(&self, problem: impl std::fmt::Display) -> Error {
        self.source.error(format!("{} {}{problem}", self.unit, self.number))
    }

    fn bad_row(&self, text: &str) -> Error {
        self.error(format_args!(": {} is not a row number; rows are counted from 0", excerpt(text)))
    }
}

/// A row number that fits the type of graphs and links.
pub(crate) fn row_number(number: Option<u64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok()).filter(|&number| number < u32::MAX)
}

/// All pairs of a table, each made of its two rows and what the third column says.
pub(crate) fn read_pairs<T>(
    source: &Source,
    table: &PairTable,
    pair: impl Fn([u32; 2], Third, &Place) -> Result<T>,
) -> Result<Vec<T>> {
    match source.format {
        Format::Csv | Format::Tsv | Format::Txt => read_text(source, table, pair),
        Format::Parquet | Format::Arrow | Format::Json => {
            let batches = readers::table_batches(source, &mut |schema| {
                let names: Vec<_> = schema.fields().iter().map(|field| field.name().clone()).collect();
                choose(source, table, &names)
            })?;
            batches.map_or(Ok(Vec::new()), |batches| read_batches(source, table, batches, pair))
        }
        _ => Err(source.error(format!("a file of this format holds {}", table.refusal))),
    }
}

/// The columns by their names, or else the first two or three where there are no others.
fn choose(source: &Source, table: &PairTable, names: &[String]) -> Result<Vec<usize>> {
    let called = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    match (called("i"), called("j"), called(table.third)) {
        (Some(i), Some(j), Some(third)) => Ok(vec![i, j, third]),
        (Some(i), Some(j), None) if table.numbers => Ok(vec![i, j]),
        _ if names.len() == 3 || table.numbers && names.len() == 2 => Ok((0..names.len()).collect()),
        _ => {
            let (subject, third) = (table.subject, table.third);
            let remedy = "name them so, or write only these three";
            Err(source.error(format!("{subject} the columns i, j and {third}: {remedy}")))
        }
    }
}

fn read_text<T>(
    source: &Source,
    table: &PairTable,
    pair: impl Fn([u32; 2], Third, &Place) -> Result<T>,
) -> Result<Vec<T>> {
    let mut records = Delimited::open(source, looks_like_names)?;
    let names = records.names.clone().unwrap_or_else(|| numbered(records.width));
    let chosen = choose(source, table, &names)?;
    let mut pairs = Vec::new();
    while let Some((record, line)) = records.next()? {
        let place = Place { source, unit: "line", number: line };
        let row = |column: usize| {
            let text = field_text(&record[chosen[column]]);
            row_number(text.parse().ok()).ok_or_else(|| place.bad_row(&text))
        };
        let rows = [row(0)?, row(1)?];
        let text = chosen.get(2).map(|&column| field_text(&record[column]));
        pairs.push(pair(rows, text.as_deref().map_or(Third::Missing, Third::Text), &place)?);
    }
    Ok(pairs)
}

fn read_batches<T>(
    source: &Source,
    table: &PairTable,
    mut batches: Batches,
    pair: impl Fn([u32; 2], Third, &Place) -> Result<T>,
) -> Result<Vec<T>> {
    let mut pairs = Vec::new();
    while let Some(columns) = batches.next(source)? {
        for (c, column) in columns.iter().enumerate() {
            let kind = column.data_type();
            let (fits, must) = match c {
                0 | 1 => (kind.is_integer(), "row numbers"),
                _ => (!table.numbers || kind.is_numeric(), "numbers"),
            };
            if !fits {
                let name = batches.name(c);
                return Err(source.error(format!("column {name} ({kind}) must hold {must}: convert it and save again")));
            }
        }
        let converted = |column: &ArrayRef, kind: &DataType| {
            cast(column, kind).map_err(|error| source.error(format!("{error}: save the file again")))
        };
        let rows = [converted(&columns[0], &DataType::UInt64)?, converted(&columns[1], &DataType::UInt64)?];
        let kind = if table.numbers { DataType::Float64 } else { DataType::LargeUtf8 };
        let third = columns.get(2).map(|column| converted(column, &kind)).transpose()?;
        for at in 0..rows[0].len() {
            let place = Place { source, unit: "row", number: pairs.len() as u64 + 1 };
            let row = |side: usize| {
                let given = (!rows[side].is_null(at)).then(|| rows[side].as_primitive::<UInt64Type>().value(at));
                row_number(given).ok_or_else(|| place.bad_row("missing or negative"))
            };
            let third = third.as_ref().map_or(Third::Missing, |third| match (table.numbers, third.is_null(at)) {
                (true, true) => Third::Number(f64::NAN),
                (true, false) => Third::Number(third.as_primitive::<Float64Type>().value(at)),
                (false, true) => Third::Text(""),
                (false, false) => Third::Text(third.as_string::<i64>().value(at)),
            });
            pairs.push(pair([row(0)?, row(1)?], third, &place)?);
        }
    }
    Ok(pairs)
}
