//! CSV, TSV and plain text: one row per line.

use super::delimited::{Delimited, field_text, is_missing, looks_like_names, number, with_comma};
use crate::columns::{self, ColumnChoice, ColumnNames, lacking, numbered};
use crate::image_shape::ImageShape;
use crate::nulls::OnNull;
use crate::source::{Source, excerpt};
use crate::table::RowReader;
use crate::{Error, Result};

/// The chosen columns of delimited text.
struct CsvRows {
    source: Source,
    records: Delimited,
    columns: Vec<usize>,
    names: Vec<String>,
    left_out: Vec<String>,
}

/// Opens delimited text; `header` says whether it begins with column names, `None` finds out.
pub(crate) fn open(source: &Source, choice: &ColumnChoice, header: Option<bool>) -> Result<Box<dyn RowReader>> {
    let records = Delimited::open(source, |first, second| header.unwrap_or_else(|| looks_like_names(first, second)))?;
    let names = records.names.clone().unwrap_or_else(|| numbered(records.width));
    if let (Some(list), Some(names)) = (choice.fitted_list(), &records.names) {
        return Err(lacking(&source.path, names, list));
    }
    let mut columns = choice.resolve(&source.path, &names, records.names.is_some())?;
    let mut left_out = Vec::new();
    if choice.is_open() {
        columns.retain(|&column| match no_feature(source, &records, &names, column) {
            None => true,
            Some(what) => {
                left_out.push(format!("{} ({what})", names[column]));
                false
            }
        });
        if columns.is_empty() {
            let left = left_out.join(", ");
            let is_list = |field: &[u8]| field_text(field).starts_with('[');
            let remedy = match records.first().is_some_and(|record| record.iter().any(is_list)) {
                true => "lists cannot be read from text: write them as Parquet, Arrow or JSON lines",
                false => "choose columns with --columns",
            };
            return Err(source.error(format!("no column holds numbers to cluster by ({left}): {remedy}")));
        }
    }
    Ok(Box::new(CsvRows { source: source.clone(), records, columns, names, left_out }))
}

/// Why a column is no feature where its first field tells: it holds text, or an id. Decimals with a comma are left to be refused.
fn no_feature(source: &Source, records: &Delimited, names: &[String], column: usize) -> Option<&'static str> {
    let field = records.first()?.get(column)?;
    if source.on_null != OnNull::Refuse && is_missing(field) {
        return None;
    }
    let text = field_text(field);
    let is_whole = !text.is_empty() && text.parse::<i64>().is_ok();
    match number(field) {
        None if !text.is_empty() && with_comma(field).is_none() => Some("text"),
        Some(_) if records.names.is_some() => columns::no_feature(&names[column], is_whole),
        _ => None,
    }
}

impl RowReader for CsvRows {
    fn width(&self) -> usize {
        self.columns.len()
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        for count in 0..max_rows {
            let Some((record, line)) = self.records.next()? else {
                return Ok(count);
            };
            for &column in &self.columns {
                let field = &record[column];
                let allowed = |field: &[u8]| self.source.on_null != OnNull::Refuse && is_missing(field);
                let value = number(field).or_else(|| allowed(field).then_some(f32::NAN));
                rows.push(value.ok_or_else(|| not_a_number(&self.source, line, &self.names[column], field))?);
            }
        }
        Ok(max_rows)
    }

    fn row_count(&self) -> Option<u64> {
        None
    }

    fn column_name(&self, column: usize) -> String {
        self.names[self.columns[column]].clone()
    }

    fn image_shape(&self) -> Option<ImageShape> {
        None
    }

    fn names(&self) -> ColumnNames {
        let names = self.columns.iter().map(|&column| self.names[column].clone()).collect();
        match &self.records.names {
            Some(_) => ColumnNames::Named(names),
            None if self.columns.len() == self.names.len() => ColumnNames::Unnamed,
            None => ColumnNames::Numbered { numbers: names },
        }
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

fn not_a_number(source: &Source, line: u64, column: &str, field: &[u8]) -> Error {
    let text = field_text(field);
    let found = excerpt(&text);
    if text.is_empty() {
        return source.error(format!(
            "line {line}, column {column} is empty: remove or impute rows with missing values, or use --on-null skip"
        ));
    }
    if with_comma(field).is_some() {
        return source.error(format!(
            "line {line}, column {column} is {found}: write decimals with a point (pandas.read_csv has decimal=\",\")"
        ));
    }
    source.error(format!(
        "line {line}, column {column} is {found}, not a number: if it is the label, say --label-column {column}; \
         otherwise choose the feature columns with --columns"
    ))
}

#[cfg(test)]
mod tests {
    use crate::testing::{Dir, error_of, read_all, spec};
    use crate::{Table, TableSpec};

    fn read(name: &str, text: &str) -> (usize, Vec<f32>) {
        let dir = Dir::new();
        read_all(&spec(&dir.file(name, text))).unwrap()
    }

    fn message(name: &str, text: &[u8]) -> String {
        let dir = Dir::new();
        error_of(&spec(&dir.file(name, text)))
    }

    #[test]
    fn all_kinds_of_delimited_text() {
        let expected = (2, vec![1.0, 2.5, -3.0, 4e5]);
        assert_eq!(read("a.csv", "1,2.5\n-3,4e5\n"), expected);
        assert_eq!(read("a.csv", "\u{feff}x,y\r\n1,2.5\r\n-3,4e5"), expected);
        assert_eq!(read("a.csv", "x;y\n1;2.5\n-3;4e5\n"), expected);
        assert_eq!(read("a.tsv", "x\ty\n1\t2.5\n-3\t4e5\n"), expected);
        assert_eq!(read("a.txt", "1\t2.5\n-3\t4e5\n"), expected);
        assert_eq!(read("a.txt", "# by numpy.savetxt\n1.0 2.5\n -3   4e5\n"), expected);
        assert_eq!(read("a.csv", "\"x\",\"y, z\"\n\n\"1\", 2.5 \n-3,+4e5\n"), expected);
        assert_eq!(read("a.csv.gz", "x,y\n1,2.5\n-3,4e5\n"), expected);
        assert_eq!(read("a.csv", "7\n8\n"), (1, vec![7.0, 8.0]));
    }

    #[test]
    fn columns_are_chosen_and_the_header_can_be_told() {
        let dir = Dir::new();
        let path = dir.file("a.csv", "id,x,species,y\n1,2,setosa,3\n4,5,virginica,6\n");
        let chosen = TableSpec { columns: Some(vec!["y".into(), "2".into()]), ..spec(&path) };
        assert_eq!(read_all(&chosen).unwrap(), (2, vec![3.0, 2.0, 6.0, 5.0]));
        let unlabelled = TableSpec { label_column: Some("species".into()), ..spec(&path) };
        assert_eq!(read_all(&unlabelled).unwrap(), (2, vec![2.0, 3.0, 5.0, 6.0]));
        let table = Table::open(&spec(&path)).unwrap();
        assert_eq!(table.left_out(), ["id (id)", "species (text)"]);
        let numbers = TableSpec { header: Some(true), ..spec(&dir.file("b.csv", "1,2\n3,4\n")) };
        assert_eq!(read_all(&numbers).unwrap(), (2, vec![3.0, 4.0]));
        let headless = TableSpec { label_column: Some("3".into()), ..spec(&dir.file("c.csv", "1,2,a\n3,4,b\n")) };
        assert_eq!(read_all(&headless).unwrap(), (2, vec![1.0, 2.0, 3.0, 4.0]));
    }

    #[test]
    fn lists_in_text_are_explained() {
        let text = message("a.csv", b"id,v\n7,\"[1, 2]\"\n8,\"[3, 4]\"\n");
        assert!(text.contains("write them as Parquet, Arrow or JSON lines"), "{text}");
    }

    #[test]
    fn faults_are_located() {
        assert!(message("a.csv", b"x,y\n1,2\n3\n").contains("line 3 has 1 fields, but 2 are expected"));
        let text = message("a.csv", b"x,kind\n1,2\n3,cat\n");
        assert!(text.contains(r#"line 3, column kind is "cat", not a number"#), "{text}");
        assert!(text.contains("say --label-column kind"), "{text}");
        assert!(message("a.csv", b"x,y\n1,\n").contains("line 2, column y is empty: remove or impute"));
        assert!(message("a.csv", b"1;2\n3;4,5\n").contains(r#"is "4,5": write decimals with a point"#));
        assert!(
            message("a.csv", b"x;y\n1,5;2\n3;4\n")
                .contains(r#"line 2, column x is "1,5": write decimals with a point"#)
        );
        assert!(message("a.txt", b"{\"x\": 1}\n").contains("give the file the ending .jsonl"));
        assert!(message("a.csv", b"\n\n").contains("the file has no rows"));
        assert!(message("a.csv", b"PK\x03\x04\x00\x00").contains("not text in UTF-8"));
        assert!(message("a.csv", b"x\n\xff\xfe\n").contains("no column holds numbers to cluster by (1 (text))"));
    }

    #[test]
    fn compressed_text_that_ends_early_is_an_error() {
        let dir = Dir::new();
        let path = dir.file("a.csv.gz", "1,2\n".repeat(1000));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
        assert!(error_of(&spec(&path)).contains("cut short"));
    }
}
