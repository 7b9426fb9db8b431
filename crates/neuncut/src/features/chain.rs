//! A chain of feature steps as the user writes it, such as `scattering,pca=500,unit`.

use super::Scattering;
use super::encoder::EncoderSpec;
use crate::{Error, Result};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The most columns that a step may be asked to make; an image may have three times as many.
const MOST: usize = 1 << 22;

/// What can stand in a chain.
pub const STEPS: &str = "unit, center, standardize, pca=N, pca=N:centered, whiten=N, scattering, scattering=J,L, autoencoder=N, resize=WxH, onnx=FILE";

/// One step before it is fitted.
#[derive(Debug, Clone, PartialEq)]
pub enum StepSpec {
    /// Rows of length one.
    Unit,
    /// Column means become zero.
    Center,
    /// Column means become zero, standard deviations one.
    Standardize,
    /// Principal components; the paper's are of rows as they are, not centred.
    Pca {
        /// How many.
        count: usize,
        /// Whether the mean is removed first.
        centered: bool,
    },
    /// Centred principal components of standard deviation one.
    Whiten(usize),
    /// Scattering coefficients of images.
    Scattering {
        /// Wavelet sizes, `J`.
        scales: usize,
        /// Wavelet directions, `L`.
        angles: usize,
    },
    /// Codes of an autoencoder that is trained on the rows.
    Autoencoder(usize),
    /// Images of another size.
    Resize {
        /// Pixels from left to right.
        width: usize,
        /// Pixels from top to bottom.
        height: usize,
    },
    /// What a network in an ONNX file makes of rows or images.
    Encoder(EncoderSpec),
}

/// Steps in the order of application; none leaves rows as they are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chain {
    /// The steps.
    pub steps: Vec<StepSpec>,
}

impl Chain {
    /// The width and height that images get first of all: then images of any size can be read.
    pub fn leading_resize(&self) -> Option<(usize, usize)> {
        match self.steps.first() {
            Some(&StepSpec::Resize { width, height }) => Some((width, height)),
            Some(StepSpec::Encoder(spec)) => spec.size,
            _ => None,
        }
    }

    /// Files that are read beside the rows: those of encoders.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.steps.iter().filter_map(|step| match step {
            StepSpec::Encoder(spec) => Some(Path::new(&spec.path)),
            _ => None,
        })
    }

    /// Whether rows stay as they are.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

impl FromStr for StepSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || {
            Error::config("features", format!("`{text}`"), format!("steps separated by commas, each one of {STEPS}"))
        };
        let too_large = || {
            Error::config("features", format!("`{text}`"), format!("steps whose numbers make at most {MOST} columns"))
        };
        let number = |text: &str| match text.parse::<usize>() {
            Ok(n @ 1..=MOST) => Ok(n),
            Ok(n) if n > 0 => Err(too_large()),
            _ => Err(unknown()),
        };
        let pair = |text: &str, by: char| {
            let (a, b) = text.split_once(by).ok_or_else(unknown)?;
            Ok::<_, Error>((number(a)?, number(b)?))
        };
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        Ok(match (name, value) {
            ("unit", None) => Self::Unit,
            ("center", None) => Self::Center,
            ("standardize", None) => Self::Standardize,
            ("pca", Some(value)) => match value.split_once(':') {
                None => Self::Pca { count: number(value)?, centered: false },
                Some((count, "raw")) => Self::Pca { count: number(count)?, centered: false },
                Some((count, "centered")) => Self::Pca { count: number(count)?, centered: true },
                Some(_) => return Err(unknown()),
            },
            ("whiten", Some(count)) => Self::Whiten(number(count)?),
            ("autoencoder", Some(count)) => Self::Autoencoder(number(count)?),
            ("scattering", None) => Self::Scattering { scales: Scattering::SCALES, angles: Scattering::ANGLES },
            ("scattering", Some(value)) => {
                pair(value, ',').map(|(scales, angles)| Self::Scattering { scales, angles })?
            }
            ("resize", Some(value)) => match pair(value, 'x')? {
                (width, height) if width * height <= MOST => Self::Resize { width, height },
                _ => return Err(too_large()),
            },
            ("onnx", Some(value)) => Self::Encoder(value.parse()?),
            _ => return Err(unknown()),
        })
    }
}

impl fmt::Display for StepSpec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unit => write!(f, "unit"),
            Self::Center => write!(f, "center"),
            Self::Standardize => write!(f, "standardize"),
            Self::Pca { count, centered: false } => write!(f, "pca={count}"),
            Self::Pca { count, centered: true } => write!(f, "pca={count}:centered"),
            Self::Autoencoder(count) => write!(f, "autoencoder={count}"),
            Self::Whiten(count) => write!(f, "whiten={count}"),
            Self::Scattering { scales, angles } => write!(f, "scattering={scales},{angles}"),
            Self::Resize { width, height } => write!(f, "resize={width}x{height}"),
            Self::Encoder(spec) => write!(f, "{spec}"),
        }
    }
}

impl FromStr for Chain {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut words: Vec<String> = Vec::new();
        for word in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
            // the commas of `scattering=J,L` and of numbers behind `onnx=FILE` separate no steps
            match words.last_mut() {
                Some(last) if last.starts_with("scattering=") && !last.contains(',') => {
                    *last = format!("{last},{word}")
                }
                Some(last) if last.starts_with("onnx=") && begins_with_number(word) => *last = format!("{last},{word}"),
                _ => words.push(word.to_string()),
            }
        }
        Ok(Self { steps: words.iter().map(|word| word.parse()).collect::<Result<_>>()? })
    }
}

/// Whether a word is a number, or one with further settings of an encoder behind it; no step begins like that.
fn begins_with_number(word: &str) -> bool {
    word.split(':').next().is_some_and(|first| first.parse::<f32>().is_ok())
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.steps.iter().map(StepSpec::to_string).collect::<Vec<_>>().join(","))
    }
}

crate::words::as_words!(Chain);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "",
            "unit",
            "scattering=3,8,pca=500,unit",
            "center,standardize,whiten=7",
            "autoencoder=10",
            "resize=20x16,scattering=2,4",
            "pca=3:centered",
            "unit,onnx=a.onnx:size=224:mean=0.485,-4,0.406:std=0.5,2,3:layout=nchw,pca=50,unit",
        ] {
            assert_eq!(text.parse::<Chain>().unwrap().to_string(), text);
        }
        assert_eq!("scattering, pca=500:raw".parse::<Chain>().unwrap().to_string(), "scattering=3,8,pca=500");
    }

    #[test]
    fn what_is_no_step_is_named() {
        for text in [
            "scatering",
            "pca",
            "pca=0",
            "pca=-1",
            "pca=5:white",
            "unit=3",
            "scattering=3",
            "scattering=3,x",
            "resize=20",
            "unit,,unit",
        ] {
            let message = text.parse::<Chain>().unwrap_err().to_string();
            assert!(message.starts_with("features is `") && message.contains("scattering=J,L"), "{text}: {message}");
        }
        let message = "unit,onnx=a:mean=1,b".parse::<Chain>().unwrap_err().to_string();
        assert!(message.contains("`b`"), "{message}");
        assert!("unit,nothing".parse::<Chain>().unwrap_err().to_string().contains("`nothing`"));
    }
}
