//! JSON lines: one object per line, by way of Arrow record batches. The first lines tell the types of the columns.

use super::batches::{self, Batches, broken, guarded};
use super::feature_columns::choose_features;
use super::parquet::places;
use crate::Result;
use crate::columns::ColumnChoice;
use crate::source::Source;
use crate::table::RowReader;
use arrow_json::ReaderBuilder;
use arrow_json::reader::infer_json_schema;
use arrow_schema::{DataType, Field, FieldRef, Schema};
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

const FORMAT: &str = "JSON lines";

/// Lines that are looked at to find the types of columns.
const LOOKED_AT: usize = 1000;

/// Lines of a batch: few, because a line may hold thousands of numbers.
const BATCH_ROWS: usize = 256;

/// The bytes of a line, at most: what does not end would be read into memory as a whole.
const LONGEST: u64 = 1 << 26;

/// Opens a file of JSON lines.
pub(crate) fn open(source: &Source, choice: &ColumnChoice) -> Result<Box<dyn RowReader>> {
    let schema = schema(source)?;
    let features = choose_features(source, &schema, choice)?;
    // whole numbers at the beginning of a column say nothing about those further down
    let fields = features.chosen.iter().map(|&index| as_decimals(&schema.fields()[index])).collect();
    batches::open(source, in_batches(source, fields)?, features.left_out)
}

/// The batches of the columns that `choose` names by their index.
pub(crate) fn open_batches(source: &Source, choose: &mut dyn FnMut(&Schema) -> Result<Vec<usize>>) -> Result<Batches> {
    let schema = schema(source)?;
    let chosen = choose(&schema)?;
    in_batches(source, chosen.iter().map(|&index| schema.fields()[index].clone()).collect())
}

/// The columns of the first lines.
fn schema(source: &Source) -> Result<Schema> {
    let mut bytes = text(source)?;
    let first = bytes.fill_buf().map_err(|error| source.read_error(error))?.trim_ascii_start().first().copied();
    match first {
        Some(b'{') => {}
        None => return Err(source.error("the file has no rows: write one JSON object per line")),
        Some(b'[') => {
            return Err(source.error(
                "this is one JSON array: write one object per line, as `jq -c '.[]'` or pandas' to_json(orient=\"records\", lines=True) do",
            ));
        }
        Some(_) => return Err(broken(source, FORMAT, &"its first line is not an object")),
    }
    let bytes = bytes.take(LOOKED_AT as u64 * LONGEST);
    let (schema, lines) = guarded(source, FORMAT, || infer_json_schema(bytes, Some(LOOKED_AT)))?;
    if lines == 0 || schema.fields().is_empty() {
        return Err(source.error("its lines hold no columns: write one JSON object with numbers per line"));
    }
    Ok(schema)
}

fn in_batches(source: &Source, fields: Vec<FieldRef>) -> Result<Batches> {
    let schema = Arc::new(Schema::new(fields.clone()));
    let builder = ReaderBuilder::new(schema).with_batch_size(BATCH_ROWS);
    let bytes = text(source)?;
    let batches = guarded(source, FORMAT, || builder.build(bytes))?;
    let chosen: Vec<usize> = (0..fields.len()).collect();
    Ok(Batches {
        format: FORMAT,
        fields,
        places: places(&chosen),
        first_row: 0,
        rows: None,
        rows_done: 0,
        batches: Box::new(batches),
    })
}

fn text(source: &Source) -> Result<BufReader<Box<dyn Read + Send>>> {
    Ok(BufReader::with_capacity(1 << 17, source.bytes()?))
}

/// The same column of numbers with a fraction.
fn as_decimals(field: &FieldRef) -> FieldRef {
    let kind = match field.data_type() {
        DataType::Int64 => DataType::Float64,
        DataType::List(item) if *item.data_type() == DataType::Int64 => {
            DataType::List(Arc::new(Field::new(item.name(), DataType::Float64, true)))
        }
        _ => return field.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(kind))
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
        assert_eq!(Table::open(&spec(&path)).unwrap().left_out(), ["id (Int64)", "text (Utf8)"]);
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
}
