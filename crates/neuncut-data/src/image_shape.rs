//! The shape of rows that are images.

use crate::{Error, Result};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The shape of each row, where rows are images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageShape {
    /// Pixels from top to bottom.
    pub height: usize,
    /// Pixels from left to right.
    pub width: usize,
    /// Values per pixel; they lie side by side.
    pub channels: usize,
}

impl ImageShape {
    /// Values of an image.
    #[allow(clippy::len_without_is_empty, reason = "no image is empty")]
    pub fn len(self) -> usize {
        self.height * self.width * self.channels
    }

    /// This shape, if rows of so many columns have it.
    pub(crate) fn of_rows(self, file: &Path, columns: usize) -> Result<Self> {
        if self.len() == columns {
            return Ok(self);
        }
        let Self { height, width, channels } = self;
        Err(Error::Width {
            what: file.display().to_string(),
            given: columns,
            expected: self.len(),
            remedy: format!(
                "images of {height} x {width} pixels with {channels} values each; give the shape of the rows"
            ),
        })
    }
}

impl fmt::Display for ImageShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}", self.height, self.width, self.channels)
    }
}

impl FromStr for ImageShape {
    type Err = String;

    /// `16x16`, or `32x32x3`: height, width and channels.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text} is not HEIGHTxWIDTH such as 16x16, or HEIGHTxWIDTHxCHANNELS such as 32x32x3");
        let sides = text.split('x').map(|side| side.trim().parse().ok().filter(|side| (1..=1 << 20).contains(side)));
        match sides.collect::<Option<Vec<usize>>>().ok_or_else(wrong)?[..] {
            [height, width] => Ok(Self { height, width, channels: 1 }),
            [height, width, channels @ 1..=4] => Ok(Self { height, width, channels }),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Dir, spec};
    use crate::{Table, TableSpec};

    #[test]
    fn shapes_are_read() {
        assert_eq!("16x8".parse(), Ok(ImageShape { height: 16, width: 8, channels: 1 }));
        assert_eq!("2x2x3".parse::<ImageShape>().map(ImageShape::len), Ok(12));
        assert!(["16", "0x2", "2x2x5", "axb", ""].iter().all(|text| text.parse::<ImageShape>().is_err()));
    }

    #[test]
    fn flat_rows_get_a_shape() {
        let dir = Dir::new();
        let path = dir.file("a.csv", "1,2,3,4\n5,6,7,8\n");
        let table = |shape: &str| Table::open(&TableSpec { image_shape: shape.parse().ok(), ..spec(&path) });
        assert_eq!(table("2x2").unwrap().image_shape().map(ImageShape::len), Some(4));
        assert!(table("3x2").unwrap_err().to_string().contains("has 4 columns, but 6 are expected: images of 3 x 2"));
    }
}
