//! The start of a fit: labels of the landmarks, and the representation in which rows enter the network.

use super::agreement::most_agreeing;
use super::random_start::RandomStart;
use super::stages::Fit;
use super::{Auto, Diagnostics, Neighborhood, Start, StartFindings};
use crate::Result;
use crate::baselines::KMeans;
use crate::clustering::Clustering;
use crate::ensemble::{EnsembleOptions, EnsembleTask, Found, find, find_on_graph, representations, spread_labels};
use crate::features::{Pipeline, Representation};
use crate::interrupt;
use crate::metrics::{contingency, matching};
use crate::train::History;
use ndarray::{Array2, Axis};
use rand::seq::SliceRandom;
use std::collections::BTreeMap;

/// How many times the entries of eigenvectors may be had on the graph of the user or of a trained affinity: it is one, in place of
/// several for each representation.
const OWN_GRAPH_TIMES: usize = 10;

/// Given labels of a smaller share of the rows do not say where clusters end.
const ENOUGH_GIVEN: f64 = 0.5;

/// The representation that was chosen, and the start on it.
pub(super) struct Chosen {
    pub features: Pipeline,
    pub representation: Array2<f32>,
    pub start: Option<StartRows>,
}

/// Rows that have a label to start from.
pub(super) struct StartRows {
    pub rows: Vec<usize>,
    pub labels: Vec<u32>,
}

impl StartRows {
    /// Given labels with those of an ensemble of `k` clusters on the landmarks, each of which is called as the given label that it has most
    /// of; where there are more clusters, the others are numbered in order. Rows keep the label that was given.
    fn completed(self, landmarks: &[usize], found: &[u32], k: usize) -> Result<Self> {
        let mut given: BTreeMap<usize, u32> = self.rows.into_iter().zip(self.labels).collect();
        let both = landmarks.iter().zip(found).filter_map(|(row, &found)| Some((found, *given.get(row)?)));
        let (own, called): (Vec<u32>, Vec<u32>) = both.unzip();
        let mut name = vec![None; k];
        if !own.is_empty() {
            let table = contingency(&own, &called)?;
            for (&cluster, partner) in table.first.iter().zip(matching(&table)?) {
                name[cluster as usize] = partner.map(|partner| table.second[partner]);
            }
        }
        let mut free = (0..k as u32).filter(|label| !name.contains(&Some(*label))).collect::<Vec<_>>().into_iter();
        let name: Vec<u32> = name.iter().filter_map(|name| name.or_else(|| free.next())).collect();
        let mut rows = landmarks.to_vec();
        let label = |(row, &found): (&usize, &u32)| given.remove(row).unwrap_or(name[found as usize]);
        let mut labels: Vec<u32> = landmarks.iter().zip(found).map(label).collect();
        rows.extend(given.keys());
        labels.extend(given.values());
        Ok(Self { rows, labels })
    }
}

/// Whether so few rows have a given label that the others are clustered as usual, into more clusters than there are labels if need be.
pub(crate) fn are_few(given: &[Option<u32>]) -> bool {
    (given.iter().flatten().count() as f64) < ENOUGH_GIVEN * given.len() as f64
}

impl Fit<'_> {
    /// Whether labels are given for so few rows that the others are clustered as usual.
    fn few_given(&self) -> bool {
        self.given.is_some_and(are_few) && self.config.clusters > 1
    }

    /// The constants of the start, with what the configuration says of its graphs.
    pub(super) fn ensemble_options(&self) -> EnsembleOptions {
        let mut options = self.options.start.ensemble.clone();
        if let Neighborhood::Count(count) = self.options.affinity.neighbors {
            options.graph_neighbors = vec![count];
            options.judges_few_columns = vec![count];
            options.judges_many_columns = vec![count];
        }
        options.eigenvectors &= self.options.init != Start::Overcluster;
        if self.prepared.has_own_graph() {
            options.eigenvector_entries *= OWN_GRAPH_TIMES;
        }
        options
    }

    pub(super) fn sigma(&self) -> Option<f32> {
        match self.options.affinity.sigma {
            Auto::Auto => None,
            Auto::Given(sigma) => Some(sigma),
        }
    }

    /// The representation, and labels of the landmarks where there is a start.
    pub(super) fn start(
        &mut self,
        landmarks: &[usize],
        history: &mut Vec<History>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Chosen> {
        let k = self.config.clusters;
        let options = self.ensemble_options();
        let candidates = representations(self.rows, self.config.representation, &options);
        let first = candidates[0];
        let task = EnsembleTask {
            clusters: k,
            representation: self.config.representation,
            sigma: self.sigma(),
            seed: self.config.seed,
            options: &options,
            weights: self.weights_of(landmarks),
            interrupt: interrupt::current(),
        };
        let few_given = self.few_given();
        let start = match self.options.init {
            Start::Spectral | Start::Overcluster if k > 1 => {
                let found = self.found_start(landmarks, &task)?;
                diagnostics.start = Some(StartFindings {
                    leader: found.leader,
                    agreement: found.agreement,
                    k_means_agreement: found.k_means_agreement,
                    candidates: found.candidates,
                    distinct_rows: found.distinct,
                    components: found.findings.components,
                    large_pieces: found.findings.large_pieces,
                    stray_rows: found.findings.stray,
                    eigengap: found.findings.eigengap,
                    next_eigenvalue: found.findings.next_eigenvalue,
                    natural_communities: found.findings.natural,
                    unconverged: found.findings.unconverged,
                });
                Some(StartRows { rows: landmarks.to_vec(), labels: found.labels })
            }
            Start::Random if k > 1 && !self.options.is_algorithm_1() => {
                let own_graph = self.own_graph(landmarks)?;
                let start = RandomStart {
                    config: self.config,
                    options: self.options,
                    ensemble: &options,
                    rows: self.rows,
                    landmarks,
                    sigma: self.sigma(),
                    own_graph,
                    weights: task.weights.clone().unwrap_or_default(),
                };
                let found = start.find(self.observer)?;
                history.extend(found.history);
                diagnostics.start = Some(found.findings);
                Some(StartRows { rows: landmarks.to_vec(), labels: found.labels })
            }
            Start::Labels(_) => {
                let found = if few_given { self.found_start(landmarks, &task)?.labels } else { Vec::new() };
                self.stage("representation for the given labels")?;
                let given = self.given_start();
                Some(if few_given { given.completed(landmarks, &found, k)? } else { given })
            }
            Start::KMeans if k > 1 => {
                self.stage("k-means start")?;
                let rows = first.fit(self.rows)?.apply(self.rows.select(Axis(0), landmarks));
                let seed = self.config.seed;
                let labels = KMeans { seed, ..KMeans::new(k) }
                    .fit_weighed(rows.view(), task.weights.as_deref())?
                    .labels()
                    .to_vec();
                Some(StartRows { rows: landmarks.to_vec(), labels })
            }
            _ => None,
        };
        self.stage("representation")?;
        let representation = match &start {
            Some(start) => most_agreeing(&candidates, self.rows, &start.rows, &start.labels)?,
            None => first,
        };
        diagnostics.representation = representation.to_string();
        let features = representation.fit(self.rows)?;
        let representation = features.apply(self.rows.to_owned());
        let start = match start {
            Some(start) if self.given.is_none() || few_given => {
                let labels = spread_labels(representation.view(), &start.rows, &start.labels);
                Some(StartRows { rows: (0..labels.len()).collect(), labels })
            }
            given => given,
        };
        let start = start.map(|start| self.obeying(start, representation.view())).transpose()?;
        Ok(Chosen { features, representation, start })
    }

    /// Labels of the landmarks: on the given or learnt graph where there is one, else on those of the representations.
    fn found_start(&mut self, landmarks: &[usize], task: &EnsembleTask) -> Result<Found> {
        let Some(graph) = self.own_graph(landmarks)? else {
            return find(self.rows, landmarks, task, self.observer);
        };
        let centred = Representation::Raw.fit(self.rows)?.apply(self.rows.select(Axis(0), landmarks));
        find_on_graph(graph, centred.view(), task, self.observer)
    }

    /// The rows that have a given label, in random order.
    fn given_start(&self) -> StartRows {
        let given = self.given.expect("a start from labels has labels, which `given_labels` checked");
        let mut rows: Vec<usize> = (0..given.len()).filter(|&i| given[i].is_some()).collect();
        rows.shuffle(&mut self.seed.stream("given labels"));
        let labels = rows.iter().filter_map(|&i| given[i]).collect();
        StartRows { rows, labels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_called_as_the_labels_that_were_given() {
        let given = StartRows { rows: vec![3, 9, 1, 0], labels: vec![2, 1, 2, 2] };
        let landmarks = [0, 1, 2, 3, 4, 5, 6];
        // rows 0, 1 and 3 with label 2: two are in cluster 0; row 9 is no landmark
        let all = given.completed(&landmarks, &[0, 0, 0, 1, 1, 1, 2], 3).unwrap();
        assert_eq!(all.rows, [0, 1, 2, 3, 4, 5, 6, 9]);
        assert_eq!(all.labels, [2, 2, 2, 2, 0, 0, 1, 1]);
        let none = StartRows { rows: vec![9], labels: vec![1] }.completed(&landmarks, &[0, 0, 0, 1, 1, 1, 1], 2);
        assert_eq!(none.unwrap().labels, [0, 0, 0, 1, 1, 1, 1, 1]);
    }
}
