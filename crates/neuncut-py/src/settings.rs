//! Python's keywords as a `Config`, by way of JSON: each field is named where it cannot be used.

use crate::errors::python_name;
use neuncut::Error;
use neuncut::data::ImageShape;
use neuncut::neural_cut::Config;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value};

/// The configuration of a JSON object whose keys are those of the TOML file.
pub fn config(json: &str) -> PyResult<Config> {
    let fields: Map<String, Value> = serde_json::from_str(json).map_err(|e| PyValueError::new_err(e.to_string()))?;
    for (name, value) in &fields {
        let alone = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        if let Err(e) = serde_json::from_value::<Config>(alone) {
            let name = python_name(name);
            return Err(PyValueError::new_err(format!("{name} is {value}, which cannot be used: {e}")));
        }
    }
    serde_json::from_value(Value::Object(fields)).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The default of each setting as JSON.
#[pyfunction]
pub fn default_config() -> PyResult<String> {
    json(&Config::default())
}

/// Anything as JSON.
pub fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The shape of images whose rows have so many columns.
pub fn image_shape(sides: Option<Vec<usize>>, columns: usize) -> Result<Option<ImageShape>, Error> {
    let shape = match sides.as_deref() {
        None => return Ok(None),
        Some(&[height, width]) => ImageShape { height, width, channels: 1 },
        Some(&[height, width, channels]) => ImageShape { height, width, channels },
        Some(other) => {
            return Err(Error::config(
                "image-shape",
                format!("{other:?}"),
                "(height, width) or (height, width, channels)",
            ));
        }
    };
    if shape.len() != columns {
        let given = format!("{sides:?}", sides = sides.unwrap_or_default());
        return Err(Error::config("image-shape", given, format!("a shape of {columns} values, the columns of X")));
    }
    Ok(Some(shape))
}
