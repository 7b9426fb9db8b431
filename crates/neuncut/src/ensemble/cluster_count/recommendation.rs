//! What the evidence comes to.
//!
//! A number is good where halves of the rows lead to the same clusters, and these tell much about the rows: the square of the stability times
//! the entropy. Few clusters are always found again and tell little; more than there are tell much and are not found again. A number is
//! also good where the tree of merges has a break: the clusters merged last were much closer than those that would be merged next. The
//! score is the sum of both, each beside its largest.

use super::peaks::peaks;
use super::{CountEvidence, CountFindings};

/// Numbers that are recommended.
const RECOMMENDED: usize = 3;
/// From this gap on a break is clear, and a larger one no better: ten times as close.
const CLEAR_GAP: f64 = std::f64::consts::LN_10;
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
    let detail = |e: &CountEvidence| e.stability.max(0.0).powi(2) * e.entropy;
    let most = evidence.iter().map(detail).fold(f64::MIN_POSITIVE, f64::max);
    for e in evidence {
        let break_there = e.stability.max(0.0) * e.gap.clamp(0.0, CLEAR_GAP) / CLEAR_GAP;
        e.score = detail(e) / most + break_there;
    }
}

/// Why the first of the numbers is recommended, and which come next.
fn reason(evidence: &[CountEvidence], recommended: &[usize]) -> String {
    let Some(chosen) = recommended.first().and_then(|&k| evidence.iter().find(|e| e.clusters == k)) else {
        return "no number of clusters could be measured".into();
    };
    let doubt = if chosen.stability < STABLE { ", though no number stands out" } else { "" };
    let gap = match chosen.gap {
        gap if gap > 0.01 => {
            format!(", and the next two to be merged are {:.1} times less close than the last", gap.exp())
        }
        _ => String::new(),
    };
    let runners = match &recommended[1..] {
        [] => String::new(),
        [one] => format!("; {one} comes next"),
        some => format!("; {} come next", some.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ")),
    };
    format!(
        "{} clusters{doubt}: halves of the rows agree with all by an adjusted Rand index of {:.2}{gap}{runners}",
        chosen.clusters, chosen.stability
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(clusters: usize, stability: f64, gap: f64) -> CountEvidence {
        CountEvidence { clusters, stability, gap, entropy: (clusters as f64).ln(), ..Default::default() }
    }

    #[test]
    fn a_break_in_the_tree_decides_among_stable_numbers() {
        let evidence = vec![at(2, 1.0, 0.1), at(3, 0.95, 0.0), at(4, 1.0, 3.0), at(5, 0.8, 0.0), at(9, 0.4, 0.1)];
        let found = CountFindings::of(evidence, "raw".into(), 100);
        assert_eq!(found.chosen(), 4);
        assert_eq!(found.recommended.len(), 3);
        assert!(
            found.reason.starts_with("4 clusters: halves of the rows agree with all by an adjusted Rand index of 1.00")
        );
        assert!(found.reason.contains("20.1 times less close"), "{}", found.reason);
    }

    #[test]
    fn without_a_break_detail_that_is_found_again_decides() {
        let evidence = vec![at(2, 0.99, 0.0), at(10, 0.9, 0.0), at(150, 0.8, 0.0), at(300, 0.5, 0.0)];
        assert_eq!(CountFindings::of(evidence, "raw".into(), 1000).recommended, [150, 10, 300]);
    }

    #[test]
    fn doubt_is_reported() {
        let found = CountFindings::of(vec![at(2, 0.2, 0.0), at(3, 0.1, 0.0)], "raw".into(), 100);
        assert!(found.reason.contains("2 clusters, though no number stands out"), "{}", found.reason);
        assert!(found.reason.ends_with("; 3 comes next"), "{}", found.reason);
    }
}
