//! Batches that contain edges: seed rows with some of their neighbours, or with one each.

use crate::graph::Csr;
use crate::seed::Stream;
use rand::RngExt;
use std::collections::BTreeSet;

/// A batch of `size` rows, ascending: the seeds one after another, each with up to `neighbors` of its neighbours, drawn by
/// weight without replacement. `seeds` must name at least `size` different rows, so that the batch can be filled.
pub fn neighborhood_batch(graph: &Csr, seeds: &[usize], size: usize, neighbors: usize, rng: &mut Stream) -> Vec<usize> {
    let mut batch = BTreeSet::new();
    for &seed in seeds {
        let drawn = drawn_neighbors(graph, seed, neighbors, rng);
        for row in std::iter::once(seed).chain(drawn) {
            if batch.len() < size {
                batch.insert(row);
            }
        }
        if batch.len() >= size {
            break;
        }
    }
    batch.into_iter().collect()
}

/// The seeds, then for each a neighbour drawn by weight. Seeds without neighbours are left out; a row may come several times.
pub fn pair_batch(graph: &Csr, seeds: &[usize], rng: &mut Stream) -> Vec<usize> {
    let drawn = seeds.iter().filter_map(|&seed| Some((seed, *drawn_neighbors(graph, seed, 1, rng).first()?)));
    let (mut seeds, partners): (Vec<usize>, Vec<usize>) = drawn.unzip();
    seeds.extend(partners);
    seeds
}

/// The graph among the rows of a [batch of pairs](pair_batch), in which each pair is an edge with the degree of its seed: over all rows as
/// seeds, the edges of `graph` with their weights are what is expected.
pub fn graph_of_pairs(graph: &Csr, batch: &[usize]) -> Csr {
    let pairs = batch.len() / 2;
    let degree = |seed: usize| graph.row(seed).1.iter().sum();
    let edges = batch[..pairs].iter().enumerate();
    Csr::symmetrized(batch.len(), edges.map(|(t, &seed)| (t as u32, (pairs + t) as u32, degree(seed))))
}

/// Up to `count` neighbours of a row: the first to come when each waits for an exponential time whose rate is its weight.
fn drawn_neighbors(graph: &Csr, row: usize, count: usize, rng: &mut Stream) -> Vec<usize> {
    let wait = |weight: f32, rng: &mut Stream| -(1.0 - rng.random::<f64>()).ln() / f64::from(weight);
    let mut times: Vec<(f64, usize)> = graph.neighbors(row).map(|(j, weight)| (wait(weight, rng), j)).collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    times.iter().take(count).map(|&(_, j)| j).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// A ring of `n` rows.
    fn ring(n: u32) -> Csr {
        Csr::symmetrized(n as usize, (0..n).map(|i| (i, (i + 1) % n, 2.0)))
    }

    #[test]
    fn batches_are_full_and_every_seed_has_its_neighbours() {
        let graph = ring(1000);
        let seeds: Vec<usize> = (0..60).map(|s| s * 16).collect();
        let mut rng = Seed(1).stream("batch");
        let batch = neighborhood_batch(&graph, &seeds, 60, 2, &mut rng);
        assert_eq!(batch.len(), 60);
        assert!(batch.is_sorted_by(|a, b| a < b));
        let inside = graph.induced(&batch);
        assert_eq!(inside.n_stored(), 2 * 40, "twenty seeds with two edges each");
        // rows that are their own neighbours' seeds fill the batch all the same
        let all: Vec<usize> = (0..1000).collect();
        assert_eq!(neighborhood_batch(&graph, &all, 1000, 2, &mut rng), all);
    }

    #[test]
    fn pairs_are_edges_with_the_weights_of_the_graph_in_the_mean() {
        // a row without neighbours, and edges of weights one, two and five
        let graph = Csr::symmetrized(5, [(0, 1, 2.0), (0, 2, 4.0), (0, 3, 10.0)].into_iter());
        let mut rng = Seed(3).stream("pairs");
        let mut found = [0.0; 5];
        for _ in 0..4000 {
            let batch = pair_batch(&graph, &[0, 1, 2, 3, 4], &mut rng);
            assert_eq!(batch.len(), 8, "the last row has no partner");
            let pairs = graph_of_pairs(&graph, &batch);
            for t in 0..4 {
                let (partners, weights) = pairs.row(t);
                assert_eq!(partners, [4 + t as u32]);
                found[batch[t].max(batch[4 + t])] += f64::from(weights[0]) / 4000.0;
            }
        }
        // each edge comes from both of its ends; a pair holds half its weight in either direction
        for (j, weight) in [(1, 1.0), (2, 2.0), (3, 5.0)] {
            assert!((found[j] - weight).abs() < 0.15 * weight, "{found:?}");
        }
    }

    #[test]
    fn neighbours_are_drawn_in_proportion_to_their_weight() {
        let graph = Csr::symmetrized(4, [(0, 1, 2.0), (0, 2, 4.0), (0, 3, 10.0)].into_iter());
        let mut rng = Seed(2).stream("draw");
        let mut hits = [0_i32; 4];
        for _ in 0..8000 {
            drawn_neighbors(&graph, 0, 1, &mut rng).iter().for_each(|&j| hits[j] += 1);
        }
        // shares 1/8, 1/4 and 5/8: standard deviations below 45
        for (j, expected) in [(1, 1000), (2, 2000), (3, 5000)] {
            assert!((hits[j] - expected).abs() < 200, "{hits:?}");
        }
    }
}
