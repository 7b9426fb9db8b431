//! Scores of other programs on the same sets, from `peers.csv`.

use neuncut::{Error, Result};
use std::collections::HashMap;
use std::path::Path;

/// The programs, as columns of the file and as they are called in tables.
pub const NAMES: [(&str, &str); 6] = [
    ("kmeans", "k-means"),
    ("kmeans_std", "k-means std"),
    ("ward", "Ward"),
    ("spectral", "spectral"),
    ("leiden", "Leiden"),
    ("umap_kmeans", "UMAP+k-means"),
];

/// Accuracy of each peer on each set, where it was run.
#[derive(Default)]
pub struct Peers(HashMap<String, [Option<f64>; 6]>);

impl Peers {
    /// Reads `peers.csv`; nothing where there is none.
    pub fn read(directory: &Path) -> Result<Self> {
        let path = directory.join("peers.csv");
        if !path.exists() {
            return Ok(Self::default());
        }
        let wrong = |e: csv::Error| Error::Degenerate(format!("{}: {e}", path.display()));
        let mut reader = csv::Reader::from_path(&path).map_err(wrong)?;
        let headers = reader.headers().map_err(wrong)?.clone();
        let place = |name: &str| headers.iter().position(|header| header == name);
        let (set, columns) = (place("set").unwrap_or(0), NAMES.map(|(name, _)| place(name)));
        let mut of_set = HashMap::new();
        for line in reader.records() {
            let line = line.map_err(wrong)?;
            let scores = columns.map(|column| column.and_then(|c| line.get(c)).and_then(|text| text.parse().ok()));
            of_set.insert(line.get(set).unwrap_or_default().to_owned(), scores);
        }
        Ok(Self(of_set))
    }

    pub fn of(&self, set: &str) -> [Option<f64>; 6] {
        self.0.get(set).copied().unwrap_or_default()
    }

    /// The best score on a set.
    pub fn best(&self, set: &str) -> Option<f64> {
        self.of(set).into_iter().flatten().reduce(f64::max)
    }
}
