//! The tree of the clusters: coarse levels left, all clusters right, and a line at the level that is shown.

use super::look::Look;
use super::nesting::Nesting;
use std::fmt::Write;

/// The height of a cluster, and of the whole, in pixels; the width is that of the page, in thousandths.
const LEAF: f64 = 22.0;
const LEAF_OF_MANY: f64 = 15.0;
const LEAF_OF_VERY_MANY: f64 = 7.0;
const MANY: usize = 40;
const VERY_MANY: usize = 400;
const WIDE: f64 = 1000.0;

/// The section with the tree; nothing for a model without one, or with one level only.
pub fn tree_section(look: &Look) -> String {
    let nesting = &look.nesting;
    if look.data.stops.len() < 2 {
        return String::new();
    }
    let k = nesting.clusters;
    let leaf = match k {
        k if k <= MANY => LEAF,
        k if k <= VERY_MANY => LEAF_OF_MANY, // room for every name
        _ => LEAF_OF_VERY_MANY,
    };
    let height = leaf * k as f64;
    let y = heights(nesting, leaf);
    let stops = &look.data.stops;
    let mut paths = String::new();
    for (at, node) in nesting.nodes.iter().enumerate() {
        let (left, right) = (place(stops, node.from.saturating_sub(1)), place(stops, node.to));
        let colour = look.data.nodes[at].colour;
        let mut line = format!("M{left:.1} {:.1}H{right:.1}", y[at]);
        if let Some([first, second]) = node.parts {
            let _ = write!(line, "M{right:.1} {:.1}V{:.1}", y[first], y[second]);
        }
        let _ = write!(paths, "<path class=\"k{colour}\" data-node=\"{at}\" data-y=\"{:.1}\" d=\"{line}\"/>", y[at]);
    }
    let ticks: String = (stops.iter())
        .map(|&level| format!("<span style=\"left:{:.2}%\">{level}</span>", place(stops, level) / WIDE * 100.0))
        .collect();
    format!(
        "<section id=\"tree-section\"><h2>How they nest</h2>\
         <p>The closest clusters join first, from right to left. A level is a line through the tree, and <code>predict --level</code> \
         labels rows by it: choose one with the slider above, or with a click here.</p>\
         <div class=\"nn-tree\"><div class=\"nn-branches\"><svg id=\"tree\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDE} {height}\" \
         preserveAspectRatio=\"none\" style=\"height:{height}px\" role=\"img\" aria-label=\"tree of clusters\">{paths}\
         <path id=\"cut\" d=\"M{WIDE} 0V{height}\"/></svg><div class=\"nn-ticks\" aria-hidden=\"true\">{ticks}</div></div>\
         <div id=\"leaves\" style=\"height:{height}px\"></div></div></section>\n"
    )
}

/// Where a level is from left to right: levels on offer are evenly spaced, others between them.
fn place(stops: &[usize], level: usize) -> f64 {
    let steps = stops.len() as f64; // the first is left of the coarsest level on offer
    let after = stops.iter().position(|&stop| stop >= level).unwrap_or(stops.len() - 1);
    let (low, low_at) = if after == 0 { (0, 0.0) } else { (stops[after - 1], after as f64) };
    let between = (level - low) as f64 / (stops[after] - low).max(1) as f64;
    WIDE * (low_at + between) / steps
}

/// Where each node is from top to bottom: clusters in the order of the tree, merges half way between their parts.
fn heights(nesting: &Nesting, leaf: f64) -> Vec<f64> {
    let mut y = vec![0.0; nesting.nodes.len()];
    for (at, cluster) in nesting.order().into_iter().enumerate() {
        y[cluster] = leaf * (at as f64 + 0.5);
    }
    for (at, node) in nesting.nodes.iter().enumerate() {
        if let Some([first, second]) = node.parts {
            y[at] = (y[first] + y[second]) / 2.0;
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_on_offer_are_evenly_spaced() {
        let stops = [2, 3, 4, 8];
        let places: Vec<f64> = [0, 1, 2, 3, 4, 6, 8].map(|level| place(&stops, level)).to_vec();
        assert_eq!(places, [0.0, 125.0, 250.0, 500.0, 750.0, 875.0, 1000.0]);
        let nesting = Nesting::new(&[(1, 3), (0, 2), (0, 1)], 4);
        assert_eq!(heights(&nesting, 10.0), [5.0, 25.0, 15.0, 35.0, 30.0, 10.0, 20.0]);
    }
}
