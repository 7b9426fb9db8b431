//! What can be typed.

mod beginning;
mod choose;
mod compare;
mod deform;
mod edit;
mod experiment;
mod files;
mod inspect;
mod predict;
mod report;
mod settings;
mod short_help;
mod tune;

pub use beginning::BaseArgs;
pub use choose::ChooseArgs;
pub use compare::CompareArgs;
pub use deform::DeformArgs;
pub use edit::EditArgs;
pub use experiment::ExperimentArgs;
pub use files::Files;
pub use inspect::{InspectArgs, RenameArgs};
pub use predict::PredictArgs;
pub use report::ReportArgs;
pub use settings::{SettingArgs, show_method};
pub use short_help::shortened;
pub use tune::TuneArgs;

use crate::memory::Bytes;
use crate::standard_input::{self, PipeFormat};
use clap::{Args, Parser, Subcommand};
use neuncut::data::{ImageShape, Keep, OnNull, Stream};
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the fit failed (diverged, not converged, data that cannot be clustered)
  2    a flag, argument or configuration value that cannot be used
  3    data that cannot be used (the message names file, row and column), or more memory needed than there is
  4    a model file that cannot be used
  5    a file that cannot be opened, read or written
  130  interrupted; nothing was written

Data goes to standard output, everything else to standard error.";

const FIT_EXAMPLES: &str = "\
Examples:
  neuncut fit embeddings.parquet -k 20
  neuncut fit embeddings.parquet -k auto --report page.html
  neuncut fit this-week.parquet --like last-week.safetensors -o this-week.safetensors
  neuncut fit iris.csv -k 3 --label-column species --labels-out labels.csv
  neuncut fit rows.csv -k 5 --links links.csv
  neuncut fit rows.npy --init labels:hdbscan.csv -o hdbscan.safetensors
  neuncut fit 'parts/*.npy' -k 10 --train-rows 50000 -o parts.safetensors --history curves.csv
  neuncut fit --method kmeans --help      # the settings of another method";

/// Neural normalized cut: clusters that follow the shape of the data, at the speed of a matrix product.
///
/// Fit on a file, label any other:
///
///   neuncut fit embeddings.parquet -k 20 -o model.safetensors
///   neuncut predict model.safetensors more/*.parquet -o labels.parquet
#[derive(Debug, Parser)]
#[command(name = "neuncut", version, after_help = EXIT_CODES, verbatim_doc_comment)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Threads to use (all cores unless given); results do not depend on it
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<usize>,

    /// Memory that large blocks may take together, such as 8G; work that needs more is refused [default: all of the machine's]
    #[arg(long, global = true, value_name = "SIZE", hide_short_help = true)]
    pub max_memory: Option<Bytes>,

    #[command(flatten)]
    pub talk: Talk,
}

/// How much is reported on standard error.
#[derive(Debug, Clone, Copy, Args)]
pub struct Talk {
    /// Print only errors and warnings
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Cluster rows and save a model that labels any other row
    Fit(Box<FitArgs>),
    /// Label rows with a model
    Predict(PredictArgs),
    /// Find how many clusters there are: evidence for every number in a range, without labels
    Choose(ChooseArgs),
    /// Write the features of rows: scattering coefficients, principal components, ...
    Features(FeaturesArgs),
    /// Score labels against the truth: ACC, NMI, ARI
    Eval(EvalArgs),
    /// Fit several methods on the same rows and features, and put their scores into one table
    Compare(Box<CompareArgs>),
    /// Find the penalty's weight gamma without labels
    Tune(Box<TuneArgs>),
    /// Run tables and figures of the paper; what is recorded already is not run again
    Experiment(ExperimentArgs),
    /// Show a model as a page for a browser, or the records of experiments as tables
    Report(ReportArgs),
    /// Write a synthetic data set of any size
    Synth(SynthArgs),
    /// Cluster any number of images: deformed versions of some, made, labelled and scored in a stream
    Deform(Box<DeformArgs>),
    /// Show what a model is and how it was trained
    Inspect(InspectArgs),
    /// Give the clusters of a model names
    Rename(RenameArgs),
    /// Merge, split or drop clusters of a model by hand
    Edit(EditArgs),
    /// Write a model as an ONNX file, which other engines run
    Export(ExportArgs),
    /// Fit and label two built-in shapes, with pictures; needs no files
    Demo(DemoArgs),
    /// Print a completion script for a shell
    Completions {
        /// bash, elvish, fish, powershell or zsh
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command into a directory
    Man {
        /// Directory for the pages
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,

        /// Print all commands and options as one page of Markdown instead
        #[arg(long, conflicts_with = "out")]
        markdown: bool,
    },
}

impl Command {
    /// The rows that a command reads, where it reads some.
    pub fn data(&mut self) -> Option<&mut DataArgs> {
        match self {
            Self::Fit(args) => Some(&mut args.data),
            Self::Predict(args) => Some(&mut args.data),
            Self::Choose(args) => Some(&mut args.data),
            Self::Features(args) => Some(&mut args.data),
            Self::Compare(args) => Some(&mut args.data),
            Self::Tune(args) => Some(&mut args.data),
            Self::Deform(args) => Some(&mut args.data),
            _ => None,
        }
    }
}

/// Which rows and columns.
#[derive(Debug, Clone, Args)]
pub struct DataArgs {
    /// Files, folders, globs or s3://... (builds with `cloud`), as one table: npy, npz (file.npz:array), csv, tsv, jsonl, parquet, arrow,
    /// idx, libsvm (most may be .gz), folders of PNG or JPEG; @FILE is a list, `-` standard input (with --format)
    #[arg(required = true, value_name = "DATA")]
    pub data: Vec<String>,

    /// Columns to use, by name, number (from 1), range (2-17, x1-x16) or glob (x*), separated by commas. Unless given: what the model was
    /// fitted on, or the one column of lists, or all numeric columns that are not ids
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    pub columns: Option<Vec<String>>,

    /// Columns to leave out, written as for --columns
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    pub exclude: Vec<String>,

    /// A column that is not a feature (the true classes, say) and is left out
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,

    /// Whether csv files have a header line (detected unless given)
    #[arg(long, value_name = "BOOL")]
    pub header: Option<bool>,

    /// Rows in which values are missing (null, NaN, empty): refuse names the first, skip leaves them out (their label is null), zero puts 0
    /// [default: refuse]
    #[arg(long, value_name = "refuse|skip|zero")]
    pub on_null: Option<OnNull>,

    /// The shape of the images that flat rows are, such as 16x16 or 32x32x3, for scattering, resize and pages
    #[arg(long, value_name = "HxW")]
    pub image_shape: Option<ImageShape>,

    /// The format of `-`: csv, tsv, jsonl, parquet, arrow, npy (rows alone); two with a comma between for standard input and output. With
    /// a folder as output, the format of its files
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<PipeFormat>,

    /// What can be read in the place of DATA, where that is standard input or objects in stores.
    #[arg(skip)]
    pub local: Option<Vec<String>>,

    /// Rows on standard input that are read as they come.
    #[arg(skip)]
    pub stream: Option<Stream>,
}

impl DataArgs {
    /// Where results go that were named so.
    pub fn target(&self, output: &str) -> String {
        PipeFormat::target(self.format.as_ref(), output, self.is_piped())
    }

    /// The files as they can be read.
    pub fn files(&self) -> Vec<String> {
        self.local.clone().unwrap_or_else(|| self.data.clone())
    }

    /// Whether rows come from standard input.
    pub fn is_piped(&self) -> bool {
        self.data.iter().any(|name| standard_input::is_meant(name))
    }
}

#[derive(Debug, Args)]
#[command(after_help = FIT_EXAMPLES)]
pub struct FitArgs {
    #[command(flatten)]
    pub data: DataArgs,

    /// Where the model goes [default: model.safetensors]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,

    /// Also label every row of DATA into this file: npy, csv, tsv, jsonl, parquet or arrow by the ending; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub labels_out: Option<String>,

    /// Columns of DATA to write beside these labels: `all`, `none`, or names [default: all but lists, where DATA and FILE are tables]
    #[arg(long, value_name = "COLUMNS")]
    pub keep: Option<Keep>,

    /// Also write the learning curves (json or csv by the ending)
    #[arg(long, value_name = "FILE")]
    pub history: Option<String>,

    /// Also write a page for a browser about the fit
    #[arg(long, value_name = "FILE")]
    pub report: Option<String>,

    /// A model that was fitted before: its clusters are the start where they still hold, and clusters that are still there keep their
    /// numbers and names; births, deaths, moves and shifts are reported
    #[arg(long, value_name = "MODEL")]
    pub like: Option<PathBuf>,

    /// Pairs of rows that belong in one cluster or in two, by a table with the columns i, j (rows counted from 0) and link (must or
    /// cannot): the fit keeps as many as it can and reports those that are broken (neuncut, neurcut, ensemble)
    #[arg(long, value_name = "FILE")]
    pub links: Option<PathBuf>,

    /// A column of DATA that says how much each row weighs, and is no feature: zero or positive, in the start, in the sample of
    /// --train-rows and in the shares of clusters (neuncut, neurcut, ensemble, kmeans)
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,

    /// The column of texts, whose words name the clusters and which pages show; `none` for none [default: the only one that there is]
    #[arg(long, value_name = "COLUMN")]
    pub text: Option<String>,

    /// The true classes of all rows of DATA, in the same order: for --report, and for scores by epoch in --json; no fit sees them
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,

    /// Column of TRUTH [default: `label`, or the only one]
    #[arg(long, value_name = "NAME", requires = "truth")]
    pub truth_column: Option<String>,

    #[command(flatten)]
    pub base: BaseArgs,

    /// Print settings and findings as JSON on standard output
    #[arg(long)]
    pub json: bool,

    /// Print how many seconds each stage took
    #[arg(long)]
    pub timings: bool,

    #[command(flatten)]
    pub settings: SettingArgs,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "neuncut features [OPTIONS] <CHAIN> <DATA>... -o <FILE>\n       neuncut features [OPTIONS] --load <STEPS> <DATA>... -o <FILE>"
)]
pub struct FeaturesArgs {
    // The first of DATA is the chain.
    #[command(flatten)]
    pub data: DataArgs,

    /// Where the features go: npy, csv, tsv, jsonl, parquet or arrow by the ending; `-` is standard output, csv unless --format says
    /// otherwise
    #[arg(short, long, value_name = "FILE")]
    pub output: String,

    /// Also keep the fitted steps in this file
    #[arg(long, value_name = "STEPS", conflicts_with = "load")]
    pub save: Option<String>,

    /// Use the steps of this file, fitted before, instead of fitting the chain
    #[arg(long, value_name = "STEPS")]
    pub load: Option<PathBuf>,

    /// Random seed of the autoencoder; `fit` with the same seed has the same features
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Labels that were found: npy, csv, parquet, arrow, idx or one per line
    pub labels: PathBuf,

    /// The true classes, in the same order
    pub truth: PathBuf,

    /// Column of LABELS [default: `label`, or the only one]
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,

    /// Column of TRUTH [default: `label`, or the only one]
    #[arg(long, value_name = "NAME")]
    pub truth_column: Option<String>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SynthArgs {
    /// The shape
    #[arg(value_parser = neuncut::data::synthetic::Shape::NAMES)]
    pub shape: String,

    /// Number of rows
    #[arg(short, long = "rows", value_name = "N")]
    pub n: u64,

    /// Standard deviation of the noise (each shape has its own default)
    #[arg(long, allow_negative_numbers = true, value_name = "F")]
    pub noise: Option<f32>,

    /// Random seed
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,

    /// Where the rows go: npy, csv, tsv, parquet or arrow by the ending; `-` is csv on standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: String,

    /// Where the true classes go
    #[arg(long, value_name = "FILE")]
    pub truth: Option<String>,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The model
    pub model: PathBuf,

    /// Where the ONNX file goes; its input is `rows`, its outputs are `memberships` and `labels`
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Rows to label of each shape
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    pub rows: u64,

    /// Directory for pictures and models
    #[arg(long, default_value = "neuncut-demo", value_name = "DIR")]
    pub out: PathBuf,

    /// Random seed
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,

    /// Print the scores as JSON on standard output
    #[arg(long)]
    pub json: bool,
}
