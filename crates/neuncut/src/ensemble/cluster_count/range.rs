//! Numbers of clusters to choose from, as they are typed.

use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The fewest clusters that are compared unless told otherwise: one cluster leaves nothing to compare.
const LEAST: usize = 2;
/// Unless told otherwise the most clusters have at least this many rows on average, are no more than this many times the square root of the
/// rows, and no more than this: there is little evidence for clusters of a handful of rows.
const ROWS_PER_CLUSTER: usize = 10;
const PER_ROOT: f64 = 3.0;
const MOST: usize = 300;

/// Numbers of clusters to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterRange {
    /// The fewest clusters.
    pub least: usize,
    /// The most; as many as the rows allow unless given.
    pub most: Option<usize>,
}

impl ClusterRange {
    /// Every number that the rows allow.
    pub const AUTO: Self = Self { least: LEAST, most: None };

    /// The number, where there is but one.
    pub fn single(&self) -> Option<usize> {
        self.most.filter(|&most| most == self.least)
    }

    /// Refuses a range that nothing can be chosen from.
    ///
    /// # Errors
    /// When it is empty, or begins with one cluster, beside which no other number can be judged.
    pub fn check(&self) -> Result<()> {
        match self.most {
            _ if self.least < LEAST => {
                Err(Error::config("k", self, "a range from at least 2: one cluster cannot be compared with others"))
            }
            Some(most) if most <= self.least => {
                Err(Error::config("k", self, format!("a range that ends above {}, where it begins", self.least)))
            }
            _ => Ok(()),
        }
    }

    /// The fewest and the most clusters of so many different rows.
    ///
    /// # Errors
    /// When there are too few rows for the range.
    pub fn of_rows(&self, rows: usize) -> Result<(usize, usize)> {
        self.check()?;
        let needed = 2 * (self.least + 1);
        if rows < needed {
            let remedy = "numbers of clusters are compared by rows of each; give -k a number".to_owned();
            let what = "the data, without equal rows,".to_owned();
            return Err(Error::TooFewRows { what, rows: rows as u64, needed: needed as u64, remedy });
        }
        let by_root = (PER_ROOT * (rows as f64).sqrt()) as usize;
        let allowed = (rows / ROWS_PER_CLUSTER).min(by_root).clamp(self.least + 1, MOST.max(self.least + 1));
        let most = self.most.unwrap_or(allowed);
        if most > rows / 2 {
            let must = format!("a range that ends by {}, half of the {rows} different rows", rows / 2);
            return Err(Error::config("k", self, must));
        }
        Ok((self.least, most))
    }
}

impl fmt::Display for ClusterRange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.least, self.most) {
            (LEAST, None) => write!(f, "auto"),
            (least, None) => write!(f, "{least}.."),
            (least, Some(most)) if least == most => write!(f, "{least}"),
            (least, Some(most)) => write!(f, "{least}..{most}"),
        }
    }
}

impl FromStr for ClusterRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a number, `auto` or a range such as 5..40");
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        match text.split_once("..") {
            _ if text == "auto" => Ok(Self::AUTO),
            Some((least, "")) => Ok(Self { least: number(least)?, most: None }),
            Some(("" | "auto", most)) => {
                Err(format!("`{text}` says no smallest number: write {LEAST}..{}", number(most)?))
            }
            Some((least, most)) => match (number(least)?, number(most)?) {
                (least, most) if least == most => Err(format!("`{text}` is a single number: write {most}")),
                (least, most) => Ok(Self { least, most: Some(most) }),
            },
            None => number(text).map(|k| Self { least: k, most: Some(k) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_as_they_are_typed() {
        let read = |text: &str| text.parse::<ClusterRange>();
        assert_eq!(read("auto").unwrap(), ClusterRange::AUTO);
        assert_eq!(read("5..40").unwrap(), ClusterRange { least: 5, most: Some(40) });
        assert_eq!(read("12").unwrap().single(), Some(12));
        for text in ["auto", "5..40", "7..", "12"] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        for text in ["", "many", "5-40", "..", "3..x", "-2"] {
            assert!(read(text).unwrap_err().contains("a range such as 5..40"), "{text}");
        }
        for text in ["5..auto", "5..=7", "5...7", "5..6..7"] {
            assert!(read(text).unwrap_err().contains("a range such as 5..40"), "{text}");
        }
        for text in ["..5", "auto..5"] {
            assert!(read(text).unwrap_err().ends_with("says no smallest number: write 2..5"), "{text}");
        }
        assert_eq!(read("5..5").unwrap_err(), "`5..5` is a single number: write 5");
    }

    #[test]
    fn rows_bound_the_most() {
        let auto = |rows| ClusterRange::AUTO.of_rows(rows).unwrap();
        assert_eq!(
            [auto(20), auto(150), auto(3600), auto(10_000), auto(20_000)],
            [(2, 3), (2, 15), (2, 180), (2, 300), (2, 300)]
        );
        let given = |least, most| ClusterRange { least, most: Some(most) }.of_rows(100);
        assert_eq!(given(5, 40).unwrap(), (5, 40));
        let problem = |found: Result<(usize, usize)>| found.unwrap_err().to_string();
        assert!(problem(given(5, 60)).contains("k is 5..60, but must be a range that ends by 50"));
        assert!(problem(given(1, 5)).contains("from at least 2"));
        assert!(problem(given(9, 5)).contains("ends above 9"));
        assert!(problem(ClusterRange::AUTO.of_rows(4)).contains("has 4 rows, but 6 are needed"));
    }
}
