//! The texts of rows: which column holds them, and those of some rows.

use super::columns::{ColumnNames, is_id_name};
use super::kept::{Keep, KeptColumns};
use super::nulls::OnNull;
use super::readers::words;
use super::table::Table;
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_cast::cast;
use arrow_schema::DataType;
use std::collections::HashSet;

/// Rows that are looked at to find a column of texts.
const LOOKED_AT: usize = 1000;
/// Rows read at a time.
const CHUNK: usize = 4096;
/// Texts have at least so many words on average; where no spaces are, so many characters.
const LEAST_WORDS: usize = 3;
const LEAST_CHARACTERS: usize = 12;
/// Texts differ from row to row: at least this share of them does. Names of kinds come again and again.
const DISTINCT: f64 = 0.3;

/// The one column of texts beside the rows of a table; `None` where there is none, or more than one.
///
/// # Errors
/// When a file cannot be read.
pub fn find_texts(table: &Table, label_column: Option<&str>) -> Result<Option<String>> {
    let Some(mut kept) = KeptColumns::open(table, &Keep::Scalars)? else { return Ok(None) };
    let batch = kept.take_most(LOOKED_AT)?;
    let is_feature = |name: &str| match kept.features() {
        ColumnNames::Named(names) => names.iter().any(|feature| feature == name),
        _ => false,
    };
    let mut found = Vec::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        let name = field.name();
        let other = is_feature(name) || is_id_name(name) || label_column == Some(name.as_str());
        if !other && is_text(field.data_type()) && is_prose(&strings(table, name, column)?) {
            found.push(name.clone());
        }
    }
    Ok(if found.len() == 1 { found.pop() } else { None })
}

/// Refuses a column that is not there, or that holds no text.
///
/// # Errors
/// When it is so, or a file cannot be read.
pub fn check_text_column(table: &Table, column: &str) -> Result<()> {
    let kept = open(table, column)?;
    let field = kept.schema().field(0);
    if is_text(field.data_type()) {
        return Ok(());
    }
    let problem = format!(
        "column {} holds {}, not text: name a column of text with --text",
        field.name(),
        words(field.data_type())
    );
    Err(Error::data(table.name(), problem))
}

/// The texts of some rows, which are ascending and counted from 0 among those that the table gives; skipped rows do not count.
/// `progress` is told the rows read so far, and its error ends the reading. The table stands anywhere afterwards.
///
/// # Errors
/// When a file cannot be read or has fewer rows, or when `progress` says so.
pub fn read_texts<E: From<Error>>(
    table: &mut Table,
    column: &str,
    rows: &[u64],
    progress: &mut dyn FnMut(u64) -> Result<(), E>,
) -> Result<Vec<String>, E> {
    let places = in_files(table, rows, progress)?;
    let mut kept = open(table, column)?;
    let (mut texts, mut done) = (Vec::with_capacity(rows.len()), 0_u64);
    while texts.len() < places.len() {
        let batch = kept.take_most(CHUNK)?;
        if batch.num_rows() == 0 {
            let problem = "the column of texts ends before the rows do: the files have changed; run it again";
            return Err(Error::data(table.name(), problem).into());
        }
        let strings = strings(table, column, batch.column(0))?;
        let end = done + strings.len() as u64;
        let here = places[texts.len()..].iter().take_while(|&&place| place < end);
        let here: Vec<String> = here.map(|place| strings[(place - done) as usize].clone()).collect();
        texts.extend(here);
        done = end;
        progress(done)?;
    }
    Ok(texts)
}

fn open(table: &Table, column: &str) -> Result<KeptColumns> {
    let (sources, _) = table.sources();
    if let Some(other) = sources.iter().find(|source| !source.format.is_table()) {
        return Err(other.error("a file of this format has no column of texts: leave out --text"));
    }
    let kept = KeptColumns::open(table, &Keep::Named(vec![column.to_owned()]))?;
    kept.ok_or_else(|| Error::data(table.name(), format!("there is no column {column}")))
}

/// Where rows stand in the files, those counted that are skipped.
fn in_files<E: From<Error>>(
    table: &mut Table,
    rows: &[u64],
    progress: &mut dyn FnMut(u64) -> Result<(), E>,
) -> Result<Vec<u64>, E> {
    if table.on_null() != OnNull::Skip {
        return Ok(rows.to_vec());
    }
    table.rewind();
    let (mut places, mut values) = (Vec::with_capacity(rows.len()), Vec::new());
    let (mut given, mut in_file) = (0_u64, 0_u64);
    while places.len() < rows.len() {
        values.clear();
        let count = table.read(CHUNK, &mut values)?;
        let skipped: HashSet<u64> = table.take_skipped().into_iter().collect();
        if count == 0 {
            break;
        }
        for row in 0..(count + skipped.len()) as u64 {
            if skipped.contains(&row) {
                continue;
            }
            if rows.get(places.len()) == Some(&given) {
                places.push(in_file + row);
            }
            given += 1;
        }
        in_file += (count + skipped.len()) as u64;
        progress(in_file)?;
    }
    Ok(places)
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// The values of a column; nothing where there are none.
fn strings(table: &Table, name: &str, column: &ArrayRef) -> Result<Vec<String>> {
    let text = cast(column, &DataType::LargeUtf8);
    let text = text.map_err(|error| Error::data(table.name(), format!("column {name} holds no text ({error})")))?;
    Ok(text.as_string::<i64>().iter().map(|value| value.unwrap_or_default().to_owned()).collect())
}

/// Whether some values are texts of several words, nearly all of which differ.
fn is_prose(values: &[String]) -> bool {
    let there: Vec<&String> = values.iter().filter(|value| !value.trim().is_empty()).collect();
    let words: usize = there.iter().map(|value| value.split_whitespace().count()).sum();
    // text without spaces is told by its letters: no code or address has so many that are not ASCII
    let letters: usize =
        there.iter().map(|value| value.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count()).sum();
    let distinct = there.iter().collect::<HashSet<_>>().len();
    let long = words >= LEAST_WORDS * there.len() || letters >= LEAST_CHARACTERS * there.len();
    !there.is_empty() && long && distinct as f64 >= DISTINCT * there.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableSpec;
    use crate::testing::{Dir, spec};

    /// Sixty rows, the value of every seventh missing; `kind` is no text, `said` is.
    fn table(dir: &Dir, more: &str) -> TableSpec {
        let mut text = format!("x,kind,said{}\n", if more.is_empty() { "" } else { ",more" });
        for row in 0..60 {
            let value = if row % 7 == 3 { String::new() } else { row.to_string() };
            let more = if more.is_empty() { String::new() } else { format!(",{more} {row}") };
            text += &format!("{value},one of two {},\"row {row}, in words\"{more}\n", row % 2);
        }
        TableSpec { on_null: OnNull::Skip, ..spec(&dir.file("a.csv", text)) }
    }

    fn texts(table: &mut Table, rows: &[u64]) -> Result<Vec<String>> {
        read_texts::<Error>(table, "said", rows, &mut |_| Ok(()))
    }

    #[test]
    fn the_one_column_of_texts_is_found() {
        let dir = Dir::new();
        let found = |more: &str| find_texts(&Table::open(&table(&dir, more)).unwrap(), None).unwrap();
        assert_eq!(found("").as_deref(), Some("said"));
        assert_eq!(found("another text of row"), None, "two are no choice");
        assert_eq!(found("word").as_deref(), Some("said"));
        let table = Table::open(&table(&dir, "")).unwrap();
        assert_eq!(find_texts(&table, Some("said")).unwrap(), None);
        assert!(
            is_prose(&["信用卡的额度可以提高吗请告诉我".to_owned()]) && !is_prose(&["sha256:00ff00ff00ff".to_owned()])
        );
    }

    #[test]
    fn texts_are_those_of_the_rows_that_are_read() {
        let dir = Dir::new();
        let spec = table(&dir, "");
        let mut table = Table::open(&spec).unwrap();
        // rows 3, 10, 17 ... are skipped, so that the third that is given is the fourth of the file
        let found = texts(&mut table, &[0, 2, 3, 50]).unwrap();
        assert_eq!(found, ["row 0, in words", "row 2, in words", "row 4, in words", "row 58, in words"]);
        let mut all = Table::open(&TableSpec { on_null: OnNull::Zero, ..spec }).unwrap();
        assert_eq!(texts(&mut all, &[3, 59]).unwrap(), ["row 3, in words", "row 59, in words"]);
        assert!(texts(&mut all, &[60]).unwrap_err().to_string().contains("run it again"));
    }

    #[test]
    fn what_holds_no_text_is_refused() {
        let dir = Dir::new();
        let rows = dir.file("a.jsonl", "{\"x\":1,\"y\":2.5,\"z\":true}\n{\"x\":2,\"y\":1.5,\"z\":false}\n");
        let table = Table::open(&TableSpec { columns: Some(vec!["x".into()]), ..spec(&rows) }).unwrap();
        let message = check_text_column(&table, "y").unwrap_err().to_string();
        assert!(message.contains("column y holds numbers, not text"), "{message}");
        let message = check_text_column(&table, "w").unwrap_err().to_string();
        assert!(message.contains("there is no column w"), "{message}");
        assert_eq!(find_texts(&table, None).unwrap(), None);
    }
}
