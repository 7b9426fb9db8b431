//! The start on a graph that is given: a user's, or that of an affinity which was learnt.

use super::choice::choose;
use super::{GraphSet, StartLabels, StartOptions, try_graphs};
use crate::graph::Csr;
use crate::train::Observer;
use crate::{Error, Result};
use ndarray::ArrayView2;

/// Finds labels for the nodes of a graph. `rows` are the nodes' rows: where the graph falls apart, small pieces follow their
/// nearest row; and where eigenvectors are not to be used, small clusters of the rows are merged on the graph.
pub(in crate::neural_cut) fn find_start_on(
    graph: Csr,
    rows: ArrayView2<f32>,
    options: &StartOptions,
    observer: &mut dyn Observer,
) -> Result<StartLabels> {
    if observer.interrupted() {
        return Err(Error::Interrupted);
    }
    observer.stage("start on the graph");
    let graphs = GraphSet::given(graph, rows);
    choose(vec![try_graphs("the graph's", &graphs, rows, options)?], options.clusters)
}

#[cfg(test)]
mod tests {
    use super::super::{GraphOptions, Representation};
    use super::*;
    use crate::metrics::accuracy;
    use crate::train::Silent;
    use ndarray::Array2;

    fn options(eigenvectors: bool) -> StartOptions {
        let graph = GraphOptions { neighbors: 10, sigma: None };
        StartOptions { clusters: 2, eigenvectors, representation: Representation::Auto, graph, seed: 0 }
    }

    /// Two long rows of points side by side: k-means on the rows cuts them across, the graph joins them lengthwise.
    #[test]
    fn small_clusters_of_the_rows_are_merged_on_the_graph() {
        let rows =
            Array2::from_shape_fn((400, 2), |(i, j)| if j == 0 { (i / 2) as f32 } else { 12.0 * (i % 2) as f32 });
        let lengthwise = (0..396_u32).flat_map(|i| [(i, i + 2, 2.0), (i, i + 4, 1.0)]);
        let found =
            find_start_on(Csr::symmetrized(400, lengthwise), rows.view(), &options(false), &mut Silent).unwrap();
        let truth: Vec<u32> = (0..400).map(|i| i % 2).collect();
        assert_eq!(accuracy(&found.labels, &truth).unwrap(), 1.0);
        assert!(found.chosen.contains("merged small clusters"), "{}", found.chosen);
    }

    /// Two groups by row number, which the rows do not show: the parity of the row decides, chains of equals are the graph.
    #[test]
    fn labels_follow_the_graph_and_not_the_rows() {
        let rows = Array2::from_shape_fn((60, 1), |(i, _)| (i / 2) as f32);
        let chain = (0..56_u32).flat_map(|i| [(i, i + 2, 2.0), (i, i + 4, 1.0)]).filter(|e| e.1 < 58);
        // rows 58 and 59 have no edge
        let found = find_start_on(Csr::symmetrized(60, chain), rows.view(), &options(true), &mut Silent).unwrap();
        let truth: Vec<u32> = (0..58).map(|i| i % 2).collect();
        assert_eq!(accuracy(&found.labels[..58], &truth).unwrap(), 1.0);
        assert_eq!(found.stray, 2);
        assert_eq!(found.labels.len(), 60);
    }
}
