//! A column of a table that says how much each row weighs.

use super::kept::{Keep, KeptColumns};
use super::nulls::OnNull;
use super::source::excerpt;
use super::table::Table;
use crate::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::DataType;

/// Rows read at a time.
const CHUNK: usize = 4096;
/// What is wrong with a weight.
const REMEDY: &str = "weights are zero or positive, and finite in single precision; correct it, or leave out --weights";

/// The weights of all rows that the table gives; skipped rows have none. The table stands at its first row afterwards.
///
/// # Errors
/// When there is no such column, or a weight is missing, negative or not finite, or all are zero.
pub fn read_weights(table: &mut Table, column: &str) -> Result<Vec<f64>> {
    let (sources, _) = table.sources();
    if let Some(other) = sources.iter().find(|source| !source.format.is_table()) {
        return Err(other.error("a file of this format has no column of weights: give a table, or leave out --weights"));
    }
    let kept = KeptColumns::open(table, &Keep::Named(vec![column.to_owned()]))?;
    let mut kept = kept.ok_or_else(|| Error::data(table.name(), format!("there is no column {column}")))?;
    let mut weights = Vec::new();
    loop {
        let batch = kept.take_most(CHUNK)?;
        if batch.num_rows() == 0 {
            break;
        }
        append(&mut weights, table, column, batch.column(0))?;
    }
    drop_skipped(&mut weights, table)?;
    if weights.iter().all(|&weight| weight == 0.0) {
        let problem = format!("every weight in column {column} is zero: name another column with --weights");
        return Err(Error::data(table.name(), problem));
    }
    Ok(weights)
}

fn append(weights: &mut Vec<f64>, table: &Table, column: &str, values: &ArrayRef) -> Result<()> {
    let kind = values.data_type();
    let is_text = matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    if !is_text && !kind.is_numeric() {
        let problem = format!("column {column} holds {kind}, not numbers: name a column of numbers with --weights");
        return Err(Error::data(table.name(), problem));
    }
    let converted = |to: &DataType| {
        cast(values, to)
            .map_err(|error| Error::data(table.name(), format!("column {column}: {error}; save it as numbers")))
    };
    // text as it is in the file is what an error shows
    let texts = converted(&DataType::LargeUtf8)?;
    let texts = texts.as_string::<i64>();
    let numbers = if is_text { None } else { Some(converted(&DataType::Float64)?) };
    for at in 0..values.len() {
        let number = match &numbers {
            Some(numbers) => (!numbers.is_null(at)).then(|| numbers.as_primitive::<Float64Type>().value(at)),
            None => texts.value(at).trim().parse().ok(),
        };
        let weight = number.filter(|&weight: &f64| weight >= 0.0 && (weight as f32).is_finite()).ok_or_else(|| {
            let text = if texts.is_null(at) { "missing".to_owned() } else { excerpt(texts.value(at)).to_string() };
            Error::data(
                table.name(),
                format!("row {}, column {column}: the weight is {text}; {REMEDY}", weights.len() + 1),
            )
        })?;
        weights.push(weight);
    }
    Ok(())
}

/// Takes out the weights of rows that the table skips.
fn drop_skipped(weights: &mut Vec<f64>, table: &mut Table) -> Result<()> {
    if table.on_null() != OnNull::Skip {
        return Ok(());
    }
    table.rewind();
    let mut values = Vec::new();
    while table.read(CHUNK, &mut values)? > 0 {
        values.clear();
    }
    let skipped = table.take_skipped();
    table.rewind();
    let (mut at, mut next) = (0, skipped.iter().peekable());
    weights.retain(|_| {
        at += 1;
        next.next_if(|&&row| row == at - 1).is_none()
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableSpec;
    use crate::testing::{Dir, spec};

    fn read(spec: &TableSpec, column: &str) -> Result<Vec<f64>> {
        read_weights(&mut Table::open(spec).unwrap(), column)
    }

    #[test]
    fn weights_are_those_of_the_rows_that_are_read() {
        let dir = Dir::new();
        let csv = dir.file("a.csv", "x,w\n1,0.5\n,3\n2,0\n3,1e3\n");
        let of = |on_null| TableSpec { exclude: vec!["w".into()], on_null, ..spec(&csv) };
        assert_eq!(read(&of(OnNull::Zero), "w").unwrap(), [0.5, 3.0, 0.0, 1000.0]);
        assert_eq!(read(&of(OnNull::Skip), "w").unwrap(), [0.5, 0.0, 1000.0]);
        let mut table = Table::open(&of(OnNull::Skip)).unwrap();
        read_weights(&mut table, "w").unwrap();
        let mut rows = Vec::new();
        assert_eq!(
            (table.read(9, &mut rows).unwrap(), &rows[..]),
            (3, &[1.0, 2.0, 3.0][..]),
            "it stands at its first row"
        );
        let lines = dir.file("b.jsonl", "{\"x\":1,\"w\":2}\n{\"x\":2,\"w\":1}\n");
        assert_eq!(read(&spec(&lines), "w").unwrap(), [2.0, 1.0]);
    }

    #[test]
    fn what_is_no_weight_is_named() {
        let dir = Dir::new();
        let refusal = |text: &str| {
            read(&TableSpec { exclude: vec!["w".into()], ..spec(&dir.file("a.csv", text)) }, "w")
                .unwrap_err()
                .to_string()
        };
        for (value, said) in [
            ("-1", "\"-1\""),
            ("many", "\"many\""),
            ("inf", "\"inf\""),
            ("1e60", "\"1e60\""),
            ("nan", "\"nan\""),
            ("", "\"\""),
        ] {
            let message = refusal(&format!("x,w\n1,2\n3,{value}\n"));
            assert!(message.contains(&format!("row 2, column w: the weight is {said}")), "{message}");
        }
        assert!(refusal("x,w\n1,0\n2,0\n").contains("every weight in column w is zero"));
        let lines = dir.file("b.jsonl", "{\"x\":1,\"w\":true}\n{\"x\":2,\"w\":false}\n");
        let some = TableSpec { columns: Some(vec!["x".into()]), ..spec(&lines) };
        assert!(read(&some, "w").unwrap_err().to_string().contains("holds Boolean, not numbers"));
        assert!(read(&some, "v").unwrap_err().to_string().contains("no column v"));
    }
}
