//! Settings that are one word or number in files, read and written by `FromStr` and `Display`.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serializer};
use serde_json::Number;
use std::fmt::Display;
use std::str::FromStr;

/// Writes a word.
pub(crate) fn as_word<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Reads a word, or a number as it would be typed.
pub(crate) fn from_word<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Typed {
        Word(String),
        Number(Number),
    }
    let text = match Typed::deserialize(deserializer).map_err(|_| Error::custom("neither a word nor a number"))? {
        Typed::Word(word) => word,
        Typed::Number(number) => number.to_string(),
    };
    text.parse().map_err(Error::custom)
}

/// Words in files by `Display` and `FromStr`.
macro_rules! as_words {
    ($kind:ty) => {
        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::words::as_word(self, serializer)
            }
        }

        crate::words::read_as_word!($kind);
    };
}

/// Words and numbers in files by `FromStr`; how they are written is up to the type.
macro_rules! read_as_word {
    ($kind:ty) => {
        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::words::from_word(deserializer)
            }
        }
    };
}

pub(crate) use {as_words, read_as_word};
