//! Which criterion picks the best of a pool of partitions: `--judges DIR`, on the sets of a suite.
//!
//! Each criterion on 10, 20 and 30 neighbours, on the graphs of a partition's own representation or by the mean rank on those of all,
//! picks one partition per set; its accuracy is averaged over the sets of a kind. Labels score what was picked.

use super::suite::options::Options;
use super::suite::sets;
use neuncut::Result;
use neuncut::ensemble::{Ensemble, EnsembleOptions, Pool};
use neuncut::graph::Joint;
use neuncut::metrics::accuracy;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Rows of a set that are looked at.
const ROWS: usize = 6000;
/// Neighbours of the judging graphs.
const NEIGHBORS: [usize; 3] = [10, 20, 30];

type Criterion = (&'static str, fn(&Joint) -> f64);

/// Higher is better.
const CRITERIA: [Criterion; 7] = [
    ("-Ncut", |joint| -joint.ncut()),
    ("-log cut", |joint| -joint.log_cut()),
    ("-min-max cut", |joint| -joint.min_max_cut()),
    ("share not cut", Joint::kept),
    ("modularity", Joint::modularity),
    ("mutual information", Joint::information),
    ("its share of the entropy", Joint::information_share),
];

/// Prints the mean accuracy per kind of what each judge picks.
pub fn run(words: &[String]) -> Result<ExitCode> {
    let words: Vec<String> =
        words.iter().map(|word| if word == "--judges" { "--suite".into() } else { word.clone() }).collect();
    let options = Options::read(&words)?;
    let mut table: BTreeMap<(usize, usize, bool), BTreeMap<String, Vec<f64>>> = BTreeMap::new();
    let mut best: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for set in sets::find(&options)? {
        let data = set.data(0)?;
        let n = data.rows.nrows().min(ROWS);
        let rows = data.rows.slice(ndarray::s![..n, ..]);
        let counts = NEIGHBORS.to_vec();
        let constants = EnsembleOptions {
            judges_few_columns: counts.clone(),
            judges_many_columns: counts,
            neighbors_per_root: f64::from(u16::MAX),
            ..Default::default()
        };
        let pool = Ensemble { options: constants, ..Ensemble::new(data.clusters) }.pool(rows)?;
        let scores = accuracies(&pool, &data.truth[..n])?;
        let columns = if rows.ncols() <= EnsembleOptions::default().few_columns { "few" } else { "many" };
        let kind = format!("{}, {columns} columns", set.name.split('-').next().unwrap_or_default());
        best.entry(kind.clone()).or_default().push(scores.iter().copied().fold(0.0, f64::max));
        for (g, _) in NEIGHBORS.iter().enumerate() {
            let joints = joints(&pool, g, data.clusters);
            for (c, (_, criterion)) in CRITERIA.iter().enumerate() {
                for own in [true, false] {
                    let picked = pick(&pool, &joints, *criterion, own);
                    table.entry((c, g, own)).or_default().entry(kind.clone()).or_default().push(scores[picked]);
                }
            }
        }
        eprintln!("{}: {} partitions", set.name, pool.partitions.len());
    }
    print(&table, &best);
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

/// For each partition its joint distribution on the graph of each representation.
fn joints(pool: &Pool, neighbors: usize, k: usize) -> Vec<Vec<Joint>> {
    let on = |labels: &[u32]| pool.graphs.iter().map(|(_, graphs)| Joint::of(&graphs[neighbors], labels, k)).collect();
    pool.partitions.iter().map(|partition| on(&partition.labels)).collect()
}

/// The partition of the highest mark on its own graph, or of the lowest mean rank on all.
fn pick(pool: &Pool, joints: &[Vec<Joint>], criterion: fn(&Joint) -> f64, own: bool) -> usize {
    let marks: Vec<Vec<f64>> = joints.iter().map(|joints| joints.iter().map(criterion).collect()).collect();
    let cost = |p: usize| match own {
        true => -marks[p][pool.partitions[p].representation],
        false => {
            let better = |g: usize| marks.iter().filter(|other| other[g] > marks[p][g]).count();
            (0..pool.graphs.len()).map(better).sum::<usize>() as f64
        }
    };
    (0..pool.partitions.len()).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(0)
}

fn print(table: &BTreeMap<(usize, usize, bool), BTreeMap<String, Vec<f64>>>, best: &BTreeMap<String, Vec<f64>>) {
    let mean = |values: &Vec<f64>| format!("{:.3}", values.iter().sum::<f64>() / values.len() as f64);
    let kinds: Vec<String> = best.iter().map(|(kind, values)| format!("{kind} ({})", values.len())).collect();
    println!("| judge | neighbours | graphs | {} |", kinds.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(kinds.len()));
    for (&(c, g, own), of_kind) in table {
        let scores: Vec<String> = of_kind.values().map(mean).collect();
        let graphs = if own { "own" } else { "all" };
        println!("| {} | {} | {graphs} | {} |", CRITERIA[c].0, NEIGHBORS[g], scores.join(" | "));
    }
    let scores: Vec<String> = best.values().map(mean).collect();
    println!("| the best, by labels | | | {} |", scores.join(" | "));
}
