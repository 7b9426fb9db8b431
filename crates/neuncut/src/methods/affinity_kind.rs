//! Which affinity the cut is taken on.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Which affinity the cut is taken on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AffinityKind {
    /// The heat kernel, Eq. (kernel).
    #[default]
    Heat,
    /// Closed-form self-expression.
    SelfExpressive,
    /// Elastic-net self-expression, the affinity of EnSC.
    ElasticNet,
    /// The heat kernel on the codes of a Siamese network, Eq. (siamese_distance).
    Siamese,
    /// Self-expression learnt by SENet, Eq. (senet).
    Senet,
    /// A graph over the training rows that is read from a file, `graph:FILE`.
    Graph(PathBuf),
}

impl fmt::Display for AffinityKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Heat => f.write_str("heat"),
            Self::SelfExpressive => f.write_str("self-expressive"),
            Self::ElasticNet => f.write_str("elastic-net"),
            Self::Siamese => f.write_str("siamese"),
            Self::Senet => f.write_str("senet"),
            Self::Graph(path) => write!(f, "graph:{}", path.display()),
        }
    }
}

impl FromStr for AffinityKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "heat" => Ok(Self::Heat),
            "self-expressive" => Ok(Self::SelfExpressive),
            "elastic-net" => Ok(Self::ElasticNet),
            "siamese" => Ok(Self::Siamese),
            "senet" => Ok(Self::Senet),
            _ => match text.strip_prefix("graph:") {
                Some(path) if !path.is_empty() => Ok(Self::Graph(path.into())),
                _ => Err(format!(
                    "`{text}` is none of heat, self-expressive, elastic-net, siamese, senet and graph:FILE"
                )),
            },
        }
    }
}

crate::words::as_words!(AffinityKind);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_and_others_are_refused() {
        for word in ["heat", "self-expressive", "elastic-net", "siamese", "senet", "graph:a b.csv"] {
            assert_eq!(word.parse::<AffinityKind>().unwrap().to_string(), word);
        }
        for word in ["graph:", "graph", "Heat", ""] {
            assert!(word.parse::<AffinityKind>().unwrap_err().contains("graph:FILE"));
        }
    }
}
