//! A value that is given, or chosen from the data: `"auto"` in files and on the command line.

use crate::words::from_word;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A value, or the request to choose one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Auto<T> {
    /// Chosen from the data.
    #[default]
    Auto,
    /// As given.
    Given(T),
}

impl<T: Copy> Auto<T> {
    /// The given value.
    pub fn given(self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Given(value) => Some(value),
        }
    }

    /// The given value, or the one chosen.
    pub fn unwrap_or(self, chosen: T) -> T {
        match self {
            Self::Auto => chosen,
            Self::Given(value) => value,
        }
    }
}

impl<T: fmt::Display> fmt::Display for Auto<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Given(value) => value.fmt(f),
        }
    }
}

impl<T: FromStr> FromStr for Auto<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        text.parse().map(Self::Given).map_err(|_| format!("`{text}` is neither a number nor `auto`"))
    }
}

impl<T: Serialize> Serialize for Auto<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Given(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: FromStr> Deserialize<'de> for Auto<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_word(deserializer)
    }
}
