//! Real sets in a directory of data sets: `digits/x.npy` and so on.

use ndarray::Array2;
use neuncut::data::{Table, TableSpec, read_labels, sample_rows};
use neuncut::features::{ArrayRows, Chain, ChainOptions};
use neuncut::metrics::encode;
use neuncut::train::Silent;
use neuncut::{Result, Seed, TableError};
use std::path::{Path, PathBuf};

/// Rows of a real set that are fitted and scored.
const REAL_ROWS: usize = 20_000;
/// The paper's features of images.
const SCATTERING: &str = "scattering,pca=500";

/// Rows, the class of each (none for scattered ones), and the number of clusters.
pub struct Data {
    pub rows: Array2<f32>,
    pub truth: Vec<Option<u32>>,
    pub clusters: usize,
}

/// Files of rows and of their classes, and the chain of feature steps.
pub struct RealSet {
    pub rows: Vec<PathBuf>,
    pub truth: Vec<PathBuf>,
    pub chain: &'static str,
}

impl RealSet {
    /// The sets of a directory whose files are there, with their names.
    pub fn all(directory: &Path) -> Vec<(String, Self)> {
        let tables = ["digits", "usps", "pendigits", "ocr-letters"];
        let mut there: Vec<_> = tables.map(|name| (name.to_owned(), Self::table(directory.join(name)))).into();
        for name in ["mnist", "fashion-mnist"] {
            there.push((format!("{name} pixels"), Self::images(directory.join(name), "")));
            there.push((format!("{name} scattering"), Self::images(directory.join(name), SCATTERING)));
        }
        there.retain(|(_, set)| set.rows.iter().all(|path| path.exists()));
        there
    }

    /// `x.npy` and `y.npy`.
    fn table(directory: PathBuf) -> Self {
        Self { rows: vec![directory.join("x.npy")], truth: vec![directory.join("y.npy")], chain: "" }
    }

    /// The four files of MNIST and of sets in its form.
    fn images(directory: PathBuf, chain: &'static str) -> Self {
        let files = |kind: &str| ["train", "t10k"].map(|part| directory.join(format!("{part}-{kind}-ubyte.gz"))).into();
        Self { rows: files("images-idx3"), truth: files("labels-idx1"), chain }
    }

    /// A uniform sample of the rows with its features.
    pub fn data(&self, seed: u64) -> Result<Data> {
        let paths = self.rows.iter().map(|path| path.display().to_string()).collect();
        let mut table = Table::open(&TableSpec { paths, ..Default::default() })?;
        let shape = table.image_shape();
        let sample =
            sample_rows::<TableError>(&mut table, REAL_ROWS, &mut Seed(seed).stream("sample"), &mut |_| Ok(()))?;
        let mut rows = sample.rows;
        if !self.chain.is_empty() {
            let chain: Chain = self.chain.parse()?;
            let options = ChainOptions { seed, ..Default::default() };
            let fitted = chain.fit(&mut ArrayRows::new(rows.view(), shape), &options, &mut Silent)?;
            rows = fitted.pipeline.apply(rows);
        }
        let truth: Result<Vec<Vec<String>>, TableError> =
            self.truth.iter().map(|path| read_labels(path, None)).collect();
        let classes = encode(&truth?.concat());
        let clusters = classes.iter().max().map_or(0, |&c| c as usize + 1);
        let truth = sample.indices.iter().map(|&i| Some(classes[i as usize])).collect();
        Ok(Data { rows, truth, clusters })
    }
}
