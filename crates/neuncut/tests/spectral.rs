//! Spectral clustering against scipy and scikit-learn on one graph of 2,000 rows (see golden/spectral.py).

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on fails; values are shown")]

use neuncut::baselines::{Rounding, Spectral};
use neuncut::clustering::Clustering;
use neuncut::graph::{Csr, EigenOptions, lowest_laplacian_eigenpairs, ncut, top_eigenpairs};
use safetensors::SafeTensors;

const GOLDEN: &[u8] = include_bytes!("golden/spectral.safetensors");

fn numbers(name: &str) -> Vec<f64> {
    let file = SafeTensors::deserialize(GOLDEN).unwrap();
    file.tensor(name).unwrap().data().chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

fn graph() -> Csr {
    let file = SafeTensors::deserialize(GOLDEN).unwrap();
    let edges = file.tensor("edges").unwrap();
    let values: Vec<f32> = edges.data().chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    // an edge given in one direction counts half
    Csr::symmetrized(2000, values.chunks_exact(3).map(|e| (e[0] as u32, e[1] as u32, 2.0 * e[2])))
}

#[test]
fn eigenvalues_are_those_of_scipy() {
    let top = top_eigenpairs(&graph(), 12, EigenOptions::default()).unwrap();
    let normalized: Vec<f64> = top.values.iter().map(|value| 1.0 - value).collect();
    let lowest = lowest_laplacian_eigenpairs(&graph(), 12, EigenOptions::default()).unwrap();
    assert!(top.converged && lowest.converged);
    for (found, name) in [(normalized, "normalized"), (lowest.values, "unnormalized")] {
        let expected = numbers(name);
        let largest = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{name}: largest difference {largest:.1e}");
        assert!(largest < 1e-5, "{name}: {found:?} for {expected:?}");
    }
}

#[test]
fn cuts_are_no_worse_than_those_of_scikit_learn() {
    let graph = graph();
    let expected = numbers("ncut");
    let roundings = [Rounding::KMeans, Rounding::Discretize, Rounding::ClusterQr];
    for (rounding, expected) in roundings.into_iter().zip(expected) {
        for seed in 0..3 {
            let fitted = Spectral { rounding, seed, ..Spectral::ncut(10) }.fit_graph(&graph).unwrap();
            let found = ncut(&graph, fitted.labels(), 10);
            println!("{rounding:?}, seed {seed}: {found:.5} for {expected:.5}");
            assert!(
                (fitted.cut - found).abs() < 1e-12 && found <= expected * 1.0001,
                "{rounding:?}: {found} for {expected}"
            );
        }
    }
}
