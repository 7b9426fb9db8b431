//! Every partition that an ensemble would choose from, with the graphs that judge it: for studies of judges.

use super::{Ensemble, EnsembleTask, Repeats, try_representations};
use crate::Result;
use crate::graph::Csr;
use crate::interrupt;
use crate::train::Silent;
use ndarray::ArrayView2;

/// A partition of the different rows.
#[derive(Debug, Clone)]
pub struct PoolPartition {
    /// The place of its representation in [`Pool::graphs`].
    pub representation: usize,
    /// The graph and how it was partitioned.
    pub method: String,
    /// One label per different row.
    pub labels: Vec<u32>,
}

/// The partitions of some rows and the graphs over them.
#[derive(Debug, Clone)]
pub struct Pool {
    /// All partitions.
    pub partitions: Vec<PoolPartition>,
    /// For each representation its name and the judging graphs over the different rows, one for each number of neighbours.
    pub graphs: Vec<(String, Vec<Csr>)>,
    /// For each row which of the different ones it equals.
    pub of_row: Vec<usize>,
}

impl Ensemble {
    /// What [`Ensemble::fit_observed`] would choose from, on all rows `(n, d)`.
    ///
    /// # Errors
    /// When the rows cannot be represented or partitioned.
    pub fn pool(&self, rows: ArrayView2<f32>) -> Result<Pool> {
        let task = EnsembleTask {
            clusters: self.n_clusters,
            representation: self.representation,
            sigma: None,
            seed: self.seed,
            options: &self.options,
            weights: None,
            interrupt: interrupt::current(),
        };
        let repeats = Repeats::of(rows, None);
        let (trials, _) = try_representations(rows, rows, &repeats, &task, &mut Silent)?;
        let graphs = trials.iter().map(|trial| (trial.representation.clone(), trial.judge.graphs().to_vec())).collect();
        let partitions = trials.into_iter().enumerate().flat_map(|(representation, trial)| {
            let of = move |partition: super::Partition| PoolPartition {
                representation,
                method: partition.method,
                labels: partition.labels,
            };
            trial.partitions.into_iter().map(of)
        });
        Ok(Pool { partitions: partitions.collect(), graphs, of_row: repeats.of_row })
    }
}
