//! A model in words and in JSON.

use crate::progress::counted;
use neuncut::data::ColumnNames;
use neuncut::ensemble::CountEvidence;
use neuncut::links::{BrokenLink, LinkFindings};
use neuncut::methods::neural_cut::Stability;
use neuncut::methods::{AffinityKind, Kept, Model, Succession};
use serde_json::{Value, json};
use std::fmt::Write;

/// So many clusters, in words.
fn clusters(count: usize) -> String {
    format!("{count} cluster{}", if count == 1 { "" } else { "s" })
}

/// Shifts of clusters that are reported: the largest few above this.
const NOTABLE_SHIFT: f64 = 0.002;
const SHIFTS: usize = 5;
/// The share of rows like no earlier cluster from which it is reported.
const NOTABLE_UNLIKE: f64 = 0.05;

/// Broken links that are named.
const BROKEN_LINKS: usize = 5;

/// Names of columns that are shown.
const NAMES: usize = 8;

/// A few lines about a fit that has just ended.
pub fn fit_summary(model: &Model, seconds: f64) -> String {
    let record = &model.record;
    let found = &record.diagnostics;
    let mut text = format!(
        "{} of {} rows fitted in {seconds:.1} s: {}, mean confidence {:.3}\n",
        record.trained_rows,
        record.rows,
        clusters(found.live_clusters),
        found.mean_confidence
    );
    let affinity = model.config.method.affinity().map(|options| &options.affinity);
    let learnt_or_given =
        matches!(affinity, Some(AffinityKind::Siamese | AffinityKind::Senet | AffinityKind::Graph(_)));
    if learnt_or_given && !found.affinity.is_empty() {
        let _ = writeln!(text, "affinity: {}", found.affinity);
    }
    if let Some(start) = &found.start {
        let _ = writeln!(
            text,
            "start: {} (the best of {} partitions, agreement {:.2}); {} rows enter the network",
            start.leader,
            start.candidates.len(),
            start.agreement,
            found.representation
        );
        let kept = if found.guard_kept_start { "start kept" } else { "trained network kept" };
        let kept = match (found.cuts(), found.ncut_start) {
            (Some((start, trained)), _) => format!("Ncut {start:.4} at the start, {trained:.4} trained: {kept}"),
            (None, Some(_)) => "the start cuts no edge, so that nothing is left to train for".into(),
            (None, None) => kept.into(),
        };
        let gap = if start.eigengap > 0.0 { format!(", eigengap {:.2}", start.eigengap) } else { String::new() };
        let _ = writeln!(
            text,
            "graph of {} landmarks in {}, {}{gap}; {kept}",
            found.landmarks,
            counted(start.components as u64, "piece"),
            counted(start.stray_rows as u64, "stray row")
        );
    }
    if let Some(count) = &record.cluster_count {
        let _ = writeln!(text, "{}", count.reason);
    }
    if let Some(succession) = &record.succession {
        let _ = writeln!(text, "{}", succession_text(succession));
    }
    if let Some(links) = &found.links {
        let _ = writeln!(text, "{}", links_text(links));
    }
    if found.revivals > 0 {
        let _ = writeln!(text, "clusters without rows were given some again, {} times", found.revivals);
    }
    if let Some(stable) = &found.stability {
        let _ = writeln!(text, "{}", stability(stable));
    }
    text
}

/// What became of the clusters of the earlier model, in a few lines.
pub(super) fn succession_text(succession: &Succession) -> String {
    let list = |clusters: &[u32]| match clusters {
        [] => "none".to_owned(),
        some => some.iter().map(u32::to_string).collect::<Vec<_>>().join(" "),
    };
    let mut text = format!(
        "after {}: {} clusters kept; born: {}; died: {}; {:.1}% of the rows moved; shift of shares {:.3}",
        succession.earlier,
        succession.kept.len(),
        list(&succession.births),
        list(&succession.deaths),
        100.0 * succession.moved,
        succession.shift
    );
    if succession.unlike >= NOTABLE_UNLIKE {
        let _ = write!(
            text,
            "\n  {:.0}% of the rows are like no earlier cluster and form no clear new one: if there are more clusters, give their number \
             with -k N",
            100.0 * succession.unlike
        );
    }
    let mut most: Vec<&Kept> = succession.kept.iter().filter(|kept| kept.shift > NOTABLE_SHIFT).collect();
    most.sort_by(|a, b| b.shift.total_cmp(&a.shift));
    for Kept { cluster, share_then, share_now, rows_kept, .. } in most.into_iter().take(SHIFTS) {
        let _ = write!(
            text,
            "\n  cluster {cluster}: {:.1}% of the rows, {:.1}% before; it kept {:.1}% of its rows",
            100.0 * share_now,
            100.0 * share_then,
            100.0 * rows_kept
        );
    }
    text
}

/// How many links hold, and the first of those that do not.
pub fn links_text(links: &LinkFindings) -> String {
    let (held, broken) = (links.held, &links.broken);
    let mut text = format!("links: {held} of {} hold", held + broken.len());
    if broken.is_empty() {
        return text;
    }
    let named = |BrokenLink { i, j, link }: &BrokenLink| format!("{i} and {j} ({link})");
    let first: Vec<String> = broken.iter().take(BROKEN_LINKS).map(named).collect();
    let _ = write!(text, ", {} broken: rows {}", broken.len(), first.join(", "));
    if broken.len() > BROKEN_LINKS {
        let _ = write!(text, " and {} more", broken.len() - BROKEN_LINKS);
    }
    text
}

fn stability(stable: &Stability) -> String {
    format!(
        "stability: {} seeds agree with an adjusted Rand index of {:.3} on average, {:.3} at least",
        stable.fits, stable.mean_ari, stable.least_ari
    )
}

/// The whole model in words.
pub fn inspect(model: &Model) -> String {
    let record = &model.record;
    let config = &model.config;
    let mut text = String::new();
    let sizes: Vec<String> = model.head.sizes().iter().map(usize::to_string).collect();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<16} {value}");
    };
    line("method", config.method.to_string());
    line("clusters", clusters_alive(model));
    if let Some(count) = &record.cluster_count {
        line("chosen because", count.reason.clone());
        for evidence in count.recommended.iter().filter_map(|k| count.evidence.iter().find(|e| e.clusters == *k)) {
            let CountEvidence { clusters, score, stability, modularity, gap, silhouette, .. } = evidence;
            let marks = format!(
                "score {score:.3}, stability {stability:.3}, gap {gap:.3}, modularity {modularity:.3}, silhouette {silhouette:.3}"
            );
            line(&format!("  {clusters} clusters"), marks);
        }
    }
    if let Some(succession) = &record.succession {
        line("succession", succession_text(succession));
    }
    line("columns", columns(model));
    line("network", format!("{} ({} parameters)", sizes.join("-"), model.head.n_parameters()));
    line("data", format!("{} rows, fingerprint {}", record.rows, record.fingerprint));
    line("files", record.files.join(" "));
    line("fitted on", format!("{} rows, seed {}", record.trained_rows, config.seed));
    if let Some(options) = config.method.neural_cut() {
        line(
            "objective",
            match record.diagnostics.objective.as_str() {
                without_gamma @ ("mutual information" | "log cut" | "min-max cut") => without_gamma.into(),
                _ => format!("{:?}, {:?} penalty, gamma {}", config.cut(), options.penalty, options.gamma())
                    .to_lowercase(),
            },
        );
    }
    if !config.features.is_empty() {
        line("features", config.features.to_string());
    }
    if !record.diagnostics.affinity.is_empty() {
        line("affinity", record.diagnostics.affinity.clone());
    }
    if let Some(kept) = &model.affinity {
        line("kept affinity", kept.note());
    }
    line("representation", record.diagnostics.representation.clone());
    for stage in &record.history {
        if let Some(last) = stage.epochs.last() {
            let terms: Vec<String> = stage.terms.iter().zip(&last.values).map(|(t, v)| format!("{t} {v:.4}")).collect();
            line(&stage.stage, format!("{} epochs, at the end {}", stage.epochs.len(), terms.join(", ")));
        }
    }
    if let Some((start, trained)) = record.diagnostics.cuts().filter(|_| config.method.neural_cut().is_some()) {
        line("held-out Ncut", format!("{start:.4} at the start, {trained:.4} trained"));
    }
    line("confidence", format!("{:.4} on average", record.diagnostics.mean_confidence));
    let shares: Vec<String> = record.cluster_shares.iter().map(|share| format!("{:.1}%", 100.0 * share)).collect();
    line("cluster shares", shares.join(" "));
    if !record.cluster_names.is_empty() {
        line("cluster names", record.cluster_names.join(" "));
    }
    for cluster in 0..record.cluster_titles.len().max(record.cluster_words.len()) {
        line(&format!("cluster {cluster}"), about_cluster(model, cluster));
    }
    if let Some(links) = &record.diagnostics.links {
        line("links", links_text(links).trim_start_matches("links: ").to_owned());
    }
    if let Some(stable) = &record.diagnostics.stability {
        line("stability", stability(stable));
    }
    for warning in &record.diagnostics.warnings {
        line("warning", warning.to_string());
    }
    line("trained by", format!("neuncut {}", record.version));
    text
}

/// How many clusters there are, and how many numbers belong to none.
fn clusters_alive(model: &Model) -> String {
    match model.n_clusters() - model.n_alive() {
        0 => model.n_clusters().to_string(),
        gone => format!(
            "{} with numbers below {}; {gone} numbers are of clusters that are gone",
            model.n_alive(),
            model.n_clusters()
        ),
    }
}

/// The name of a cluster, its share and its words.
fn about_cluster(model: &Model, cluster: usize) -> String {
    let record = &model.record;
    let title = record.cluster_titles.get(cluster).map_or("", String::as_str);
    let share = 100.0 * record.share(cluster);
    match record.cluster_words.get(cluster).filter(|words| !words.is_empty()) {
        Some(words) => format!("{title} ({share:.1}%): {}", words.join(" ")),
        None => format!("{title} ({share:.1}%)"),
    }
}

/// Clusters, names, shares and words as csv.
pub fn names_csv(model: &Model) -> String {
    let record = &model.record;
    let mut text = String::from("cluster,name,share,words\n");
    for cluster in 0..model.n_clusters() {
        let name = model.names().get(cluster).cloned().unwrap_or_else(|| cluster.to_string());
        let share = record.share(cluster);
        let words = record.cluster_words.get(cluster).map_or(String::new(), |words| words.join(" "));
        let _ = writeln!(text, "{cluster},{},{share:.4},{}", quoted(&name), quoted(&words));
    }
    text
}

/// A field of csv, in quotes where it needs them.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// How many columns there are, and what the first of them are called.
fn columns(model: &Model) -> String {
    match &model.column_names {
        ColumnNames::Unnamed => model.columns.to_string(),
        ColumnNames::List(name) => format!("{}: the lists of column {name}", model.columns),
        ColumnNames::Named(names) | ColumnNames::Numbered { numbers: names } => {
            let more = if names.len() > NAMES { " ..." } else { "" };
            format!("{}: {}{more}", model.columns, names[..names.len().min(NAMES)].join(" "))
        }
    }
}

/// Everything but the weights.
pub fn inspect_json(model: &Model) -> Value {
    json!({
        "clusters": model.n_clusters(),
        "columns": model.columns,
        "column_names": model.column_names,
        "sizes": model.head.sizes(),
        "parameters": model.head.n_parameters(),
        "config": model.config,
        "record": model.record,
    })
}
