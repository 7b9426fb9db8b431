//! Classes against clusters, as a table; where they are many, the pairs that are mixed up most.

use super::look::Look;
use super::phrases::{breakable, count, of, percent};
use crate::report::palette::COLOURS;
use crate::report::svg::{Anchor, Svg, escape};
use neuncut::metrics::Confusion;
use std::fmt::Write;

/// A larger table says nothing to a reader.
pub const LARGEST: usize = 40;
/// Pairs in its place.
const PAIRS: usize = 20;
/// Longer names of clusters stand upright above their columns.
const SHORT: usize = 6;

/// The section; nothing where no classes are known.
pub fn confusion_section(look: &Look) -> String {
    let Some(table) = &look.confusion else { return String::new() };
    let body =
        if table.classes.len().max(table.clusters.len()) > LARGEST { pairs(look, table) } else { matrix(look, table) };
    format!("<section id=\"confusion-section\"><h2>Classes and clusters</h2>{body}</section>\n")
}

fn cluster_name(look: &Look, cluster: Option<u32>) -> String {
    cluster.map_or("none".into(), |cluster| look.data.nodes[cluster as usize].name.clone())
}

fn class_name(look: &Look, class: u32) -> String {
    look.data.classes.get(class as usize).cloned().unwrap_or_else(|| class.to_string())
}

fn matrix(look: &Look, table: &Confusion) -> String {
    let names: Vec<String> = table.clusters.iter().map(|&cluster| cluster_name(look, cluster)).collect();
    let upright = if names.iter().any(|name| name.chars().count() > SHORT) { " class=\"nn-upright\"" } else { "" };
    let heads: String =
        names.iter().map(|name| format!("<th scope=\"col\"{upright}><span>{}</span></th>", escape(name))).collect();
    let mut rows = String::new();
    for (at, (&class, counts)) in table.classes.iter().zip(&table.counts).enumerate() {
        let total = counts.iter().sum::<u64>().max(1);
        let class = escape(&class_name(look, class));
        let side = match at {
            0 => format!("<th class=\"nn-side\" rowspan=\"{}\"><span>true class</span></th>", table.classes.len()),
            _ => String::new(),
        };
        let _ = write!(rows, "<tr>{side}<th scope=\"row\">{class}</th>");
        for (number, name) in counts.iter().zip(&names) {
            let share = *number as f64 / total as f64;
            let strong = if share > 0.55 { " class=\"nn-strong\"" } else { "" };
            let text = if *number == 0 { String::new() } else { count(*number) };
            let title = format!("{text} of {} rows of class {class} are in cluster {}", count(total), escape(name));
            let title = if *number == 0 { String::new() } else { format!(" title=\"{title}\"") };
            let _ = write!(rows, "<td{strong}{title} style=\"--share:{share:.3}\">{text}</td>");
        }
        rows += "</tr>\n";
    }
    format!(
        "<p>Rows of each true class in each cluster. A colour is the share of the class; the cluster matched to a class is on the \
         diagonal.</p><p class=\"nn-sideways\">Scroll sideways for more clusters.</p><div class=\"nn-wide\"><table id=\"confusion\"><thead><tr><td colspan=\"2\"></td>\
         <th class=\"nn-top\" colspan=\"{}\">cluster</th></tr><tr><td colspan=\"2\"></td>{heads}</tr></thead><tbody>{rows}</tbody></table></div>",
        names.len()
    )
}

/// The classes and clusters off the diagonal that share most rows.
fn pairs(look: &Look, table: &Confusion) -> String {
    let mut found = Vec::new();
    for (row, counts) in table.counts.iter().enumerate() {
        let total = counts.iter().sum::<u64>().max(1);
        let elsewhere = counts.iter().enumerate().filter(|(column, number)| *column != row && **number > 0);
        found.extend(elsewhere.map(|(column, &number)| (number, total, row, column)));
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then((a.2, a.3).cmp(&(b.2, b.3))));
    let mut rows = String::new();
    for (number, total, class, cluster) in found.iter().take(PAIRS).copied() {
        let home = table.clusters.get(class).copied().flatten();
        let home = home.map_or("no cluster".into(), |cluster| cluster_name(look, Some(cluster)));
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"nn-number\">{} <small>{}</small></td></tr>",
            breakable(&class_name(look, table.classes[class])),
            breakable(&home),
            breakable(&cluster_name(look, table.clusters[cluster])),
            count(number),
            percent(number as f64 / total as f64)
        );
    }
    format!(
        "<p>{} and {} are too many for a matrix. These classes have most rows outside the cluster that is matched to \
         them.</p><div class=\"nn-wide\"><table id=\"pairs\" class=\"nn-plain\"><thead><tr><th scope=\"col\">True class</th>\
         <th scope=\"col\">Its cluster</th><th scope=\"col\">Also in cluster</th><th scope=\"col\" class=\"nn-number\">Rows there, share of the class</th></tr>\
         </thead><tbody>{rows}</tbody></table></div>",
        of(table.classes.len() as u64, "class", "classes"),
        of(table.clusters.iter().flatten().count() as u64, "cluster", "clusters")
    )
}

/// The table as a picture of its own.
pub fn confusion_svg(look: &Look, table: &Confusion, title: &str) -> String {
    let (left, top, cell) = (110.0, 96.0, 44.0);
    let (across, down) = (table.clusters.len() as f64, table.classes.len() as f64);
    let subtitle = "rows of each class (down) in each cluster (across)";
    let mut svg = Svg::new((left + cell * across + 20.0).max(420.0), top + cell * down + 20.0, 24.0, title, subtitle);
    for (at, &cluster) in table.clusters.iter().enumerate() {
        let name = cluster_name(look, cluster);
        svg.text(left + cell * (at as f64 + 0.5), top - 8.0, "tick", Anchor::Middle, &name);
    }
    for (row, (&class, counts)) in table.classes.iter().zip(&table.counts).enumerate() {
        let y = top + cell * row as f64;
        svg.text(left - 8.0, y + cell / 2.0 + 4.0, "tick", Anchor::End, &class_name(look, class));
        let total = counts.iter().sum::<u64>().max(1) as f64;
        for (column, number) in counts.iter().enumerate().filter(|(_, number)| **number > 0) {
            let x = left + cell * column as f64;
            let share = 0.55 * *number as f64 / total;
            svg.path(
                &format!("class=\"{}\" fill=\"currentColor\" fill-opacity=\"{share:.3}\"", COLOURS[0]),
                &format!("M{x:.1} {y:.1}h{cell}v{cell}h-{cell}z"),
            );
            svg.text(x + cell / 2.0, y + cell / 2.0 + 4.0, "tick", Anchor::Middle, &number.to_string());
        }
    }
    svg.finish()
}
