//! An encoder as the user writes it in a chain, such as `onnx=clip.onnx:size=224:mean=0.48,0.46,0.41:std=0.27,0.26,0.28`.

use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// No image is larger than this on a side.
const LARGEST_SIDE: usize = 1 << 14;

/// What can be written behind `onnx=`.
const GRAMMAR: &str = "onnx=FILE, with any of :size=N or :size=WxH, :scale=S, :mean=R,G,B, :std=R,G,B, :layout=nchw or nhwc, :output=NAME, :embed=yes or no";

/// The order of an image's values in the input of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Channel by channel, as PyTorch has it.
    Nchw,
    /// Pixel by pixel, as TensorFlow has it.
    Nhwc,
}

/// A network in an ONNX file, and how rows enter it.
#[derive(Debug, Clone, PartialEq)]
pub struct EncoderSpec {
    /// The file.
    pub path: String,
    /// Width and height that images get first; those that the network takes where nothing is given.
    pub size: Option<(usize, usize)>,
    /// What pixels are divided by first: 255 where they are bytes, else 1, unless given.
    pub scale: Option<f32>,
    /// What is subtracted then, one number for all channels or one for each.
    pub mean: Vec<f32>,
    /// What is divided by then, one number for all channels or one for each.
    pub deviation: Vec<f32>,
    /// The order of values, where the network's own shape does not tell.
    pub layout: Option<Layout>,
    /// Which output is meant, where there are several.
    pub output: Option<String>,
    /// Whether the file becomes part of the model; small ones do unless told otherwise.
    pub embed: Option<bool>,
}

impl EncoderSpec {
    /// A file, and nothing given of how rows enter it.
    pub fn of(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            size: None,
            scale: None,
            mean: Vec::new(),
            deviation: Vec::new(),
            layout: None,
            output: None,
            embed: None,
        }
    }

    /// Names a setting that images alone have, where one is given.
    pub(super) fn image_setting(&self) -> Option<&'static str> {
        let given = [
            ("size", self.size.is_some()),
            ("scale", self.scale.is_some()),
            ("mean", !self.mean.is_empty()),
            ("std", !self.deviation.is_empty()),
            ("layout", self.layout.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "size" => {
                let (width, height) = value.split_once('x').unwrap_or((value, value));
                self.size = Some((side(width)?, side(height)?));
            }
            "scale" => self.scale = Some(number(value).filter(|&scale| scale > 0.0)?),
            "mean" => self.mean = numbers(value)?,
            "std" => self.deviation = numbers(value).filter(|all| all.iter().all(|&by| by > 0.0))?,
            "layout" => {
                self.layout = Some(match value {
                    "nchw" => Layout::Nchw,
                    "nhwc" => Layout::Nhwc,
                    _ => return None,
                });
            }
            "output" => self.output = Some(value.to_string()).filter(|name| !name.is_empty()).map(Some)?,
            "embed" => {
                self.embed = Some(match value {
                    "yes" => true,
                    "no" => false,
                    _ => return None,
                });
            }
            _ => return None,
        }
        Some(())
    }
}

fn side(text: &str) -> Option<usize> {
    text.parse().ok().filter(|side| (1..=LARGEST_SIDE).contains(side))
}

fn number(text: &str) -> Option<f32> {
    text.parse().ok().filter(|number: &f32| number.is_finite())
}

/// One number, or one for each of up to four channels.
fn numbers(text: &str) -> Option<Vec<f32>> {
    let numbers: Vec<f32> = text.split(',').map(number).collect::<Option<_>>()?;
    Some(numbers).filter(|numbers| numbers.len() <= 4)
}

impl FromStr for EncoderSpec {
    type Err = Error;

    /// What stands behind `onnx=`. A colon that no setting follows is part of the file's name.
    fn from_str(text: &str) -> Result<Self> {
        let unknown = |what: &str| Error::config("features", format!("`onnx={text}`"), format!("{what}: {GRAMMAR}"));
        let words: Vec<&str> = text.split(':').collect();
        let first = (1..words.len()).find(|&word| words[word].contains('=')).unwrap_or(words.len());
        let path = words[..first].join(":");
        if path.is_empty() {
            return Err(unknown("the name of a file behind it"));
        }
        let mut spec = Self::of(path);
        for word in &words[first..] {
            let known = word.split_once('=').and_then(|(name, value)| spec.set(name, value));
            known.ok_or_else(|| unknown(&format!("something else than `{word}`")))?;
        }
        Ok(spec)
    }
}

impl fmt::Display for EncoderSpec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let list = |numbers: &[f32]| numbers.iter().map(f32::to_string).collect::<Vec<_>>().join(",");
        write!(f, "onnx={}", self.path)?;
        match self.size {
            Some((width, height)) if width == height => write!(f, ":size={width}")?,
            Some((width, height)) => write!(f, ":size={width}x{height}")?,
            None => {}
        }
        if let Some(scale) = self.scale {
            write!(f, ":scale={scale}")?;
        }
        if !self.mean.is_empty() {
            write!(f, ":mean={}", list(&self.mean))?;
        }
        if !self.deviation.is_empty() {
            write!(f, ":std={}", list(&self.deviation))?;
        }
        match self.layout {
            Some(Layout::Nchw) => write!(f, ":layout=nchw")?,
            Some(Layout::Nhwc) => write!(f, ":layout=nhwc")?,
            None => {}
        }
        if let Some(output) = &self.output {
            write!(f, ":output={output}")?;
        }
        match self.embed {
            Some(true) => write!(f, ":embed=yes"),
            Some(false) => write!(f, ":embed=no"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "a.onnx",
            "C:\\nets\\a.onnx:embed=no",
            "../a b.onnx:size=224:mean=0.485,0.456,0.406:std=0.229,0.224,0.225:layout=nchw",
            "a.onnx:size=96x64:scale=1:mean=127.5:layout=nhwc:output=pooled:embed=yes",
        ] {
            let spec: EncoderSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), format!("onnx={text}"));
        }
        assert_eq!("a:size=7x7".parse::<EncoderSpec>().unwrap(), "a:size=7".parse().unwrap());
        assert_eq!("C:\\a".parse::<EncoderSpec>().unwrap().path, "C:\\a");
    }

    #[test]
    fn what_is_no_setting_is_named() {
        for (text, named) in [
            ("", "the name of a file"),
            (":size=3", "the name of a file"),
            ("a:size=0", "`size=0`"),
            ("a:sise=3", "`sise=3`"),
            ("a:std=0.2,0", "`std=0.2,0`"),
            ("a:mean=1,2,3,4,5", "`mean=1,2,3,4,5`"),
            ("a:layout=chw", "`layout=chw`"),
            ("a:output=", "`output=`"),
            ("a:size=3:embed", "`embed`"),
        ] {
            let message = text.parse::<EncoderSpec>().unwrap_err().to_string();
            assert!(message.contains(named) && message.contains(":layout=nchw"), "{text}: {message}");
        }
    }
}
