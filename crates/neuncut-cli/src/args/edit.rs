//! What can be typed after `edit`.

use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  neuncut edit model.safetensors --merge 3,7 -o merged.safetensors
  neuncut edit model.safetensors --split 5:2 --data rows.parquet -o split.safetensors
  neuncut edit model.safetensors --merge 3,7 --merge 1,4,5 --drop 9 --renumber -o smaller.safetensors";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct EditArgs {
    /// The model
    pub model: PathBuf,

    /// Make one cluster of these, which has the smallest of their numbers and the name of the largest; memberships add up. May be given
    /// several times
    #[arg(long, value_name = "A,B")]
    pub merge: Vec<ClusterList>,

    /// Take a cluster away; its rows go where they belong most among those that are left. May be given several times
    #[arg(long, value_name = "A", value_delimiter = ',')]
    pub drop: Vec<u32>,

    /// Split one cluster into several, such as 5:2, by its rows in --data. The first keeps the number, the others have new ones. May be
    /// given several times
    #[arg(long, value_name = "A:PARTS", requires = "data")]
    pub split: Vec<Parts>,

    /// Files whose rows --split looks at, as the model takes them: of more than 20,000 a uniform sample
    #[arg(long, value_name = "DATA", num_args = 1.., requires = "split")]
    pub data: Vec<String>,

    /// Random seed of --split
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,

    /// Renumber clusters without gaps; otherwise every cluster keeps its number, and no row gets the number of one that is gone
    #[arg(long)]
    pub renumber: bool,

    /// Where the model goes
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// A cluster and how many are to be made of it.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    pub cluster: u32,
    pub count: usize,
}

impl std::str::FromStr for Parts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once(':').and_then(|(cluster, count)| {
            Some(Self { cluster: cluster.trim().parse().ok()?, count: count.trim().parse().ok()? })
        });
        parts.ok_or_else(|| format!("`{text}` is no cluster and number of parts such as 5:2"))
    }
}

/// Clusters with commas between.
#[derive(Debug, Clone)]
pub struct ClusterList(pub Vec<u32>);

impl std::str::FromStr for ClusterList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse::<u32>();
        let numbers: Result<Vec<u32>, _> = text.split(',').map(number).collect();
        numbers.map(Self).map_err(|_| format!("`{text}` is no list of clusters such as 3,7"))
    }
}
