//! Which columns of a file are features: by name, by number, by range, all but the label.

use super::table::TableSpec;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;

/// What the columns of rows are called, which a model remembers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ColumnNames {
    /// All columns of files without names, which go by their position: null in JSON.
    #[default]
    Unnamed,
    /// One name per column: an array.
    Named(Vec<String>),
    /// One column of lists, each of which is a row: a string.
    List(String),
    /// Some columns of files without names, by their numbers counted from 1: an object.
    Numbered {
        /// The numbers as text.
        numbers: Vec<String>,
    },
}

impl ColumnNames {
    /// Whether columns go by their position alone.
    pub fn is_unnamed(&self) -> bool {
        *self == Self::Unnamed
    }

    /// The name of a column, where columns have names.
    pub fn of(&self, column: usize) -> Option<String> {
        match self {
            Self::Unnamed => None,
            Self::Numbered { numbers: names } | Self::Named(names) => names.get(column).cloned(),
            Self::List(name) => Some(format!("{name}[{column}]")),
        }
    }
}

/// The part of a [`TableSpec`] that concerns columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnChoice {
    columns: Option<Vec<String>>,
    exclude: Vec<String>,
    label: Option<String>,
    /// What a model was fitted on.
    fitted: Option<ColumnNames>,
}

impl ColumnChoice {
    pub(crate) fn of(spec: &TableSpec) -> Self {
        Self {
            columns: spec.columns.clone(),
            exclude: spec.exclude.clone(),
            label: spec.label_column.clone(),
            fitted: spec.fitted.clone(),
        }
    }

    /// Whether every column of a file without names, which has so many, is a feature.
    pub(crate) fn is_everything(&self, width: usize) -> bool {
        let all_fitted = match &self.fitted {
            Some(ColumnNames::Numbered { numbers }) => numbers.len() == width,
            _ => true,
        };
        self.columns.is_none() && self.label.is_none() && self.exclude.is_empty() && all_fitted
    }

    /// Whether the choice is left to what the columns hold, and not made by their names.
    pub(crate) fn is_open(&self) -> bool {
        self.columns.is_none() && !matches!(self.fitted, Some(ColumnNames::Named(_)))
    }

    /// The list column that a model was fitted on, where the user names none.
    pub(crate) fn fitted_list(&self) -> Option<&str> {
        match &self.fitted {
            Some(ColumnNames::List(name)) if self.columns.is_none() => Some(name),
            _ => None,
        }
    }

    /// The indices of the columns chosen, in the order chosen. `names` are the file's columns, or their numbers.
    pub(crate) fn resolve(&self, path: &Path, names: &[String], named: bool) -> Result<Vec<usize>> {
        let mut out: Vec<usize> = self.label.iter().map(|label| find(path, names, label)).collect::<Result<_>>()?;
        for text in &self.exclude {
            out.extend(find_all(path, names, std::slice::from_ref(text))?);
        }
        let mut chosen = match (&self.columns, &self.fitted) {
            (Some(columns), _) => find_all(path, names, columns)?,
            (None, Some(ColumnNames::Named(wanted))) if named => find_fitted(path, names, wanted)?,
            (None, Some(ColumnNames::Numbered { numbers: wanted })) if !named && wanted.len() != names.len() => {
                find_all(path, names, wanted)?
            }
            _ => (0..names.len()).collect(),
        };
        chosen.retain(|index| !out.contains(index));
        self.in_order_of_model(names, &mut chosen);
        if chosen.is_empty() {
            return Err(Error::data(
                path,
                "no feature column is left: choose columns with --columns that are not the label",
            ));
        }
        Ok(chosen)
    }

    /// Brings columns into the order of a model where they are exactly its columns, in whatever order they were named.
    fn in_order_of_model(&self, names: &[String], chosen: &mut [usize]) {
        let Some(ColumnNames::Named(wanted) | ColumnNames::Numbered { numbers: wanted }) = &self.fitted else { return };
        let places: HashMap<&str, usize> = wanted.iter().enumerate().map(|(place, name)| (&**name, place)).collect();
        let place = |index: &usize| places.get(&*names[*index]).copied();
        if chosen.len() == wanted.len() && chosen.iter().all(|index| place(index).is_some()) {
            chosen.sort_by_key(place);
        }
    }
}

/// The columns that a model was fitted on, wherever they stand.
fn find_fitted(path: &Path, names: &[String], wanted: &[String]) -> Result<Vec<usize>> {
    let places: HashMap<&str, usize> = names.iter().enumerate().rev().map(|(place, name)| (&**name, place)).collect();
    let place = |name: &String| places.get(&**name).copied().ok_or_else(|| lacking(path, names, name));
    wanted.iter().map(place).collect()
}

/// A table lacks what a model needs.
pub(crate) fn lacking(path: &Path, names: &[String], wanted: &str) -> Error {
    let columns = listed(names);
    Error::data(
        path,
        format!(
            "there is no column {wanted}, which the model was fitted on: the columns are {columns}; where they have other names, \
             give them in the model's order with --columns"
        ),
    )
}

/// Whether a column is called as those are that tell rows apart, and say nothing about them.
pub(crate) fn is_id_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let words = ["", "id", "ids", "uid", "uuid", "guid", "key", "pk", "index", "idx", "rowid", "unnamed: 0"];
    let endings = ["_id", "-id", " id", "_uid", "_uuid", "_key", "_pk"];
    words.contains(&&*lower)
        || lower.starts_with("__index_level_")
        || endings.iter().any(|ending| lower.ends_with(ending))
        || (name.ends_with("Id") && name.len() > 2)
        || (name.ends_with("ID") && name.len() > 2)
}

/// Why numbers are no features, where the name of their column tells: they are labels, a result, or ids. `whole` says whether they are
/// whole numbers; of others only those are ids whose name ends so.
pub(crate) fn no_feature(name: &str, whole: bool) -> Option<&'static str> {
    match &*name.to_lowercase() {
        "label" | "target" | "class" | "cluster" => Some("labels"),
        "confidence" => Some("a result"),
        lower if is_id_name(name) && (whole || lower.ends_with("id")) => Some("id"),
        _ => None,
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
        let found: Vec<usize> = match range(text, names.len()).or_else(|| range_of_names(text, names)) {
            Some(range) if !is_name => range.collect(),
            _ if !is_name && text.contains(['*', '?', '[']) => matching(path, names, text)?,
            _ => vec![find(path, names, text)?],
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

/// The columns whose names a glob matches.
fn matching(path: &Path, names: &[String], text: &str) -> Result<Vec<usize>> {
    let glob = glob::Pattern::new(text).map_err(|_| unknown(path, names, text))?;
    let found: Vec<usize> = (0..names.len()).filter(|&index| glob.matches(&names[index])).collect();
    if found.is_empty() { Err(unknown(path, names, text)) } else { Ok(found) }
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

/// `x1-x16` as indices, from one name to another; names may have a `-` of their own.
fn range_of_names(text: &str, names: &[String]) -> Option<std::ops::Range<usize>> {
    let place = |wanted: &str| names.iter().position(|name| name == wanted.trim());
    let between = |(at, _)| Some((place(&text[..at])?, place(&text[at + 1..])?));
    let (first, last) = text.match_indices('-').find_map(between)?;
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
        let choice = ColumnChoice { columns, label: label.map(str::to_owned), ..ColumnChoice::default() };
        choice.resolve(Path::new("a.csv"), &names, true)
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
    fn ranges_and_globs_of_names() {
        let names = ["id", "x-1", "x-2", "y", "b3"];
        assert_eq!(resolve(&names, Some(&["x-1-y"]), None).unwrap(), [1, 2, 3]);
        assert_eq!(resolve(&names, Some(&["x-2 - b3"]), None).unwrap(), [2, 3, 4]);
        assert_eq!(resolve(&names, Some(&["[xy]*"]), None).unwrap(), [1, 2, 3]);
        for unknown in ["y-x-1", "x-1-z", "[z]*"] {
            let message = resolve(&names, Some(&[unknown]), None).unwrap_err().to_string();
            assert!(message.contains("there is no column"), "{message}");
        }
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

    #[test]
    fn globs_and_exclusions() {
        let names: Vec<String> = ["x1", "x2", "y", "id"].map(str::to_owned).to_vec();
        let resolve = |columns: Option<&str>, exclude: &[&str]| {
            let columns = columns.map(|columns| vec![columns.to_owned()]);
            let exclude = exclude.iter().map(|name| name.to_string()).collect();
            ColumnChoice { columns, exclude, ..ColumnChoice::default() }.resolve(Path::new("a.csv"), &names, true)
        };
        assert_eq!(resolve(Some("x*"), &[]).unwrap(), [0, 1]);
        assert_eq!(resolve(None, &["?1", "3-4"]).unwrap(), [1]);
        assert!(resolve(Some("z*"), &[]).unwrap_err().to_string().contains("there is no column z*"));
    }

    #[test]
    fn a_model_finds_its_columns_in_any_order() {
        let fitted = ColumnNames::Named(["a", "b"].map(str::to_owned).to_vec());
        let choice = ColumnChoice { fitted: Some(fitted), ..ColumnChoice::default() };
        let resolve = |names: &[&str], named| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            choice.resolve(Path::new("a.csv"), &names, named)
        };
        assert_eq!(resolve(&["b", "c", "a"], true).unwrap(), [2, 0]);
        assert_eq!(resolve(&["1", "2"], false).unwrap(), [0, 1]);
        let message = resolve(&["b", "c"], true).unwrap_err().to_string();
        assert!(message.contains("there is no column a, which the model was fitted on"), "{message}");
    }

    #[test]
    fn columns_of_a_model_keep_its_order_however_they_are_named() {
        let names = ["c", "d", "a"].map(str::to_owned);
        let resolve = |fitted: ColumnNames, columns: &[&str], names: &[String]| {
            let columns = Some(columns.iter().map(|name| name.to_string()).collect());
            let choice = ColumnChoice { columns, fitted: Some(fitted), ..ColumnChoice::default() };
            choice.resolve(Path::new("a.csv"), names, true).unwrap()
        };
        let fitted = || ColumnNames::Named(["a", "c"].map(str::to_owned).to_vec());
        for columns in [["a", "c"], ["c", "a"], ["1", "3"]] {
            assert_eq!(resolve(fitted(), &columns, &names), [2, 0], "{columns:?}");
        }
        assert_eq!(resolve(fitted(), &["c", "d"], &names), [0, 1], "other columns stay as they were named");
        let numbers = ColumnNames::Numbered { numbers: ["3", "1"].map(str::to_owned).to_vec() };
        assert_eq!(resolve(numbers, &["1", "3"], &numbered(3)), [2, 0]);
    }

    #[test]
    fn names_of_ids() {
        assert!(
            ["id", "customer_id", "userId", "ID", "__index_level_0__", "Unnamed: 0", ""].into_iter().all(is_id_name)
        );
        assert!(!["x", "valid", "width", "grid", "humidity"].into_iter().any(is_id_name));
    }

    #[test]
    fn names_of_what_is_no_feature() {
        let names = ["Label", "target", "class", "cluster", "confidence", "uid", "user_id", "id"];
        assert!(names.into_iter().all(|name| no_feature(name, false).is_some()));
        assert_eq!((no_feature("index", false), no_feature("index", true)), (None, Some("id")));
        assert!(["classes", "labelled", "grid", "key_rate"].into_iter().all(|name| no_feature(name, true).is_none()));
    }
}
