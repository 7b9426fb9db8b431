//! What can be typed after `choose`.

use super::DataArgs;
use clap::Args;
use neuncut::ensemble::ClusterRange;
use neuncut::features::Chain;
use neuncut::methods::{Auto, Representation};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  neuncut choose rows.npy
  neuncut choose embeddings.parquet -k 5..40 --svg k.svg --table k.csv
  neuncut fit embeddings.parquet -k auto        # the same, and a fit with the number that is recommended";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ChooseArgs {
    #[command(flatten)]
    pub data: DataArgs,

    /// Numbers of clusters to choose from: `auto`, or a range such as 5..40
    #[arg(short = 'k', long = "clusters", default_value = "auto", value_name = "auto|A..B")]
    pub range: ClusterRange,

    /// Steps applied to rows first, as for `fit`
    #[arg(long, default_value_t, hide_default_value = true, value_name = "CHAIN")]
    pub features: Chain,

    /// How rows are represented, as for `fit`
    #[arg(long, default_value_t, value_name = "REP")]
    pub representation: Representation,

    /// Most rows to look at, a uniform random sample where there are more
    #[arg(long, default_value_t, value_name = "auto|N")]
    pub train_rows: Auto<usize>,

    /// Random seed; the same seed gives the same bytes
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,

    /// Write the evidence for every number of the range into this file, csv or json by the ending
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,

    /// Draw the evidence against the number of clusters into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Print everything as JSON on standard output
    #[arg(long)]
    pub json: bool,
}
