//! Each kind of data held out in turn: the judge that is best on the other kinds of as many columns, few or many, is asked there.

use super::criteria::Judge;
use super::{Scores, mean};

/// Prints for each kind which judge the others would choose, and how it does.
pub fn print(judges: &[Judge], scores: &Scores) {
    println!(
        "\n| held out | best on the other kinds | its mean there | the best judge there | its mean |\n|---|---|---|---|---|"
    );
    for (kind, of_judge) in scores {
        let class = columns(kind);
        let others: Vec<&Vec<Vec<f64>>> =
            scores.iter().filter(|(other, _)| *other != kind && columns(other) == class).map(|(_, s)| s).collect();
        if others.is_empty() {
            continue;
        }
        let elsewhere = |at: &usize| others.iter().map(|of_judge| mean(&of_judge[*at])).sum::<f64>();
        let here = |at: &usize| mean(&of_judge[*at]);
        let highest = |of: &dyn Fn(&usize) -> f64| (0..judges.len()).rev().max_by(|a, b| of(a).total_cmp(&of(b)));
        if let (Some(chosen), Some(best)) = (highest(&elsewhere), highest(&here)) {
            let (name, best_name) = (judges[chosen].name(), judges[best].name());
            println!("| {kind} | {name} | {:.3} | {best_name} | {:.3} |", here(&chosen), here(&best));
        }
    }
}

/// `few` or `many`.
fn columns(kind: &str) -> &str {
    kind.split(' ').next().unwrap_or_default()
}
