//! Leiden against igraph on one graph of 2,000 rows (see golden/leiden.py).

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on fails; values are shown")]

use neuncut::Seed;
use neuncut::graph::{Csr, communities_at};
use safetensors::SafeTensors;
use serde_json::Value;

/// What a run may stay below the best of igraph's five.
const SLACK: f64 = 1e-3;

fn graph() -> Csr {
    let file = SafeTensors::deserialize(include_bytes!("golden/spectral.safetensors")).unwrap();
    let edges = file.tensor("edges").unwrap();
    let values: Vec<f32> = edges.data().chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    Csr::symmetrized(2000, values.chunks_exact(3).map(|e| (e[0] as u32, e[1] as u32, 2.0 * e[2])))
}

/// Modularity by its definition: the share of weight inside communities, less the resolution times the squares of their volumes' shares.
fn modularity(graph: &Csr, labels: &[u32], resolution: f64) -> f64 {
    let count = *labels.iter().max().unwrap() as usize + 1;
    let (mut volumes, mut inside, mut total) = (vec![0.0; count], 0.0, 0.0);
    for i in 0..graph.len() {
        for (j, w) in graph.neighbors(i) {
            let w = f64::from(w);
            volumes[labels[i] as usize] += w;
            inside += if labels[i] == labels[j] { w } else { 0.0 };
            total += w;
        }
    }
    inside / total - resolution * volumes.iter().map(|volume| (volume / total).powi(2)).sum::<f64>()
}

#[test]
fn modularity_is_that_of_igraph() {
    let graph = graph();
    let golden: Value = serde_json::from_slice(include_bytes!("golden/leiden.json")).unwrap();
    for entry in golden.as_array().unwrap() {
        let resolution = entry["resolution"].as_f64().unwrap();
        let expected = entry["modularity"].as_f64().unwrap();
        for seed in 0..3 {
            let labels = communities_at(&graph, resolution, graph.len(), &mut Seed(seed).stream("leiden"));
            let found = modularity(&graph, &labels, resolution);
            println!("resolution {resolution}, seed {seed}: {found:.5} for {expected:.5}");
            assert!(found > expected - SLACK, "resolution {resolution}: {found} for {expected}");
        }
    }
}
