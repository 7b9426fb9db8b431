//! How the clusters of a model nest: every cluster and every merge is a node, which is there on some levels.

/// A cluster, or several that are one on coarser levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The clusters in it, in order.
    pub members: Vec<usize>,
    /// The two nodes that it is made of; none for a cluster.
    pub parts: Option<[usize; 2]>,
    /// The fewest and the most clusters of the levels that it is on.
    pub from: usize,
    pub to: usize,
}

/// All nodes: the clusters by number, then merges, the closest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nesting {
    pub nodes: Vec<Node>,
    pub clusters: usize,
}

/// More levels than this are not offered one by one.
const EVERY_LEVEL: usize = 12;

impl Nesting {
    /// From the merges of a model with `k` clusters; without a whole tree there are only clusters, on one level.
    pub fn new(merges: &[(u32, u32)], k: usize) -> Self {
        let leaf = |cluster| Node { members: vec![cluster], parts: None, from: k, to: k };
        let flat = Self { nodes: (0..k).map(leaf).collect(), clusters: k };
        if merges.len() + 1 != k { flat } else { flat.clone().merged(merges).unwrap_or(flat) }
    }

    /// Adds a node for each merge; nothing where a merge names what is no longer there.
    fn merged(mut self, merges: &[(u32, u32)]) -> Option<Self> {
        let k = self.clusters;
        let mut current: Vec<Option<usize>> = (0..k).map(Some).collect();
        for (at, &(a, b)) in merges.iter().enumerate() {
            let parts = [current.get_mut(a as usize)?.take()?, current.get_mut(b as usize)?.take()?];
            let mut members = [self.nodes[parts[0]].members.clone(), self.nodes[parts[1]].members.clone()].concat();
            members.sort_unstable();
            parts.iter().for_each(|&part| self.nodes[part].from = k - at);
            current[a as usize] = Some(self.nodes.len());
            self.nodes.push(Node { members, parts: Some(parts), from: 1, to: k - 1 - at });
        }
        Some(self)
    }

    /// Whether there are levels.
    pub fn is_tree(&self) -> bool {
        self.nodes.len() > self.clusters
    }

    /// The nodes of a level.
    #[cfg(test)]
    pub fn at(&self, level: usize) -> impl Iterator<Item = usize> {
        self.nodes.iter().enumerate().filter(move |(_, node)| node.from <= level && level <= node.to).map(|(at, _)| at)
    }

    /// All clusters, in the order in which going from one to all clusters makes them the lead of a node.
    pub fn by_level(&self, leads: &[usize]) -> Vec<usize> {
        let mut first = vec![self.clusters; self.clusters];
        for (node, &lead) in self.nodes.iter().zip(leads) {
            first[lead] = first[lead].min(node.from);
        }
        let mut order: Vec<usize> = (0..self.clusters).collect();
        order.sort_by_key(|&cluster| (first[cluster], cluster));
        order
    }

    /// Levels that a reader may choose, coarse ones first: all up to twelve, then ever larger steps, and all clusters.
    pub fn stops(&self) -> Vec<usize> {
        if !self.is_tree() {
            return vec![self.clusters];
        }
        let mut stops: Vec<usize> = (2.min(self.clusters)..=self.clusters.min(EVERY_LEVEL)).collect();
        let round = [15, 20, 25, 30, 40, 50, 60, 80, 100];
        let larger = (0..6).flat_map(|power| round.map(|step| step * 10_usize.pow(power)));
        stops.extend(larger.filter(|&level| level > EVERY_LEVEL && level < self.clusters));
        stops.push(self.clusters);
        stops.sort_unstable();
        stops.dedup();
        stops
    }

    /// The clusters from top to bottom of a drawn tree, in which those of a node lie side by side.
    pub fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut open = if self.is_tree() { vec![self.nodes.len() - 1] } else { (0..self.clusters).rev().collect() };
        while let Some(node) = open.pop() {
            match self.nodes[node].parts {
                Some([first, second]) => open.extend([second, first]),
                None => order.push(node),
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_as_many_nodes_as_its_number() {
        // 1 and 3 are closest, then 0 and 2, then both pairs
        let nesting = Nesting::new(&[(1, 3), (0, 2), (0, 1)], 4);
        assert!(nesting.is_tree());
        let members = |level| nesting.at(level).map(|at| nesting.nodes[at].members.clone()).collect::<Vec<_>>();
        assert_eq!(members(4), [vec![0], vec![1], vec![2], vec![3]]);
        assert_eq!(members(3), [vec![0], vec![2], vec![1, 3]]);
        assert_eq!(members(2), [vec![1, 3], vec![0, 2]]);
        assert_eq!(members(1), [vec![0, 1, 2, 3]]);
        assert_eq!(nesting.order(), [0, 2, 1, 3]);
        assert_eq!(nesting.stops(), [2, 3, 4]);
    }

    #[test]
    fn without_a_whole_tree_there_is_one_level() {
        for merges in [&[][..], &[(0, 1), (1, 2)], &[(0, 9), (0, 1)]] {
            let nesting = Nesting::new(merges, 3);
            assert!(!nesting.is_tree() && nesting.at(3).count() == 3 && nesting.stops() == [3]);
            assert_eq!(nesting.order(), [0, 1, 2]);
        }
        let one = Nesting::new(&[], 1);
        assert_eq!((one.at(1).count(), one.stops()), (1, vec![1]));
    }

    #[test]
    fn levels_on_offer_are_few() {
        let merges: Vec<(u32, u32)> = (1..150).map(|cluster| (0, cluster)).collect();
        let stops = Nesting::new(&merges, 150).stops();
        assert!(stops.is_sorted() && stops[..3] == [2, 3, 4] && stops.ends_with(&[80, 100, 150]), "{stops:?}");
    }
}
