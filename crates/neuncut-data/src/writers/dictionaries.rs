//! Dictionaries of kept columns in Arrow files. A file has one for each column, and each batch of the input may bring another: their values
//! are gathered before the first row is written.

use crate::Result;
use crate::kept::KeptColumns;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, UInt32Array, make_array, new_empty_array};
use arrow_cast::{CastOptions, cast, cast_with_options};
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;
use arrow_select::take::take;
use std::collections::HashMap;

/// The values of one column, each once, in the order in which they came.
pub(super) struct Dictionary {
    kind: DataType,
    values: ArrayRef,
    /// The place of each, by its text.
    places: HashMap<String, i64>,
}

impl Dictionary {
    /// The dictionaries of the kept columns that have some; a column whose values are too many for its keys has none.
    pub(super) fn of_columns(kept: &KeptColumns) -> Result<HashMap<String, Self>> {
        let is_encoded = |kind: &DataType| matches!(kind, DataType::Dictionary(..));
        let fields = kept.schema().fields().iter().filter(|field| is_encoded(field.data_type()));
        let names: Vec<String> = fields.map(|field| field.name().clone()).collect();
        if names.is_empty() {
            return Ok(HashMap::new());
        }
        let mut again = kept.again(names)?;
        let kinds: Vec<DataType> = again.schema().fields().iter().map(|field| field.data_type().clone()).collect();
        let mut found: Vec<Option<Self>> = kinds.into_iter().map(Self::new).collect();
        while let Some(batch) = again.next_batch()? {
            for (dictionary, column) in found.iter_mut().zip(batch.columns()) {
                let grown = dictionary.take().map(|dictionary| dictionary.with(column));
                *dictionary = grown.and_then(|grown| grown.ok());
            }
        }
        let names = again.schema().fields().iter().map(|field| field.name().clone());
        Ok(names.zip(found).filter_map(|(name, dictionary)| Some((name, dictionary?))).collect())
    }

    fn new(kind: DataType) -> Option<Self> {
        let DataType::Dictionary(_, values) = &kind else { return None };
        Some(Self { values: new_empty_array(values), places: HashMap::new(), kind })
    }

    /// With the values of some rows.
    fn with(mut self, column: &ArrayRef) -> Result<Self, ArrowError> {
        let values = column.as_any_dictionary().values();
        let texts = cast(values, &DataType::Utf8)?;
        let mut new = Vec::new();
        for (at, text) in texts.as_string::<i32>().iter().enumerate() {
            if let Some(text) = text.filter(|text| !self.places.contains_key(*text)) {
                self.places.insert(text.to_owned(), self.places.len() as i64);
                new.push(at as u32);
            }
        }
        if !new.is_empty() {
            let new = take(values, &UInt32Array::from(new), None)?;
            self.values = concat(&[&*self.values, &*new])?;
            self.keys(Int64Array::from(vec![self.values.len() as i64 - 1]))?;
        }
        Ok(self)
    }

    /// A column that has this dictionary.
    pub(super) fn apply(&self, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let column = column.as_any_dictionary();
        let texts = cast(column.values(), &DataType::Utf8)?;
        let places: Vec<Option<i64>> =
            texts.as_string::<i32>().iter().map(|text| self.places.get(text?).copied()).collect();
        let own = cast(column.keys(), &DataType::Int64)?;
        let own = own.as_primitive::<arrow_array::types::Int64Type>().iter();
        let keys = own.map(|key| places.get(usize::try_from(key?).ok()?).copied().flatten());
        let keys = self.keys(keys.collect())?;
        let data = keys.to_data().into_builder().data_type(self.kind.clone()).add_child_data(self.values.to_data());
        Ok(make_array(data.build()?))
    }

    /// Keys of the type that the column has.
    fn keys(&self, keys: Int64Array) -> Result<ArrayRef, ArrowError> {
        let DataType::Dictionary(kind, _) = &self.kind else { return Ok(std::sync::Arc::new(keys)) };
        cast_with_options(&keys, kind, &CastOptions { safe: false, ..Default::default() })
    }
}
