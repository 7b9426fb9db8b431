//! The tables of a run.

use super::peers::{NAMES, Peers};
use super::record::Run;
use std::collections::BTreeMap;

/// A set is lost where the best peer is ahead by more.
const LOSS: f64 = 0.02;
/// Differences between two records that are listed.
const NOTABLE: f64 = 0.005;

/// The mean of a set over seeds.
struct Mean {
    clusters: usize,
    accuracy: f64,
    least: f64,
    nmi: f64,
    seconds: f64,
}

fn means<'a>(runs: impl IntoIterator<Item = &'a Run>) -> BTreeMap<String, Mean> {
    let mut of_set: BTreeMap<String, Vec<&Run>> = BTreeMap::new();
    runs.into_iter().for_each(|run| of_set.entry(run.set.clone()).or_default().push(run));
    let mean = |runs: Vec<&Run>| {
        let of = |value: fn(&Run) -> f64| runs.iter().map(|run| value(run)).sum::<f64>() / runs.len() as f64;
        let least = runs.iter().map(|run| run.accuracy).fold(f64::INFINITY, f64::min);
        let clusters = runs.first().map_or(0, |run| run.clusters);
        Mean { clusters, accuracy: of(|r| r.accuracy), least, nmi: of(|r| r.nmi), seconds: of(|r| r.seconds) }
    };
    of_set.into_iter().map(|(set, runs)| (set, mean(runs))).collect()
}

fn kind(set: &str) -> &str {
    set.split('-').next().unwrap_or(set)
}

/// One fit in a line.
pub fn line(run: &Run, peers: &Peers) -> String {
    let best = peers.best(&run.set);
    let loss = best
        .filter(|best| best - run.accuracy > LOSS)
        .map_or(String::new(), |best| format!("  LOSS {:.3}", best - run.accuracy));
    let best = best.map_or(String::new(), |best| format!("  best peer {best:.3}"));
    format!(
        "{:34} seed {}  acc {:.4}  nmi {:.3}  {:5.1} s{best}  {}{}{loss}",
        run.set,
        run.seed,
        run.accuracy,
        run.nmi,
        run.seconds,
        run.start,
        if run.guard_kept_start { "" } else { ", trained" }
    )
}

/// Every set beside the peers, then the kinds, then the losses.
pub fn print(runs: &[&Run], peers: &Peers) {
    let means = means(runs.iter().copied());
    let shown = |score: Option<f64>| score.map_or("-".to_owned(), |score| format!("{score:.3}"));
    let names: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
    println!("\n| set | k | ACC | least | NMI | seconds | {} |", names.join(" | "));
    println!("|---|---|---|---|---|---|{}", "---|".repeat(NAMES.len()));
    for (set, mean) in &means {
        let others = peers.of(set).map(shown).join(" | ");
        let Mean { clusters, accuracy, least, nmi, seconds } = mean;
        println!("| {set} | {clusters} | {accuracy:.4} | {least:.4} | {nmi:.4} | {seconds:.1} | {others} |");
    }
    println!(
        "\n| kind | sets | ACC | NMI | mean rank of 7 | {} | best of each | losses | seconds |",
        names.join(" | ")
    );
    println!("|---|---|---|---|---|{}---|---|---|", "---|".repeat(NAMES.len()));
    let mut kinds: Vec<&str> = means.keys().map(|set| kind(set)).collect();
    kinds.dedup();
    for of_kind in kinds {
        let group: Vec<(&String, &Mean)> = means.iter().filter(|(set, _)| kind(set) == of_kind).collect();
        let n = group.len() as f64;
        let average = |value: &dyn Fn(&Mean) -> f64| group.iter().map(|(_, mean)| value(mean)).sum::<f64>() / n;
        let average_peer = |at: usize| {
            let scores: Vec<f64> = group.iter().filter_map(|(set, _)| peers.of(set)[at]).collect();
            shown((!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64))
        };
        let rank = |(set, mean): &(&String, &Mean)| {
            1 + peers.of(set).into_iter().flatten().filter(|&peer| peer > mean.accuracy + 1e-9).count()
        };
        let rank = group.iter().map(rank).sum::<usize>() as f64 / n;
        let best: Vec<f64> = group.iter().filter_map(|(set, _)| peers.best(set)).collect();
        let best = shown((!best.is_empty()).then(|| best.iter().sum::<f64>() / best.len() as f64));
        let losses = group.iter().filter(|(set, mean)| loss(peers, set, mean) > LOSS).count();
        let others: Vec<String> = (0..NAMES.len()).map(average_peer).collect();
        println!(
            "| {of_kind} | {} | {:.4} | {:.4} | {rank:.2} | {} | {best} | {losses} | {:.0} |",
            group.len(),
            average(&|mean| mean.accuracy),
            average(&|mean| mean.nmi),
            others.join(" | "),
            average(&|mean| mean.seconds) * n
        );
    }
    let mut lost: Vec<(f64, &String)> = means.iter().map(|(set, mean)| (loss(peers, set, mean), set)).collect();
    lost.retain(|(loss, _)| *loss > LOSS);
    lost.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("\nbehind the best peer by more than {LOSS}: {}", lost.len());
    lost.iter().for_each(|(loss, set)| println!("  {set}: {loss:.3}"));
}

/// How far the best peer is ahead.
fn loss(peers: &Peers, set: &str, mean: &Mean) -> f64 {
    peers.best(set).unwrap_or(0.0) - mean.accuracy
}

/// What changed since another record, over the sets that both have.
pub fn print_against(runs: &[&Run], before: &[Run]) {
    let (now, before) = (means(runs.iter().copied()), means(before));
    let both: Vec<(&String, &Mean, &Mean)> =
        now.iter().filter_map(|(set, mean)| before.get(set).map(|old| (set, mean, old))).collect();
    println!("\nagainst the other record, {} sets in both:", both.len());
    for (set, new, old) in both.iter().filter(|(_, new, old)| (new.accuracy - old.accuracy).abs() > NOTABLE) {
        let change = new.accuracy - old.accuracy;
        println!("  {set}: {:.4} was {:.4} ({change:+.4})", new.accuracy, old.accuracy);
    }
    let mut kinds: Vec<&str> = both.iter().map(|(set, ..)| kind(set)).collect();
    kinds.dedup();
    for of_kind in kinds {
        let group: Vec<_> = both.iter().filter(|(set, ..)| kind(set) == of_kind).collect();
        let sum = |value: &dyn Fn(&(&String, &Mean, &Mean)) -> f64| group.iter().map(|all| value(all)).sum::<f64>();
        let n = group.len() as f64;
        println!(
            "  {of_kind}: ACC {:.4} was {:.4}, seconds {:.0} were {:.0}",
            sum(&|(_, new, _)| new.accuracy) / n,
            sum(&|(_, _, old)| old.accuracy) / n,
            sum(&|(_, new, _)| new.seconds),
            sum(&|(_, _, old)| old.seconds)
        );
    }
}
