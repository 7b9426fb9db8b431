//! The true classes of rows, for scoring: whole numbers or text, from any supported format.
//!
//! ```
//! use neuncut_data::{Scratch, read_labels};
//!
//! let folder = Scratch::create_in(&std::env::temp_dir())?;
//! let path = folder.path().join("classes.csv");
//! std::fs::write(&path, "row,label\n1,7\n2,7.0\n3,cat\n")?;
//! assert_eq!(read_labels(&path, None)?, ["7", "7", "cat"]);
//! assert_eq!(read_labels(&path, Some("row"))?, ["1", "2", "3"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::columns::{find, listed, numbered};
use super::npy_header::{Item, NpyHeader};
use super::readers::delimited::{Delimited, field_text, looks_like_names};
use super::readers::{self, Batches, IdxHeader};
use super::source::{Format, Source, excerpt};
use crate::{Error, Result};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_cast::cast;
use arrow_schema::{DataType, Schema};
use std::collections::HashSet;
use std::io::{BufReader, Read};
use std::path::Path;

/// The longest label in a binary file, in bytes.
const LONGEST: usize = 1 << 16;

/// Reads one label per row. `3`, `3.0` and `+3` are the same label, `3`.
///
/// The labels are in the column named or numbered (from 1) by `column`; otherwise in a column called `label`, or else in
/// the only column.
///
/// # Errors
/// When the file cannot be read, has no such column, no labels, or a row without one.
pub fn read_labels(path: impl AsRef<Path>, column: Option<&str>) -> Result<Vec<String>> {
    let source = Source::new(path.as_ref())?;
    let labels = read_format(&source, column)?;
    if labels.is_empty() {
        return Err(source.error("there are no labels: write one per row to it"));
    }
    Ok(labels)
}

fn read_format(source: &Source, column: Option<&str>) -> Result<Vec<String>> {
    match source.format {
        Format::Npy => read_npy(source),
        Format::Idx => read_idx(source),
        Format::Csv | Format::Tsv | Format::Txt => read_text(source, column),
        Format::Parquet | Format::Arrow | Format::Json => {
            let batches = readers::table_batches(source, &mut |schema| choose_field(source, schema, column))?;
            batches.map_or(Ok(Vec::new()), |batches| read_batches(source, batches))
        }
        Format::Images => Err(source.error("images hold no labels: write them to a .csv or .txt file")),
        Format::Libsvm => Err(source.error("labels of sparse text cannot be read: write them to a .csv or .txt file")),
    }
}

fn read_npy(source: &Source) -> Result<Vec<String>> {
    let mut bytes = source.bytes()?;
    let header = NpyHeader::read(source, &mut bytes)?;
    let Some((rows, 1)) = header.rows_and_width() else {
        let shape = &header.shape;
        return Err(
            source.error(format!("the array has shape {shape:?}: save the labels as an array of one dimension"))
        );
    };
    readers::check_length(source, rows, header.data_start + rows * header.item.size() as u64)?;
    read_items(source, bytes, header.item, rows)
}

fn read_idx(source: &Source) -> Result<Vec<String>> {
    let mut bytes = source.bytes()?;
    let header = IdxHeader::read(source, &mut bytes)?;
    if header.width != 1 {
        let shape = &header.shape;
        return Err(
            source.error(format!("the array has shape {shape:?}: give the file of the labels (*-labels-idx1-ubyte)"))
        );
    }
    read_items(source, bytes, Item::Number(header.element), header.shape[0])
}

fn read_items(source: &Source, bytes: Box<dyn Read + Send>, item: Item, rows: u64) -> Result<Vec<String>> {
    if !(1..=LONGEST).contains(&item.size()) {
        return Err(source.error(format!("labels of {} bytes cannot be read: save shorter ones", item.size())));
    }
    let mut bytes = BufReader::with_capacity(1 << 17, bytes);
    let mut buffer = vec![0; item.size()];
    let mut labels = Vec::new();
    for row in 1..=rows {
        bytes.read_exact(&mut buffer).map_err(|error| source.read_error(error))?;
        labels.push(canonical(source, "row", row, &item_text(item, &buffer))?);
    }
    Ok(labels)
}

fn item_text(item: Item, bytes: &[u8]) -> String {
    let text = match item {
        Item::Number(element) => element.text(bytes),
        Item::Bytes(_) => String::from_utf8_lossy(bytes).into_owned(),
        Item::Unicode { big_endian, .. } => {
            let code =
                |bytes: &[u8; 4]| if big_endian { u32::from_be_bytes(*bytes) } else { u32::from_le_bytes(*bytes) };
            let (codes, _) = bytes.as_chunks::<4>();
            codes.iter().map(|bytes| char::from_u32(code(bytes)).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
    };
    text.trim_end_matches('\0').to_owned()
}

fn read_text(source: &Source, column: Option<&str>) -> Result<Vec<String>> {
    let mut records = Delimited::open(source, |first, second| {
        let has = |wanted: &str| first.iter().any(|field| field_text(field).eq_ignore_ascii_case(wanted));
        let named = column.is_some_and(|column| column.parse::<f64>().is_err() && has(column));
        named || has("label") || has("labels") || (second.is_some() && looks_like_names(first, second))
    })?;
    let names = records.names.clone().unwrap_or_else(|| numbered(records.width));
    let index = choose(source, &names, column)?;
    let mut labels = Vec::new();
    while let Some((record, line)) = records.next()? {
        labels.push(canonical(source, "line", line, &field_text(&record[index]))?);
    }
    if records.names.is_none() && records.width == 1 && begins_with_a_name(&labels) {
        labels.remove(0);
    }
    Ok(labels)
}

/// Whether the first of some labels is the name of their column: a word that does not come again, where others do.
fn begins_with_a_name(labels: &[String]) -> bool {
    let Some((first, rest)) = labels.split_first() else { return false };
    let distinct: HashSet<&String> = rest.iter().collect();
    first.parse::<f64>().is_err() && !distinct.contains(first) && distinct.len() < rest.len()
}

fn read_batches(source: &Source, mut batches: Batches) -> Result<Vec<String>> {
    let mut labels = Vec::new();
    while let Some(columns) = batches.next(source)? {
        let kind = columns[0].data_type().clone();
        let text = cast(&columns[0], &DataType::LargeUtf8).map_err(|_| {
            let name = batches.name(0);
            source.error(format!(
                "column {name} ({kind}) holds no labels: name another column with --column or --truth-column"
            ))
        })?;
        for label in text.as_string::<i64>() {
            let row = labels.len() as u64 + 1;
            let label = label.ok_or_else(|| missing(source, "row", row))?;
            labels.push(canonical(source, "row", row, label)?);
        }
    }
    Ok(labels)
}

fn choose_field(source: &Source, schema: &Schema, column: Option<&str>) -> Result<Vec<usize>> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    Ok(vec![choose(source, &names, column)?])
}

/// The column asked for, or one called `label`, or the only one.
fn choose(source: &Source, names: &[String], column: Option<&str>) -> Result<usize> {
    if let Some(column) = column {
        return find(&source.path, names, column);
    }
    let called_label = names.iter().position(|name| name.eq_ignore_ascii_case("label"));
    called_label.or((names.len() == 1).then_some(0)).ok_or_else(|| {
        let columns = listed(names);
        source
            .error(format!("none of the columns ({columns}) is called label: call it so, or name one with --column or --truth-column where the command has them"))
    })
}

/// One text for each label: whole numbers without sign, point or leading zeros; other text as it is.
fn canonical(source: &Source, unit: &str, place: u64, text: &str) -> Result<String> {
    if text.is_empty() {
        return Err(missing(source, unit, place));
    }
    if let Ok(whole) = text.parse::<i128>() {
        return Ok(whole.to_string());
    }
    match text.parse::<f64>() {
        Err(_) => Ok(text.to_owned()),
        // Adding zero makes -0 the same label as 0.
        Ok(number) if number.is_finite() && number.fract() == 0.0 => Ok(format!("{:.0}", number + 0.0)),
        Ok(_) => Err(source.error(format!(
            "{unit} {place} is {}, not a label: labels are whole numbers or text; name their column with --column or --truth-column",
            excerpt(text)
        ))),
    }
}

fn missing(source: &Source, unit: &str, place: u64) -> Error {
    source.error(format!("{unit} {place} has no label: every row needs one to be scored"))
}

#[cfg(test)]
mod tests;
