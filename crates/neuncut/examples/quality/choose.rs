//! How often the number of clusters is found: `--choose` with `--suite DIR`, on the sets of a suite.
//!
//! For each set the number that `neuncut choose` recommends, with the two after it, beside those by the largest silhouette and the largest
//! relative eigengap of the same partitions. A number is right within a tenth of the number of classes, which nothing else sees.

use super::suite::options::Options;
use super::suite::sets;
use neuncut::Result;
use neuncut::ensemble::{ClusterCount, CountEvidence, peaks};
use neuncut::train::Silent;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Numbers that each criterion may name.
const NAMED: usize = 3;
/// How far from the number of classes is right.
const TOLERANCE: f64 = 0.1;

/// Sets, first numbers that are right, and sets with one right number among those named.
type Hits = [usize; 3];

type Criterion = (&'static str, fn(&CountEvidence) -> f64);

const CRITERIA: [Criterion; 7] = [
    ("recommended", |e| e.score),
    ("silhouette", |e| e.silhouette),
    ("eigengap", |e| e.eigengap),
    ("stability", |e| e.stability),
    ("gap of merges", |e| e.gap),
    ("modularity", |e| e.modularity),
    ("coding length", |e| -e.coding_length),
];

/// Prints what each criterion names on each set, and how often that is right in each kind.
pub fn run(words: &[String]) -> Result<ExitCode> {
    let words: Vec<String> = words.iter().filter(|word| *word != "--choose").cloned().collect();
    let options = Options::read(&words)?;
    let mut table: BTreeMap<(usize, String), Hits> = BTreeMap::new();
    for set in sets::find(&options)? {
        for seed in 0..options.seeds {
            let data = set.data(seed)?;
            let found = ClusterCount { seed, ..Default::default() }.find(data.rows.view(), &mut Silent)?;
            println!("{} seed {seed}: {} classes; recommended {:?}", set.name, data.clusters, found.recommended);
            let kind = set.name.split('-').next().unwrap_or_default();
            for (c, (_, criterion)) in CRITERIA.iter().enumerate() {
                let named = peaks(found.evidence.iter().map(|e| (e.clusters, criterion(e))), NAMED);
                let is_right = |k: &usize| k.abs_diff(data.clusters) as f64 <= TOLERANCE * data.clusters as f64;
                let hits = table.entry((c, kind.to_owned())).or_default();
                hits[0] += 1;
                hits[1] += usize::from(named.first().is_some_and(is_right));
                hits[2] += usize::from(named.iter().any(is_right));
            }
        }
    }
    println!("\n| criterion | kind | fits | the first is right | one of three is right |\n|---|---|---|---|---|");
    for ((c, kind), [fits, first, any]) in &table {
        let share = |count: &usize| *count as f64 / *fits as f64;
        println!("| {} | {kind} | {fits} | {:.2} | {:.2} |", CRITERIA[*c].0, share(first), share(any));
    }
    Ok(ExitCode::SUCCESS)
}
