//! Pictures of what commands found, from their own types.

use super::lines::{Line, Panel, Point, line_panels};
use super::scatter::scatter;
use neuncut::data::{Table, TableSpec, read_labels};
use neuncut::ensemble::{CountEvidence, CountFindings};
use neuncut::methods::neural_cut::tune::{GammaPoint, GammaSweep};
use neuncut::{Error, Result};
use std::path::Path;

/// Points that are read for a picture of a shape.
const DRAWN: usize = 6000;

/// The paper's two panels: optimal `L_lap` and `L_orth` against gamma, the threshold marked.
pub fn gamma_picture(sweep: &GammaSweep, data: &str) -> String {
    let subtitle = format!("{data}; threshold {}", sweep.threshold);
    line_panels(&gamma_panels(sweep, ""), "Gamma without labels", &subtitle)
}

/// The same as panels, whose titles begin with `name`.
pub(super) fn gamma_panels(sweep: &GammaSweep, name: &str) -> [Panel; 2] {
    let panel = |what: &str, y: fn(&GammaPoint) -> f64| {
        let point = |p: &GammaPoint| Point { x: p.gamma.into(), y: y(p), deviation: 0.0 };
        let lines = vec![Line { name: what.into(), points: sweep.points.iter().map(point).collect() }];
        let mark = Some(f64::from(sweep.threshold));
        Panel { title: format!("{name}{what}"), x_title: "gamma".into(), log: true, lines, from_zero: false, mark }
    };
    [panel("optimal L_lap", |p| p.lap), panel("optimal L_orth", |p| p.orth)]
}

/// The evidence for numbers of clusters, the recommended one marked.
pub fn count_picture(found: &CountFindings, data: &str) -> String {
    let runners: Vec<String> = found.recommended.iter().skip(1).map(usize::to_string).collect();
    let others = if runners.is_empty() { String::new() } else { format!("; then {}", runners.join(" and ")) };
    let subtitle = format!("{data}: {} recommended{others}", found.chosen());
    line_panels(&count_panels(found), "How many clusters", &subtitle)
}

/// The same as panels.
pub(super) fn count_panels(found: &CountFindings) -> Vec<Panel> {
    let panel = |what: &str, y: fn(&CountEvidence) -> f64| {
        let point = |e: &CountEvidence| Point { x: e.clusters as f64, y: y(e), deviation: 0.0 };
        let lines = vec![Line {
            name: what.into(),
            points: found.evidence.iter().map(point).filter(|p| p.y.is_finite()).collect(),
        }];
        let mark = Some(found.chosen() as f64);
        // a range over less than two powers of ten is marked at all of its points
        let log = found.evidence.len() > 200;
        Panel { title: what.into(), x_title: "clusters".into(), log, lines, from_zero: false, mark }
    };
    let panels = [
        panel("score", |e| e.score),
        panel("stability of halves", |e| e.stability),
        panel("gap between merges", |e| e.gap),
        panel("modularity", |e| e.modularity),
        panel("coding length", |e| e.coding_length),
    ];
    panels.into_iter().filter(|panel| !panel.lines[0].points.is_empty()).collect()
}

/// Rows of a file of the plane by their labels in another.
pub fn shape_picture(file: &str, labels: &Path, title: &str, subtitle: &str) -> Result<String> {
    let mut table = Table::open(&TableSpec { paths: vec![file.into()], ..Default::default() })?;
    if table.width() != 2 {
        return Err(Error::data(file, "is not of two columns: only the plane can be drawn"));
    }
    let mut rows = Vec::new();
    table.read(DRAWN, &mut rows)?;
    let points: Vec<[f32; 2]> = rows.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let labels = read_labels(labels, None)?;
    let labels: Vec<i32> = labels.iter().take(points.len()).map(|label| label.parse().unwrap_or(-1)).collect();
    Ok(scatter(&points, &labels, title, subtitle))
}
