//! Widths of hidden layers, given or chosen by what a network has to learn.

use super::limits::widths;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The widths that the paper has.
const WIDE: [usize; 2] = [512, 512];

/// Widths of hidden layers: `[512, 512]`, or `"auto"`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(untagged, expecting = "neither `auto` nor a list of widths")]
pub enum Hidden {
    /// So wide as the labels of the start ask for; without a start 512 and 512.
    #[default]
    #[serde(with = "auto")]
    Auto,
    /// As given.
    Given(Vec<usize>),
}

impl Hidden {
    /// The given widths, or 512 and 512.
    pub fn widths(&self) -> &[usize] {
        self.widths_or(&WIDE)
    }

    /// The given widths, or others.
    pub fn widths_or<'a>(&'a self, automatic: &'a [usize]) -> &'a [usize] {
        match self {
            Self::Auto => automatic,
            Self::Given(widths) => widths,
        }
    }

    pub(in crate::methods) fn check(&self) -> Result<()> {
        widths("hidden", self.widths())
    }
}

impl From<Vec<usize>> for Hidden {
    fn from(widths: Vec<usize>) -> Self {
        Self::Given(widths)
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Given(widths) => f.write_str(&widths.iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
        }
    }
}

impl FromStr for Hidden {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let widths = text.split(',').map(|width| width.trim().parse());
        let widths = widths.collect::<Result<Vec<usize>, _>>();
        widths.map(Self::Given).map_err(|_| format!("`{text}` is neither whole numbers with commas between nor `auto`"))
    }
}

/// The word `auto`.
mod auto {
    use super::Error;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("auto")
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "auto" => Ok(()),
            word => Err(D::Error::custom(Error::config("hidden", word, "widths such as [512, 512], or \"auto\""))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_files_come_back() {
        for hidden in [Hidden::Auto, vec![64].into(), vec![512, 256].into()] {
            assert_eq!(hidden.to_string().parse::<Hidden>().unwrap(), hidden);
            let json = serde_json::to_string(&hidden).unwrap();
            assert_eq!(serde_json::from_str::<Hidden>(&json).unwrap(), hidden, "{json}");
        }
        assert!("64,wide".parse::<Hidden>().unwrap_err().contains("`64,wide` is neither"));
        assert!(serde_json::from_str::<Hidden>("\"wide\"").is_err());
        assert_eq!(serde_json::to_string(&Hidden::Auto).unwrap(), "\"auto\"");
    }
}
