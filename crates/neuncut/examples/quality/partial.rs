//! What labels of some rows do: `--partial` with `--suite DIR`, on the sets of a suite.
//!
//! Each set is fitted without labels, and with true labels of 5%, 20% and 50% of its rows, drawn at random: all fits are into as many
//! clusters as there are classes. The accuracy is that of rows whose label was not given, of both fits.

use super::suite::options::Options;
use super::suite::sets;
use ndarray::ArrayView2;
use neuncut::job::{Job, StartLabels};
use neuncut::methods::{Method, Start};
use neuncut::metrics::scores;
use neuncut::{Config, Error, Result, Seed};
use rand::seq::SliceRandom;
use std::process::ExitCode;

/// Shares of rows with a label.
const SHARES: [f64; 3] = [0.05, 0.2, 0.5];

/// Prints the mean accuracy without and with labels for each set and share.
pub fn run(words: &[String]) -> Result<ExitCode> {
    let words: Vec<String> = words.iter().filter(|word| *word != "--partial").cloned().collect();
    let options = Options::read(&words)?;
    println!("| set | {} |", SHARES.map(|share| format!("{:.0}%", 100.0 * share)).join(" | "));
    println!("|---|{}", "---|".repeat(SHARES.len()));
    for set in sets::find(&options)? {
        let mut sums = [[0.0; 2]; SHARES.len()];
        for seed in 0..options.seeds {
            let data = set.data(seed)?;
            let config = Config { seed, ..options.config(data.clusters)? };
            let without = fit(&config, data.rows.view(), None)?;
            for (share, sums) in SHARES.iter().zip(&mut sums) {
                let given = given(&data.truth, *share, seed);
                let with = fit(&config, data.rows.view(), Some(given.clone()))?;
                for (sum, labels) in sums.iter_mut().zip([&without, &with]) {
                    let rows = labels.iter().zip(&data.truth).zip(&given).filter(|(_, given)| given.is_none());
                    let known = rows.filter_map(|((&label, &class), _)| Some((label, class?)));
                    let (labels, classes): (Vec<u32>, Vec<u32>) = known.unzip();
                    *sum += scores(&labels, &classes)?.accuracy / options.seeds as f64;
                }
            }
        }
        let cells = sums.map(|[without, with]| format!("{without:.3}, {with:.3}"));
        println!("| {} | {} |", set.name, cells.join(" | "));
    }
    Ok(ExitCode::SUCCESS)
}

/// The classes of a share of the rows.
fn given(classes: &[Option<u32>], share: f64, seed: u64) -> Vec<Option<u32>> {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.shuffle(&mut Seed(seed).stream("given labels"));
    let mut given = vec![None; classes.len()];
    order[..(share * classes.len() as f64) as usize].iter().for_each(|&row| given[row] = classes[row]);
    given
}

/// The labels of a fit that starts from those given, which are counted on where a class has none.
fn fit(config: &Config, rows: ArrayView2<f32>, given: Option<Vec<Option<u32>>>) -> Result<Vec<u32>> {
    let mut config = config.clone();
    if given.is_some() {
        match &mut config.method {
            Method::NeuNcut(options) => options.init = Start::Labels(None),
            other => return Err(Error::config("method", other, "neuncut, which starts from labels")),
        }
    }
    let mut job = Job::new(config)?;
    job.start = given.map(|labels| StartLabels { path: "given".into(), labels: in_order(labels), names: Vec::new() });
    Ok(job.fit(rows)?.labels)
}

/// The same labels without gaps between their numbers.
fn in_order(labels: Vec<Option<u32>>) -> Vec<Option<u32>> {
    let mut used: Vec<u32> = labels.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let number = |label: u32| used.partition_point(|&other| other < label) as u32;
    labels.into_iter().map(|label| label.map(number)).collect()
}
