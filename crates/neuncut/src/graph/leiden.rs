//! Communities of a graph by the Leiden algorithm (Traag, Waltman and van Eck 2019), and its resolution searched until there are `k`.
//!
//! The quality of a partition is `sum_c within_c - resolution vol_c^2 / vol`: modularity with a resolution. Nodes move to the
//! community that gains most, communities are split into well-connected parts, the parts become the nodes of a smaller graph, and so on.
//! Moves are made one after the other in an order drawn from the seed, so that the result does not depend on threads.

use super::Csr;
use crate::interrupt::{self, Interrupt};
use crate::seed::Stream;
use rand::seq::SliceRandom;
use std::collections::VecDeque;

/// Times that the whole algorithm is run, each from the result of the one before; where one resolution is given, and not many are tried,
/// until nothing changes or so often.
const PASSES: usize = 2;
const MOST_PASSES: usize = 10;
/// Resolutions that are tried at most on the way to `k` communities.
const TRIALS: usize = 16;
/// A gain must exceed this share of a node's volume, so that rounding cannot make nodes wander for ever.
const LEAST_GAIN: f64 = 1e-12;

/// Exactly `k` communities (fewer only where there are fewer nodes): the resolution is searched until it gives `k`; where it skips
/// over `k`, the next larger number is merged, each time the two communities whose union gains most. The graph should be connected.
pub fn leiden(graph: &Csr, k: usize, rng: &mut Stream) -> Vec<u32> {
    leiden_until(interrupt::current(), graph, k, rng)
}

/// The same on any thread, until `interrupt`.
pub(crate) fn leiden_until(interrupt: Interrupt, graph: &Csr, k: usize, rng: &mut Stream) -> Vec<u32> {
    let level = Level::of(graph, interrupt);
    let (mut bracket, mut resolution) = (Bracket::default(), 1.0);
    for _ in 0..TRIALS {
        let labels = communities(&level, resolution, PASSES, rng);
        let count = count(&labels);
        if count == k {
            return labels;
        }
        bracket.narrow(resolution, count, k, labels);
        match bracket.next(k) {
            Some(next) => resolution = next,
            None => break,
        }
    }
    match bracket.above {
        Some(above) => merged(&level, above.labels, k, above.resolution),
        None => (0..graph.len() as u32).map(|i| i.min(k as u32 - 1)).collect(),
    }
}

/// The communities at one resolution, as many as there are; of more than `most`, the two whose union gains most are merged until so many
/// are left.
pub fn communities_at(graph: &Csr, resolution: f64, most: usize, rng: &mut Stream) -> Vec<u32> {
    let level = Level::of(graph, interrupt::current());
    let labels = communities(&level, resolution, MOST_PASSES, rng);
    merged(&level, labels, most, resolution)
}

/// The communities of highest modularity, as many as there are.
pub fn natural_communities(graph: &Csr, rng: &mut Stream) -> Vec<u32> {
    communities(&Level::of(graph, interrupt::current()), 1.0, PASSES, rng)
}

/// A resolution that was tried.
struct Trial {
    resolution: f64,
    count: usize,
    labels: Vec<u32>,
}

/// The nearest resolutions known to give too few and too many communities.
#[derive(Default)]
struct Bracket {
    below: Option<(f64, usize)>,
    above: Option<Trial>,
}

impl Bracket {
    fn narrow(&mut self, resolution: f64, count: usize, k: usize, labels: Vec<u32>) {
        if count < k {
            self.below = Some((resolution, count));
        } else {
            self.above = Some(Trial { resolution, count, labels });
        }
    }

    /// Between the two by interpolation of logarithms, kept away from both ends; outwards where one is missing; nothing where the
    /// bracket has closed.
    fn next(&self, k: usize) -> Option<f64> {
        match (&self.below, &self.above) {
            (Some((low, few)), Some(Trial { resolution: high, count: many, .. })) => {
                let width = high / low;
                if width < 1.0 + 1e-4 {
                    return None;
                }
                let log = |count: usize| (count.max(1) as f64).ln();
                let share = (log(k) - log(*few)) / (log(*many) - log(*few));
                Some(low * width.powf(share.clamp(0.2, 0.8)))
            }
            (Some((low, few)), None) => Some(low * (k as f64 / (*few).max(1) as f64).clamp(1.5, 8.0)),
            (None, Some(above)) if above.resolution > 1e-6 => {
                Some(above.resolution * (k as f64 / above.count as f64).clamp(0.05, 0.6))
            }
            _ => None,
        }
    }
}

/// Nodes with their edges, without the weight inside a node, which no move changes.
struct Level {
    starts: Vec<usize>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    /// Sum of degrees of the original nodes inside each.
    volume: Vec<f64>,
    /// That of all nodes.
    total: f64,
    /// Looked at for every node.
    interrupt: Interrupt,
}

impl Level {
    fn of(graph: &Csr, interrupt: Interrupt) -> Self {
        let (starts, targets, weights, volume) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        let mut level = Self { starts, targets, weights, volume, total: 0.0, interrupt };
        for i in 0..graph.len() {
            for (target, weight) in graph.neighbors(i).filter(|&(target, _)| target != i) {
                level.targets.push(target as u32);
                level.weights.push(f64::from(weight));
            }
            level.starts.push(level.targets.len());
            level.volume.push(graph.neighbors(i).map(|(_, weight)| f64::from(weight)).sum());
        }
        level.total = level.volume.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        level
    }

    fn len(&self) -> usize {
        self.volume.len()
    }

    fn edges(&self, node: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[node]..self.starts[node + 1];
        self.targets[range.clone()].iter().map(|&t| t as usize).zip(self.weights[range].iter().copied())
    }

    /// The graph whose nodes are the groups `0..count`.
    fn aggregated(&self, group: &[u32], count: usize) -> Self {
        let mut members = vec![Vec::new(); count];
        group.iter().enumerate().for_each(|(node, &g)| members[g as usize].push(node));
        let (starts, targets, weights, volume) = (vec![0], Vec::new(), Vec::new(), vec![0.0; count]);
        let mut level = Self { starts, targets, weights, volume, total: self.total, interrupt: self.interrupt.clone() };
        let mut toward = Toward::new(count);
        for (own, nodes) in members.iter().enumerate() {
            for &node in nodes {
                level.volume[own] += self.volume[node];
                self.edges(node).for_each(|(t, w)| toward.add(group[t] as usize, w));
            }
            toward.seen.sort_unstable();
            for &g in toward.seen.iter().filter(|&&g| g != own) {
                level.targets.push(g as u32);
                level.weights.push(toward.weight[g]);
            }
            level.starts.push(level.targets.len());
            toward.clear();
        }
        level
    }
}

/// Weight from one node to each community it touches.
struct Toward {
    weight: Vec<f64>,
    seen: Vec<usize>,
    is_seen: Vec<bool>,
}

impl Toward {
    fn new(communities: usize) -> Self {
        Self { weight: vec![0.0; communities], seen: Vec::new(), is_seen: vec![false; communities] }
    }

    fn add(&mut self, community: usize, weight: f64) {
        if !self.is_seen[community] {
            self.is_seen[community] = true;
            self.seen.push(community);
        }
        self.weight[community] += weight;
    }

    fn clear(&mut self) {
        for c in self.seen.drain(..) {
            self.weight[c] = 0.0;
            self.is_seen[c] = false;
        }
    }
}

/// One label per node, numbered from 0 without gaps.
fn communities(finest: &Level, resolution: f64, passes: usize, rng: &mut Stream) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..finest.len() as u32).collect();
    for _ in 0..passes {
        let before = labels.clone();
        labels = pass(finest, labels, resolution, rng);
        if labels == before {
            break;
        }
    }
    labels
}

/// Moves, refines and aggregates until nothing can be aggregated.
fn pass(finest: &Level, mut labels: Vec<u32>, resolution: f64, rng: &mut Stream) -> Vec<u32> {
    // which node of the current level each original node is in
    let mut place: Vec<u32> = (0..finest.len() as u32).collect();
    let mut owned: Option<Level> = None;
    loop {
        let level = owned.as_ref().unwrap_or(finest);
        move_nodes(level, &mut labels, resolution, rng);
        let found = renumber(&mut labels);
        if found == level.len() {
            break;
        }
        let mut parts = refined(level, &labels, resolution, rng);
        let count = renumber(&mut parts);
        if count == level.len() {
            // no part has two nodes: the communities themselves become nodes, or this would not end
            parts.clone_from(&labels);
        }
        let count = if count == level.len() { found } else { count };
        let mut of_part = vec![0; count];
        parts.iter().zip(&labels).for_each(|(&part, &label)| of_part[part as usize] = label);
        let next = level.aggregated(&parts, count);
        place.iter_mut().for_each(|p| *p = parts[*p as usize]);
        labels = of_part;
        owned = Some(next);
    }
    let mut result: Vec<u32> = place.iter().map(|&p| labels[p as usize]).collect();
    renumber(&mut result);
    result
}

/// Moves each node to the community, an empty one included, that gains most, until no node wants to move.
fn move_nodes(level: &Level, labels: &mut [u32], resolution: f64, rng: &mut Stream) {
    let n = level.len();
    let mut volume = vec![0.0; n];
    let mut size = vec![0_usize; n];
    for (node, &label) in labels.iter().enumerate() {
        volume[label as usize] += level.volume[node];
        size[label as usize] += 1;
    }
    let mut empty: Vec<u32> = (0..n as u32).rev().filter(|&c| size[c as usize] == 0).collect();
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.shuffle(rng);
    let mut queue: VecDeque<u32> = order.into();
    let mut is_queued = vec![true; n];
    let mut toward = Toward::new(n);
    while let Some(node) = queue.pop_front() {
        level.interrupt.heed();
        let node = node as usize;
        is_queued[node] = false;
        let own = labels[node] as usize;
        level.edges(node).for_each(|(t, w)| toward.add(labels[t] as usize, w));
        let pull = resolution * level.volume[node] / level.total;
        volume[own] -= level.volume[node];
        size[own] -= 1;
        let gain = |c: usize| toward.weight[c] - pull * volume[c];
        let least = LEAST_GAIN * level.volume[node];
        let mut best = (own, gain(own));
        for &c in &toward.seen {
            let value = gain(c);
            if value > best.1 + least {
                best = (c, value);
            }
        }
        if best.1 < -least && size[own] > 0 {
            // alone is better than anywhere: there is an empty community, because the own one has other nodes
            if let Some(&c) = empty.last() {
                best = (c as usize, 0.0);
            }
        }
        let chosen = best.0;
        volume[chosen] += level.volume[node];
        size[chosen] += 1;
        if chosen != own {
            if empty.last() == Some(&(chosen as u32)) {
                empty.pop();
            }
            if size[own] == 0 {
                empty.push(own as u32);
            }
            labels[node] = chosen as u32;
            for (t, _) in level.edges(node) {
                if labels[t] as usize != chosen && !is_queued[t] {
                    is_queued[t] = true;
                    queue.push_back(t as u32);
                }
            }
        }
        toward.clear();
    }
}

/// Splits each community into parts that are well connected to the rest of it: nodes alone join the part that gains most.
fn refined(level: &Level, labels: &[u32], resolution: f64, rng: &mut Stream) -> Vec<u32> {
    let n = level.len();
    let mut community_volume = vec![0.0; n];
    labels.iter().enumerate().for_each(|(node, &c)| community_volume[c as usize] += level.volume[node]);
    let mut part: Vec<u32> = (0..n as u32).collect();
    let mut volume = level.volume.clone();
    // weight from each part to the rest of its community
    let inside =
        |node: usize| level.edges(node).filter(|&(t, _)| labels[t] == labels[node]).map(|(_, w)| w).sum::<f64>();
    let mut outward: Vec<f64> = (0..n).map(inside).collect();
    let mut alone = vec![true; n];
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.shuffle(rng);
    let mut toward = Toward::new(n);
    for node in order {
        level.interrupt.heed();
        let node = node as usize;
        if !alone[node] {
            continue;
        }
        let whole = community_volume[labels[node] as usize];
        let is_connected =
            |own: f64, out: f64| out >= resolution * own * (whole - own) / level.total - LEAST_GAIN * own;
        if !is_connected(volume[node], outward[node]) {
            continue;
        }
        for (t, w) in level.edges(node).filter(|&(t, _)| labels[t] == labels[node]) {
            toward.add(part[t] as usize, w);
        }
        let pull = resolution * level.volume[node] / level.total;
        let mut best = (node, 0.0);
        for &p in toward.seen.iter().filter(|&&p| p != node) {
            let gain = toward.weight[p] - pull * volume[p];
            if gain > best.1 && is_connected(volume[p], outward[p]) {
                best = (p, gain);
            }
        }
        let chosen = best.0;
        if chosen != node {
            outward[chosen] += outward[node] - 2.0 * toward.weight[chosen];
            volume[chosen] += volume[node];
            part[node] = chosen as u32;
            alone[chosen] = false;
        }
        toward.clear();
    }
    part
}

/// Merges communities until `k` are left, each time the two whose union gains most at this resolution.
fn merged(finest: &Level, mut labels: Vec<u32>, k: usize, resolution: f64) -> Vec<u32> {
    let mut count = renumber(&mut labels);
    let mut level = finest.aggregated(&labels, count);
    while count > k.max(1) {
        level.interrupt.heed();
        let pairs = (0..count).flat_map(|a| level.edges(a).filter(move |&(b, _)| a < b).map(move |(b, w)| (a, b, w)));
        let gain =
            |(a, b, w): (usize, usize, f64)| (w - resolution * level.volume[a] * level.volume[b] / level.total, a, b);
        // without any edge left, the two smallest
        let best = pairs.map(gain).max_by(|x, y| x.0.total_cmp(&y.0)).map(|(_, a, b)| (a, b));
        let (a, b) = best.unwrap_or_else(|| {
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by(|&x, &y| level.volume[x].total_cmp(&level.volume[y]));
            (order[0].min(order[1]), order[0].max(order[1]))
        });
        let group: Vec<u32> =
            (0..count).map(|c| if c == b { a } else if c > b { c - 1 } else { c } as u32).collect();
        labels.iter_mut().for_each(|label| *label = group[*label as usize]);
        count -= 1;
        level = level.aggregated(&group, count);
    }
    labels
}

fn count(labels: &[u32]) -> usize {
    labels.iter().max().map_or(0, |&last| last as usize + 1)
}

/// Numbers labels from 0 in the order of their first nodes; how many there are.
fn renumber(labels: &mut [u32]) -> usize {
    const UNSEEN: u32 = u32::MAX;
    let mut names = vec![UNSEEN; labels.len().max(count(labels))];
    let mut next = 0;
    for label in labels {
        let name = &mut names[*label as usize];
        if *name == UNSEEN {
            *name = next;
            next += 1;
        }
        *label = *name;
    }
    next as usize
}

#[cfg(test)]
mod tests;
