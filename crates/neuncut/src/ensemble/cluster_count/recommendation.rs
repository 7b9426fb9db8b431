//! What the evidence comes to.
//!
//! A number is good where its clusters keep most of the weight of the graph beyond what chance would keep (modularity), where halves of
//! the rows lead to the same clusters (stability), and where the tree of merges has a break: the clusters merged last were much closer
//! than those that would be merged next. The score is the product of the three. Unlike the entropy of the clusters, modularity does not
//! grow with their number for ever, so that hundreds of small communities do not win where there are a few large clusters.

use super::peaks::peaks;
use super::{CountEvidence, CountFindings};

/// Numbers that are recommended.
const RECOMMENDED: usize = 3;
/// From this gap on a break is clear, and a larger one no better: ten times as close.
const CLEAR_GAP: f64 = std::f64::consts::LN_10;
/// A clear break makes a number three times as good as one without.
const BREAK_WEIGHT: f64 = 2.0;
/// From this gap on a break is mentioned: a fifth closer.
const SPOKEN_GAP: f64 = 0.182;
/// Below this stability halves of the rows do not lead to the same clusters.
const STABLE: f64 = 0.5;

impl CountFindings {
    /// Scores the evidence and recommends the best.
    pub(super) fn of(mut evidence: Vec<CountEvidence>, representation: String, rows: usize) -> Self {
        score(&mut evidence);
        let recommended = peaks(evidence.iter().map(|e| (e.clusters, e.score)), RECOMMENDED);
        let reason = reason(&evidence, &recommended);
        Self { recommended, reason, representation, rows, evidence }
    }
}

fn score(evidence: &mut [CountEvidence]) {
    for e in evidence {
        let a_break = e.gap.clamp(0.0, CLEAR_GAP) / CLEAR_GAP;
        e.score = e.modularity.max(0.0) * e.stability.max(0.0).sqrt() * (1.0 + BREAK_WEIGHT * a_break);
    }
}

/// Why the first of the numbers is recommended, and which come next.
fn reason(evidence: &[CountEvidence], recommended: &[usize]) -> String {
    let Some(chosen) = recommended.first().and_then(|&k| evidence.iter().find(|e| e.clusters == k)) else {
        return "no number of clusters could be measured".into();
    };
    let doubt = if chosen.stability < STABLE { ", though no number stands out" } else { "" };
    let gap = match chosen.gap {
        gap if gap >= SPOKEN_GAP => {
            format!(", and the two clusters merged last were {:.1} times as close as the next two are", gap.exp())
        }
        _ => String::new(),
    };
    let runners = match &recommended[1..] {
        [] => String::new(),
        [one] => format!("; runner-up: {one}"),
        some => format!("; runners-up: {}", some.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ")),
    };
    format!(
        "{} clusters{doubt}: modularity {:.2}, halves of the rows agree with all by an adjusted Rand index of {:.2}{gap}{runners}",
        chosen.clusters, chosen.modularity, chosen.stability
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(clusters: usize, modularity: f64, stability: f64, gap: f64) -> CountEvidence {
        CountEvidence { clusters, modularity, stability, gap, ..Default::default() }
    }

    #[test]
    fn a_break_in_the_tree_decides_among_numbers_about_as_good() {
        let evidence = vec![
            at(2, 0.5, 1.0, 0.1),
            at(3, 0.6, 0.95, 0.0),
            at(4, 0.7, 1.0, 3.0),
            at(5, 0.72, 0.8, 0.0),
            at(9, 0.74, 0.4, 0.1),
        ];
        let found = CountFindings::of(evidence, "raw".into(), 100);
        assert_eq!(found.chosen(), 4);
        assert_eq!(found.recommended.len(), 3);
        let begin = "4 clusters: modularity 0.70, halves of the rows agree with all by an adjusted Rand index of 1.00";
        assert!(found.reason.starts_with(begin), "{}", found.reason);
        assert!(found.reason.contains("20.1 times as close"), "{}", found.reason);
        assert!(found.reason.ends_with("; runners-up: 3 and 2"), "{}", found.reason);
    }

    #[test]
    fn many_small_communities_that_are_found_again_do_not_win() {
        let evidence =
            vec![at(2, 0.4, 0.99, 0.0), at(10, 0.8, 0.9, 0.0), at(150, 0.6, 0.85, 0.0), at(300, 0.5, 0.9, 0.0)];
        assert_eq!(CountFindings::of(evidence, "raw".into(), 1000).recommended, [10, 150, 300]);
    }

    #[test]
    fn doubt_is_reported() {
        let found = CountFindings::of(vec![at(2, 0.2, 0.2, 0.0), at(3, 0.1, 0.1, 0.0)], "raw".into(), 100);
        assert!(found.reason.contains("2 clusters, though no number stands out"), "{}", found.reason);
        assert!(found.reason.ends_with("; runner-up: 3"), "{}", found.reason);
    }
}
