//! The ensemble on a graph that is given: a user's, or that of an affinity which was learnt.

use super::choice::{Partition, Trial, choose};
use super::options::EnsembleTask;
use super::{Found, Judge, partitions, try_graph};
use crate::features::Representation;
use crate::graph::Csr;
use crate::train::Observer;
use crate::{Error, Result};
use ndarray::{Array1, ArrayView2};
use rayon::prelude::*;

/// Finds labels for the nodes of a graph. `rows` are the nodes' rows: where the graph falls apart, small pieces follow their
/// nearest row.
pub(crate) fn find_on_graph(
    graph: Csr,
    rows: ArrayView2<f32>,
    task: &EnsembleTask,
    observer: &mut dyn Observer,
) -> Result<Found> {
    if observer.interrupted() {
        return Err(Error::Interrupted);
    }
    observer.stage("start on the graph");
    let scales = mean_distances(&graph, rows);
    let trial = try_graph(&graph, rows, &scales, None, "the graph", task)?;
    let mut all: Vec<Partition> = trial.partitions;
    all.extend(partitions::of_rows(rows, false, task)?);
    let judge = Judge::given(graph, rows.ncols(), task.options);
    let trial = Trial { representation: "the graph's".into(), judge, partitions: all, findings: trial.findings };
    let choice = choose(&[trial], task.clusters, task.options.is_few(rows.ncols()), task.options)?;
    Ok(Found::of(choice, Representation::Raw))
}

/// A row's scale is its mean distance to the rows it is joined with.
pub(crate) fn mean_distances(graph: &Csr, rows: ArrayView2<f32>) -> Array1<f32> {
    let distance =
        |i: usize, j: usize| rows.row(i).iter().zip(rows.row(j)).map(|(x, y)| (x - y) * (x - y)).sum::<f32>().sqrt();
    let own = |i: usize| {
        let joined = graph.row(i).0;
        joined.iter().map(|&j| distance(i, j as usize)).sum::<f32>() / joined.len().max(1) as f32
    };
    (0..graph.len()).into_par_iter().map(own).collect::<Vec<f32>>().into()
}

#[cfg(test)]
mod tests {
    use super::super::EnsembleOptions;
    use super::*;
    use crate::interrupt::Interrupt;
    use crate::metrics::accuracy;
    use crate::train::Silent;
    use ndarray::Array2;

    fn found(graph: Csr, rows: &Array2<f32>, eigenvectors: bool) -> Found {
        let options = EnsembleOptions { eigenvectors, ..Default::default() };
        let representation = Representation::Auto;
        let interrupt = Interrupt::never();
        let task = EnsembleTask {
            clusters: 2,
            representation,
            sigma: None,
            seed: 0,
            options: &options,
            weights: None,
            interrupt,
        };
        find_on_graph(graph, rows.view(), &task, &mut Silent).unwrap()
    }

    /// Two long rows of points side by side: k-means on the rows cuts them across, the graph joins them lengthwise.
    #[test]
    fn without_eigenvectors_labels_follow_the_graph_too() {
        let rows =
            Array2::from_shape_fn((400, 2), |(i, j)| if j == 0 { (i / 2) as f32 } else { 12.0 * (i % 2) as f32 });
        let lengthwise = (0..396_u32).flat_map(|i| [(i, i + 2, 2.0), (i, i + 4, 1.0)]);
        let found = found(Csr::symmetrized(400, lengthwise), &rows, false);
        let truth: Vec<u32> = (0..400).map(|i| i % 2).collect();
        assert_eq!(accuracy(&found.labels, &truth).unwrap(), 1.0);
        assert!(found.candidates.iter().any(|c| c.method.contains("merged small clusters")));
    }

    /// Two groups by row number, which the rows do not show: the parity of the row decides, chains of equals are the graph.
    #[test]
    fn labels_follow_the_graph_and_not_the_rows() {
        let rows = Array2::from_shape_fn((60, 1), |(i, _)| (i / 2) as f32);
        let chain = (0..56_u32).flat_map(|i| [(i, i + 2, 2.0), (i, i + 4, 1.0)]).filter(|e| e.1 < 58);
        // rows 58 and 59 have no edge
        let found = found(Csr::symmetrized(60, chain), &rows, true);
        let truth: Vec<u32> = (0..58).map(|i| i % 2).collect();
        assert_eq!(accuracy(&found.labels[..58], &truth).unwrap(), 1.0);
        assert_eq!(found.findings.stray, 2);
        assert_eq!(found.labels.len(), 60);
    }
}
