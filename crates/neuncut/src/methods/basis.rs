//! BaSiS (Streicher, Cohen and Gilboa, CVPR 2023): a network learns the eigenvectors of small graphs, each brought into the
//! coordinates of one of them by the anchors that all contain.
//!
//! The eigenvectors of a batch are those of a graph of its own: their signs, order and, where eigenvalues are close, directions differ from batch
//! to batch. So the same anchors are in every graph, and the affine map that brings their places nearest to those in the graph of anchors alone
//! brings the batch along. Where it comes to lie is what the network learns.

use super::anchors::AnchorOptions;
use super::kmeans::grouped;
use super::limits::at_least_clusters;
use super::method::Options;
use super::network_inputs::NetworkInputs;
use super::regression::Regression;
use super::{AffinityKind, AffinityOptions, Auto, Config, Fitted, NetworkOptions, Prepared, Task};
use crate::affinity::Affinity;
use crate::features::{Pipeline, Step};
use crate::graph::eigen::symmetric_eigen;
use crate::graph::{BatchGraph, EigenOptions, top_eigenpairs};
use crate::network::{Mlp, Weights};
use crate::train::{Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2, Axis, concatenate, s};
use serde::{Deserialize, Serialize};

/// Anchors unless told, where there are enough rows.
const ANCHORS: usize = 500;
/// Neighbours per row in the graph of a batch and anchors unless told.
const NEIGHBORS: usize = 10;
/// Steps and their initial learning rate unless told.
const STEPS: usize = 300;
const RATE: f64 = 1e-3;
/// What a target needs of its eigenvectors: the network does not come nearer.
const PRECISION: EigenOptions = EigenOptions { tolerance: 1e-4, max_products: 600 };
/// Directions of anchors' places below this share of the largest squared extent carry none.
const LEAST_EXTENT: f64 = 1e-10;

/// The settings of BaSiS.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct BasisOptions {
    /// The anchors in all graphs, and k-means of the embedding.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub anchors: AnchorOptions,
    /// Outputs of the network, one per eigenvector; auto is as many as clusters
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub eigenvectors: Auto<usize>,
    /// What joins rows.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub affinity: AffinityOptions,
    /// How the network is trained.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub network: NetworkOptions,
}

impl Options for BasisOptions {
    fn check(&self, config: &Config) -> Result<()> {
        if let AffinityKind::Graph(_) = self.affinity.affinity {
            let must = "another for basis, whose batches are drawn uniformly and would hold next to none of the graph's edges: \
                        take ncut, or neuncut for a model";
            return Err(Error::config("affinity", &self.affinity.affinity, must));
        }
        if let Auto::Given(count) = self.eigenvectors {
            at_least_clusters("eigenvectors", count, config.clusters)?;
        }
        self.anchors.check(config.clusters)?;
        self.affinity.check()?;
        self.network.check(config.clusters)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        config.device.check()?;
        let seed = Seed(config.seed);
        let prepared = Prepared::new(config, &self.affinity, rows, None, NEIGHBORS, observer)?;
        let representation = task.representation()?;
        let represented = representation.transform(rows);
        let NetworkInputs { rows: inputs, mut steps } = NetworkInputs::of(&represented);
        let (affinity, measured) = prepared.affinity(represented.view())?;
        observer.stage("anchors");
        let anchors = self.anchors.of_rows(measured, config, ANCHORS)?.rows;
        let count = self.eigenvectors.unwrap_or(config.clusters);
        let graphs = AnchoredGraphs::new(affinity.as_ref(), anchors, count)?;

        let batch = self.network.rows_per_batch().min(rows.nrows());
        let trainer = Trainer {
            stage: "basis",
            batch,
            epochs: self.network.epochs.unwrap_or(STEPS.div_ceil(rows.nrows() / batch)),
            learning_rate: self.network.lr.unwrap_or(RATE),
            weight_decay: self.network.weight_decay,
        };
        let sizes: Vec<usize> = [&[inputs.ncols()][..], self.network.hidden.widths(), &[count]].concat();
        let mut network = Mlp::new(&Weights::random(&sizes, &mut seed.stream("init")), config.device)?;
        let targets = |batch: &[usize]| graphs.targets(measured.select(Axis(0), batch).view());
        let mut objective = Regression { inputs: inputs.view(), targets };
        let curve = trainer.run(&mut network, rows.nrows(), &mut objective, &mut seed.stream("shuffle"), observer)?;
        steps.push(Step::Encode(network.weights()?));
        observer.stage("k-means");
        let curves = prepared.curve.iter().cloned().chain([curve]).collect();
        let embedding = Pipeline { steps };
        let mut fitted = grouped(config, representation, embedding, rows, self.anchors.restarts(), curves)?;
        if let Some(model) = &mut fitted.model {
            model.record.diagnostics.affinity = prepared.note();
        }
        Ok(fitted)
    }

    fn affinity(&self) -> Option<&AffinityOptions> {
        Some(&self.affinity)
    }

    fn network(&self) -> Option<&NetworkOptions> {
        Some(&self.network)
    }
}

/// Graphs that have the anchors in common.
struct AnchoredGraphs<'a> {
    affinity: &'a dyn Affinity,
    /// `(m, d)`.
    anchors: Array2<f32>,
    /// Where the anchors lie, `(m, count)`.
    reference: Array2<f64>,
}

impl<'a> AnchoredGraphs<'a> {
    fn new(affinity: &'a dyn Affinity, anchors: Array2<f32>, count: usize) -> Result<Self> {
        let reference = eigenfunctions(affinity.of_batch(anchors.view())?, count)?;
        Ok(Self { affinity, anchors, reference })
    }

    /// Where the rows of a batch `(b, d)` lie among the anchors, `(b, count)`.
    fn targets(&self, batch: ArrayView2<f32>) -> Result<Array2<f32>> {
        let nodes = concatenate(Axis(0), &[self.anchors.view(), batch])
            .map_err(|_| Error::Degenerate("rows and anchors differ in their columns".into()))?;
        let places = eigenfunctions(self.affinity.of_batch(nodes.view())?, self.reference.ncols())?;
        let aligned = aligned(&places, &self.reference)?;
        Ok(aligned.slice(s![self.anchors.nrows().., ..]).mapv(|x| x as f32))
    }
}

/// The leading eigenvectors of a graph's random walk `(n, count)`, of mean square one in the measure of its degrees.
fn eigenfunctions(graph: BatchGraph, count: usize) -> Result<Array2<f64>> {
    let graph = graph.into_sparse();
    let degrees = graph.degrees();
    let total = degrees.iter().map(|&degree| f64::from(degree)).sum::<f64>();
    let mut places = top_eigenpairs(&graph, count, PRECISION)?.vectors;
    for (mut place, &degree) in places.rows_mut().into_iter().zip(&degrees) {
        place *= if degree > 0.0 { (total / f64::from(degree)).sqrt() } else { 0.0 };
    }
    Ok(places)
}

/// All places `(n, count)` by the affine map that brings the first of them nearest to the reference `(m, count)`.
fn aligned(places: &Array2<f64>, reference: &Array2<f64>) -> Result<Array2<f64>> {
    let (n, count) = places.dim();
    let with_one = Array2::from_shape_fn((n, count + 1), |(i, c)| if c < count { places[[i, c]] } else { 1.0 });
    let known = with_one.slice(s![..reference.nrows(), ..]);
    // least squares by the pseudo-inverse: the constant may be among the places already
    let (values, vectors) = symmetric_eigen(known.t().dot(&known).view())?;
    let mut scaled = vectors.clone();
    for (mut column, &value) in scaled.columns_mut().into_iter().zip(&values) {
        column *= if value > LEAST_EXTENT * values[0] { 1.0 / value } else { 0.0 };
    }
    let map = scaled.dot(&vectors.t()).dot(&known.t().dot(reference));
    Ok(with_one.dot(&map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::{Bandwidth, HeatKernel};
    use crate::data::synthetic::Shape;
    use crate::golden::Golden;

    #[test]
    fn targets_are_those_of_numpy() {
        // see tests/golden/basis.py
        let golden = Golden::of(include_bytes!("../../tests/golden/basis.safetensors"));
        let (rows, expected) = (golden.matrix("rows"), golden.matrix("targets"));
        let affinity = HeatKernel { bandwidth: Bandwidth::Sigma(1.0), neighbors: None };
        let (anchors, batch) = rows.view().split_at(Axis(0), 30);
        let graphs = AnchoredGraphs::new(&affinity, anchors.to_owned(), 3).unwrap();
        let found = graphs.targets(batch).unwrap();
        // eigenvectors of the reference have either sign
        for (found, expected) in found.columns().into_iter().zip(expected.columns()) {
            let sign = found.dot(&expected).signum();
            let apart = found.iter().zip(expected).fold(0.0_f32, |most, (a, b)| most.max((sign * a - b).abs()));
            assert!(apart < 2e-3, "{apart} apart");
        }
    }

    #[test]
    fn a_map_that_was_applied_is_undone() {
        let reference = Array2::from_shape_fn((20, 2), |(i, j)| ((i * (j + 3) * 37) % 61) as f64 * 0.1);
        let turned = reference.dot(&ndarray::array![[0.0, -2.0], [1.0, 0.5]]) + 3.0;
        let back = aligned(&turned, &reference).unwrap();
        assert!((&back - &reference).iter().all(|x| x.abs() < 1e-6));
    }

    #[test]
    fn targets_of_different_batches_agree() {
        let mut generator = "moons".parse::<Shape>().unwrap().generator(None, Seed(3)).unwrap();
        let (mut rows, mut truth) = (Vec::new(), Vec::new());
        generator.fill(900, &mut rows, &mut truth);
        let rows = Array2::from_shape_vec((900, 2), rows).unwrap();
        let affinity = HeatKernel { bandwidth: Bandwidth::Auto, neighbors: Some(10) };
        let graphs = AnchoredGraphs::new(&affinity, rows.slice(s![..200, ..]).to_owned(), 2).unwrap();
        let first = graphs.targets(rows.slice(s![200..600, ..])).unwrap();
        let second = graphs.targets(rows.slice(s![400..900, ..])).unwrap();
        let (first, second) = (first.slice(s![200.., ..]), second.slice(s![..200, ..])); // the same rows among others
        let apart = crate::features::mean_square((&first - &second).view()).sqrt();
        assert!(apart < 0.2, "{apart} apart on a scale of one");
    }
}
