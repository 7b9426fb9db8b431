//! Links: pairs of rows that belong together or apart, and labels that obey them.
//!
//! Rows that must be together are a group, by transitive closure. A group has the label that most of its weight has. Groups that must be
//! apart are given clusters one by one: first those that only one cluster is left for (with two clusters this finds labels that break
//! nothing wherever there are some), then the most certain, by the share of their neighbours that have their label. Each takes its own
//! label where no group apart from it has that, or else the next best by its neighbours.
//!
//! ```
//! use ndarray::Array2;
//! use neuncut::data::{Link, LinkList};
//! use neuncut::job::Job;
//! use neuncut::methods::{Auto, Config, Method, NetworkOptions, NeuralCutOptions};
//!
//! // two clouds, and a row between them, nearer to the first, that is known to belong to the second
//! let place = |i| if i == 0 { 2.0 } else if i < 30 { 0.0 } else { 5.0_f32 };
//! let rows = Array2::from_shape_fn((60, 2), |(i, j)| place(i) + (i * (j + 3) % 7) as f32 * 0.1);
//! let links = vec![Link { i: 0, j: 59, must: true }, Link { i: 0, j: 1, must: false }];
//! let network = NetworkOptions { hidden: vec![16, 16].into(), epochs: Auto::Given(10), ..Default::default() };
//! let method = Method::NeuNcut(NeuralCutOptions { network, ..Default::default() });
//! let mut job = Job::new(Config::of(method, 2))?;
//! job.links = Some(LinkList { path: "links.csv".into(), links });
//! let outcome = job.fit(rows.view())?;
//! assert_eq!(outcome.links.map(|found| found.held), Some(2));
//! assert_eq!((outcome.labels[0] == outcome.labels[59], outcome.labels[0] == outcome.labels[1]), (true, false));
//! # Ok::<(), neuncut::Error>(())
//! ```

use crate::data::{Link, LinkList};
use crate::graph::knn::nearest_in;
use crate::graph::{Csr, connected_components};
use crate::{Error, Result};
use ndarray::{ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::path::Path;

/// Neighbours that a row asks for the next best cluster.
const ASKED: usize = 10;

/// How many links hold, and which do not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LinkFindings {
    /// Links that hold.
    pub held: usize,
    /// Links that do not.
    pub broken: Vec<BrokenLink>,
}

/// A link that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenLink {
    /// One row of the data, counted from 0.
    pub i: u64,
    /// The other.
    pub j: u64,
    /// `must` or `cannot`.
    pub link: String,
}

/// Links among rows that are fitted.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    /// As they were given.
    given: Vec<Link>,
    /// The places of their rows among those that are fitted.
    places: Vec<[usize; 2]>,
    /// Rows that have a link, ascending.
    rows: Vec<usize>,
    /// Rows that must be together; rows without a link are in none.
    groups: Vec<Group>,
    /// What each row that is fitted weighs; all the same where there are none.
    weights: Option<Vec<f32>>,
}

/// Rows that must have one label.
#[derive(Debug, Clone, Default)]
struct Group {
    rows: Vec<usize>,
    /// Groups with another label, once for each link.
    apart: Vec<usize>,
}

/// What speaks for the clusters of a group.
struct Wish {
    own: Option<u32>,
    /// The weight of neighbours in each cluster.
    votes: BTreeMap<u32, f64>,
}

impl Links {
    /// The links of a list among the rows `fitted` of `total`, ascending; among all where there are none. Each row that is fitted weighs
    /// something, all the same where there are no `weights`.
    ///
    /// # Errors
    /// When a link names a row that there is not, or links contradict each other.
    pub fn of(list: &LinkList, fitted: Option<&[u64]>, total: u64, weights: Option<Vec<f32>>) -> Result<Self> {
        let path = &list.path;
        if let Some(Link { i, j, .. }) = list.links.iter().find(|link| u64::from(link.i.max(link.j)) >= total) {
            let problem = format!(
                "the link of rows {i} and {j} leads out of the {total} rows of data, which are counted from 0: remove it"
            );
            return Err(Error::data(path, problem));
        }
        let place = |row: u32| match fitted {
            Some(fitted) => fitted.binary_search(&row.into()).expect("rows with links are fitted"),
            None => row as usize,
        };
        let places: Vec<[usize; 2]> = list.links.iter().map(|link| [place(link.i), place(link.j)]).collect();
        let mut rows: Vec<usize> = places.iter().flatten().copied().collect();
        rows.sort_unstable();
        rows.dedup();
        let groups = groups(&rows, &list.links, &places, path)?;
        Ok(Self { given: list.links.clone(), places, rows, groups, weights })
    }

    /// Rows that have a link, ascending.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// How many links do not hold.
    pub fn broken(&self, labels: &[u32]) -> usize {
        self.given.iter().zip(&self.places).filter(|(link, places)| !holds(link, places, labels)).count()
    }

    /// Which links do not hold.
    pub fn findings(&self, labels: &[u32]) -> LinkFindings {
        let broken = self.given.iter().zip(&self.places).filter(|(link, places)| !holds(link, places, labels));
        let broken: Vec<BrokenLink> = broken
            .map(|(link, _)| BrokenLink { i: link.i.into(), j: link.j.into(), link: link.word().into() })
            .collect();
        LinkFindings { held: self.given.len() - broken.len(), broken }
    }

    /// Who is near to each row that has a link: its nearest of all rows `(n, d)`.
    pub fn near(&self, rows: ArrayView2<f32>) -> Vec<Vec<(usize, f32)>> {
        let found = nearest_in(rows.select(Axis(0), &self.rows).view(), rows, ASKED + 1);
        let others = |(row, near): (&usize, ndarray::ArrayView1<u32>)| {
            near.iter().map(|&other| other as usize).filter(|other| other != row).map(|other| (other, 1.0)).collect()
        };
        self.rows.iter().zip(found.indices.rows()).map(others).collect()
    }

    /// Puts the labels of rows that have a link right, where that can be; the others keep theirs. `near` says who is near to each row
    /// that has a link, and how much.
    pub fn obey(&self, labels: &mut [Option<u32>], near: &[Vec<(usize, f32)>], k: usize) {
        let wishes: Vec<Wish> = self.groups.iter().map(|group| self.wish(group, labels, near)).collect();
        let ranks = ranks(&wishes);
        let mut taken: Vec<BTreeMap<u32, usize>> = vec![BTreeMap::new(); self.groups.len()];
        let mut placed = vec![false; self.groups.len()];
        let mut open: BinaryHeap<(bool, Reverse<usize>, usize)> =
            ranks.iter().enumerate().map(|(group, &rank)| (k <= 1, Reverse(rank), group)).collect();
        while let Some((_, _, group)) = open.pop() {
            if std::mem::replace(&mut placed[group], true) {
                continue;
            }
            let wish = &wishes[group];
            let votes = |cluster: &u32| wish.votes.get(cluster).copied().unwrap_or(0.0);
            let best = (0..k as u32).min_by(|a, b| {
                let broken = |cluster: &u32| taken[group].get(cluster).copied().unwrap_or(0);
                let is_other = |cluster: &u32| wish.own != Some(*cluster);
                (broken(a).cmp(&broken(b))).then(is_other(a).cmp(&is_other(b))).then(votes(b).total_cmp(&votes(a)))
            });
            let best = best.expect("there is a cluster");
            self.groups[group].rows.iter().for_each(|&row| labels[row] = Some(best));
            for &other in self.groups[group].apart.iter().filter(|&&other| !placed[other]) {
                *taken[other].entry(best).or_insert(0) += 1;
                if taken[other].len() + 1 >= k {
                    open.push((true, Reverse(ranks[other]), other));
                }
            }
        }
    }

    /// What a group would be without the links that keep it apart.
    fn wish(&self, group: &Group, labels: &[Option<u32>], near: &[Vec<(usize, f32)>]) -> Wish {
        let weight = |row: usize| self.weights.as_ref().map_or(1.0, |weights| f64::from(weights[row]));
        let (mut own, mut votes) = (BTreeMap::<u32, f64>::new(), BTreeMap::new());
        for &row in &group.rows {
            if let Some(label) = labels[row] {
                *own.entry(label).or_insert(0.0) += weight(row);
            }
            let place = self.rows.binary_search(&row).expect("rows of groups have links");
            for &(other, nearness) in &near[place] {
                if let Some(label) = labels[other] {
                    *votes.entry(label).or_insert(0.0) += f64::from(nearness) * weight(other);
                }
            }
        }
        let own = own.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(label, _)| label);
        Wish { own, votes }
    }
}

impl Wish {
    /// The share of the neighbours that have the label of the group.
    fn certainty(&self) -> f64 {
        let all: f64 = self.votes.values().sum();
        let own = self.own.and_then(|label| self.votes.get(&label)).copied().unwrap_or(0.0);
        if all > 0.0 { own / all } else { 0.0 }
    }
}

/// The place of each group among all, the most certain first; of equals the first.
fn ranks(wishes: &[Wish]) -> Vec<usize> {
    let certainties: Vec<f64> = wishes.iter().map(Wish::certainty).collect();
    let mut order: Vec<usize> = (0..wishes.len()).collect();
    order.sort_by(|&a, &b| certainties[b].total_cmp(&certainties[a]));
    let mut ranks = vec![0; wishes.len()];
    order.into_iter().enumerate().for_each(|(rank, group)| ranks[group] = rank);
    ranks
}

fn holds(link: &Link, &[i, j]: &[usize; 2], labels: &[u32]) -> bool {
    (labels[i] == labels[j]) == link.must
}

/// The groups of rows that must be together, with those that they must be apart from. `rows` are all that have a link, ascending.
fn groups(rows: &[usize], links: &[Link], places: &[[usize; 2]], path: &Path) -> Result<Vec<Group>> {
    let node = |row: usize| rows.binary_search(&row).expect("each row of a link is among them") as u32;
    let pairs = || links.iter().zip(places);
    let together = pairs().filter(|(link, _)| link.must).map(|(_, &[i, j])| (node(i), node(j), 1.0));
    let components = connected_components(&Csr::symmetrized(rows.len(), together));
    let mut groups = vec![Group::default(); components.count()];
    for (&row, &group) in rows.iter().zip(&components.of_node) {
        groups[group as usize].rows.push(row);
    }
    for (link, &[i, j]) in pairs().filter(|(link, _)| !link.must) {
        let [a, b] = [i, j].map(|row| components.of_node[node(row) as usize] as usize);
        if a == b {
            let problem = format!(
                "rows {} and {} cannot be together by one link, but must be by others: remove one of these",
                link.i, link.j
            );
            return Err(Error::data(path, problem));
        }
        groups[a].apart.push(b);
        groups[b].apart.push(a);
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use proptest::prelude::*;

    fn list(links: &[(u32, u32, bool)]) -> LinkList {
        let links = links.iter().map(|&(i, j, must)| Link { i, j, must }).collect();
        LinkList { path: "links.csv".into(), links }
    }

    fn links(given: &[(u32, u32, bool)]) -> Links {
        Links::of(&list(given), None, 1000, None).unwrap()
    }

    /// Labels of rows on a line, put right.
    fn obeyed(links: &Links, labels: &[u32], k: usize) -> Vec<u32> {
        let rows = Array2::from_shape_fn((labels.len(), 1), |(i, _)| i as f32);
        let mut labels: Vec<Option<u32>> = labels.iter().copied().map(Some).collect();
        links.obey(&mut labels, &links.near(rows.view()), k);
        labels.into_iter().flatten().collect()
    }

    /// Forty rows on a line: ten of each label.
    fn line() -> Vec<u32> {
        (0..40).map(|i| i / 10).collect()
    }

    #[test]
    fn rows_that_must_be_together_have_the_label_of_most_by_transitive_closure() {
        let links = links(&[(1, 12, true), (12, 2, true), (30, 31, true)]);
        let found = obeyed(&links, &line(), 4);
        assert_eq!((found[1], found[12], found[2]), (0, 0, 0));
        assert_eq!(links.broken(&found), 0);
        assert!((0..40).filter(|&i| i != 12).all(|i| found[i] == line()[i]), "the others keep theirs");
    }

    #[test]
    fn weight_decides_and_rows_without_a_label_follow() {
        let mut links = links(&[(1, 12, true), (12, 13, true), (5, 38, true)]);
        let mut labels: Vec<Option<u32>> = line().into_iter().map(Some).collect();
        labels[5] = None;
        let rows = Array2::from_shape_fn((40, 1), |(i, _)| i as f32);
        let mut weights = vec![1.0; 40];
        weights[1] = 2.5;
        links.weights = Some(weights);
        links.obey(&mut labels, &links.near(rows.view()), 4);
        assert_eq!([1, 12, 13, 5, 38].map(|row| labels[row]), [Some(0), Some(0), Some(0), Some(3), Some(3)]);
    }

    #[test]
    fn of_two_that_must_be_apart_the_less_certain_goes_to_its_next_best() {
        // row 9 has neighbours on both sides, row 3 has none of another label
        let links = links(&[(3, 9, false)]);
        let found = obeyed(&links, &line(), 4);
        assert_eq!((found[3], found[9]), (0, 1));
        // in the middle of a cluster no other is near: the first of the others
        assert_eq!(obeyed(&self::links(&[(2, 3, false)]), &[1; 40], 3)[2..4], [1, 0]);
    }

    #[test]
    fn more_rows_apart_than_clusters_break_as_few_links_as_can_be() {
        let all = [(0, 1, false), (0, 2, false), (1, 2, false)];
        let links = links(&all);
        let found = obeyed(&links, &[0; 40], 2);
        assert_eq!(links.broken(&found), 1);
        let findings = links.findings(&found);
        assert_eq!((findings.held, findings.broken.len(), &*findings.broken[0].link), (2, 1, "cannot"));
    }

    #[test]
    fn links_that_contradict_each_other_are_named() {
        let refusal = |given: &[(u32, u32, bool)]| Links::of(&list(given), None, 10, None).unwrap_err().to_string();
        let message = refusal(&[(1, 2, true), (2, 3, true), (3, 1, false)]);
        assert!(message.starts_with("links.csv: rows 3 and 1 cannot be together"), "{message}");
        assert!(refusal(&[(1, 10, true)]).contains("rows 1 and 10 leads out of the 10 rows of data"));
    }

    #[test]
    fn rows_of_a_sample_are_found_by_their_numbers_in_the_data() {
        let links = Links::of(&list(&[(5, 90, true), (7, 5, false)]), Some(&[1, 5, 7, 90]), 100, None).unwrap();
        assert_eq!(links.rows(), [1, 2, 3]);
        let findings = links.findings(&[0, 0, 0, 1]);
        assert_eq!((findings.held, findings.broken[0].i, findings.broken[0].j), (0, 5, 90));
        assert_eq!(links.broken(&[0, 0, 1, 0]), 0);
    }

    proptest! {
        /// Links that some labels with two clusters keep are kept, whatever the labels are.
        #[test]
        fn with_two_clusters_links_that_can_hold_do(
            truth in prop::collection::vec(0..2_u32, 40),
            labels in prop::collection::vec(0..2_u32, 40),
            pairs in prop::collection::vec((0..40_u32, 0..40_u32), 1..60),
        ) {
            let known = pairs.into_iter().filter(|(i, j)| i != j);
            let known: Vec<_> = known.map(|(i, j)| (i, j, truth[i as usize] == truth[j as usize])).collect();
            let links = links(&known);
            prop_assert_eq!(links.broken(&obeyed(&links, &labels, 2)), 0);
        }
    }
}
