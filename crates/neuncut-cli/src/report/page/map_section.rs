//! The map of rows and what is beside it. Points are drawn here, so that they are there without a script.

use super::look::Look;
use super::map::{HIGH, WIDE};
use super::phrases::{count, of};
use crate::report::svg::escape;
use std::fmt::Write;

/// Clusters in the list beside the map.
const LISTED: usize = 12;

/// The level, the search and the colours: they go for the map, the table and the tree.
pub fn toolbar(look: &Look) -> String {
    let mut colours =
        String::from("<option value=\"cluster\">cluster</option><option value=\"confidence\">confidence</option>");
    if !look.data.classes.is_empty() {
        colours += "<option value=\"class\">true class</option><option value=\"wrong\">right or wrong</option>";
    }
    let stops = &look.data.stops;
    let last = stops.len() - 1;
    let level = match last {
        0 => String::new(),
        _ => format!(
            "<label class=\"nn-level\"><span>Level</span><input type=\"range\" id=\"level\" min=\"0\" max=\"{last}\" value=\"{last}\" \
             step=\"1\"><output id=\"level-text\" for=\"level\">{} clusters</output></label>",
            stops[last]
        ),
    };
    format!(
        "<div class=\"nn-bar\" role=\"group\" aria-label=\"what is shown\">{level}\
         <label><span>Colour by</span><select id=\"colour\">{colours}</select></label>\
         <label class=\"nn-find\"><span>Find</span><input type=\"search\" id=\"search\" placeholder=\"name, word, text or row\" \
         autocomplete=\"off\"><output id=\"found\" for=\"search\"></output></label></div>\n"
    )
}

/// The map, and a place for the chosen cluster.
pub fn map_section(look: &Look) -> String {
    let how = match look.data.map.len() as u64 == look.total {
        true => format!("All {}.", of(look.total, "row", "rows")),
        false => format!("{} of {} rows, evenly drawn.", count(look.data.map.len() as u64), count(look.total)),
    };
    let alike =
        if look.data.clusters > super::colours::COUNT { " Beyond 24 clusters colours repeat, far apart." } else { "" };
    format!(
        "<section id=\"map-section\"><h2>Map</h2>\
         <p>{how} Rows that are alike lie near each other; faint marks are uncertain.{alike}</p>\
         <p id=\"legend\" class=\"nn-legend\"></p>\
         <div class=\"nn-two\"><div><div id=\"map-box\">{}<div id=\"names\" aria-hidden=\"true\"></div>\
         <div class=\"nn-zoom\"><button id=\"zoom-in\" aria-label=\"zoom in\">+</button>\
         <button id=\"zoom-out\" aria-label=\"zoom out\">\u{2212}</button>\
         <button id=\"zoom-all\" aria-label=\"show the whole map\">\u{2922}</button></div></div>\
         <p class=\"nn-hint\">Zoom with the buttons, two fingers, Ctrl and the wheel, or the wheel after a click; drag to move.</p></div>\
         <aside id=\"chosen\" aria-live=\"polite\">{}</aside></div></section>\n",
        map_svg(look),
        largest(look)
    )
}

fn map_svg(look: &Look) -> String {
    let radius = (110.0 / (look.data.map.len().max(1) as f64).sqrt()).clamp(2.4, 4.5);
    let mut groups = vec![String::new(); look.data.clusters];
    for (row, x, y) in &look.data.map {
        let shown = &look.data.rows[*row];
        let opacity = 0.3 + 0.6 * f64::from(shown.confidence);
        let _ = write!(
            groups[shown.cluster as usize],
            "<path data-row=\"{row}\" opacity=\"{opacity:.2}\" d=\"M{x} {y}h0\"/>"
        );
    }
    let mut svg = format!(
        "<svg id=\"map\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDE} {HIGH}\" role=\"img\" tabindex=\"0\" \
         aria-label=\"map of rows\" style=\"--dot:{:.1}px\">\n",
        2.0 * radius
    );
    for (cluster, marks) in groups.iter().enumerate() {
        let colour = look.data.nodes[cluster].colour;
        let _ = writeln!(svg, "<g class=\"k{colour}\" data-cluster=\"{cluster}\">{marks}</g>");
    }
    svg + "</svg>"
}

/// The largest clusters, which the script replaces by those of the level or the one that is chosen.
fn largest(look: &Look) -> String {
    let mut order: Vec<usize> = (0..look.data.clusters).collect();
    order.sort_by_key(|&cluster| (std::cmp::Reverse(look.data.nodes[cluster].size), cluster));
    let entry = |&cluster: &usize| {
        let node = &look.data.nodes[cluster];
        format!("<li class=\"k{}\"><i class=\"nn-dot\"></i><span>{}</span></li>", node.colour, escape(&node.name))
    };
    let entries: String = order.iter().take(LISTED).map(entry).collect();
    format!("<ul class=\"nn-list\">{entries}</ul>")
}
