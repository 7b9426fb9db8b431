//! How well the partitions of half of the rows agree with those of all.

use super::{Climb, NeighborGraphs, Network};
use crate::interrupt;
use crate::metrics::ari;
use crate::{Result, Seed};
use ndarray::{Array1, Axis};
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// Halves that are drawn.
const HALVES: usize = 6;
/// The neighbour whose distance is the scale of a row.
const SCALE_NEIGHBOR: usize = 7;

/// The mean adjusted Rand index between `labels` and the partition of a half into as many clusters, for each number.
pub(super) fn of(network: &Network, counts: &[f32], climb: &Climb, labels: &[Vec<u32>]) -> Result<Vec<f64>> {
    let halves = halves(network.nodes.nrows(), climb.seed);
    let interrupt = interrupt::current();
    let of_half = |half: &Vec<usize>| {
        interrupt.heed();
        of_half(network, counts, climb, labels, half)
    };
    let agreements: Vec<Vec<f64>> = halves.par_iter().map(of_half).collect::<Result<_>>()?;
    let mean = |at: usize| agreements.iter().map(|half| half[at]).sum::<f64>() / HALVES as f64;
    Ok((0..labels.len()).map(mean).collect())
}

/// Random halves of so many rows, ascending.
fn halves(rows: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..rows).collect();
    let mut rng = Seed(seed).stream("halves");
    let draw = |_| {
        order.shuffle(&mut rng);
        let mut half = order[..rows.div_ceil(2)].to_vec();
        half.sort_unstable();
        half
    };
    (0..HALVES).map(draw).collect()
}

fn of_half(network: &Network, counts: &[f32], climb: &Climb, labels: &[Vec<u32>], half: &[usize]) -> Result<Vec<f64>> {
    let graph = NeighborGraphs::new(&network.neighbors, counts, None).graph_within(half, network.count);
    let rows = network.nodes.select(Axis(0), half);
    let squared = &network.neighbors.squared_distances;
    let last = squared.ncols().min(SCALE_NEIGHBOR);
    let scale = |&i: &usize| if last == 0 { 1.0 } else { squared[[i, last - 1]].sqrt() };
    let scales: Array1<f32> = half.iter().map(scale).collect();
    let (pieces, ladder) = climb.ladder(&graph, rows.view(), &scales);
    let agreement = |(at, labels): (usize, &Vec<u32>)| {
        let own = pieces.spread(&ladder.labels(climb.least + at));
        let of_all: Vec<u32> = half.iter().map(|&i| labels[i]).collect();
        ari(&own, &of_all)
    };
    labels.iter().enumerate().map(agreement).collect()
}
