//! Which columns of a schema are features.

use crate::Result;
use crate::columns::{ColumnChoice, lacking, no_feature};
use crate::source::Source;
use arrow_schema::{DataType, Schema};

/// The feature columns of a file.
pub(crate) struct Features {
    pub(crate) chosen: Vec<usize>,
    /// Columns that are none though nobody said so, each with its type.
    pub(crate) left_out: Vec<String>,
}

/// The feature columns of a schema: those that were named, or the one list of numbers, or all numbers that are no ids.
pub(crate) fn choose_features(source: &Source, schema: &Schema, choice: &ColumnChoice) -> Result<Features> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    if let Some(wanted) = choice.fitted_list() {
        let list = names.iter().position(|name| name == wanted);
        let list = list.ok_or_else(|| lacking(&source.path, &names, wanted))?;
        return check_kinds(source, schema, vec![list]);
    }
    let chosen = choice.resolve(&source.path, &names, true)?;
    if !choice.is_open() {
        return check_kinds(source, schema, chosen);
    }
    let kind = |index: usize| schema.field(index).data_type();
    let lists: Vec<usize> = chosen.iter().copied().filter(|&index| is_number_list(kind(index))).collect();
    if lists.len() > 1 {
        let lists = lists.iter().map(|&index| &*names[index]).collect::<Vec<_>>().join(", ");
        return Err(source.error(format!("several columns hold lists of numbers ({lists}): choose one with --columns")));
    }
    let is_feature = |index: &usize| match lists.first() {
        Some(list) => index == list,
        None => is_number(kind(*index)) && no_feature(&names[*index], kind(*index).is_integer()).is_none(),
    };
    let (features, others): (Vec<usize>, Vec<usize>) = chosen.into_iter().partition(is_feature);
    let left_out: Vec<String> = others.into_iter().map(|index| describe(schema, index)).collect();
    if features.is_empty() {
        let left = left_out.join(", ");
        return Err(
            source.error(format!("no column holds numbers to cluster by ({left}): choose columns with --columns"))
        );
    }
    Ok(Features { chosen: features, left_out })
}

/// Columns that were named must hold numbers, or be a single list of them.
fn check_kinds(source: &Source, schema: &Schema, chosen: Vec<usize>) -> Result<Features> {
    let typed =
        |wanted: fn(&DataType) -> bool| chosen.iter().filter(move |&&index| wanted(schema.field(index).data_type()));
    let other: Vec<_> =
        typed(|kind| !is_number(kind) && !is_number_list(kind)).map(|&index| describe(schema, index)).collect();
    if !other.is_empty() {
        let (columns, plural) = (other.join(", "), if other.len() > 1 { "s" } else { "" });
        return Err(source.error(format!(
            "column{plural} {columns} cannot be a number: choose the feature columns with --columns, or name the label with --label-column"
        )));
    }
    if let Some(&list) = typed(is_number_list).next().filter(|_| chosen.len() > 1) {
        let name = schema.field(list).name();
        let problem = format!("column {name} holds lists beside other columns: choose it alone with --columns {name}");
        return Err(source.error(problem));
    }
    Ok(Features { chosen, left_out: Vec::new() })
}

fn describe(schema: &Schema, index: usize) -> String {
    let field = schema.field(index);
    let (name, kind) = (field.name(), field.data_type());
    let by_name = if is_number(kind) { no_feature(name, kind.is_integer()) } else { None };
    format!("{name} ({})", by_name.map_or_else(|| words(kind), str::to_owned))
}

/// A type in words.
pub(crate) fn words(kind: &DataType) -> String {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".into(),
        DataType::Boolean => "true or false".into(),
        DataType::Null => "nothing but nulls".into(),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) | DataType::Time32(_) | DataType::Time64(_) => {
            "times".into()
        }
        DataType::Binary | DataType::LargeBinary | DataType::FixedSizeBinary(_) | DataType::BinaryView => {
            "bytes".into()
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            format!("lists of {}", words(item.data_type()))
        }
        DataType::Struct(_) => "structures".into(),
        DataType::Map(..) => "maps".into(),
        DataType::Duration(_) | DataType::Interval(_) => "durations".into(),
        DataType::Dictionary(_, values) => words(values),
        kind if is_number(kind) => "numbers".into(),
        other => other.to_string(),
    }
}

fn is_number(kind: &DataType) -> bool {
    kind.is_numeric() || *kind == DataType::Boolean
}

pub(super) fn is_number_list(kind: &DataType) -> bool {
    match kind {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            is_number(item.data_type())
        }
        _ => false,
    }
}
