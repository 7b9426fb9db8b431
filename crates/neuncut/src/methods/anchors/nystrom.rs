//! The Nyström extension (Fowlkes, Belongie, Chung and Malik 2004): eigenvectors of the normalised affinity of all pairs, from its part between
//! rows and anchors.

use super::super::kmeans::grouped;
use super::super::limits::positive_unless_auto;
use super::super::method::Options;
use super::super::{Auto, Config, Fitted, Task};
use super::AnchorOptions;
use super::options::AnchoredRows;
use super::selection::Anchors;
use super::transfer::{heat_factor, mean_squared_distance};
use crate::features::{Closeness, LandmarkMap, Pipeline, Step, squared_distances_to};
use crate::graph::eigen::symmetric_eigen;
use crate::linalg::{Cores, matmul, matmul_add};
use crate::train::Observer;
use crate::{Error, Result};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Anchors unless told: all pairs of them and rows count.
const ANCHORS: usize = 500;
/// Rows whose affinities are in memory at a time.
const BLOCK_ROWS: usize = 2048;
/// Eigenvalues below this share of the largest are noise, and would be blown up by their inverse.
const LEAST_EIGENVALUE: f64 = 1e-6;

/// The settings of Nyström's method.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct NystromOptions {
    /// How many anchors there are and how they are chosen.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub anchors: AnchorOptions,
    /// Bandwidth of the heat kernel to anchors; auto is the root of the mean squared distance of rows to all anchors
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "auto|F"))]
    pub bandwidth: Auto<f32>,
}

impl Options for NystromOptions {
    fn check(&self, config: &Config) -> Result<()> {
        self.anchors.check(config.clusters)?;
        positive_unless_auto("bandwidth", self.bandwidth)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        let AnchoredRows { representation, rows: represented, anchors } =
            self.anchors.of_task(&task, ANCHORS, observer)?;
        let squared = match self.bandwidth {
            Auto::Auto => mean_squared_distance(represented.view(), anchors.rows.view()),
            Auto::Given(bandwidth) => f64::from(bandwidth).powi(2),
        };
        let map = embedding(represented.view(), anchors, heat_factor(squared), config.clusters, observer)?;
        observer.stage("k-means");
        let embedding = Pipeline { steps: vec![Step::Landmarks(map), Step::Unit] };
        grouped(config, representation, embedding, rows, self.anchors.restarts(), Vec::new())
    }
}

/// The map of anchors whose weighted means are the approximate eigenvectors, up to the length of each row: `D^-1/2 A^-1/2 U L^-1/2` with
/// `A` the normalised affinity among anchors and `U L U'` the eigenvectors of `A + A^-1/2 B B' A^-1/2`.
pub(super) fn embedding(
    rows: ArrayView2<f32>,
    anchors: Anchors,
    factor: f32,
    count: usize,
    observer: &mut dyn Observer,
) -> Result<LandmarkMap> {
    let m = anchors.rows.nrows();
    let among = affinities(anchors.rows.view(), anchors.rows.view(), factor);
    let rest = anchors
        .drawn
        .as_ref()
        .map(|drawn| (0..rows.nrows()).filter(|i| drawn.binary_search(i).is_err()).collect::<Vec<usize>>());
    let n = rest.as_ref().map_or(rows.nrows(), Vec::len);
    let block = |first: usize| {
        let places = first..(first + BLOCK_ROWS).min(n);
        let chosen = match &rest {
            Some(rest) => rows.select(Axis(0), &rest[places]),
            None => rows.slice(ndarray::s![places, ..]).to_owned(),
        };
        affinities(chosen.view(), anchors.rows.view(), factor)
    };
    let mut to_rest = Array1::<f64>::zeros(m);
    for first in (0..n).step_by(BLOCK_ROWS) {
        observer.go_on()?;
        to_rest += &block(first).sum_axis(Axis(0));
    }
    let degrees = &among.sum_axis(Axis(1)) + &to_rest;
    // of a row that is no anchor the degree is approximate too: b'1 + b' A^+ B 1
    let spread = 1.0 + power(&among, -1.0)?.dot(&to_rest);
    let mut coupled = Array2::<f64>::zeros((m, m));
    for first in (0..n).step_by(BLOCK_ROWS) {
        observer.go_on()?;
        let mut block = block(first);
        for mut row in block.rows_mut() {
            let degree = row.dot(&spread).max(row.sum()).max(f64::MIN_POSITIVE).sqrt();
            row /= degree;
        }
        matmul_add(coupled.view_mut(), block.t(), block.view());
    }
    let inverse = degrees.mapv(|d| 1.0 / d.sqrt());
    let normalized =
        |matrix: &Array2<f64>| Array2::from_shape_fn((m, m), |(a, b)| matrix[[a, b]] * inverse[a] * inverse[b]);
    let (among, coupled) = (normalized(&among), normalized(&coupled));
    let root = power(&among, -0.5)?;
    let whole = &among + &matmul(matmul(root.view(), coupled.view()).view(), root.view());
    let (values, vectors) = symmetric_eigen(whole.view())?;
    let largest = values.first().copied().unwrap_or(0.0);
    let kept = values.iter().take(count).filter(|&&value| value > LEAST_EIGENVALUE * largest).count();
    if kept == 0 {
        return Err(Error::Degenerate(
            "the affinity of rows and anchors has no eigenvectors: raise --bandwidth".into(),
        ));
    }
    let scaled =
        Array2::from_shape_fn((m, count), |(a, c)| if c < kept { vectors[[a, c]] / values[c].sqrt() } else { 0.0 });
    let mut map = root.dot(&scaled);
    map.axis_iter_mut(Axis(0)).zip(&inverse).for_each(|(mut row, &inverse)| row *= inverse * (n + m) as f64);
    let map = map.mapv(|x| x as f32);
    Ok(LandmarkMap { landmarks: anchors.rows, closeness: Closeness::Heat { factor }, nearest: m, map })
}

/// The heat kernel of all pairs.
pub(super) fn affinities(rows: ArrayView2<f32>, anchors: ArrayView2<f32>, factor: f32) -> Array2<f64> {
    squared_distances_to(rows, anchors, Cores::All).mapv(|d| f64::from(-d * factor).exp())
}

/// A power of a symmetric matrix without negative eigenvalues, on the vectors whose eigenvalues are no noise.
pub(super) fn power(matrix: &Array2<f64>, exponent: f64) -> Result<Array2<f64>> {
    let (values, vectors) = symmetric_eigen(matrix.view())?;
    let largest = values.first().copied().unwrap_or(0.0);
    let kept = values.iter().filter(|&&value| value > LEAST_EIGENVALUE * largest).count();
    let vectors = vectors.slice(ndarray::s![.., ..kept]);
    let mut scaled = vectors.to_owned();
    for (mut column, &value) in scaled.axis_iter_mut(Axis(1)).zip(&values) {
        column *= value.powf(exponent);
    }
    Ok(matmul(scaled.view(), vectors.t()))
}
