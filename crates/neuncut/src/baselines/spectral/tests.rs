//! Every way of rounding finds planted clusters, and no graph makes the method hang.

use super::*;
use crate::Seed;
use crate::affinity::{Bandwidth, HeatKernel};
use crate::golden::Golden;
use crate::metrics::accuracy;
use rand::RngExt;

const ROUNDINGS: [Rounding; 4] = [Rounding::KMeans, Rounding::ClusterQr, Rounding::Discretize, Rounding::Rotation];

/// `k` groups of `size` nodes with eight random edges per node inside, and one to anywhere for every tenth node.
fn planted(k: u32, size: u32, seed: u64) -> Csr {
    let mut rng = Seed(seed).stream("planted");
    let n = k * size;
    let mut edges = Vec::new();
    for i in 0..n {
        edges.extend((0..8).map(|_| (i, i / size * size + rng.random_range(0..size), 1.0)));
        if i % 10 == 0 {
            edges.push((i, rng.random_range(0..n), 1.0));
        }
    }
    Csr::symmetrized(n as usize, edges.into_iter())
}

#[test]
fn planted_clusters_are_found_by_both_cuts_and_every_rounding() {
    let graph = planted(5, 200, 1);
    let truth: Vec<u32> = (0..1000).map(|i| i / 200).collect();
    for (spectral, cut) in [(Spectral::ncut(5), 0.1), (Spectral::rcut(5), 0.5)] {
        for rounding in ROUNDINGS {
            let fitted = Spectral { rounding, ..spectral.clone() }.fit_graph(&graph).unwrap();
            let reached = accuracy(fitted.labels(), &truth).unwrap();
            assert!(reached > 0.99, "{:?}, {rounding:?}: {reached}", spectral.laplacian);
            assert!(fitted.warnings.is_empty() && fitted.cut < cut, "{:?} {}", fitted.warnings, fitted.cut);
        }
    }
}

#[test]
fn more_eigenvectors_than_clusters_and_too_few() {
    let graph = planted(4, 100, 2);
    let truth: Vec<u32> = (0..400).map(|i| i / 100).collect();
    for rounding in ROUNDINGS {
        let fitted = Spectral { eigenvectors: Some(7), rounding, ..Spectral::ncut(4) }.fit_graph(&graph).unwrap();
        assert_eq!(fitted.values.len(), 7);
        assert!(accuracy(fitted.labels(), &truth).unwrap() > 0.95, "{rounding:?}");
    }
    let refused = Spectral { eigenvectors: Some(3), ..Spectral::ncut(4) }.fit_graph(&graph).unwrap_err();
    assert!(refused.to_string().contains("eigenvectors is 3"), "{refused}");
}

/// Two rings of 400 nodes each, and `alone` nodes without edges at the end.
fn two_rings(alone: usize) -> Csr {
    let ring = |first: u32| (0..400_u32).map(move |i| (first + i, first + (i + 1) % 400, 1.0));
    Csr::symmetrized(800 + alone, ring(0).chain(ring(400)))
}

#[test]
fn pieces_and_isolated_nodes_end_in_an_answer_that_says_so() {
    for spectral in [Spectral::ncut(2), Spectral::rcut(2)] {
        let fitted = spectral.fit_graph(&two_rings(3)).unwrap();
        let labels = fitted.labels();
        assert!(labels[..400].iter().all(|&l| l == labels[0]) && labels[400..800].iter().all(|&l| l == labels[400]));
        assert_ne!(labels[0], labels[400]);
        assert_eq!((fitted.components, fitted.isolated.clone()), (2, vec![800, 801, 802]));
        assert_eq!(fitted.warnings.len(), 2, "{:?}", fitted.warnings);
        assert!(fitted.cut.abs() < 1e-6);
    }
}

#[test]
fn more_clusters_than_pieces_more_pieces_than_clusters_and_equal_weights() {
    for rounding in ROUNDINGS {
        for spectral in [Spectral::ncut(5), Spectral::rcut(5)] {
            let spectral = Spectral { rounding, ..spectral };
            assert!(spectral.fit_graph(&two_rings(0)).unwrap().labels().iter().all(|&l| l < 5));
            let pairs = Csr::symmetrized(700, (0..350).map(|i| (2 * i, 2 * i + 1, 1.0)));
            let fitted = spectral.fit_graph(&pairs).unwrap();
            assert!(fitted.warnings[0].contains("350 pieces"), "{:?}", fitted.warnings);
            let complete = Csr::symmetrized(650, (0..650).flat_map(|i| (0..i).map(move |j| (i, j, 1.0))));
            assert_eq!(spectral.fit_graph(&complete).unwrap().labels().len(), 650);
        }
    }
}

#[test]
fn graphs_without_edges_are_refused() {
    let error = Spectral::ncut(2).fit_graph(&Csr::symmetrized(50, std::iter::empty())).unwrap_err();
    assert!(error.to_string().contains("only 0 of 50 rows"), "{error}");
    assert!(Spectral::ncut(0).fit_graph(&two_rings(0)).is_err());
}

#[test]
fn a_row_without_affinity_follows_its_nearest() {
    // two groups on a line and one row so far away that its kernel is zero
    let mut rng = Seed(4).stream("line");
    let rows = Array2::from_shape_fn((61, 1), |(i, _)| match i {
        0..30 => rng.random::<f32>(),
        30..60 => 10.0 + rng.random::<f32>(),
        _ => 1000.0,
    });
    let affinity = HeatKernel { bandwidth: Bandwidth::Sigma(0.5), neighbors: Some(5) };
    let fitted = SpectralClustering { spectral: Spectral::ncut(2), affinity: &affinity }.fit(rows.view()).unwrap();
    assert_eq!(fitted.isolated, [60]);
    assert_eq!(fitted.labels()[60], fitted.labels()[45]);
    assert_ne!(fitted.labels()[0], fitted.labels()[45]);
}

#[test]
fn the_improved_rotation_is_that_of_numpy() {
    // see tests/golden/rotation.py
    let golden = Golden::of(include_bytes!("../../../tests/golden/rotation.safetensors"));
    let labels = |name: &str| golden.doubles(name).iter().map(|&label| label as u32).collect::<Vec<u32>>();
    let functions = Array2::from_shape_vec((60, 4), golden.doubles("functions")).unwrap();
    let found = rounding::rotate_from(&functions, &golden.doubles("degrees"), labels("start")).unwrap();
    assert_eq!(found, labels("labels"));
    assert_ne!(found, labels("start"));
}

#[test]
fn rotation_fills_clusters_that_labels_leave_empty() {
    let functions = Array2::from_shape_fn((40, 2), |(i, c)| if c == 0 { 1.0 } else { [1.0, -1.0][i % 2] });
    let found = rounding::rotate_from(&functions, &[1.0; 40], vec![1; 40]).unwrap();
    assert!((0..40).all(|i| (found[i] == found[0]) == (i % 2 == 0)), "{found:?}");
}
