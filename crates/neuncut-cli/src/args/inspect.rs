//! What can be typed after `inspect` and `rename`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The model
    pub model: PathBuf,

    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,

    /// Print clusters, names, shares and words as csv, which `neuncut rename` takes when it was edited
    #[arg(long, conflicts_with = "json")]
    pub names: bool,

    /// Print which clusters are merged at coarser levels
    #[arg(long, conflicts_with_all = ["json", "names"])]
    pub tree: bool,
}

const RENAME_EXAMPLES: &str = "\
Examples:
  neuncut inspect model.safetensors --names > names.csv     # then edit the column `name`
  neuncut rename model.safetensors names.csv
  neuncut predict model.safetensors rows.parquet --names -o labels.parquet";

#[derive(Debug, Args)]
#[command(after_help = RENAME_EXAMPLES)]
pub struct RenameArgs {
    /// The model
    pub model: PathBuf,

    /// A table with the columns `cluster` (its number) and `name`; clusters that are not in it keep their names
    pub names: PathBuf,

    /// Where the model goes [default: MODEL is replaced]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
