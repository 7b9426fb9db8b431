//! The course of training: one small panel a quantity, against the step.

use super::svg::{Anchor, Svg};
use super::ticks::{Scale, draw_axes, padded_range};
use std::fmt::Write;

const PANEL_WIDE: f64 = 250.0;
const PANEL_HIGH: f64 = 170.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 94.0;
const BELOW: f64 = 72.0;
const PANELS_A_ROW: usize = 3;
/// Longer series are drawn by the extremes of as many stretches: nothing visible is lost.
const MOST_POINTS: usize = 500;

/// One quantity recorded during training, such as a loss or the learning rate.
#[derive(Debug, Clone, Copy)]
pub struct Series<'a> {
    /// What the panel is called.
    pub name: &'a str,
    /// One value a recorded step.
    pub values: &'a [f64],
}

/// Small panels, three a row, of quantities recorded every `steps_a_value` of what `x` is counted in, as an SVG file with a title and
/// a line under it.
///
/// Noisy quantities get a running mean over a twentieth of the run, drawn over the raw values. Values that are not
/// finite are left out.
pub fn learning_curves(series: &[Series], steps_a_value: usize, x: &str, (title, subtitle): (&str, &str)) -> String {
    let columns = series.len().clamp(1, PANELS_A_ROW);
    let rows = series.len().div_ceil(PANELS_A_ROW).max(1);
    let cell = (LEFT + PANEL_WIDE + RIGHT, PANEL_HIGH + BELOW);
    let mut svg = Svg::new(columns as f64 * cell.0, TOP + rows as f64 * cell.1 - 14.0, LEFT, title, subtitle);
    for (i, series) in series.iter().enumerate() {
        let at = ((i % columns) as f64 * cell.0 + LEFT, (i / columns) as f64 * cell.1 + TOP);
        draw_panel(&mut svg, series, (steps_a_value.max(1), x), at);
    }
    if series.iter().any(|series| window(series.values) > 1) {
        draw_legend(&mut svg, columns as f64 * cell.0 - RIGHT);
    }
    svg.finish()
}

/// One panel without a heading, for a page that has the style sheet.
pub fn curve_panel(series: &Series, x: &str) -> String {
    let (wide, high) = (LEFT + PANEL_WIDE + RIGHT, PANEL_HIGH + BELOW);
    let mut svg = Svg::bare(wide, high, series.name);
    draw_panel(&mut svg, series, (1, x), (LEFT, 26.0));
    svg.finish()
}

fn draw_panel(svg: &mut Svg, series: &Series, (steps_a_value, x_title): (usize, &str), (left, top): (f64, f64)) {
    let last = (series.values.len().max(2) * steps_a_value) as f64;
    let (low, high) = padded_range(series.values.iter().copied());
    let x = Scale { low: 0.0, high: last, from: left, to: left + PANEL_WIDE };
    let y = Scale { low, high, from: top + PANEL_HIGH, to: top };
    svg.text(left, top - 11.0, "name", Anchor::Start, series.name);
    draw_axes(svg, x, y, (3, 4));
    svg.text(left + PANEL_WIDE / 2.0, top + PANEL_HIGH + 36.0, "note", Anchor::Middle, x_title);
    let step = |i: usize| ((i + 1) * steps_a_value) as f64;
    let window = window(series.values);
    let class = if window > 1 { "faint" } else { "line" };
    svg.path(&format!(r#"class="{class}""#), &polyline(series.values, step, x, y));
    if window > 1 {
        svg.path(r#"class="line2""#, &polyline(&running_mean(series.values, window), step, x, y));
    }
}

fn draw_legend(svg: &mut Svg, right: f64) {
    let y = 24.0;
    svg.path(r#"class="faint""#, &format!("M{:.1} {y:.1}h20", right - 196.0));
    svg.text(right - 171.0, y + 4.0, "tick", Anchor::Start, "each step");
    svg.path(r#"class="line2""#, &format!("M{:.1} {y:.1}h20", right - 106.0));
    svg.text(right - 81.0, y + 4.0, "tick", Anchor::Start, "running mean");
}

/// How many values the running mean covers: 1, that is none, for short or smooth series.
fn window(values: &[f64]) -> usize {
    let steps = values.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    // A curve that only falls travels its own height; a noisy one many times that.
    let noisy = steps.sum::<f64>() > 3.0 * (high - low);
    if noisy && values.len() >= 40 { values.len() / 20 } else { 1 }
}

/// The mean of the `window` values around every value (fewer at the ends), so that the mean does not lag behind.
fn running_mean(values: &[f64], window: usize) -> Vec<f64> {
    let reach = window / 2;
    let mean = |middle: usize| {
        let around = &values[middle.saturating_sub(reach)..(middle + reach + 1).min(values.len())];
        around.iter().sum::<f64>() / around.len() as f64
    };
    (0..values.len()).map(mean).collect()
}

/// Path commands through the values; a value that is not finite breaks the line.
fn polyline(values: &[f64], step: impl Fn(usize) -> f64, x: Scale, y: Scale) -> String {
    let mut commands = String::new();
    let mut pen = 'M';
    for i in kept(values) {
        if !values[i].is_finite() {
            pen = 'M';
            continue;
        }
        let _ = write!(commands, "{pen}{:.1} {:.1}", x.at(step(i)), y.at(values[i])); // cannot fail for a String
        pen = 'L';
    }
    commands
}

/// Indices that are drawn: all of a short series; of a long one the least and the greatest of each stretch, in order.
fn kept(values: &[f64]) -> Vec<usize> {
    if values.len() <= MOST_POINTS {
        return (0..values.len()).collect();
    }
    let stretch = values.len().div_ceil(MOST_POINTS / 2);
    let mut kept: Vec<usize> =
        (0..values.len()).step_by(stretch).flat_map(|start| extremes(values, start, stretch)).collect();
    kept.dedup();
    kept
}

fn extremes(values: &[f64], start: usize, length: usize) -> [usize; 2] {
    let range = start..(start + length).min(values.len());
    let by_value = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
    let least = range.clone().min_by(by_value).unwrap_or(start);
    let greatest = range.max_by(by_value).unwrap_or(start);
    [least.min(greatest), least.max(greatest)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_for_every_series() {
        let values: Vec<f64> = (0..30).map(|i| 1.0 / (1.0 + i as f64)).collect();
        let series = ["cut", "orthogonality", "learning rate", "fourth"].map(|name| Series { name, values: &values });
        let svg = learning_curves(&series, 10, "step", ("Training", "four panels"));
        assert_eq!(svg.matches(">step</text>").count(), 4);
        assert!(svg.contains("orthogonality") && svg.contains(">300</text>"));
        assert!(!svg.contains("running mean"), "a smooth series needs none");
    }

    #[test]
    fn noise_gets_a_running_mean() {
        let values: Vec<f64> = (0..100).map(|i| (i % 2) as f64).collect();
        let svg = learning_curves(&[Series { name: "loss", values: &values }], 1, "", ("", ""));
        assert!(svg.contains("running mean"));
        assert_eq!(running_mean(&[1.0, 3.0, 8.0], 3), [2.0, 4.0, 5.5]);
    }

    #[test]
    fn long_series_keep_their_extremes() {
        let mut values = vec![0.0; 10_000];
        (values[1234], values[7777]) = (5.0, -5.0);
        let kept = kept(&values);
        assert!(kept.len() <= MOST_POINTS && kept.contains(&1234) && kept.contains(&7777));
        assert!(kept.is_sorted());
    }

    #[test]
    fn gaps_and_emptiness_are_drawn_as_such() {
        let svg = learning_curves(&[Series { name: "loss", values: &[1.0, f64::NAN, 2.0] }], 1, "", ("", ""));
        assert!(!svg.contains("NaN"));
        assert!(learning_curves(&[Series { name: "none", values: &[] }], 1, "", ("", "")).contains("</svg>"));
        assert!(learning_curves(&[], 1, "", ("", "")).contains("</svg>"));
    }
}
