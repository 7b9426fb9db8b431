//! How the weight of the orthogonality penalty is found: `"auto"`, `"search"` or a number, in files and on the command line.

use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The weight of the orthogonality penalty, or how to find it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Gamma {
    /// What did well on many sets: 80 for the normed penalty, 100 for the squared one.
    #[default]
    Auto,
    /// Searched for without labels ([`super::tune`]): one training on the cut for each value that is tried.
    Search,
    /// As given.
    Given(f32),
}

impl fmt::Display for Gamma {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Search => write!(f, "search"),
            Self::Given(value) => value.fmt(f),
        }
    }
}

impl FromStr for Gamma {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "search" => Ok(Self::Search),
            _ => text
                .parse()
                .map(Self::Given)
                .map_err(|_| format!("`{text}` is neither a number nor `auto` nor `search`")),
        }
    }
}

impl Serialize for Gamma {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Given(value) => value.serialize(serializer),
            word => serializer.serialize_str(&word.to_string()),
        }
    }
}

crate::words::read_as_word!(Gamma);
