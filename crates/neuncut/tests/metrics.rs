//! The metrics against scikit-learn's values (`golden/metrics.py`) and against the laws they must obey.

use neuncut::metrics::{Scores, accuracy, ari, confusion, encode, nmi, scores};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    predicted: Vec<u32>,
    truth: Vec<u32>,
    accuracy: f64,
    nmi: f64,
    ari: f64,
}

#[test]
fn equal_scikit_learn() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("golden/metrics.json")).unwrap();
    assert_eq!(cases.len(), 14);
    for case in cases {
        let found = scores(&case.predicted, &case.truth).unwrap();
        for (what, found, wanted) in
            [("accuracy", found.accuracy, case.accuracy), ("nmi", found.nmi, case.nmi), ("ari", found.ari, case.ari)]
        {
            assert!((found - wanted).abs() < 1e-12, "{}: {what} is {found}, scikit-learn has {wanted}", case.name);
        }
    }
}

#[test]
fn lengths_must_agree() {
    assert!(scores(&[0, 1], &[0]).is_err());
    assert!(scores(&[], &[]).is_err());
    assert!(confusion(&[0, 1], &[0]).is_err());
}

/// Two labellings of the same rows.
fn labellings() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    (1u32..9, 1u32..9).prop_flat_map(|(a, b)| vec((0..a, 0..b), 1..80)).prop_map(|rows| rows.into_iter().unzip())
}

fn close(left: Scores, right: Scores) -> bool {
    let same = |a: f64, b: f64| (a - b).abs() < 1e-12;
    same(left.accuracy, right.accuracy) && same(left.nmi, right.nmi) && same(left.ari, right.ari)
}

proptest! {
    #[test]
    fn names_of_clusters_do_not_matter((predicted, truth) in labellings(), shift in 1u32..1000) {
        let renamed: Vec<u32> = predicted.iter().map(|&label| (label * 7919 + shift) % 10_007).collect();
        prop_assert!(close(scores(&renamed, &truth).unwrap(), scores(&predicted, &truth).unwrap()));
        prop_assert!(close(scores(&truth, &encode(&predicted)).unwrap(), scores(&truth, &predicted).unwrap()));
    }

    #[test]
    fn order_of_rows_does_not_matter((predicted, truth) in labellings()) {
        let backwards = |labels: &[u32]| labels.iter().rev().copied().collect::<Vec<_>>();
        let reversed = scores(&backwards(&predicted), &backwards(&truth)).unwrap();
        prop_assert!(close(reversed, scores(&predicted, &truth).unwrap()));
    }

    #[test]
    fn all_are_symmetric((predicted, truth) in labellings()) {
        prop_assert!((nmi(&predicted, &truth).unwrap() - nmi(&truth, &predicted).unwrap()).abs() < 1e-12);
        prop_assert!((ari(&predicted, &truth).unwrap() - ari(&truth, &predicted).unwrap()).abs() < 1e-12);
        prop_assert_eq!(accuracy(&predicted, &truth).unwrap(), accuracy(&truth, &predicted).unwrap());
    }

    #[test]
    fn one_means_the_same_partition_and_nothing_else((predicted, truth) in labellings()) {
        let same = encode(&predicted) == encode(&truth);
        let found = scores(&predicted, &truth).unwrap();
        prop_assert_eq!(found.accuracy == 1.0, same);
        prop_assert_eq!(found.ari == 1.0, same);
        prop_assert_eq!(found.nmi > 1.0 - 1e-12, same);
    }

    #[test]
    fn values_stay_in_range((predicted, truth) in labellings()) {
        let found = scores(&predicted, &truth).unwrap();
        let distinct = |labels: &[u32]| encode(labels).into_iter().max().unwrap() + 1;
        let fewest = 1.0 / f64::from(distinct(&predicted).max(distinct(&truth)));
        prop_assert!(found.accuracy >= fewest - 1e-12 && found.accuracy <= 1.0, "{found:?}");
        prop_assert!((0.0..=1.0).contains(&found.nmi), "{found:?}");
        prop_assert!((-0.5..=1.0).contains(&found.ari), "{found:?}");
    }

    #[test]
    fn the_diagonal_of_the_confusion_is_the_accuracy((predicted, truth) in labellings()) {
        let table = confusion(&predicted, &truth).unwrap();
        let diagonal: u64 = (0..table.classes.len()).map(|i| table.counts[i][i]).sum();
        let total: u64 = table.counts.iter().flatten().sum();
        prop_assert_eq!(total, truth.len() as u64);
        prop_assert_eq!(diagonal as f64 / total as f64, accuracy(&predicted, &truth).unwrap());
    }
}
