//! Rings of cliques, whose communities are known.

use super::*;
use crate::Seed;

/// Cliques of six in a ring, each joined to the next by one edge.
fn ring_of_cliques(cliques: u32) -> Csr {
    let clique = |c: u32| (0..6_u32).flat_map(move |i| (0..i).map(move |j| (6 * c + i, 6 * c + j, 1.0)));
    let links = (0..cliques).map(move |c| (6 * c, (6 * c + 9) % (6 * cliques), 1.0));
    Csr::symmetrized(6 * cliques as usize, (0..cliques).flat_map(clique).chain(links))
}

#[test]
fn each_clique_is_a_community_and_pairs_of_them_too() {
    let graph = ring_of_cliques(8);
    let labels = leiden(&graph, 8, &mut Seed(0).stream("test"));
    assert_eq!(count(&labels), 8);
    assert!((0..48).all(|i| labels[i] == labels[6 * (i / 6)]));
    let halves = leiden(&graph, 4, &mut Seed(0).stream("test"));
    assert_eq!(count(&halves), 4);
    assert!((0..48).all(|i| halves[i] == halves[6 * (i / 6)]), "no clique is cut");
}

#[test]
fn any_number_of_communities_can_be_had() {
    let graph = ring_of_cliques(5);
    for k in [1, 2, 3, 7, 13, 29, 30] {
        assert_eq!(count(&leiden(&graph, k, &mut Seed(1).stream("test"))), k, "k = {k}");
    }
}

#[test]
fn refinement_splits_a_community_whose_halves_do_not_touch() {
    // two cliques under one label
    let graph = ring_of_cliques(2);
    let apart = graph.map_weights(|i, j, w| if i / 6 == j / 6 { w } else { 0.0 }).without_zeros();
    let level = Level::of(&apart, Interrupt::never());
    let mut parts = refined(&level, &[0; 12], 1.0, &mut Seed(0).stream("test"));
    renumber(&mut parts);
    assert!((0..6).all(|i| parts[i] != parts[6 + i]));
}

#[test]
fn a_resolution_gives_the_communities_it_gives_and_no_more_than_are_wanted() {
    let graph = ring_of_cliques(8);
    let at = |resolution, most| communities_at(&graph, resolution, most, &mut Seed(0).stream("test"));
    assert_eq!(count(&at(1.0, 48)), 8);
    assert_eq!(count(&at(1e-3, 48)), 1);
    assert_eq!(count(&at(1e3, 48)), 48);
    let merged = at(1.0, 5);
    assert_eq!(count(&merged), 5);
    assert!((0..48).all(|i| merged[i] == merged[6 * (i / 6)]), "no clique is cut");
}

#[test]
fn small_clusters_are_joined_into_the_communities_that_hold_them() {
    let graph = ring_of_cliques(4);
    let halves: Vec<u32> = (0..24).map(|i| i / 3).collect();
    let contracted = graph.contracted(&halves, 8);
    assert_eq!(contracted.degrees().sum(), graph.degrees().sum(), "the weight inside a group is its loop");
    let joined = leiden(&contracted, 4, &mut Seed(0).stream("test"));
    assert_eq!(count(&joined), 4);
    assert!((0..8).all(|half| joined[half] == joined[2 * (half / 2)]), "{joined:?}");
}
