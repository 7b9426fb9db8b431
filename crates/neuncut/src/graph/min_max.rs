//! Linkage refinement of the min-max cut (Ding, He, Zha, Gu and Simon 2001): `sum_c cut_c / within_c`.

use super::Csr;
use crate::interrupt;

/// Most passes over all nodes.
const PASSES: usize = 100;
/// A share of volume inside below which a cluster's cost no longer rises: without any edge inside it would be infinite.
const LEAST_SHARE: f64 = 1e-3;
/// A move must lower the cut by this much, so that rounding cannot make nodes wander for ever.
const LEAST_GAIN: f64 = 1e-9;

/// A cluster's cost, `1 / a - 1` with `a` the share of its volume that stays inside.
fn cost(volume: f64, within: f64) -> f64 {
    if volume > 0.0 { volume / within.max(LEAST_SHARE * volume) - 1.0 } else { 0.0 }
}

/// Moves each node to the cluster to which its linkage `W(i, c) / W(c, c)` is largest, where that lowers the min-max cut, until no node
/// moves. No cluster loses its last node.
pub fn refine_min_max(graph: &Csr, labels: &[u32], k: usize) -> Vec<u32> {
    let mut labels = labels.to_vec();
    let degrees: Vec<f64> = (0..graph.len()).map(|i| graph.neighbors(i).map(|(_, w)| f64::from(w)).sum()).collect();
    let (mut volume, mut within, mut size) = (vec![0.0; k], vec![0.0; k], vec![0_usize; k]);
    for (i, &label) in labels.iter().enumerate() {
        let own = label as usize;
        volume[own] += degrees[i];
        size[own] += 1;
        within[own] += graph.neighbors(i).filter(|&(j, _)| labels[j] == label).map(|(_, w)| f64::from(w)).sum::<f64>();
    }
    let mut toward = vec![0.0; k];
    for _ in 0..PASSES {
        interrupt::heed();
        let mut moved = false;
        for i in 0..graph.len() {
            let from = labels[i] as usize;
            if size[from] == 1 {
                continue;
            }
            toward.fill(0.0);
            graph.neighbors(i).for_each(|(j, w)| toward[labels[j] as usize] += f64::from(w));
            // weight inside counts both directions of an edge
            let linkage = |c: usize| toward[c] / within[c].max(LEAST_SHARE * volume[c]).max(f64::MIN_POSITIVE);
            let others = (0..k).filter(|&c| c != from && toward[c] > 0.0);
            let Some(to) = others.max_by(|&a, &b| linkage(a).total_cmp(&linkage(b)).then(b.cmp(&a))) else { continue };
            let before = cost(volume[from], within[from]) + cost(volume[to], within[to]);
            let after = cost(volume[from] - degrees[i], within[from] - 2.0 * toward[from])
                + cost(volume[to] + degrees[i], within[to] + 2.0 * toward[to]);
            if after < before - LEAST_GAIN {
                volume[from] -= degrees[i];
                within[from] -= 2.0 * toward[from];
                volume[to] += degrees[i];
                within[to] += 2.0 * toward[to];
                (size[from], size[to]) = (size[from] - 1, size[to] + 1);
                labels[i] = to as u32;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::Golden;
    use crate::graph::Joint;

    /// Two cliques of six with one edge between them.
    fn cliques() -> Csr {
        let clique = |c: u32| (0..6_u32).flat_map(move |i| (0..i).map(move |j| (6 * c + i, 6 * c + j, 1.0)));
        Csr::symmetrized(12, (0..2).flat_map(clique).chain([(0, 6, 1.0)]))
    }

    #[test]
    fn rows_go_where_they_go_in_numpy() {
        // see tests/golden/min_max.py
        let golden = Golden::of(include_bytes!("../../tests/golden/min_max.safetensors"));
        let labels = |name: &str| golden.numbers(name).iter().map(|&label| label as u32).collect::<Vec<u32>>();
        let weights = golden.numbers("affinity");
        let pairs = (0..45_u32).flat_map(|i| (0..i).map(move |j| (i, j)));
        let edges = pairs.map(|(i, j)| (i, j, 2.0 * weights[45 * i as usize + j as usize]));
        assert_eq!(refine_min_max(&Csr::symmetrized(45, edges), &labels("start"), 3), labels("labels"));
    }

    #[test]
    fn nodes_on_the_wrong_side_go_home() {
        let mut labels: Vec<u32> = (0..12).map(|i| i / 6).collect();
        (labels[2], labels[9]) = (1, 0);
        assert_eq!(refine_min_max(&cliques(), &labels, 2), (0..12).map(|i| i / 6).collect::<Vec<u32>>());
    }

    #[test]
    fn the_cut_falls_and_no_cluster_is_lost() {
        let edges = (0..60_u32).flat_map(|i| (1..4).map(move |s| (i, (i * 7 + s * 11) % 60, 1.0 + (i % 5) as f32)));
        let graph = Csr::symmetrized(60, edges);
        let labels: Vec<u32> = (0..60).map(|i| i % 4).collect();
        let refined = refine_min_max(&graph, &labels, 4);
        let cut = |labels: &[u32]| Joint::of(&graph, labels, 4).min_max_cut();
        assert!(cut(&refined) < 0.9 * cut(&labels), "{} from {}", cut(&refined), cut(&labels));
        assert!((0..4).all(|c| refined.contains(&c)));
        // nothing is left to gain by any one move to the cluster of largest linkage
        assert_eq!(refine_min_max(&graph, &refined, 4), refined);
    }

    #[test]
    fn one_cluster_and_single_nodes_stay() {
        assert_eq!(refine_min_max(&cliques(), &[0; 12], 1), [0; 12]);
        let alone: Vec<u32> = (0..12).collect();
        assert_eq!(refine_min_max(&cliques(), &alone, 12), alone);
    }
}
