//! What can be typed after `compare`.

use super::{DataArgs, SettingArgs};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  neuncut compare usps/x.npy -k 10 --truth usps/y.npy --methods kmeans,ncut,neuncut --seeds 3
  neuncut compare images.idx -k 10 --truth labels.idx --features scattering,pca=500 -o comparison";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareArgs {
    #[command(flatten)]
    pub data: DataArgs,

    /// The true classes of all rows, in the same order; no method sees them
    #[arg(long, value_name = "FILE")]
    pub truth: PathBuf,

    /// Column of TRUTH [default: `label`, or the only one]
    #[arg(long, value_name = "NAME")]
    pub truth_column: Option<String>,

    /// Methods, separated by commas
    #[arg(long, value_delimiter = ',', value_parser = neuncut::Method::NAMES, default_value = "kmeans,ncut,spectralnet,neuncut")]
    pub methods: Vec<String>,

    /// Seeds per method: 0, 1, ... from --seed on
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub seeds: u64,

    /// Directory for the records of all runs and the table as compare.md, compare.csv and compare.json; runs that are
    /// already there, with the same data and settings, are not repeated
    #[arg(short, long, default_value = "neuncut-compare", value_name = "DIR")]
    pub out: PathBuf,

    /// A TOML file of settings by their long names below; flags win over it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Print the table as JSON on standard output, not as Markdown
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub settings: SettingArgs,
}
