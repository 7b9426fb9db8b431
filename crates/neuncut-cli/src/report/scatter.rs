//! Points in the plane, coloured by cluster.

use super::palette::{DISTINCT, Look};
use super::svg::{Anchor, Svg};
use super::ticks::{Scale, draw_axes, padded_range};
use std::collections::BTreeMap;

/// More points than this would make a heavy file and a black page: an even sample is drawn.
const MOST_POINTS: usize = 6000;
/// Largest plot area; the smaller side follows the data, so that circles stay round.
const WIDE: f64 = 620.0;
const HIGH: f64 = 500.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 66.0;
const BOTTOM: f64 = 34.0;
/// Legend entries in a column, and the size of one.
const LEGEND_ROWS: usize = 25;
const LEGEND_ROW: f64 = 19.0;
const LEGEND_COLUMN: f64 = 116.0;

/// A scatter plot of `points`, each with the label of its cluster (negative for none), as an SVG file.
///
/// Both axes have the same scale. Points that are not finite are left out; of many points, an even sample is drawn.
pub fn scatter(points: &[[f32; 2]], labels: &[i32], title: &str, subtitle: &str) -> String {
    let (x, y) = equal_scales(points);
    let clusters = sizes(labels);
    let height = (y.from + BOTTOM).max(legend_height(clusters.len()));
    let width = (x.to + 18.0 + legend_width(clusters.len())).max(heading_width(title, subtitle));
    let mut svg = Svg::new(width, height, LEFT, title, subtitle);
    draw_axes(&mut svg, x, y, (6, 5));
    draw_points(&mut svg, points, labels, x, y);
    draw_legend(&mut svg, &clusters, x.to + 26.0);
    svg.finish()
}

/// Room for the two lines of text, by the usual width of a letter.
fn heading_width(title: &str, subtitle: &str) -> f64 {
    LEFT + (10.0 * title.chars().count() as f64).max(7.0 * subtitle.chars().count() as f64)
}

/// Scales with the same number of pixels a unit, that fit the data into the plot area.
fn equal_scales(points: &[[f32; 2]]) -> (Scale, Scale) {
    let finite = || points.iter().filter(|point| point.iter().all(|v| v.is_finite()));
    let (left, right) = padded_range(finite().map(|point| f64::from(point[0])));
    let (low, high) = padded_range(finite().map(|point| f64::from(point[1])));
    let unit = (WIDE / (right - left)).min(HIGH / (high - low));
    // A very flat or narrow cloud still gets a plot of readable size around it.
    let (width, height) = ((unit * (right - left)).max(260.0), (unit * (high - low)).max(180.0));
    let (x_middle, y_middle) = ((left + right) / 2.0, (low + high) / 2.0);
    let (x_half, y_half) = (width / unit / 2.0, height / unit / 2.0);
    (
        Scale { low: x_middle - x_half, high: x_middle + x_half, from: LEFT, to: LEFT + width },
        Scale { low: y_middle - y_half, high: y_middle + y_half, from: TOP + height, to: TOP },
    )
}

/// Rows of each cluster, by label.
fn sizes(labels: &[i32]) -> BTreeMap<i32, usize> {
    let mut sizes = BTreeMap::new();
    for label in labels {
        *sizes.entry((*label).max(-1)).or_insert(0) += 1;
    }
    sizes
}

fn draw_points(svg: &mut Svg, points: &[[f32; 2]], labels: &[i32], x: Scale, y: Scale) {
    let n = points.len().min(labels.len());
    let drawn = n.min(MOST_POINTS);
    let radius = (90.0 / (drawn.max(1) as f64).sqrt()).clamp(1.2, 4.0);
    let mut paths: BTreeMap<i32, String> = BTreeMap::new();
    for i in (0..drawn).map(|i| i * n / drawn) {
        let [px, py] = points[i].map(f64::from);
        if px.is_finite() && py.is_finite() {
            let label = labels[i].max(-1);
            Look::of(label).append(paths.entry(label).or_default(), x.at(px), y.at(py), radius);
        }
    }
    for (label, commands) in paths {
        svg.path(&Look::of(label).attributes(radius), &commands);
    }
}

/// Entries that are shown: more than can be told apart would say nothing.
fn legend_entries(clusters: usize) -> usize {
    clusters.min(DISTINCT.min(2 * LEGEND_ROWS))
}

fn legend_width(clusters: usize) -> f64 {
    LEGEND_COLUMN * legend_entries(clusters).div_ceil(LEGEND_ROWS) as f64
}

fn legend_height(clusters: usize) -> f64 {
    TOP + LEGEND_ROW * (legend_entries(clusters).min(LEGEND_ROWS) + 1) as f64
}

fn draw_legend(svg: &mut Svg, clusters: &BTreeMap<i32, usize>, left: f64) {
    let shown = legend_entries(clusters.len());
    for (at, (&label, size)) in clusters.iter().take(shown).enumerate() {
        let x = left + LEGEND_COLUMN * (at / LEGEND_ROWS) as f64;
        let y = TOP + 10.0 + LEGEND_ROW * (at % LEGEND_ROWS) as f64;
        let (look, mut mark) = (Look::of(label), String::new());
        look.append(&mut mark, x, y - 4.0, 4.5);
        svg.path(&look.attributes(4.5), &mark);
        let name = if label < 0 { "none".to_owned() } else { label.to_string() };
        svg.text(x + 12.0, y, "tick", Anchor::Start, &format!("{name}  ({size})"));
    }
    if shown < clusters.len() {
        let y = TOP + 10.0 + LEGEND_ROW * LEGEND_ROWS as f64;
        svg.text(left - 5.0, y, "tick", Anchor::Start, &format!("and {} more", clusters.len() - shown));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cluster_has_a_path_and_a_legend_entry() {
        let svg = scatter(&[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]], &[0, 1, -3], "a < b", "three points");
        assert_eq!(svg.matches("<path").count(), 6);
        assert!(svg.contains("none  (1)") && svg.contains("a &lt; b") && svg.contains("prefers-color-scheme:dark"));
    }

    #[test]
    fn circles_stay_round() {
        let (x, y) = equal_scales(&[[-10.0, 0.0], [10.0, 1.0]]);
        let per_unit = |scale: Scale| ((scale.to - scale.from) / (scale.high - scale.low)).abs();
        assert!((per_unit(x) - per_unit(y)).abs() < 1e-9);
        assert!(x.at(-10.0) > LEFT && x.at(10.0) < LEFT + WIDE);
    }

    #[test]
    fn many_points_are_sampled_and_bad_ones_left_out() {
        let mut points = vec![[0.5, 0.5]; 100_000];
        points[0] = [f32::NAN, 0.0];
        let svg = scatter(&points, &vec![0; 100_000], "", "");
        assert_eq!(svg.matches("h0").count(), MOST_POINTS); // one sampled point is not finite; the legend has one mark
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn nothing_to_draw_is_an_empty_plot() {
        assert!(scatter(&[], &[], "empty", "").contains("</svg>"));
    }
}
