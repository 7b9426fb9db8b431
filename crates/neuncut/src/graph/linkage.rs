//! Single linkage of the edges of a graph, robust to stray nodes: clusters are what the longest edges of the minimum spanning tree keep
//! apart, where an edge counts only if both of its sides are large enough to be clusters.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// An undirected edge with its length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LongEdge {
    /// One end.
    pub from: u32,
    /// The other.
    pub to: u32,
    /// How far apart they are.
    pub length: f32,
}

/// Splits `n` nodes into at most `k` clusters of at least `least` nodes, the longest edge first. Nodes that fall off on the way join the
/// cluster that the spanning tree reaches first. Edges must join all nodes; fewer clusters are found where the tree has no more such edges.
pub fn linkage(n: usize, mut edges: Vec<LongEdge>, k: usize, least: usize) -> Vec<u32> {
    edges.sort_by(|a, b| a.length.total_cmp(&b.length).then((a.from, a.to).cmp(&(b.from, b.to))));
    let tree = Dendrogram::of(n, &edges);
    let clusters = tree.split(k, least.max(1));
    tree.labels(&clusters, &edges)
}

/// The `k` clusters that are farther from one another than any node is from the rest of its own: where every edge between them is
/// longer than `gap` times the longest inside, and each has at least `least` nodes. Edges must join all nodes.
pub fn islands(n: usize, mut edges: Vec<LongEdge>, k: usize, least: usize, gap: f32) -> Option<Vec<u32>> {
    edges.sort_by(|a, b| a.length.total_cmp(&b.length).then((a.from, a.to).cmp(&(b.from, b.to))));
    let tree = Dendrogram::of(n, &edges);
    let kept = tree.merges.len().checked_sub(k.checked_sub(1)?)?;
    let (inside, between) = tree.merges.split_at(kept);
    let longest = inside.last().map_or(0.0, |merge| merge.2);
    let stands_apart = between.first().is_none_or(|merge| merge.2 > gap * longest);
    let parts: Vec<usize> = between.iter().flat_map(|&(a, b, _)| [a, b]).filter(|&part| part < n + kept).collect();
    let is_whole = parts.len() == k && parts.iter().all(|&part| tree.size[part] >= least);
    (stands_apart && is_whole).then(|| tree.labels(&parts, &edges))
}

/// Merges of single linkage: node `n + m` is the `m`-th merge.
struct Dendrogram {
    n: usize,
    /// Both parts of each merge, and the length of its edge.
    merges: Vec<(usize, usize, f32)>,
    size: Vec<usize>,
}

/// A part that can be split, by the length of the edge that splits it.
struct Splittable {
    length: f32,
    merge: usize,
    part: usize,
}

impl PartialEq for Splittable {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Splittable {}
impl PartialOrd for Splittable {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Splittable {
    fn cmp(&self, other: &Self) -> Ordering {
        self.length.total_cmp(&other.length).then(self.merge.cmp(&other.merge))
    }
}

impl Dendrogram {
    fn of(n: usize, ascending: &[LongEdge]) -> Self {
        let mut tree = Self { n, merges: Vec::new(), size: vec![1; n] };
        let mut sets = DisjointSets::new(2 * n);
        for edge in ascending {
            let (a, b) = (sets.find(edge.from as usize), sets.find(edge.to as usize));
            if a != b {
                let merged = n + tree.merges.len();
                tree.merges.push((a, b, edge.length));
                tree.size.push(tree.size[a] + tree.size[b]);
                sets.parent[a] = merged;
                sets.parent[b] = merged;
            }
        }
        tree
    }

    /// The parts that are left after the longest splits.
    fn split(&self, k: usize, least: usize) -> Vec<usize> {
        let joined: Vec<bool> = self.merges.iter().fold(vec![false; self.size.len()], |mut joined, &(a, b, _)| {
            (joined[a], joined[b]) = (true, true);
            joined
        });
        let mut parts: Vec<usize> = (0..self.size.len()).filter(|&part| !joined[part]).collect();
        let mut heap: BinaryHeap<Splittable> = parts.iter().filter_map(|&part| self.splittable(part, least)).collect();
        while parts.len() < k
            && let Some(Splittable { merge, part, .. }) = heap.pop()
        {
            let (a, b, _) = self.merges[merge];
            parts.retain(|&other| other != part);
            parts.extend([a, b]);
            heap.extend([a, b].into_iter().filter_map(|part| self.splittable(part, least)));
        }
        parts
    }

    /// The first merge below a part whose sides are both large enough; smaller sides on the way fall off.
    fn splittable(&self, part: usize, least: usize) -> Option<Splittable> {
        let mut at = part;
        while at >= self.n {
            let (a, b, length) = self.merges[at - self.n];
            if self.size[a].min(self.size[b]) >= least {
                return Some(Splittable { length, merge: at - self.n, part });
            }
            at = if self.size[a] >= self.size[b] { a } else { b };
        }
        None
    }

    fn labels(&self, clusters: &[usize], ascending: &[LongEdge]) -> Vec<u32> {
        let mut label: Vec<Option<u32>> = vec![None; self.n];
        for (number, &cluster) in clusters.iter().enumerate() {
            let mut stack = vec![cluster];
            while let Some(part) = stack.pop() {
                match part.checked_sub(self.n) {
                    Some(merge) => stack.extend([self.merges[merge].0, self.merges[merge].1]),
                    None => label[part] = Some(number as u32),
                }
            }
        }
        // what fell off follows the shortest edges to a cluster
        let mut sets = DisjointSets::new(self.n);
        let mut of_set = label;
        for edge in ascending {
            let (a, b) = (sets.find(edge.from as usize), sets.find(edge.to as usize));
            if a != b && (of_set[a].is_none() || of_set[b].is_none() || of_set[a] == of_set[b]) {
                of_set[b] = of_set[b].or(of_set[a]);
                sets.parent[a] = b;
            }
        }
        (0..self.n)
            .map(|node| of_set[sets.find(node)].expect("edges join all nodes, and some are in clusters"))
            .collect()
    }
}

/// Sets that are joined, found by path halving.
struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(n: usize) -> Self {
        Self { parent: (0..n).collect() }
    }

    fn find(&mut self, mut a: usize) -> usize {
        while self.parent[a] != a {
            self.parent[a] = self.parent[self.parent[a]];
            a = self.parent[a];
        }
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a line: every neighbour an edge.
    fn line(places: &[f32]) -> Vec<LongEdge> {
        let edge =
            |(i, pair): (usize, &[f32])| LongEdge { from: i as u32, to: i as u32 + 1, length: pair[1] - pair[0] };
        places.windows(2).enumerate().map(edge).collect()
    }

    #[test]
    fn the_longest_edges_between_large_sides_split() {
        // three groups of three, and a stray far to the right
        let places = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 17.0, 18.0, 19.0, 90.0];
        assert_eq!(linkage(10, line(&places), 3, 2), [1, 1, 1, 2, 2, 2, 0, 0, 0, 0].map(|l: u32| (l + 2) % 3));
        let two = linkage(10, line(&places), 2, 2);
        assert!(two[..3].iter().all(|&l| l == two[0]) && two[3..].iter().all(|&l| l == two[3]) && two[0] != two[3]);
        // with strays allowed, the stray is the first to go
        let strays = linkage(10, line(&places), 2, 1);
        assert!(strays[..9].iter().all(|&l| l == strays[0]) && strays[9] != strays[0]);
    }

    #[test]
    fn islands_are_farther_apart_than_anything_inside() {
        let places = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 17.0, 18.0, 19.0];
        let three = islands(9, line(&places), 3, 2, 1.0).unwrap();
        assert!((0..9).all(|i| (three[i] == three[0]) == (i < 3) && (three[i] == three[8]) == (i > 5)));
        assert_eq!(islands(9, line(&places), 4, 1, 1.0), None, "the fourth gap is as long as the next");
        assert_eq!(islands(9, line(&places), 3, 4, 1.0), None, "too few rows each");
        assert_eq!(islands(9, line(&places), 3, 2, 5.5), None, "gaps of 5 and 8 around steps of 1");
        assert_eq!(islands(3, line(&places[..3]), 1, 1, 1.0), None, "one cluster has nothing between");
    }

    #[test]
    fn fewer_clusters_where_there_are_no_more() {
        let found = linkage(4, line(&[0.0, 1.0, 5.0, 6.0]), 3, 2);
        assert_eq!(found.iter().collect::<std::collections::HashSet<_>>().len(), 2);
    }
}
