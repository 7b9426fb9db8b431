//! Which columns of a file are features: by name, by number, by range, all but the label.

use super::table::TableSpec;
use crate::{Error, Result};
use std::path::Path;

/// The part of a [`TableSpec`] that concerns columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnChoice {
    columns: Option<Vec<String>>,
    label: Option<String>,
}

impl ColumnChoice {
    pub(crate) fn of(spec: &TableSpec) -> Self {
        Self { columns: spec.columns.clone(), label: spec.label_column.clone() }
    }

    /// Whether every column is a feature, so that names need not be looked at.
    pub(crate) fn is_everything(&self) -> bool {
        self.columns.is_none() && self.label.is_none()
    }

    /// Whether the feature columns were named one by one.
    pub(crate) fn names_columns(&self) -> bool {
        self.columns.is_some()
    }

    /// The indices of the feature columns, in the order chosen. `names` are the file's columns.
    pub(crate) fn resolve(&self, path: &Path, names: &[String]) -> Result<Vec<usize>> {
        let label = self.label.as_deref().map(|label| find(path, names, label)).transpose()?;
        let mut chosen = match &self.columns {
            None => (0..names.len()).collect(),
            Some(columns) => find_all(path, names, columns)?,
        };
        chosen.retain(|index| Some(*index) != label);
        if chosen.is_empty() {
            return Err(Error::data(
                path,
                "no feature column is left: choose columns with --columns that are not the label",
            ));
        }
        Ok(chosen)
    }
}

/// The columns' numbers as names, for files that have no names.
pub(crate) fn numbered(width: usize) -> Vec<String> {
    (1..=width).map(|number| number.to_string()).collect()
}

/// One column by its name, or else by its number counted from 1.
pub(crate) fn find(path: &Path, names: &[String], wanted: &str) -> Result<usize> {
    let by_name = names.iter().position(|name| name == wanted);
    by_name.or_else(|| number(wanted, names.len())).ok_or_else(|| unknown(path, names, wanted))
}

fn find_all(path: &Path, names: &[String], wanted: &[String]) -> Result<Vec<usize>> {
    let mut chosen = Vec::new();
    let mut taken = vec![false; names.len()];
    for text in wanted {
        // A name may look like a range, and then is a name.
        let is_name = names.iter().any(|name| name == text);
        let found = match range(text, names.len()) {
            Some(range) if !is_name => range,
            _ => find(path, names, text).map(|index| index..index + 1)?,
        };
        for index in found {
            if std::mem::replace(&mut taken[index], true) {
                return Err(Error::data(
                    path,
                    format!("column {} is chosen twice: name it once in --columns", names[index]),
                ));
            }
            chosen.push(index);
        }
    }
    Ok(chosen)
}

fn number(text: &str, width: usize) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (1..=width).contains(&number).then(|| number - 1)
}

/// `2-17` as indices.
fn range(text: &str, width: usize) -> Option<std::ops::Range<usize>> {
    let (first, last) = text.split_once('-')?;
    let (first, last) = (number(first.trim(), width)?, number(last.trim(), width)?);
    (first <= last).then(|| first..last + 1)
}

fn unknown(path: &Path, names: &[String], wanted: &str) -> Error {
    Error::data(path, format!("there is no column {wanted}: the columns are {}", listed(names)))
}

/// Names for an error message; only the first dozen of many.
pub(crate) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 12;
    match names {
        _ if *names == *numbered(names.len()) => format!("1 to {}", names.len()),
        _ if names.len() > SHOWN => format!("{}, ... ({} in all)", names[..SHOWN].join(", "), names.len()),
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(names: &[&str], columns: Option<&[&str]>, label: Option<&str>) -> Result<Vec<usize>> {
        let names: Vec<_> = names.iter().map(|name| name.to_string()).collect();
        let columns = columns.map(|columns| columns.iter().map(|name| name.to_string()).collect());
        let choice = ColumnChoice { columns, label: label.map(str::to_owned) };
        choice.resolve(Path::new("a.csv"), &names)
    }

    #[test]
    fn names_come_before_numbers_and_ranges() {
        let names = ["b", "2-3", "1", "d"];
        assert_eq!(resolve(&names, Some(&["1"]), None).unwrap(), [2]);
        assert_eq!(resolve(&names, Some(&["2-3"]), None).unwrap(), [1]);
        assert_eq!(resolve(&names, Some(&["4", "1-2"]), None).unwrap(), [3, 0, 1]);
        assert_eq!(resolve(&names, Some(&["d", "2"]), None).unwrap(), [3, 1]);
    }

    #[test]
    fn the_label_is_left_out() {
        assert_eq!(resolve(&["a", "y", "b"], None, Some("y")).unwrap(), [0, 2]);
        assert_eq!(resolve(&["a", "y", "b"], Some(&["2-3"]), Some("2")).unwrap(), [2]);
        let message = resolve(&["y"], None, Some("y")).unwrap_err().to_string();
        assert!(message.contains("no feature column is left"), "{message}");
    }

    #[test]
    fn wrong_choices_are_explained() {
        let message = |columns: &[&str]| resolve(&["x", "y"], Some(columns), None).unwrap_err().to_string();
        assert_eq!(message(&["z"]), "a.csv: there is no column z: the columns are x, y");
        assert_eq!(message(&["1-3"]), "a.csv: there is no column 1-3: the columns are x, y");
        assert!(message(&["x", "1"]).contains("column x is chosen twice"));
        let numbers = numbered(300);
        assert!(unknown(Path::new("a.npy"), &numbers, "0").to_string().contains("the columns are 1 to 300"));
    }
}
