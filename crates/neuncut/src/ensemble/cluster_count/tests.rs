//! The number of clusters is found where it is plain to see.

use super::*;
use crate::train::Silent;
use rand::RngExt;

/// Round groups at these places.
fn groups(centres: &[[f32; 2]], each: usize) -> Array2<f32> {
    let mut rng = Seed(1).stream("groups");
    Array2::from_shape_fn((each * centres.len(), 2), |(i, j)| {
        let noise: f32 = (0..6).map(|_| rng.random_range(-0.5_f32..0.5)).sum();
        centres[i % centres.len()][j] + 0.6 * noise
    })
}

fn grid(side: usize) -> Vec<[f32; 2]> {
    (0..side * side).map(|i| [(i % side) as f32 * 5.0, (i / side) as f32 * 5.0]).collect()
}

#[test]
fn groups_apart_are_counted() {
    for side in [2, 3, 5] {
        let rows = groups(&grid(side), 40);
        let found = ClusterCount::default().find(rows.view(), &mut Silent).unwrap();
        assert_eq!(found.chosen(), side * side, "{}", found.reason);
        let chosen = found.evidence.iter().find(|e| e.clusters == side * side).unwrap();
        assert!(chosen.stability > 0.95 && chosen.smallest >= 35, "{chosen:?}");
    }
}

#[test]
fn the_same_on_any_number_of_threads_and_with_rows_given_twice() {
    let rows = groups(&grid(3), 40);
    let found = ClusterCount::default().find(rows.view(), &mut Silent).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = pool.install(|| ClusterCount::default().find(rows.view(), &mut Silent)).unwrap();
    assert_eq!(again, found);
    let twice = ndarray::concatenate![Axis(0), rows, rows];
    let found = ClusterCount::default().find(twice.view(), &mut Silent).unwrap();
    assert_eq!((found.chosen(), found.rows), (9, 360));
}

#[test]
fn a_range_is_kept_to() {
    let rows = groups(&grid(3), 40);
    let range = ClusterRange { least: 3, most: Some(6) };
    let found = ClusterCount { range, ..Default::default() }.find(rows.view(), &mut Silent).unwrap();
    let compared: Vec<usize> = found.evidence.iter().map(|e| e.clusters).collect();
    assert_eq!(compared, [3, 4, 5, 6]);
    assert!(found.recommended.iter().all(|k| compared.contains(k)));
}
