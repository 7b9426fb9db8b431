//! What labels are called in results, and columns that follow from them.

use arrow_array::{ArrayRef, Int32Array, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, FieldRef};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What labels are in results.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// Names of clusters, which take the place of their numbers in a table; none where there are none.
    pub names: Vec<String>,
    /// Columns beside the label, in a table.
    pub beside: Vec<ClusterColumn>,
    /// Whether rows may have no label.
    pub some_missing: bool,
}

/// A column that holds the same for all rows with one label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterColumn {
    /// What it is called.
    pub name: String,
    /// What it holds by label.
    pub values: ClusterValues,
}

/// A value for each label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClusterValues {
    /// Numbers, such as those of groups that clusters are in.
    Numbers(BTreeMap<i32, i32>),
    /// Texts, such as names.
    Texts(BTreeMap<i32, String>),
}

impl ClusterColumn {
    /// The value of a row with this label as text. A row without a label has none, or the number that says so.
    pub(super) fn text(&self, label: i32, some_missing: bool) -> String {
        match &self.values {
            ClusterValues::Texts(texts) => texts.get(&label).cloned().unwrap_or_default(),
            ClusterValues::Numbers(_) if label < 0 && some_missing => String::new(),
            ClusterValues::Numbers(numbers) => numbers.get(&label).unwrap_or(&label).to_string(),
        }
    }

    pub(super) fn field(&self, some_missing: bool) -> FieldRef {
        Arc::new(match &self.values {
            ClusterValues::Texts(_) => Field::new(&self.name, DataType::Utf8, true),
            ClusterValues::Numbers(_) => Field::new(&self.name, DataType::Int32, some_missing),
        })
    }

    /// The values of rows with these labels.
    pub(super) fn array(&self, labels: &[i32], missing: Option<NullBuffer>) -> ArrayRef {
        match &self.values {
            ClusterValues::Texts(texts) => {
                Arc::new(labels.iter().map(|label| texts.get(label)).collect::<StringArray>())
            }
            ClusterValues::Numbers(numbers) => {
                let values: Vec<i32> = labels.iter().map(|label| *numbers.get(label).unwrap_or(label)).collect();
                Arc::new(Int32Array::new(values.into(), missing))
            }
        }
    }
}

impl Labels {
    /// The name of a cluster, where it has one.
    pub(super) fn given_name(&self, label: i32) -> Option<&str> {
        self.names.get(usize::try_from(label).ok()?).map(String::as_str)
    }

    /// The name of a cluster, or its number; `None` for rows without a label.
    pub(super) fn name(&self, label: i32) -> Option<String> {
        let number = || Some(label.to_string()).filter(|_| label >= 0 || !self.some_missing);
        self.given_name(label).map(str::to_owned).or_else(number)
    }
}
