//! The pieces of the page.

use super::look::{Look, MAP_HIGH, MAP_WIDE};
use crate::report::curves::{Series, curve_panel, learning_curves};
use crate::report::figures::scores_by_epoch;
use crate::report::lines::{Panel, line_panel, line_panels};
use crate::report::palette;
use crate::report::scatter::scatter;
use crate::report::svg::{Anchor, Svg, escape};
use crate::watch::EpochScores;
use neuncut::methods::Model;
use neuncut::metrics::Confusion;
use neuncut::train::History;
use serde_json::Value;
use std::fmt::Write;

/// A larger confusion matrix says nothing to a reader.
const LARGEST_CONFUSION: usize = 40;

/// What the page is about.
pub fn title(model: &Model) -> String {
    let files = match &model.record.files[..] {
        [] => "made data".to_string(),
        [one] => file_name(one).to_string(),
        [first, rest @ ..] => format!("{} and {} more", file_name(first), rest.len()),
    };
    format!("{} clusters of {files}", model.n_clusters())
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The heading, the scores and the most important numbers.
pub fn header(model: &Model, look: &Look) -> String {
    let record = &model.record;
    let mut cards = String::new();
    let mut card = |name: &str, value: String, hint: &str| {
        let _ = write!(
            cards,
            "<div class=\"nn-card\" title=\"{}\"><b>{}</b><span>{name}</span></div>",
            escape(hint),
            escape(&value)
        );
    };
    if let Some(scores) = look.scores {
        card("accuracy", format!("{:.4}", scores.accuracy), "share of rows in the cluster matched to their class");
        card("NMI", format!("{:.4}", scores.nmi), "normalised mutual information");
        card("ARI", format!("{:.4}", scores.ari), "adjusted Rand index");
    }
    card("clusters in use", format!("{} of {}", in_use(look), model.n_clusters()), "clusters with at least one row");
    card("mean confidence", format!("{:.3}", look.mean_confidence), "mean of the largest membership");
    // files of before 0.2 have zeros for every method
    let cuts = record.diagnostics.cuts().filter(|_| model.config.method.neural_cut().is_some());
    if let Some((start, trained)) = cuts {
        let kept = if record.diagnostics.guard_kept_start { start } else { trained };
        card(
            "held-out Ncut",
            format!("{kept:.3}"),
            "normalized cut of labels of rows outside the landmarks; lower is better",
        );
    }
    let mut facts = format!(
        "Fitted by {} on {} of {} rows of {} columns.",
        model.config.method, record.trained_rows, record.rows, model.columns
    );
    let _ = match look.looked as u64 == look.total {
        true => write!(facts, " This page looks at all {} rows.", look.total),
        false => write!(facts, " This page looks at a sample of {} of {} rows.", look.looked, look.total),
    };
    let warnings: String = record
        .diagnostics
        .warnings
        .iter()
        .map(|w| format!("<p class=\"nn-warning\">{}</p>", escape(&w.to_string())))
        .collect();
    format!(
        "<header><h1>{}</h1><p>{}</p>{warnings}<div class=\"nn-cards\">{cards}</div></header>\n",
        escape(&title(model)),
        escape(&facts)
    )
}

fn in_use(look: &Look) -> usize {
    look.data.clusters.iter().filter(|cluster| cluster.size > 0).count()
}

/// The map with its controls. Points are drawn here, so that they are there without a script.
pub fn map_section(look: &Look) -> String {
    let mut colours =
        String::from("<option value=\"cluster\">cluster</option><option value=\"confidence\">confidence</option>");
    if !look.data.classes.is_empty() {
        colours += "<option value=\"class\">true class</option><option value=\"wrong\">right or wrong</option>";
    }
    let clusters: String = (look.data.clusters.iter().enumerate())
        .map(|(at, cluster)| format!("<option value=\"{at}\">{}</option>", escape(&cluster.name)))
        .collect();
    format!(
        "<section id=\"map-section\"><h2>Map</h2>\
         <p>Each mark is a row; rows that are alike lie near each other. Faint marks are uncertain.</p>\
         <div class=\"nn-controls\"><label>Colour by <select id=\"colour\">{colours}</select></label>\
         <label>Cluster <select id=\"cluster\"><option value=\"\">all</option>{clusters}</select></label></div>\
         {}<p id=\"legend\" class=\"nn-legend\"></p></section>\n",
        map_svg(look)
    )
}

fn map_svg(look: &Look) -> String {
    let mut svg = format!(
        "<svg id=\"map\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {MAP_WIDE} {MAP_HIGH}\" role=\"img\" \
         aria-label=\"map of rows\">\n"
    );
    let radius = (110.0 / (look.data.map.len().max(1) as f64).sqrt()).clamp(2.6, 5.0);
    for (row, x, y) in &look.data.map {
        let shown = &look.data.rows[*row];
        let mark = palette::Look::of(shown.cluster as i32);
        let mut commands = String::new();
        mark.append(&mut commands, f64::from(*x), f64::from(*y), radius);
        let opacity = 0.25 + 0.65 * f64::from(shown.confidence);
        let _ = writeln!(
            svg,
            "<path data-row=\"{row}\" opacity=\"{opacity:.2}\" {} d=\"{commands}\"/>",
            mark.attributes(radius)
        );
    }
    svg + "</svg>"
}

/// Sizes of clusters, each a button that chooses it.
pub fn clusters_section(model: &Model, look: &Look) -> String {
    let largest = look.data.clusters.iter().map(|cluster| cluster.share).fold(1e-12, f64::max);
    let mut rows = String::new();
    for (at, cluster) in look.data.clusters.iter().enumerate() {
        let mark = palette::Look::of(at as i32);
        let mut commands = String::new();
        mark.append(&mut commands, 8.0, 8.0, 5.0);
        let class = look.data.matched[at].and_then(|class| look.data.classes.get(class as usize));
        let class = class.map_or(String::new(), |class| format!(" <small>class {}</small>", escape(class)));
        let _ = write!(
            rows,
            "<button class=\"nn-size\" data-cluster=\"{at}\" aria-pressed=\"false\">\
             <svg viewBox=\"0 0 16 16\" width=\"16\" height=\"16\" aria-hidden=\"true\"><path {} d=\"{commands}\"/></svg>\
             <span class=\"nn-name\" title=\"{}\">{}{class}</span>\
             <span class=\"nn-bar\"><i style=\"width:{:.1}%\"></i></span>\
             <span class=\"nn-number\">{} <small>{:.1}%</small></span>\
             <span class=\"nn-number\">{:.3}</span></button>",
            mark.attributes(5.0),
            escape(&cluster.words.join(", ")),
            escape(&cluster.name),
            100.0 * cluster.share / largest,
            cluster.size,
            100.0 * cluster.share,
            cluster.confidence
        );
    }
    let note = if model.n_clusters() > 1 { "Choose one to see its rows." } else { "" };
    format!(
        "<section id=\"sizes-section\"><h2>Clusters</h2><p>Rows and mean confidence of each. {note}</p>\
         <div class=\"nn-head\"><span></span><span>cluster</span><span></span><span class=\"nn-number\">rows</span>\
         <span class=\"nn-number\">conf.</span></div><div id=\"sizes\">{rows}</div></section>\n"
    )
}

/// Where the script shows rows.
pub fn rows_section(look: &Look) -> String {
    let has_texts = look.data.rows.iter().any(|row| !row.text.is_empty());
    let kind = if look.data.sprite.is_some() || has_texts {
        ""
    } else {
        " A row is drawn by its values, column after column."
    };
    format!(
        "<section id=\"rows-section\"><h2>Rows</h2><p>The most typical rows are those nearest to the mean of the confident half \
         of their cluster; the least certain are nearly as much in another one.{kind}</p><div id=\"rows\"></div></section>\n"
    )
}

/// Classes against clusters.
pub fn confusion_section(look: &Look) -> String {
    let Some(table) = &look.confusion else { return String::new() };
    if table.classes.len().max(table.clusters.len()) > LARGEST_CONFUSION {
        return format!(
            "<section id=\"confusion-section\"><h2>Classes and clusters</h2><p>{} classes and {} clusters are too many for a table.\
             </p></section>\n",
            table.classes.len(),
            table.clusters.len()
        );
    }
    let name = |cluster: &Option<u32>| match cluster {
        Some(cluster) => escape(&look.data.clusters[*cluster as usize].name),
        None => "none".into(),
    };
    let heads: String = table.clusters.iter().map(|cluster| format!("<th>{}</th>", name(cluster))).collect();
    let mut rows = String::new();
    for (class, counts) in table.classes.iter().zip(&table.counts) {
        let total = counts.iter().sum::<u64>().max(1) as f64;
        let class = look.data.classes.get(*class as usize).map_or_else(|| class.to_string(), |name| escape(name));
        let _ = write!(rows, "<tr><th>{class}</th>");
        for count in counts {
            let share = *count as f64 / total;
            let strong = if share > 0.55 { " class=\"nn-strong\"" } else { "" };
            let text = if *count == 0 { String::new() } else { count.to_string() };
            let _ = write!(rows, "<td{strong} style=\"--share:{share:.3}\">{text}</td>");
        }
        rows += "</tr>";
    }
    format!(
        "<section id=\"confusion-section\"><h2>Classes and clusters</h2>\
         <p>Rows of each true class (down) in each cluster (across); matched clusters are on the diagonal.</p>\
         <div class=\"nn-wide\"><table id=\"confusion\"><thead><tr><th></th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>\
         </section>\n"
    )
}

/// Learning curves of every stage.
pub fn curves_section(model: &Model, scores: &[EpochScores]) -> String {
    let mut panels = String::new();
    if !scores.is_empty() {
        panels += &line_panel(&score_panel(scores));
    }
    for (stage, names, values) in stage_series(model) {
        for (name, values) in names.iter().zip(&values) {
            let series = Series { name: &format!("{name}, {stage}"), values };
            panels += &curve_panel(&series, steps_an_epoch(model, &stage));
        }
    }
    if panels.is_empty() {
        return String::new();
    }
    format!(
        "<section id=\"curves-section\"><h2>Learning curves</h2><div class=\"nn-panels\">{panels}</div></section>\n"
    )
}

fn score_panel(scores: &[EpochScores]) -> Panel {
    let lines = scores_by_epoch(&serde_json::json!(scores));
    Panel {
        title: "scores, neural cut".into(),
        x_title: "epoch".into(),
        log: false,
        lines,
        from_zero: false,
        mark: None,
    }
}

/// Batches an epoch of the training on the cut; other stages are drawn by epoch.
fn steps_an_epoch(model: &Model, stage: &str) -> usize {
    let rows = model.record.trained_rows as usize;
    match model.config.method.network() {
        Some(network) if stage == "neural cut" => (rows / network.batch.min(rows.max(1)).max(1)).max(1),
        _ => 1,
    }
}

/// Every stage's terms and, for the training on the cut, the learning rate. Rounds of one stage follow each other.
fn stage_series(model: &Model) -> Vec<(String, Vec<String>, Vec<Vec<f64>>)> {
    let mut stages: Vec<(String, Vec<String>, Vec<Vec<f64>>)> = Vec::new();
    for history in &model.record.history {
        let (names, values) = columns(history);
        match stages.iter_mut().find(|(stage, _, _)| *stage == history.stage) {
            Some((_, _, known)) => known.iter_mut().zip(values).for_each(|(a, b)| a.extend(b)),
            None => stages.push((history.stage.clone(), names, values)),
        }
    }
    stages.sort_by_key(|(stage, _, _)| stage != "neural cut"); // the one that matters first
    stages
}

fn columns(history: &History) -> (Vec<String>, Vec<Vec<f64>>) {
    let label = |term: &String| match term.as_str() {
        "lap" => "L_lap".to_string(),
        "orth" => "L_orth".to_string(),
        other => other.to_string(),
    };
    let mut names: Vec<String> = history.terms.iter().map(label).collect();
    let column = |at: usize| history.epochs.iter().map(|epoch| epoch.values[at]).collect();
    let mut values: Vec<Vec<f64>> = (0..names.len()).map(column).collect();
    if history.stage == "neural cut" {
        names.push("learning rate".into());
        values.push(history.epochs.iter().map(|epoch| epoch.learning_rate).collect());
    }
    (names, values)
}

/// Settings and findings.
pub fn settings_section(model: &Model) -> String {
    let table = |value: &Value, left_out: &[&str]| -> String {
        let rows = value.as_object().into_iter().flatten().filter(|(name, _)| !left_out.contains(&name.as_str()));
        rows.map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
            format!("<tr><th>{}</th><td>{}</td></tr>", escape(name), escape(&text))
        })
        .collect()
    };
    let config = table(&serde_json::json!(model.config), &[]);
    let found = table(&serde_json::json!(model.record.diagnostics), &["warnings", "candidates", "gamma_sweep"]);
    format!(
        "<section id=\"settings-section\"><h2>Configuration</h2>\
         <details><summary>Settings of the fit</summary><div class=\"nn-wide\"><table class=\"nn-settings\">{config}</table></div></details>\
         <details><summary>Findings of the fit</summary><div class=\"nn-wide\"><table class=\"nn-settings\">{found}</table></div></details>\
         <p>Files: {}. Data fingerprint {}. Made by neuncut {}.</p></section>\n",
        escape(&model.record.files.join(" ")),
        escape(&model.record.fingerprint),
        escape(&model.record.version)
    )
}

/// The pictures as files: name and text.
pub fn pictures(model: &Model, look: &Look, scores: &[EpochScores]) -> Vec<(&'static str, String)> {
    let points: Vec<[f32; 2]> = look.data.map.iter().map(|(_, x, y)| [*x, -y]).collect();
    let labels: Vec<i32> = look.data.map.iter().map(|(row, _, _)| look.data.rows[*row].cluster as i32).collect();
    let subtitle = format!("{} of {} rows", points.len(), look.total);
    let mut files =
        vec![("map.svg", scatter(&points, &labels, &title(model), &subtitle)), ("sizes.svg", sizes_svg(model, look))];
    let stages = stage_series(model);
    if let Some((stage, names, values)) = stages.first() {
        let series: Vec<Series> = names.iter().zip(values).map(|(name, values)| Series { name, values }).collect();
        files.push(("curves.svg", learning_curves(&series, steps_an_epoch(model, stage), &title(model), stage)));
    }
    if !scores.is_empty() {
        files.push(("scores.svg", line_panels(&[score_panel(scores)], &title(model), "after each epoch")));
    }
    if let Some(table) = look.confusion.as_ref().filter(|table| table.clusters.len() <= LARGEST_CONFUSION) {
        files.push(("confusion.svg", confusion_svg(model, look, table)));
    }
    files
}

fn sizes_svg(model: &Model, look: &Look) -> String {
    let (left, wide, line) = (120.0, 420.0, 22.0);
    let clusters = &look.data.clusters;
    let largest = clusters.iter().map(|cluster| cluster.share).fold(1e-12, f64::max);
    let subtitle = format!("sizes of clusters, {} rows", look.looked);
    let mut svg = Svg::new(left + wide + 110.0, 80.0 + line * clusters.len() as f64, 24.0, &title(model), &subtitle);
    for (at, cluster) in clusters.iter().enumerate() {
        let y = 78.0 + line * at as f64;
        let colour = palette::COLOURS[at % palette::COLOURS.len()];
        svg.text(left - 8.0, y, "tick", Anchor::End, &cluster.name);
        let length = wide * cluster.share / largest;
        svg.path(
            &format!("class=\"{colour} solid\""),
            &format!("M{left:.1} {:.1}h{length:.1}v12h-{length:.1}z", y - 10.0),
        );
        let text = format!("{} ({:.1}%)", cluster.size, 100.0 * cluster.share);
        svg.text(left + length + 6.0, y, "tick", Anchor::Start, &text);
    }
    svg.finish()
}

fn confusion_svg(model: &Model, look: &Look, table: &Confusion) -> String {
    let (left, top, cell) = (110.0, 96.0, 44.0);
    let (across, down) = (table.clusters.len() as f64, table.classes.len() as f64);
    let subtitle = "rows of each class (down) in each cluster (across)";
    let mut svg =
        Svg::new((left + cell * across + 20.0).max(420.0), top + cell * down + 20.0, 24.0, &title(model), subtitle);
    for (at, cluster) in table.clusters.iter().enumerate() {
        let name = cluster.map_or("none".into(), |cluster| look.data.clusters[cluster as usize].name.clone());
        svg.text(left + cell * (at as f64 + 0.5), top - 8.0, "tick", Anchor::Middle, &name);
    }
    for (row, (class, counts)) in table.classes.iter().zip(&table.counts).enumerate() {
        let y = top + cell * row as f64;
        let name = look.data.classes.get(*class as usize).cloned().unwrap_or_default();
        svg.text(left - 8.0, y + cell / 2.0 + 4.0, "tick", Anchor::End, &name);
        let total = counts.iter().sum::<u64>().max(1) as f64;
        for (column, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let x = left + cell * column as f64;
            let share = 0.55 * *count as f64 / total;
            svg.path(
                &format!("class=\"c0\" fill=\"currentColor\" fill-opacity=\"{share:.3}\""),
                &format!("M{x:.1} {y:.1}h{cell}v{cell}h-{cell}z"),
            );
            svg.text(x + cell / 2.0, y + cell / 2.0 + 4.0, "tick", Anchor::Middle, &count.to_string());
        }
    }
    svg.finish()
}
