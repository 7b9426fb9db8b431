//! The head of the page: what was found, in words and in a few figures.

use super::look::Look;
use super::phrases::{count, of, percent};
use crate::report::svg::escape;
use neuncut::methods::Model;
use std::fmt::Write;

/// What the page is about.
pub fn title(model: &Model) -> String {
    let files = match &model.record.files[..] {
        [] => "made data".to_string(),
        [one] => file_name(one).to_string(),
        [first, rest @ ..] => format!("{} and {} more", file_name(first), rest.len()),
    };
    format!("{} in {files}", of(model.n_clusters() as u64, "cluster", "clusters"))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The heading, what was found in words, warnings, figures.
pub fn header(model: &Model, look: &Look) -> String {
    let warnings: String = (model.record.diagnostics.warnings.iter())
        .map(|warning| format!("<p class=\"nn-warning\">{}</p>", escape(&warning.to_string())))
        .collect();
    format!(
        "<header><h1>{}</h1><p class=\"nn-lead\">{}</p>{warnings}<dl class=\"nn-figures\">{}</dl></header>\n",
        escape(&title(model)),
        sentences(model, look),
        figures(model, look)
    )
}

fn sentences(model: &Model, look: &Look) -> String {
    let record = &model.record;
    let columns = of(model.columns as u64, "column", "columns");
    let mut text = format!("{} of {columns}", of(look.total, "row", "rows"));
    let _ = match in_use(look) {
        used if used == model.n_clusters() => write!(text, " fall into {}. ", of(used as u64, "cluster", "clusters")),
        used => write!(text, " fall into {used} of {} clusters; the others are empty. ", model.n_clusters()),
    };
    text += &sizes(look);
    text += &certainty(look);
    if let Some(scores) = look.scores {
        let share = percent(scores.accuracy);
        let _ = write!(
            text,
            "Compared with the true classes, which the fit did not use, {share} of the rows are in the right cluster. "
        );
    }
    let _ = write!(text, "<small>{} fitted {}", method(model), of(record.trained_rows, "row", "rows"));
    if record.cluster_count.is_some() {
        text += " and <a href=\"#number-section\">chose the number of clusters itself</a>";
    }
    let _ = match look.looked as u64 == look.total {
        true => write!(text, ". This page is about all {}.</small>", of(look.total, "row", "rows")),
        false => write!(
            text,
            ". This page is about a uniform sample of {} rows: sizes and shares below are those of the sample.</small>",
            count(look.looked as u64)
        ),
    };
    text
}

fn method(model: &Model) -> String {
    escape(&model.config.method.to_string())
}

/// The largest and the smallest cluster.
fn sizes(look: &Look) -> String {
    let clusters = &look.data.nodes[..look.data.clusters];
    let used = || clusters.iter().enumerate().filter(|(_, cluster)| cluster.size > 0);
    let largest = used().max_by(|a, b| a.1.size.cmp(&b.1.size).then(b.0.cmp(&a.0)));
    let smallest = used().min_by(|a, b| a.1.size.cmp(&b.1.size).then(b.0.cmp(&a.0)));
    match (largest, smallest) {
        (Some((a, large)), Some((b, small))) if a != b && percent(large.share) == percent(small.share) => {
            format!("They are about equally large, {} of the rows each. ", percent(large.share))
        }
        (Some((a, large)), Some((b, small))) if a != b => format!(
            "The largest, {}, holds {} of them; the smallest, {}, {}. ",
            called(look, a),
            percent(large.share),
            called(look, b),
            percent(small.share)
        ),
        _ => String::new(),
    }
}

/// How sure the model is of its labels, and of which it is not.
fn certainty(look: &Look) -> String {
    let mut text = match look.unsure {
        _ if look.data.clusters < 2 => return String::new(),
        0.0 => "The model is at least 50% sure of the cluster of every row. ".to_string(),
        unsure => format!("For {} of the rows the model is less than 50% sure of the cluster. ", percent(unsure)),
    };
    if let Some(share) = look.beyond.filter(|share| *share > 0.0) {
        let share = capital(&percent(share));
        let _ = write!(text, "{share} of the rows are farther from their cluster than any row that was fitted. ");
    }
    if let Some((a, b)) = look.hardest.filter(|_| look.data.clusters > 2) {
        let _ = write!(text, "Hardest to tell apart are {} and {}. ", called(look, a), called(look, b));
    }
    text
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A cluster within a sentence, as a link that chooses it.
fn called(look: &Look, cluster: usize) -> String {
    let name = &look.data.nodes[cluster].name;
    let name = if *name == cluster.to_string() { format!("cluster {name}") } else { name.clone() };
    format!("<a href=\"#map-section\" data-choose=\"{cluster}\">{}</a>", escape(&name))
}

fn in_use(look: &Look) -> usize {
    look.data.nodes[..look.data.clusters].iter().filter(|cluster| cluster.size > 0).count()
}

/// A few numbers, each with what it is.
fn figures(model: &Model, look: &Look) -> String {
    let mut text = String::new();
    let mut figure = |name: &str, value: String, hint: &str| {
        let _ = write!(text, "<div title=\"{hint}\"><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
    };
    figure("rows", count(look.total), "rows of the data");
    figure("clusters", in_use(look).to_string(), "clusters with at least one row");
    figure("mean confidence", format!("{:.3}", look.mean_confidence), "mean of the largest membership of each row");
    figure("less than 50% sure", percent(look.unsure), "share of rows whose largest membership is below 0.5");
    let found = &model.record.diagnostics;
    // files of before 0.2 have zeros for every method
    if let Some(kept) = found.kept_ncut().filter(|_| model.config.method.neural_cut().is_some()) {
        figure(
            "normalized cut",
            format!("{kept:.2}"),
            "of rows outside the landmarks; lower is better, at most one per cluster",
        );
    }
    if let Some(scores) = look.scores {
        figure("accuracy", format!("{:.3}", scores.accuracy), "share of rows in the cluster matched to their class");
        figure("NMI", format!("{:.3}", scores.nmi), "normalised mutual information with the classes");
        figure("ARI", format!("{:.3}", scores.ari), "adjusted Rand index with the classes");
    }
    text
}
