//! How clusters are told apart: seven colours that colour-blind readers can distinguish, then, cluster by cluster,
//! another mark.

/// Classes of the style sheet, which knows the colours for light and dark.
pub(super) const COLOURS: [&str; 7] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6"];
const NO_CLUSTER: &str = "none";

/// A cluster's mark as a path around the current point, for marks 2 wide; and whether it is drawn by its outline.
const MARKS: [(&str, bool); 8] = [
    ("", true), // a dot: a line of no length with round ends
    ("m-1 .8h2l-1-1.75z", false),
    ("m-.85-.85h1.7v1.7h-1.7z", false),
    ("m0-1.15l1.15 1.15-1.15 1.15-1.15-1.15z", false),
    ("m-1 0h2m-1-1v2", true),
    ("m-.8-.8l1.6 1.6m-1.6 0l1.6-1.6", true),
    ("m-1-.8h2l-1 1.75z", false),
    ("m-1.1 0h2.2", true),
];

/// Number of clusters that all look different.
pub(super) const DISTINCT: usize = COLOURS.len() * MARKS.len();

/// The look of a cluster; negative labels are of no cluster.
pub(super) struct Look {
    colour: &'static str,
    mark: &'static str,
    outlined: bool,
}

impl Look {
    pub(super) fn of(label: i32) -> Self {
        let Ok(index) = usize::try_from(label) else {
            return Self { colour: NO_CLUSTER, mark: MARKS[0].0, outlined: MARKS[0].1 };
        };
        let (mark, outlined) = MARKS[index / COLOURS.len() % MARKS.len()];
        Self { colour: COLOURS[index % COLOURS.len()], mark, outlined }
    }

    /// Attributes of a path made of this cluster's marks, each of the given radius.
    pub(super) fn attributes(&self, radius: f64) -> String {
        let colour = self.colour;
        match (self.mark, self.outlined) {
            ("", _) => format!(r#"class="{colour} dot" stroke-width="{:.1}""#, 2.0 * radius),
            (_, true) => format!(r#"class="{colour} cross" stroke-width="{:.1}""#, (0.55 * radius).max(0.8)),
            (_, false) => format!(r#"class="{colour} solid""#),
        }
    }

    /// Appends this cluster's mark at a point.
    pub(super) fn append(&self, commands: &mut String, x: f64, y: f64, radius: f64) {
        use std::fmt::Write;
        let _ = write!(commands, "M{x:.1} {y:.1}"); // writing to a String cannot fail
        if self.mark.is_empty() {
            commands.push_str("h0");
        } else {
            scale_path(self.mark, radius, commands);
        }
    }
}

/// Multiplies every number of a path.
fn scale_path(path: &str, factor: f64, out: &mut String) {
    use std::fmt::Write;
    let mut number = String::new();
    let flush = |number: &mut String, out: &mut String| {
        if let Ok(value) = number.parse::<f64>() {
            let _ = write!(out, "{:.2}", value * factor);
        }
        number.clear();
    };
    for c in path.chars() {
        match c {
            '0'..='9' | '.' => number.push(c),
            '-' => {
                flush(&mut number, out);
                number.push(c);
            }
            _ => {
                flush(&mut number, out);
                out.push(c);
            }
        }
    }
    flush(&mut number, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn fifty_clusters_look_different() {
        let looks: HashSet<_> = (0..50).map(|label| (Look::of(label).colour, Look::of(label).mark)).collect();
        assert_eq!(looks.len(), 50);
        const { assert!(DISTINCT >= 50) };
        assert_eq!(Look::of(-1).colour, NO_CLUSTER);
        assert_eq!(Look::of(i32::MAX).colour, COLOURS[i32::MAX as usize % 7]);
    }

    #[test]
    fn paths_scale_number_by_number() {
        let mut out = String::new();
        scale_path("m-1 .8h2l-1-1.75z", 2.0, &mut out);
        assert_eq!(out, "m-2.00 1.60h4.00l-2.00-3.50z");
    }
}
