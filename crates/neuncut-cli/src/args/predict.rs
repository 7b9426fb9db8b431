//! What can be typed after `predict`.

use super::DataArgs;
use crate::shards::Part;
use clap::Args;
use neuncut::data::Keep;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct PredictArgs {
    /// The model
    pub model: PathBuf,

    #[command(flatten)]
    pub data: DataArgs,

    /// Where the labels go: npy, csv, tsv, jsonl, parquet or arrow by the ending; `-` is standard output, csv unless --format says
    /// otherwise. A folder (`out/`) gets one
    /// file per input, and started again only those that are missing or out of date
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    pub output: String,

    /// With a folder as output: label every N-th file, beginning with the I-th
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Part>,

    /// Columns of DATA to write beside the labels: `all`, `none`, or names [default: all but lists, where DATA and FILE are tables]
    #[arg(long, value_name = "COLUMNS")]
    pub keep: Option<Keep>,

    /// Write the names of clusters too, in a column `cluster_name` [default: after `rename`, where FILE is a table]
    #[arg(long)]
    pub names: bool,

    /// Coarser labels: clusters are merged, the closest first, until N are left (`inspect --tree` shows how); memberships add up
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = level)]
    pub level: Option<usize>,

    /// Coarser labels beside the label, in a column for each level: `--levels 5,12` writes `label_5` and `label_12`
    #[arg(long, value_name = "N,M", value_delimiter = ',', allow_hyphen_values = true, value_parser = level, conflicts_with = "level")]
    pub levels: Vec<usize>,

    /// Write -1 for rows whose largest membership is below this share, and for those that are farther from their cluster than every row
    /// that was fitted
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true, value_parser = share)]
    pub abstain: Option<f32>,

    /// Write the membership of each row in its own cluster too, in a column `confidence`: of rows with 0.8 about 0.8 of the neighbours are
    /// in the same cluster
    #[arg(long, conflicts_with_all = ["proba", "embedding"])]
    pub confidence: bool,

    /// Write memberships too (npy: the memberships alone, the label is the largest)
    #[arg(long)]
    pub proba: bool,

    /// Write the spectral embedding in place of labels (models of spectralnet and specnet2)
    #[arg(long, conflicts_with = "proba")]
    pub embedding: bool,

    /// Rows read at a time; results do not depend on it
    #[arg(long, value_name = "N")]
    pub batch: Option<usize>,

    /// Print a summary as JSON on standard output (needs -o FILE)
    #[arg(long)]
    pub json: bool,
}

impl PredictArgs {
    /// Whether each file has an output of its own, in a folder.
    pub fn is_into_folder(&self) -> bool {
        let output = Path::new(&self.output);
        self.output.ends_with('/') || (output.is_dir() && output.extension().is_none())
    }
}

fn level(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "a level is a number of clusters such as 5".into())
}

fn share(text: &str) -> Result<f32, String> {
    text.parse().map_err(|_| "a share is a number such as 0.5".into())
}
