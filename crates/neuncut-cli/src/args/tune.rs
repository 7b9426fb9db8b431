//! What can be typed after `tune`.

use super::{BaseArgs, DataArgs, SettingArgs};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  neuncut tune rows.npy -k 10 --svg gamma.svg
  neuncut tune rows.npy -k 10 --preset paper --gammas 1e6,1000,300,100,80,60,40,20";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TuneArgs {
    #[command(flatten)]
    pub data: DataArgs,

    /// Values to try, from large to small [default: 1e6 to 2 in 14 steps]
    #[arg(long, value_delimiter = ',', value_name = "F,F")]
    pub gammas: Option<Vec<f32>>,

    /// Draw optimal L_lap and L_orth against gamma into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    #[command(flatten)]
    pub base: BaseArgs,

    /// Print everything as JSON on standard output
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub settings: SettingArgs,
}
