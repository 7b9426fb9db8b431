//! Lines through measured points, with their deviations: one panel a quantity or data set.

use super::palette::COLOURS;
use super::svg::{Anchor, Svg};
use super::ticks::{Scale, draw_axes_at, log_ticks, padded_range, ticks};
use std::fmt::Write;

const PANEL_WIDE: f64 = 330.0;
const PANEL_HIGH: f64 = 220.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 96.0;
const BELOW: f64 = 92.0;
const PANELS_A_ROW: usize = 2;

/// A measured point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub deviation: f64,
}

/// Points that belong together.
#[derive(Debug, Clone)]
pub struct Line {
    pub name: String,
    pub points: Vec<Point>,
}

/// One plot.
#[derive(Debug, Clone)]
pub struct Panel {
    pub title: String,
    pub x_title: String,
    /// Whether `x` is drawn by its logarithm.
    pub log: bool,
    pub lines: Vec<Line>,
    /// Whether `y` begins at zero.
    pub from_zero: bool,
    /// A value of `x` that is marked.
    pub mark: Option<f64>,
}

/// Panels, two a row, as an SVG file.
pub fn line_panels(panels: &[Panel], title: &str, subtitle: &str) -> String {
    let columns = panels.len().clamp(1, PANELS_A_ROW);
    let rows = panels.len().div_ceil(PANELS_A_ROW).max(1);
    let cell = (LEFT + PANEL_WIDE + RIGHT, PANEL_HIGH + BELOW);
    let mut svg = Svg::new(columns as f64 * cell.0, TOP + rows as f64 * cell.1 - 24.0, LEFT, title, subtitle);
    for (i, panel) in panels.iter().enumerate() {
        draw_panel(&mut svg, panel, ((i % columns) as f64 * cell.0 + LEFT, (i / columns) as f64 * cell.1 + TOP));
    }
    svg.finish()
}

/// One panel without a heading, for a page that has the style sheet.
pub fn line_panel(panel: &Panel) -> String {
    let (wide, high) = (LEFT + PANEL_WIDE + RIGHT, PANEL_HIGH + BELOW);
    let mut svg = Svg::bare(wide, high, &panel.title);
    draw_panel(&mut svg, panel, (LEFT, 26.0));
    svg.finish()
}

fn draw_panel(svg: &mut Svg, panel: &Panel, (left, top): (f64, f64)) {
    let place = |x: f64| if panel.log { x.max(1e-12).log10() } else { x };
    let points = || panel.lines.iter().flat_map(|line| &line.points);
    let (x_low, x_high) = padded_range(points().map(|point| place(point.x)));
    let ends = points().flat_map(|point| [point.y - point.deviation, point.y + point.deviation]);
    let (y_low, y_high) = padded_range(ends.chain(panel.from_zero.then_some(0.0)));
    let x = Scale { low: x_low, high: x_high, from: left, to: left + PANEL_WIDE };
    let y = Scale { low: y_low, high: y_high, from: top + PANEL_HIGH, to: top };
    svg.text(left, top - 11.0, "name", Anchor::Start, &panel.title);
    let x_ticks = match panel.log {
        true if x_high - x_low < 2.0 => own_ticks(panel),
        true => log_ticks(x_low, x_high),
        false => ticks(x_low, x_high, 5),
    };
    draw_axes_at(svg, x, y, x_ticks, 5);
    svg.text(left + PANEL_WIDE / 2.0, top + PANEL_HIGH + 36.0, "note", Anchor::Middle, &panel.x_title);
    if let Some(mark) = panel.mark {
        svg.line("axis", (x.at(place(mark)), y.from), (x.at(place(mark)), y.to));
        svg.text(x.at(place(mark)) + 5.0, top + 12.0, "tick", Anchor::Start, &format!("{mark}"));
    }
    let mut legend = left;
    for (at, line) in panel.lines.iter().enumerate() {
        let class = COLOURS[at % COLOURS.len()];
        draw_line(svg, class, line, |x_value| x.at(place(x_value)), y);
        if panel.lines.len() > 1 {
            let base = top + PANEL_HIGH + 56.0;
            svg.path(
                &format!(r#"class="{class} cross" stroke-width="2""#),
                &format!("M{legend:.1} {:.1}h16", base - 4.0),
            );
            svg.text(legend + 21.0, base, "tick", Anchor::Start, &line.name);
            legend += 34.0 + 5.8 * line.name.chars().count() as f64;
        }
    }
}

/// The values of `x` themselves, for an axis that has too few powers of ten.
fn own_ticks(panel: &Panel) -> Vec<(f64, String)> {
    let mut values: Vec<f64> = panel.lines.iter().flat_map(|line| &line.points).map(|point| point.x).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.into_iter().filter(|x| *x > 0.0).map(|x| (x.log10(), format!("{x}"))).collect()
}

fn draw_line(svg: &mut Svg, class: &str, line: &Line, x: impl Fn(f64) -> f64, y: Scale) {
    let (mut through, mut dots, mut bars) = (String::new(), String::new(), String::new());
    for point in line.points.iter().filter(|point| point.y.is_finite()) {
        let (px, py) = (x(point.x), y.at(point.y));
        let pen = if through.is_empty() { 'M' } else { 'L' };
        let _ = write!(through, "{pen}{px:.1} {py:.1}"); // cannot fail for a String
        let _ = write!(dots, "M{px:.1} {py:.1}h0");
        if point.deviation > 0.0 {
            let (low, high) = (y.at(point.y - point.deviation), y.at(point.y + point.deviation));
            let _ = write!(bars, "M{px:.1} {low:.1}V{high:.1}m-3 0h6M{:.1} {low:.1}h6", px - 3.0);
        }
    }
    svg.path(&format!(r#"class="{class} cross" stroke-width="1.8""#), &through);
    svg.path(&format!(r#"class="{class} dot" stroke-width="5""#), &dots);
    if !bars.is_empty() {
        svg.path(&format!(r#"class="{class} cross" stroke-width="1""#), &bars);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_drawn_and_named() {
        let line = |name: &str, y: f64| {
            let points = [1.0, 10.0, 1e6].map(|x| Point { x, y, deviation: 0.1 }).to_vec();
            Line { name: name.into(), points }
        };
        let lines = vec![line("a", 0.5), line("b", f64::NAN)];
        let panel = Panel {
            title: "ACC".into(),
            x_title: "gamma".into(),
            log: true,
            lines,
            from_zero: false,
            mark: Some(80.0),
        };
        let svg = line_panels(&[panel.clone(), panel], "Figure", "two panels");
        assert_eq!(svg.matches(">gamma</text>").count(), 2);
        assert!(svg.contains(">b</text>") && svg.contains(">80</text>") && svg.contains(">1e6</text>"));
        assert!(!svg.contains("NaN"));
        assert!(line_panels(&[], "", "").contains("</svg>"));
    }

    #[test]
    fn a_short_logarithmic_axis_is_marked_at_its_points() {
        let points = [128.0, 512.0].map(|x| Point { x, y: 0.5, deviation: 0.0 }).to_vec();
        let lines = vec![Line { name: "a".into(), points }];
        let panel =
            Panel { title: "ACC".into(), x_title: "width".into(), log: true, lines, from_zero: true, mark: None };
        let svg = line_panel(&panel);
        assert!(svg.contains(">128</text>") && svg.contains(">512</text>") && svg.contains(">0</text>"), "{svg}");
    }
}
