//! The table of clusters: every cluster and every merge has a row, of which those of the level are shown.

use super::look::{Look, NodeData, RowData};
use super::phrases::{breakable, count, percent};
use crate::report::svg::escape;
use neuncut::methods::Model;
use std::fmt::Write;

/// Typical images, texts and columns in a row of the table.
const IMAGES: usize = 6;
const TEXTS: usize = 2;
const COLUMNS: usize = 3;
const WORDS: usize = 8;

/// What a row of the table shows of rows.
#[derive(Clone, Copy, PartialEq)]
enum TypicalKind {
    Images,
    Texts,
    Values,
}

/// The section with the table.
pub fn table_section(model: &Model, look: &Look) -> String {
    let data = &look.data;
    let kind = match () {
        () if look.sprite.is_some() => TypicalKind::Images,
        () if data.rows.iter().any(|row| !row.text.is_empty()) => TypicalKind::Texts,
        () => TypicalKind::Values,
    };
    let has_words = data.nodes.iter().any(|node| !node.words.is_empty());
    let has_columns = data.nodes.iter().any(|node| !node.differs.is_empty());
    let largest = data.nodes[..data.clusters].iter().map(|node| node.share).fold(1e-12, f64::max);
    let mut rows = String::new();
    for (at, node) in data.nodes.iter().enumerate() {
        let hidden = if at < data.clusters { "" } else { " hidden" };
        let _ = write!(rows, "<tr data-node=\"{at}\"{hidden}>{}", name_cell(look, at));
        let width = (100.0 * node.share / largest).min(100.0);
        let _ = write!(
            rows,
            "<td class=\"nn-number\" data-head=\"rows\"><b>{}</b> <small>{}</small><span class=\"nn-size\"><i style=\"width:{width:.1}%\">\
             </i></span></td><td class=\"nn-number\" data-head=\"confidence\">{:.2}</td>",
            count(node.size as u64),
            percent(node.share),
            node.confidence
        );
        if has_words {
            let words: Vec<String> = node.words.iter().take(WORDS).map(|word| escape(word)).collect();
            let _ = write!(rows, "<td class=\"nn-words\">{}</td>", words.join(", "));
        }
        if has_columns {
            let _ = write!(rows, "<td class=\"nn-differs\">{}</td>", differences(look, node));
        }
        let _ = writeln!(rows, "<td class=\"nn-typical\">{}</td></tr>", typical(look, node, kind));
    }
    let head = |key: &str, text: &str| {
        format!("<th scope=\"col\" aria-sort=\"none\"><button data-sort=\"{key}\">{text}</button></th>")
    };
    let words = if has_words { "<th scope=\"col\">Words</th>" } else { "" };
    let columns = if has_columns { "<th scope=\"col\">Differs most in</th>" } else { "" };
    let download = match data.stops.len() {
        1 => "Labels as CSV",
        _ => "Labels of this level as CSV",
    };
    let about = match look.looked as u64 == look.total {
        true => format!("all {} rows", count(look.total)),
        false => format!("the {} rows of the sample", count(look.looked as u64)),
    };
    format!(
        "<section id=\"clusters-section\"><h2>Clusters</h2>\
         <p>A cluster's confidence is the mean membership of its rows. Its typical rows are those nearest to the mean of its \
         confident half. {}</p>\
         <table id=\"clusters\"><thead><tr>{}{}{}{words}{columns}<th scope=\"col\">Typical rows</th></tr></thead>\n<tbody>\n{rows}</tbody></table>\
         <p class=\"nn-below\"><button id=\"more\" class=\"nn-quiet\" hidden></button> \
         <a id=\"download\" class=\"nn-quiet\" href=\"#\" download=\"labels.csv\">{download}</a> <small>{about}</small></p></section>\n",
        if model.n_clusters() > 1 { "Click a cluster to see more of its rows." } else { "" },
        head("name", "Cluster"),
        head("size", "Rows"),
        head("confidence", "Confidence"),
    )
}

fn name_cell(look: &Look, at: usize) -> String {
    let node = &look.data.nodes[at];
    let is_number = node.name.chars().all(|c| c.is_ascii_digit() || ", +".contains(c));
    let title = match (is_number, node.members.len()) {
        (true, 1) => format!("Cluster {}", node.name),
        (true, _) => format!("Clusters {}", node.name),
        _ => node.name.clone(),
    };
    let number = if !is_number && at < look.data.clusters { format!(" <small>{at}</small>") } else { String::new() };
    let class = (at < look.data.clusters).then(|| look.data.matched[at]).flatten();
    let class = class.and_then(|class| look.data.classes.get(class as usize));
    let class =
        class.map_or(String::new(), |class| format!("<small class=\"nn-class\">class {}</small>", breakable(class)));
    format!(
        "<th scope=\"row\"><button class=\"nn-open\" aria-expanded=\"false\"><i class=\"nn-dot k{}\"></i><span>{}{number}</span></button>{class}</th>",
        node.colour,
        escape(&title)
    )
}

/// The columns in which a cluster differs: its mean, and how far that is from the mean of all.
fn differences(look: &Look, node: &NodeData) -> String {
    let one = |difference: &super::columns::Difference| {
        let off = difference.mean - difference.overall;
        format!(
            "<span>{} <b>{}</b> <small>{}</small></span>",
            escape(look.data.columns.get(difference.column).map_or("", String::as_str)),
            number(difference.mean),
            signed(off)
        )
    };
    node.differs.iter().take(COLUMNS).map(one).collect()
}

/// Three digits, with a minus sign that is one.
fn number(value: f64) -> String {
    let decimals = if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "\u{2212}")
}

fn signed(value: f64) -> String {
    if value < 0.0 { number(value) } else { format!("+{}", number(value)) }
}

fn typical(look: &Look, node: &NodeData, kind: TypicalKind) -> String {
    let rows = || node.typical.iter().map(|&at| (at, &look.data.rows[at]));
    match (kind, &look.sprite) {
        (TypicalKind::Images, Some(sprite)) => {
            let label = |row: &RowData| escape(&look.data.called(row));
            rows().take(IMAGES).map(|(at, row)| sprite.span(at, 36, &label(row))).collect()
        }
        (TypicalKind::Texts, _) => rows().take(TEXTS).map(|(_, row)| format!("<q>{}</q>", escape(&row.text))).collect(),
        _ if look.data.columns.is_empty() => {
            let names: Vec<String> = rows().take(TEXTS + 1).map(|(_, row)| escape(&look.data.called(row))).collect();
            format!("<small>{}</small>", names.join(", "))
        }
        _ => rows().take(TEXTS).map(|(_, row)| values(look, node, row)).collect(),
    }
}

/// Some values of a row by name, those first in which its cluster differs.
fn values(look: &Look, node: &NodeData, row: &RowData) -> String {
    let data = &look.data;
    let differing = node.differs.iter().filter_map(|one| data.drawn.iter().position(|&column| column == one.column));
    let mut places: Vec<usize> = Vec::new();
    for place in differing.chain(0..row.values.len()) {
        if places.len() < COLUMNS && !places.contains(&place) {
            places.push(place);
        }
    }
    let name = |place: usize| data.columns.get(data.drawn[place]).map_or("", String::as_str);
    let value = |&place: &usize| format!("{} <b>{}</b>", escape(name(place)), number(f64::from(row.values[place])));
    let values: Vec<String> = places.iter().map(value).collect();
    format!("<span class=\"nn-example\">{} <small>{}</small></span>", values.join(", "), escape(&data.called(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 12345.6, 1.5, -0.001234, 0.1].map(number);
        assert_eq!(numbers, ["0", "12346", "1.5", "\u{2212}0.00123", "0.1"]);
        assert_eq!((signed(2.0), signed(-2.5)), ("+2".into(), "\u{2212}2.5".into()));
    }
}
