//! The evidence for numbers of clusters as a table: for reading, and as csv.

use neuncut::ensemble::{CountEvidence, CountFindings};
use std::collections::BTreeSet;
use std::fmt::Write;

/// About as many lines as a table for reading has, evenly spaced by their logarithm, beside those that are recommended and their
/// neighbours.
const LINES: usize = 16;

/// What is known of a number of clusters beside its smallest: the name in csv, the heading for reading with its width, and the value.
type Measure = (&'static str, &'static str, usize, fn(&CountEvidence) -> f64);

const MEASURES: [Measure; 8] = [
    ("score", "score", 7, |evidence| evidence.score),
    ("stability", "stability", 9, |evidence| evidence.stability),
    ("entropy", "entropy", 7, |evidence| evidence.entropy),
    ("modularity", "modularity", 10, |evidence| evidence.modularity),
    ("coding_length", "coding", 6, |evidence| evidence.coding_length),
    ("gap", "gap", 7, |evidence| evidence.gap),
    ("eigengap", "eigengap", 8, |evidence| evidence.eigengap),
    ("silhouette", "silhouette", 10, |evidence| evidence.silhouette),
];

/// The recommendation and its evidence.
pub fn text(found: &CountFindings) -> String {
    let headings = MEASURES.map(|(_, heading, width, _)| format!("{heading:>width$}")).join("  ");
    let mut text = format!("{:>9}  {headings}  smallest\n", "clusters");
    let shown = shown(found);
    for evidence in found.evidence.iter().filter(|evidence| shown.contains(&evidence.clusters)) {
        let mark = match found.recommended.iter().position(|&k| k == evidence.clusters) {
            Some(0) => "  <- recommended",
            Some(_) => "  <- also likely",
            None => "",
        };
        let values = MEASURES.map(|(_, _, width, of)| format!("{:>width$.3}", of(evidence))).join("  ");
        let _ = writeln!(text, "{:>9}  {values}  {:>8}{mark}", evidence.clusters, evidence.smallest);
    }
    let _ = writeln!(text, "{}", found.reason);
    text
}

/// The numbers that are shown.
pub(super) fn shown(found: &CountFindings) -> BTreeSet<usize> {
    let (Some(first), Some(last)) = (found.evidence.first(), found.evidence.last()) else { return BTreeSet::new() };
    let (first, last) = (first.clusters as f64, last.clusters as f64);
    let even = (0..=LINES).map(|line| (first * (last / first).powf(line as f64 / LINES as f64)).round() as usize);
    let near = found.recommended.iter().flat_map(|&k| k.saturating_sub(1)..=k + 1);
    even.chain(near).collect()
}

/// Everything as csv.
pub fn csv(found: &CountFindings) -> String {
    let mut text = format!("clusters,recommended,{},smallest\n", MEASURES.map(|(name, ..)| name).join(","));
    for evidence in &found.evidence {
        let place = found.recommended.iter().position(|&k| k == evidence.clusters);
        let rank = place.map_or(String::new(), |at| (at + 1).to_string());
        let values = MEASURES.map(|(.., of)| of(evidence).to_string()).join(",");
        let _ = writeln!(text, "{},{rank},{values},{}", evidence.clusters, evidence.smallest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> CountFindings {
        let evidence = (2..=50).map(|clusters| CountEvidence { clusters, score: 0.5, ..Default::default() }).collect();
        CountFindings {
            recommended: vec![7, 20],
            reason: "because".into(),
            representation: "raw".into(),
            rows: 500,
            evidence,
        }
    }

    #[test]
    fn what_is_recommended_is_marked() {
        let text = text(&found());
        let line = |k: usize| text.lines().find(|line| line.trim_start().starts_with(&format!("{k} "))).unwrap_or("");
        assert!(line(7).ends_with("<- recommended") && line(20).ends_with("<- also likely"), "{text}");
        assert!(!line(2).is_empty() && !line(50).is_empty() && !line(21).is_empty() && text.lines().count() < 30);
        assert!(text.ends_with("because\n"));
        let csv = csv(&found());
        assert_eq!(csv.lines().count(), 50);
        assert!(csv.contains("\n7,1,0.5,") && csv.contains("\n20,2,0.5,") && csv.contains("\n8,,0.5,"));
    }
}
