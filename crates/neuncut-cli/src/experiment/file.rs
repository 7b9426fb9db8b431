//! One table or figure of the paper as a TOML file: which data sets, which rows, what the paper has, what is shown.

use crate::text_file;
use neuncut::{Error, Method, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// A table or figure.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExperimentFile {
    /// Which table or figure, in a line.
    pub title: String,
    /// What is compared, and how it differs from the paper.
    pub about: String,
    /// What running all of it takes.
    pub cost: String,
    /// Runs a row and data set, with seeds 0, 1, ...
    #[serde(default = "three")]
    pub seeds: u64,
    /// What is shown.
    pub measures: Vec<Measure>,
    /// The data sets, by their names in `data-sets.toml`.
    pub sets: Vec<String>,
    /// Settings of every run, by the names they have in `fit --config`.
    #[serde(default)]
    pub settings: toml::Table,
    /// The picture, where there is one.
    pub plot: Option<Plot>,
    /// The rows.
    pub row: Vec<RowSpec>,
}

fn three() -> u64 {
    3
}

/// A quantity of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum Measure {
    /// Accuracy.
    #[serde(rename = "ACC")]
    Accuracy,
    /// Normalised mutual information.
    #[serde(rename = "NMI")]
    Nmi,
    /// Adjusted Rand index.
    #[serde(rename = "ARI")]
    Ari,
    /// Fitting and labelling all rows, in seconds.
    #[serde(rename = "seconds")]
    Seconds,
    /// The same in minutes.
    #[serde(rename = "minutes")]
    Minutes,
}

impl Measure {
    /// What it is called in a table.
    pub fn title(self) -> &'static str {
        match self {
            Self::Accuracy => "ACC",
            Self::Nmi => "NMI",
            Self::Ari => "ARI",
            Self::Seconds => "time, s",
            Self::Minutes => "time, min",
        }
    }

    /// Digits behind the point.
    pub fn digits(self) -> usize {
        match self {
            Self::Accuracy | Self::Nmi | Self::Ari => 3,
            Self::Seconds => 0,
            Self::Minutes => 2,
        }
    }

    /// Whether more is better.
    pub fn is_score(self) -> bool {
        !matches!(self, Self::Seconds | Self::Minutes)
    }
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum Plot {
    /// The measures against each row's `x`, one line a `series`.
    Lines {
        /// What `x` is.
        x: String,
        /// Whether `x` is drawn by its logarithm.
        #[serde(default)]
        log: bool,
    },
    /// Optimal `L_lap` and `L_orth` against gamma, of rows that `tune`.
    Sweep,
    /// Scores and losses during training, of rows that record `curves`.
    Curves,
    /// Points of the plane by cluster, of shapes.
    Points,
}

/// What a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Fits, labels all rows and scores them.
    #[default]
    Fit,
    /// Searches for gamma without labels.
    Tune,
    /// Fits, and scores after each epoch as well.
    Curves,
}

/// Where a row's settings start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// The defaults of this program.
    #[default]
    Default,
    /// The paper's Algorithm 1, with the data set's settings of the paper's table 1.
    Paper,
}

/// A row of the table: a method with its settings.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RowSpec {
    /// What it is called.
    pub name: String,
    /// The block it stands in, such as a setting of table 2.
    #[serde(default)]
    pub group: String,
    /// The method; none where only the paper has numbers.
    pub method: Option<String>,
    /// Where settings start from.
    #[serde(default)]
    pub preset: Preset,
    /// What is done.
    #[serde(default)]
    pub run: Kind,
    /// Settings over those of the experiment.
    #[serde(default)]
    pub settings: toml::Table,
    /// The data sets it is run on; all unless given.
    pub sets: Option<Vec<String>>,
    /// So many rows of a stream without end in place of all: for methods that cannot label new rows.
    pub subset: Option<u64>,
    /// Where it stands in a picture.
    pub x: Option<f64>,
    /// The line it belongs to in a picture.
    pub series: Option<String>,
    /// The paper's numbers for each data set, in the order of the measures.
    #[serde(default)]
    pub paper: BTreeMap<String, Vec<Published>>,
}

impl RowSpec {
    /// Whether it is run on a data set.
    pub fn is_on(&self, set: &str) -> bool {
        self.sets.as_ref().is_none_or(|sets| sets.iter().any(|name| name == set))
    }
}

/// A number as the paper prints it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Published {
    /// A number.
    Number(f64),
    /// A dash, a number with a mark, or a word.
    Text(String),
}

impl Published {
    /// The number to compare with, where there is one: `0.622*` is one that the paper cites.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Text(text) => text.trim_end_matches('*').parse().ok(),
        }
    }

    /// As it is shown.
    pub fn text(&self, digits: usize) -> String {
        match self {
            Self::Number(value) => format!("{value:.digits$}"),
            Self::Text(text) => text.replace('*', "\\*"),
        }
    }
}

impl ExperimentFile {
    /// Reads a file and checks what can be checked without data.
    pub fn read(path: &Path) -> Result<Self> {
        let file: Self = text_file::read_toml(path, "experiment", "an experiment")?;
        file.check(path)?;
        Ok(file)
    }

    fn check(&self, path: &Path) -> Result<()> {
        let refuse = |problem: String| Err(Error::config("experiment", path.display(), problem));
        for (at, row) in self.row.iter().enumerate() {
            let name = format!("{} {}", row.group, row.name);
            if self.row[..at].iter().any(|other| (&other.group, &other.name) == (&row.group, &row.name)) {
                return refuse(format!("a file whose rows have different names, but two are `{}`", name.trim()));
            }
            if let Some(method) = row.method.as_ref().filter(|method| Method::named(method).is_none()) {
                return refuse(format!("a file of known methods, but `{}` has `{method}`", name.trim()));
            }
            let named = row.sets.iter().flatten().chain(row.paper.keys());
            if let Some(unknown) = named.into_iter().find(|set| !self.sets.contains(set)) {
                return refuse(format!(
                    "a file whose rows name sets of its own, but `{}` has `{unknown}`",
                    name.trim()
                ));
            }
            if let Some(set) = row.paper.iter().find(|(_, numbers)| numbers.len() != self.measures.len()) {
                return refuse(format!(
                    "a file with one number per measure, but `{}` on {} has not",
                    name.trim(),
                    set.0
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "title = 't'\nabout = 'a'\ncost = 'c'\nmeasures = ['ACC', 'seconds']\nsets = ['a', 'b']\n\
                        [[row]]\nname = 'x'\nmethod = 'ncut'\nsettings = { neighbors = 3 }\npaper = { a = [0.96, 'T'] }\n";

    fn checked(text: &str) -> std::result::Result<ExperimentFile, String> {
        let file: ExperimentFile = toml::from_str(text).map_err(|e| e.to_string())?;
        file.check(Path::new("table.toml")).map_err(|e| e.to_string())?;
        Ok(file)
    }

    #[test]
    fn numbers_are_shown_as_the_paper_prints_them() {
        let file = checked(TEXT).unwrap();
        let paper = &file.row[0].paper["a"];
        assert_eq!((paper[0].text(3), paper[1].text(0)), ("0.960".into(), "T".into()));
        assert_eq!((paper[0].number(), paper[1].number()), (Some(0.96), None));
        assert_eq!(Published::Text("0.622*".into()).number(), Some(0.622));
        assert!(file.row[0].is_on("b") && file.seeds == 3);
    }

    #[test]
    fn slips_are_named() {
        assert!(checked(&TEXT.replace("a = [0.96, 'T']", "c = [0.1, 0.2]")).unwrap_err().contains("`c`"));
        assert!(checked(&TEXT.replace("[0.96, 'T']", "[0.96]")).unwrap_err().contains("one number per measure"));
        assert!(checked(&format!("{TEXT}[[row]]\nname = 'x'\n")).unwrap_err().contains("different names"));
        assert!(checked(&TEXT.replace("name", "nmae")).unwrap_err().contains("nmae"));
    }
}
