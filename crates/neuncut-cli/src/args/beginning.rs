//! Where settings begin, before the flags: a file, or a preset.

use clap::Args;
use std::path::PathBuf;

/// The settings that flags win over.
#[derive(Debug, Args)]
pub struct BaseArgs {
    /// A TOML file of settings by their long names below, such as `train-rows = 5000`; flags win over it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Start from these settings: `default`, or `paper` for Algorithm 1 as written
    #[arg(long, value_parser = ["default", "paper"], conflicts_with = "config")]
    pub preset: Option<String>,
}
