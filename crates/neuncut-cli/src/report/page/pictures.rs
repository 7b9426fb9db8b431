//! The pictures of a page as files of their own.

use super::confusion::{LARGEST, confusion_svg};
use super::header::title;
use super::learning::{kept_scores, kept_stages, score_panel};
use super::look::Look;
use crate::report::curves::{Series, learning_curves};
use crate::report::lines::line_panels;
use crate::report::palette;
use crate::report::scatter::scatter;
use crate::report::svg::{Anchor, Svg};
use crate::watch::EpochScores;
use neuncut::methods::Model;

/// Name and text of each.
pub fn pictures(model: &Model, look: &Look, scores: &[EpochScores]) -> Vec<(&'static str, String)> {
    let points: Vec<[f32; 2]> = look.data.map.iter().map(|(_, x, y)| [*x, -y]).collect();
    let labels: Vec<i32> = look.data.map.iter().map(|(row, _, _)| look.data.rows[*row].cluster as i32).collect();
    let title = title(model);
    let subtitle = format!("{} of {} rows", points.len(), look.total);
    let mut files =
        vec![("map.svg", scatter(&points, &labels, &title, &subtitle)), ("sizes.svg", sizes_svg(look, &title))];
    if let Some(stage) = kept_stages(model).first() {
        let series: Vec<Series> = stage.series.iter().map(|(name, values)| Series { name, values }).collect();
        files.push(("curves.svg", learning_curves(&series, 1, "epoch", (&title, &stage.name))));
    }
    let scores = kept_scores(model, scores);
    if !scores.is_empty() {
        files.push(("scores.svg", line_panels(&[score_panel(scores)], &title, "after each epoch")));
    }
    if let Some(table) = look.confusion.as_ref().filter(|table| table.clusters.len() <= LARGEST) {
        files.push(("confusion.svg", confusion_svg(look, table, &title)));
    }
    files
}

fn sizes_svg(look: &Look, title: &str) -> String {
    let (left, wide, line) = (180.0, 420.0, 22.0);
    let clusters = &look.data.nodes[..look.data.clusters];
    let largest = clusters.iter().map(|cluster| cluster.share).fold(1e-12, f64::max);
    let subtitle = format!("sizes of clusters, {} rows", look.looked);
    let mut svg = Svg::new(left + wide + 110.0, 80.0 + line * clusters.len() as f64, 24.0, title, &subtitle);
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
