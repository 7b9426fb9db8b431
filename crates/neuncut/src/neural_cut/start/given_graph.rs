//! The start on a graph that is given: a user's, or that of an affinity which was learnt.

use super::choice::choose;
use super::{GraphSet, Representation, StartLabels, StartOptions, try_graphs};
use crate::graph::{Csr, nearest_neighbors};
use crate::train::Observer;
use crate::{Error, Result};
use ndarray::{ArrayView2, Axis};

/// Rows and neighbours by which representations are compared.
const COMPARED_ROWS: usize = 4000;
const COMPARED_NEIGHBORS: usize = 10;

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
    let mut found = choose(vec![try_graphs(Representation::Raw, &graphs, rows, options)?], options.clusters)?;
    found.candidates.iter_mut().for_each(|candidate| candidate.representation = "the graph's".into());
    Ok(found)
}

/// Of several representations of the training rows, the one in which most near neighbours have the same label: labels that come
/// from a graph say nothing about how rows should enter a network.
pub(in crate::neural_cut) fn most_agreeing(
    candidates: &[Representation],
    rows: ArrayView2<f32>,
    landmarks: &[usize],
    labels: &[u32],
) -> Result<Representation> {
    let mut best = (candidates[0], -1.0);
    if candidates.len() == 1 {
        return Ok(best.0);
    }
    let compared = &landmarks[..landmarks.len().min(COMPARED_ROWS)];
    let compared_rows = rows.select(Axis(0), compared);
    for &candidate in candidates {
        let represented = candidate.fit(rows)?.apply(compared_rows.clone());
        let neighbors = nearest_neighbors(represented.view(), COMPARED_NEIGHBORS).indices;
        let same = |(i, row): (usize, ndarray::ArrayView1<u32>)| {
            row.iter().filter(|&&j| labels[j as usize] == labels[i]).count()
        };
        let agreeing =
            neighbors.rows().into_iter().enumerate().map(same).sum::<usize>() as f64 / neighbors.len().max(1) as f64;
        if agreeing > best.1 {
            best = (candidate, agreeing);
        }
    }
    Ok(best.0)
}

#[cfg(test)]
mod tests {
    use super::super::GraphOptions;
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

    #[test]
    fn the_representation_is_the_one_that_shows_the_labels() {
        // the second column tells the labels, but is a thousand times smaller than the first
        let rows = Array2::from_shape_fn((80, 3), |(i, j)| match j {
            0 => ((i * 37) % 80) as f32 * 10.0,
            1 => (i % 2) as f32,
            _ => ((i * 11) % 7) as f32 * 0.01,
        });
        let labels: Vec<u32> = (0..80).map(|i| i % 2).collect();
        let landmarks: Vec<usize> = (0..80).collect();
        let candidates = [Representation::Raw, Representation::Standard];
        let chosen = most_agreeing(&candidates, rows.view(), &landmarks, &labels).unwrap();
        assert_eq!(chosen, Representation::Standard);
    }
}
