//! What can be typed after `experiment`.

use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  neuncut experiment experiments/table7_sparsity.toml --data ~/data -o runs
  neuncut experiment experiments/*.toml --quick --jobs 2 -o quick-runs
  neuncut experiment experiments/table2_components.toml --only V/ --only /mnist/ -o runs
  neuncut report runs";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExperimentArgs {
    /// Tables and figures as TOML files; `data-sets.toml` beside them says what the data sets are
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Directory of the data sets; one that is not there is reported as not available [default: that of NEUNCUT_DATA]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Directory for the records; runs that are recorded there, of the same data and settings, are not done again
    #[arg(short, long, default_value = "neuncut-runs", value_name = "DIR")]
    pub out: PathBuf,

    /// Directory for features and made data, which runs share [default: `cache` in the directory of the records]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Runs side by side, each with its share of the threads; times are then those of a busy machine
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub jobs: usize,

    /// Only runs whose name GROUP/ROW/SET/SEED holds this text; given several times, all of them
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,

    /// Seeds a row, in place of the file's number
    #[arg(long, value_name = "N")]
    pub seeds: Option<u64>,

    /// A small version of everything, in minutes: few rows, narrow networks, one seed; it shows that it runs, not what it finds
    #[arg(long)]
    pub quick: bool,

    /// Say which runs there are, and which are recorded, and do none
    #[arg(long)]
    pub list: bool,
}
