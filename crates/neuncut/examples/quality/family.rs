//! The default fit on a family of shapes and on real sets, beside k-means and, where `--peer` names a program, scikit-learn's
//! SpectralClustering: `cargo xtask quality` sets that up.
//!
//! Options: `--seeds N`, `--only TEXT` (sets whose name contains it), `--peer PYTHON SCRIPT`, `--real DIR` (`digits/x.npy` and so on).
//! Labels score finished results only.

use super::real::{Data, RealSet};
use ndarray::Array2;
use neuncut::baselines::KMeans;
use neuncut::clustering::{Clusterer, Clustering};
use neuncut::data::synthetic::{Shape, quality_family};
use neuncut::job::Job;
use neuncut::methods::Config;
use neuncut::metrics::accuracy;
use neuncut::{Error, Result, Seed};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Rows of a shape: so many, or so many a cluster if that is more.
const ROWS: usize = 2000;
const ROWS_A_CLUSTER: usize = 40;
/// Rows and clusters up to which the peer is asked: its time grows with both.
const PEER_ROWS: usize = 12_000;
const PEER_CLUSTERS: usize = 60;
/// A set is lost where the better rival is ahead by more.
const LOSS: f64 = 0.01;

/// The least mean accuracy over seeds that a set must have. Stretched clouds touch, and sizes of 1:50 leave a class of 20 rows.
const FLOORS: [(&str, f64); 30] = [
    ("rings", 0.999),
    ("double-c", 0.999),
    ("moons", 0.999),
    ("sizes 1:50", 0.98),
    ("unequal density", 0.95),
    ("stretched", 0.95),
    ("blobs, 5% scattered", 0.99),
    ("stripes", 0.99),
    ("nested", 0.99),
    ("bridge", 0.97),
    ("2 spirals", 0.99),
    ("3 spirals", 0.99),
    ("2 blobs", 0.99),
    ("3 blobs", 0.99),
    ("10 blobs", 0.99),
    ("50 blobs", 0.97),
    ("rings in 10 dimensions", 0.99),
    ("rings in 100 dimensions", 0.95),
    ("5 blobs in 10 dimensions", 0.99),
    ("5 blobs in 100 dimensions", 0.97),
    ("sphere 10 x 64", 0.99),
    ("sphere 100 x 128", 0.97),
    ("sphere 1000 x 768", 0.90),
    ("digits", 0.95),
    ("usps", 0.945),
    ("pendigits", 0.875),
    ("ocr-letters", 0.34),
    ("mnist pixels", 0.82),
    ("mnist scattering", 0.983),
    ("fashion-mnist scattering", 0.738),
];

/// A data set to score on.
enum Set {
    Shape(Shape),
    Real(RealSet),
}

#[derive(Default)]
struct Options {
    seeds: u64,
    only: String,
    peer: Option<(String, String)>,
    real: Option<PathBuf>,
}

impl Options {
    fn read(words: &[String]) -> Self {
        let mut options = Self { seeds: 5, ..Default::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut next = || words.next().cloned().unwrap_or_default();
            match word.as_str() {
                "--seeds" => options.seeds = next().parse().unwrap_or(5),
                "--only" => options.only = next(),
                "--peer" => options.peer = Some((next(), next())),
                "--real" => options.real = Some(next().into()),
                _ => {}
            }
        }
        options
    }

    fn sets(&self) -> Vec<(String, Set)> {
        let mut sets: Vec<_> = quality_family().into_iter().map(|(name, shape)| (name, Set::Shape(shape))).collect();
        if let Some(real) = &self.real {
            sets.extend(RealSet::all(real).into_iter().map(|(name, set)| (name, Set::Real(set))));
        }
        sets.retain(|(name, _)| name.contains(&self.only));
        sets
    }
}

impl Set {
    fn data(&self, seed: u64) -> Result<Data> {
        match self {
            Self::Shape(shape) => {
                let mut generator = shape.generator(None, Seed(seed))?;
                let clusters = generator.n_classes();
                let (mut rows, mut labels) = (Vec::new(), Vec::new());
                let n = ROWS.max(ROWS_A_CLUSTER * clusters);
                generator.fill(n, &mut rows, &mut labels);
                let rows = Array2::from_shape_vec((n, generator.dimension()), rows)
                    .map_err(|e| Error::Degenerate(e.to_string()))?;
                Ok(Data { rows, truth: labels.iter().map(|&l| u32::try_from(l).ok()).collect(), clusters })
            }
            Self::Real(set) => set.data(seed),
        }
    }
}

/// Accuracy on the rows that have a class.
fn score(labels: &[u32], truth: &[Option<u32>]) -> Result<f64> {
    let (found, classes): (Vec<u32>, Vec<u32>) =
        labels.iter().zip(truth).filter_map(|(&label, class)| class.map(|class| (label, class))).unzip();
    accuracy(&found, &classes)
}

fn ask_peer((python, script): &(String, String), data: &Data, seed: u64) -> Result<Option<f64>> {
    if data.rows.nrows() > PEER_ROWS || data.clusters > PEER_CLUSTERS {
        return Ok(None);
    }
    let directory = std::env::temp_dir();
    let file = directory.join(format!("neuncut-quality-{}.f32", std::process::id()));
    let bytes: Vec<u8> = data.rows.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(&file, bytes).map_err(Error::io("write", &file))?;
    let numbers = [data.rows.ncols() as u64, data.clusters as u64, seed].map(|n| n.to_string());
    let output = Command::new(python).arg(script).arg(&file).args(numbers).output();
    let _ = std::fs::remove_file(&file);
    let output = output.map_err(Error::io("run", Path::new(python)))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let labels: Vec<u32> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    if labels.len() != data.truth.len() {
        return Ok(None);
    }
    score(&labels, &data.truth).map(Some)
}

/// Mean and least of the values there are.
fn mean_and_least(values: &[f64]) -> (f64, f64) {
    (values.iter().sum::<f64>() / values.len() as f64, values.iter().copied().fold(f64::INFINITY, f64::min))
}

/// Mean accuracies on one set.
struct Means {
    ours: f64,
    kmeans: f64,
    peer: Option<f64>,
}

/// A score, or a dash where there is none.
fn shown(score: Option<f64>) -> String {
    score.map_or("-".to_owned(), |score| format!("{score:.4}"))
}

/// Scores the family and prints its table.
pub fn run(words: &[String]) -> Result<ExitCode> {
    let options = Options::read(words);
    println!("| set | k | ours, mean | least | k-means | SpectralClustering | seconds a fit | floor |");
    println!("|---|---|---|---|---|---|---|---|");
    let (mut missed, mut lost, mut means) = (Vec::new(), Vec::new(), Vec::new());
    for (name, set) in options.sets() {
        let (mut ours, mut kmeans, mut peer, mut seconds, mut clusters) = (vec![], vec![], vec![], 0.0, 0);
        for seed in 0..options.seeds {
            let data = set.data(seed)?;
            clusters = data.clusters;
            let begin = Instant::now();
            let fitted = Job::new(Config { seed, ..Config::new(clusters) })?.fit(data.rows.view())?;
            seconds += begin.elapsed().as_secs_f64() / options.seeds as f64;
            ours.push(score(fitted.labels(), &data.truth)?);
            let restarts = if clusters > 100 { 1 } else { 10 };
            let means = KMeans { seed, restarts, ..KMeans::new(clusters) }.fit(data.rows.view())?;
            kmeans.push(score(means.labels(), &data.truth)?);
            if let Some(program) = &options.peer {
                peer.extend(ask_peer(program, &data, seed)?);
            }
        }
        let (mean, least) = mean_and_least(&ours);
        let (by_means, _) = mean_and_least(&kmeans);
        let by_peer = (!peer.is_empty()).then(|| mean_and_least(&peer).0);
        let floor = FLOORS.iter().find(|(known, _)| *known == name).map(|(_, floor)| *floor);
        println!(
            "| {name} | {clusters} | {mean:.4} | {least:.4} | {by_means:.4} | {} | {seconds:.1} | {} |",
            shown(by_peer),
            shown(floor)
        );
        if floor.is_some_and(|floor| mean < floor) {
            missed.push(name.clone());
        }
        if mean < by_means.max(by_peer.unwrap_or(0.0)) - LOSS {
            lost.push(name.clone());
        }
        means.push(Means { ours: mean, kmeans: by_means, peer: by_peer });
    }
    let average = |of: fn(&Means) -> Option<f64>| {
        let values: Vec<f64> = means.iter().filter_map(of).collect();
        shown((!values.is_empty()).then(|| mean_and_least(&values).0))
    };
    println!(
        "\nmean over {} sets: ours {}, k-means {}; SpectralClustering {} on the sets it was run on",
        means.len(),
        average(|m| Some(m.ours)),
        average(|m| Some(m.kmeans)),
        average(|m| m.peer)
    );
    println!("behind the better rival by more than {LOSS}: {} {lost:?}", lost.len());
    println!("below the floor: {} {missed:?}", missed.len());
    Ok(if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
