//! What can be typed after `report`.

use clap::Args;
use neuncut::data::{ImageShape, OnNull};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  neuncut report model.safetensors -o report.html
  neuncut report model.safetensors --data rows.parquet --truth classes.csv -o report.html --svg pictures
  neuncut report runs        # tables and RESULTS.md in the directory of an experiment's records";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    /// A model, which becomes a page; or a directory of `neuncut experiment`, whose tables are written into it
    #[arg(value_name = "MODEL_OR_RUNS")]
    pub of: PathBuf,

    /// The page [default: report.html]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Files or globs to look at with the model [default: those it was fitted on]
    #[arg(long, num_args = 1.., value_name = "DATA")]
    pub data: Vec<String>,

    /// Columns to use, by name or number, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    pub columns: Option<Vec<String>>,

    /// A column that is not a feature and is left out
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,

    /// Whether csv files have a header line (detected unless given)
    #[arg(long, value_name = "BOOL")]
    pub header: Option<bool>,

    /// The shape of the images that flat rows are, such as 16x16 or 32x32x3
    #[arg(long, value_name = "HxW")]
    pub image_shape: Option<ImageShape>,

    /// Rows in which values are missing: refuse, skip or zero [default: refuse]
    #[arg(long, value_name = "refuse|skip|zero")]
    pub on_null: Option<OnNull>,

    /// The column of texts, which the page shows; `none` for none [default: the only one that there is]
    #[arg(long, value_name = "COLUMN")]
    pub text: Option<String>,

    /// The true classes of all rows, in the same order
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,

    /// Column of TRUTH [default: `label`, or the only one]
    #[arg(long, value_name = "NAME")]
    pub truth_column: Option<String>,

    /// Also write the pictures as SVG files into this directory
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,

    /// Most rows to look at: a uniform sample where there are more
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    pub sample: usize,

    /// Most rows on the map
    #[arg(long, default_value_t = 1500, value_name = "N")]
    pub map: usize,
}
