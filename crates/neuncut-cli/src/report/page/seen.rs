//! Rows as the model sees them: how sure it is of each, which are typical of a cluster and which are uncertain.

use super::nesting::Node;
use ndarray::Array2;
use neuncut::methods::typical_rows;

/// Memberships in the second most likely cluster that two clusters must share, on average, to be hard to tell apart.
const CLOSE: f64 = 0.05;

/// The sampled rows as the model sees them.
pub struct Seen {
    pub labels: Vec<u32>,
    /// `(n, k)`.
    pub memberships: Array2<f32>,
    /// The rows behind the feature steps, `(n, d)`.
    pub features: Array2<f32>,
}

impl Seen {
    /// A row's membership in its cluster.
    pub fn confidence(&self, row: usize) -> f32 {
        self.memberships[[row, self.labels[row] as usize]]
    }

    /// The cluster of second largest membership.
    pub fn second(&self, row: usize) -> u32 {
        let own = self.labels[row] as usize;
        let others = self.memberships.row(row).into_iter().enumerate().filter(|(cluster, _)| *cluster != own);
        others.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0))).map_or(own, |(cluster, _)| cluster) as u32
    }

    /// A row's membership in the cluster of second largest.
    pub fn second_confidence(&self, row: usize) -> f32 {
        self.memberships[[row, self.second(row) as usize]]
    }

    /// The rows of every cluster.
    pub fn members(&self, k: usize) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); k];
        self.labels.iter().enumerate().for_each(|(row, &label)| members[label as usize].push(row));
        members
    }

    /// The mean of the memberships of rows in a node, which are those in its clusters added up.
    pub fn mean_confidence(&self, node: &Node, rows: &[usize]) -> f64 {
        let inside = |&row: &usize| node.members.iter().map(|&c| f64::from(self.memberships[[row, c]])).sum::<f64>();
        rows.iter().map(inside).sum::<f64>() / rows.len().max(1) as f64
    }

    /// Share of rows that are less than half in their cluster.
    pub fn unsure(&self) -> f64 {
        let count = (0..self.labels.len()).filter(|&row| self.confidence(row) < 0.5).count();
        count as f64 / self.labels.len().max(1) as f64
    }

    /// The most typical of a cluster's rows.
    pub fn typical(&self, rows: &[usize], most: usize) -> Vec<usize> {
        let confidence: Vec<f32> = (0..self.labels.len()).map(|row| self.confidence(row)).collect();
        typical_rows(self.features.view(), &confidence, rows, most)
    }

    /// The rows whose two largest memberships are nearest to each other.
    pub fn uncertain(&self, rows: &[usize], most: usize) -> Vec<usize> {
        let mut by_margin: Vec<(f32, usize)> = rows.iter().map(|&row| (self.margin(row), row)).collect();
        by_margin.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        by_margin.into_iter().take(most).map(|(_, row)| row).collect()
    }

    /// How far the membership in its cluster is above that in any other.
    pub fn margin(&self, row: usize) -> f32 {
        self.confidence(row) - self.second_confidence(row)
    }

    /// The two clusters whose rows are most in the other one as well, by the smaller one's size.
    pub fn hardest(&self, members: &[Vec<usize>]) -> Option<(usize, usize)> {
        let k = members.len();
        let mut shared = vec![0.0_f64; k * k];
        for row in 0..self.labels.len() {
            let (own, other) = (self.labels[row] as usize, self.second(row) as usize);
            shared[own.min(other) * k + own.max(other)] += f64::from(self.second_confidence(row));
        }
        let pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
        let marked = pairs.filter(|&(a, b)| !members[a].is_empty() && !members[b].is_empty());
        let marked = marked.map(|(a, b)| (shared[a * k + b] / members[a].len().min(members[b].len()) as f64, (a, b)));
        marked
            .filter(|(mark, _)| *mark >= CLOSE)
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, pair)| pair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use neuncut::methods::argmax_rows;

    #[test]
    fn typical_rows_are_central_and_uncertain_ones_are_between() {
        let memberships = array![[0.9, 0.1], [0.95, 0.05], [0.51, 0.49], [0.1, 0.9], [0.99, 0.01]];
        let features = array![[0.0_f32], [1.0], [2.0], [9.0], [0.9]];
        let seen = Seen { labels: argmax_rows(memberships.view()), memberships, features };
        let rows = [0, 1, 2, 4];
        assert_eq!(seen.typical(&rows, 1), [1]); // the mean of rows 4 and 1 is 0.95: equals go by number
        assert_eq!(seen.uncertain(&rows, 2), [2, 0]);
        assert_eq!((seen.second(3), seen.confidence(3), seen.unsure()), (0, 0.9, 0.0));
        assert_eq!(seen.hardest(&seen.members(2)), Some((0, 1)));
        let both = Node { members: vec![0, 1], parts: Some([0, 1]), from: 1, to: 1 };
        assert!((seen.mean_confidence(&both, &rows) - 1.0).abs() < 1e-6);
    }
}
