//! Python's keywords as a `Config`, by way of JSON.

use crate::errors::to_python;
use neuncut::data::ImageShape;
use neuncut::{Config, Error, Method};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The configuration of a JSON object whose keys are those of the TOML file.
pub fn config(json: &str) -> PyResult<Config> {
    let settings = serde_json::from_str(json).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Config::default().with_settings(settings).map_err(to_python)
}

/// The default of each setting of a method as JSON; none where there is no such method.
#[pyfunction]
pub fn default_config(method: &str) -> PyResult<Option<String>> {
    Method::named(method).map(|method| json(&Config::of(method, 0))).transpose()
}

/// The names of all methods.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    Method::NAMES.to_vec()
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
