//! What can be typed after `deform`.

use super::{BaseArgs, DataArgs, SettingArgs};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  neuncut deform train-images-idx3-ubyte.gz --truth train-labels-idx1-ubyte.gz -n 8000000 -k 10 --features scattering,pca=500
  neuncut deform train-images-idx3-ubyte.gz --truth train-labels-idx1-ubyte.gz -n 100000 -o rows.npy --truth-out classes.npy";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DeformArgs {
    #[command(flatten)]
    pub data: DataArgs,

    /// The classes of the images, in the same order; no fit sees them
    #[arg(long, value_name = "FILE")]
    pub truth: PathBuf,

    /// Rows in all: each is one of the images, shifted, turned and deformed
    #[arg(short, long = "rows", value_name = "N")]
    pub n: u64,

    /// Write the rows, or their features, to this file in place of clustering them
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,

    /// Write the classes of the rows to this file
    #[arg(long, value_name = "FILE", requires = "output")]
    pub truth_out: Option<String>,

    /// Largest shift along each axis, in pixels [default: 2]
    #[arg(long, value_name = "F")]
    pub shift: Option<f32>,

    /// Largest turn either way, in degrees [default: 10]
    #[arg(long, value_name = "F")]
    pub turn: Option<f32>,

    /// Root mean square of the elastic deformation, in pixels [default: 0.8]
    #[arg(long, value_name = "F")]
    pub elastic: Option<f32>,

    /// Random seed of the deformations; --seed is that of the fit
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub image_seed: u64,

    #[command(flatten)]
    pub base: BaseArgs,

    /// Print scores, times and memory as JSON on standard output
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub settings: SettingArgs,
}
