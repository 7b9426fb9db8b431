//! Which criterion picks the best of a pool of partitions: `--judges DIR`, on the sets of a suite.
//!
//! Each judge picks one partition per set; its accuracy is averaged over the sets of a kind, separately for few and many columns. Then each
//! kind is held out: the judge that is best on the other kinds is asked there. Labels score what was picked, and nothing else.

mod criteria;
mod held_out;

use super::suite::options::Options;
use super::suite::sets;
use criteria::{Judge, NEIGHBORS, Pools, judges};
use neuncut::Result;
use neuncut::ensemble::{Ensemble, EnsembleOptions, Pool};
use neuncut::metrics::accuracy;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Rows of a set that are looked at.
const ROWS: usize = 6000;

/// For each kind and judge the accuracy of what was picked, set by set.
pub type Scores = BTreeMap<String, Vec<Vec<f64>>>;

/// Prints the mean accuracy per kind of what each judge picks, and what is picked where a kind is held out.
pub fn run(words: &[String]) -> Result<ExitCode> {
    let words: Vec<String> =
        words.iter().map(|word| if word == "--judges" { "--suite".into() } else { word.clone() }).collect();
    let options = Options::read(&words)?;
    let judges = judges();
    let (mut scores, mut best) = (Scores::new(), BTreeMap::<String, Vec<f64>>::new());
    for set in sets::find(&options)? {
        let data = set.data(0)?;
        let n = data.rows.nrows().min(ROWS);
        let rows = data.rows.slice(ndarray::s![..n, ..]);
        let constants = EnsembleOptions {
            judges_few_columns: NEIGHBORS.to_vec(),
            judges_many_columns: NEIGHBORS.to_vec(),
            neighbors_per_root: f64::from(u16::MAX),
            ..Default::default()
        };
        let ensemble = Ensemble { options: constants, ..Ensemble::new(data.clusters) };
        let pools = Pools::of(&ensemble, rows)?;
        let accuracies = accuracies(&pools.all, &data.truth[..n])?;
        let columns = if rows.ncols() <= EnsembleOptions::default().few_columns { "few" } else { "many" };
        let kind = format!("{columns} columns, {}", set.name.split('-').next().unwrap_or_default());
        best.entry(kind.clone()).or_default().push(accuracies.iter().copied().fold(0.0, f64::max));
        let of_kind = scores.entry(kind).or_insert_with(|| vec![Vec::new(); judges.len()]);
        for (judge, picked) in judges.iter().zip(of_kind) {
            picked.push(accuracies[pools.pick(judge)?]);
        }
        eprintln!("{}: {} partitions", set.name, pools.all.partitions.len());
    }
    print(&judges, &scores, &best);
    held_out::print(&judges, &scores);
    Ok(ExitCode::SUCCESS)
}

fn accuracies(pool: &Pool, truth: &[Option<u32>]) -> Result<Vec<f64>> {
    let known: Vec<usize> = (0..truth.len()).filter(|&i| truth[i].is_some()).collect();
    let classes: Vec<u32> = known.iter().filter_map(|&i| truth[i]).collect();
    let score = |labels: &[u32]| {
        let found: Vec<u32> = known.iter().map(|&i| labels[pool.of_row[i]]).collect();
        accuracy(&found, &classes)
    };
    pool.partitions.iter().map(|partition| score(&partition.labels)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn print(judges: &[Judge], scores: &Scores, best: &BTreeMap<String, Vec<f64>>) {
    let kinds: Vec<String> = best.iter().map(|(kind, values)| format!("{kind} ({})", values.len())).collect();
    println!("| judge | neighbours | graphs | {} |", kinds.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(kinds.len()));
    for (at, judge) in judges.iter().enumerate() {
        let means: Vec<String> = scores.values().map(|of_judge| format!("{:.3}", mean(&of_judge[at]))).collect();
        println!("| {} | {} |", judge.cells(), means.join(" | "));
    }
    let means: Vec<String> = best.values().map(|values| format!("{:.3}", mean(values))).collect();
    println!("| the best, by labels | | | {} |", means.join(" | "));
}
