//! The columns of JSON lines, as their first lines tell: in the order of the file, with types that hold every number as it is written.

use arrow_json::reader::infer_json_schema;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use std::collections::HashMap;
use std::sync::Arc;

/// Whole numbers up to this are their own double.
const EXACT: u64 = 1 << 53;

/// The columns of some lines.
pub(super) struct JsonColumns {
    pub(super) schema: Schema,
    numbers: HashMap<String, Numbers>,
}

/// What the numbers of a column are.
#[derive(Default)]
struct Numbers {
    /// Some have a point or an exponent.
    fractions: bool,
    /// Some are whole and too long for a double.
    long: bool,
    /// Some are whole, and below zero or beyond 64 bits.
    not_unsigned: bool,
}

impl JsonColumns {
    /// Those of lines with an object in each.
    pub(super) fn of(text: &[u8]) -> Result<Self, ArrowError> {
        let (schema, _) = infer_json_schema(text, None)?;
        let (mut order, mut numbers) = (HashMap::new(), HashMap::<String, Numbers>::new());
        for line in text.split(|byte| *byte == b'\n') {
            for (key, value) in Members(line) {
                let key = String::from_utf8_lossy(key);
                if !order.contains_key(&*key) {
                    order.insert(key.to_string(), order.len());
                    numbers.insert(key.to_string(), Numbers::default());
                }
                if let Some(numbers) = numbers.get_mut(&*key) {
                    numbers.add(value);
                }
            }
        }
        let mut fields: Vec<FieldRef> = schema.fields().to_vec();
        fields.sort_by_key(|field| order.get(field.name()).copied().unwrap_or(usize::MAX));
        Ok(Self { schema: Schema::new(fields), numbers })
    }

    /// A column with a type that holds its numbers as they are written, and text where nothing is known.
    pub(super) fn exact(&self, index: usize) -> FieldRef {
        let field = &self.schema.fields()[index];
        let kind = match (field.data_type(), self.numbers.get(field.name())) {
            (DataType::Null, _) => DataType::Utf8,
            (DataType::Float64, Some(Numbers { fractions: true, long: true, .. })) => DataType::Utf8,
            (DataType::Float64, Some(Numbers { fractions: false, long: true, not_unsigned, .. })) => match not_unsigned
            {
                true => DataType::Utf8,
                false => DataType::UInt64,
            },
            _ => return field.clone(),
        };
        Arc::new(field.as_ref().clone().with_data_type(kind))
    }

    /// A column as numbers with a fraction, where it holds numbers or nothing: whole numbers at the beginning say nothing about those
    /// further down.
    pub(super) fn decimal(&self, index: usize) -> FieldRef {
        let field = &self.schema.fields()[index];
        let kind = match field.data_type() {
            DataType::Int64 | DataType::Null => DataType::Float64,
            DataType::List(item) if *item.data_type() == DataType::Int64 => {
                DataType::List(Arc::new(Field::new(item.name(), DataType::Float64, true)))
            }
            _ => return field.clone(),
        };
        Arc::new(field.as_ref().clone().with_data_type(kind))
    }
}

impl Numbers {
    fn add(&mut self, value: &[u8]) {
        if !value.first().is_some_and(|first| first.is_ascii_digit() || *first == b'-') {
            return;
        }
        if value.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            self.fractions = true;
            return;
        }
        let text = std::str::from_utf8(value).unwrap_or_default();
        let size = text.trim_start_matches('-').parse::<u64>();
        self.long |= size.as_ref().map_or(true, |size| *size > EXACT);
        self.not_unsigned |= size.is_err() || text.starts_with('-');
    }
}

/// The names and values of an object's members, as they are written; ends where the text is no object.
struct Members<'a>(&'a [u8]);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.trim_ascii_start();
        let rest = rest.strip_prefix(b"{").or_else(|| rest.strip_prefix(b","))?.trim_ascii_start();
        let name_end = string_end(rest)?;
        let value = rest[name_end..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let end = value_end(value);
        self.0 = &value[end..];
        Some((&rest[1..name_end - 1], value[..end].trim_ascii_end()))
    }
}

/// Where a string that the text begins with ends, behind its quote.
fn string_end(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    while *text.first()? == b'"' {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// Where a value that the text begins with ends: before the comma or bracket that is not its own.
fn value_end(text: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at += string_end(&text[at..]).unwrap_or(text.len() - at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_told_apart() {
        let members = |line: &'static str| {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            Members(line.as_bytes()).map(|(name, value)| (text(name), text(value))).collect::<Vec<_>>()
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            members(r#" {"b": -1 , "a" : "x,\"}", "c":[{"d":1},2],"e":{}}"#),
            [pair("b", "-1"), pair("a", r#""x,\"}""#), pair("c", r#"[{"d":1},2]"#), pair("e", "{}")]
        );
        assert_eq!(members("[1]"), []);
        assert_eq!(members(r#"{"a": 1, "b"#), [pair("a", "1")]);
    }

    #[test]
    fn columns_keep_their_order_and_numbers_their_digits() {
        let text = concat!(
            r#"{"z": 18446744073709551615, "y": 9007199254740993, "x": 1, "w": null, "v": 123456789012345678901}"#,
            "\n",
            r#"{"z": 1, "y": 1.5, "x": 2.5, "w": null, "v": 1}"#
        );
        let columns = JsonColumns::of(text.as_bytes()).unwrap();
        let exact = |index| (columns.exact(index).name().clone(), columns.exact(index).data_type().clone());
        let expected = [
            ("z", DataType::UInt64),
            ("y", DataType::Utf8),
            ("x", DataType::Float64),
            ("w", DataType::Utf8),
            ("v", DataType::Utf8),
        ];
        assert_eq!([0, 1, 2, 3, 4].map(exact), expected.map(|(name, kind)| (name.to_owned(), kind)));
    }
}
