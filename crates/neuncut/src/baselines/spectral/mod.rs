//! Spectral clustering: eigenvectors of a graph's Laplacian, then k-means, cluster-QR or a rotation of them.
//!
//! [`Spectral::fit_graph`] takes any affinity as a [`Csr`]; [`SpectralClustering`] makes one from rows. The result knows its own
//! rows alone: it is a [`Clustering`] and not `Inductive`.

mod rounding;

pub use rounding::{Rounding, RowNorm};

use super::KMeans;
use crate::affinity::Affinity;
use crate::clustering::{Clusterer, Clustering};
use crate::graph::knn::nearest_in;
use crate::graph::{
    Csr, EigenOptions, Eigenpairs, connected_components, lowest_laplacian_eigenpairs, ncut, rcut, top_eigenpairs,
};
use crate::{Error, Result};
use ndarray::{Array2, ArrayView2, Axis};

/// A residual above this means that the vectors are not eigenvectors, and nothing can be said.
const USELESS_RESIDUAL: f64 = 1e-2;

/// Which Laplacian's eigenvectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Laplacian {
    /// `I - D^-1/2 A D^-1/2`: the relaxed normalized cut.
    Normalized,
    /// `D - A`: the relaxed ratio cut.
    Unnormalized,
}

/// Spectral clustering with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectral {
    /// Number of clusters.
    pub n_clusters: usize,
    /// Which Laplacian.
    pub laplacian: Laplacian,
    /// Eigenvectors used; as many as clusters unless given. Cluster-QR and rotations use the first `n_clusters`.
    pub eigenvectors: Option<usize>,
    /// How rows of the eigenvectors are scaled before they are grouped.
    pub row_norm: RowNorm,
    /// How eigenvectors become labels.
    pub rounding: Rounding,
    /// Restarts of k-means.
    pub restarts: usize,
    /// Precision and bound of the eigensolver.
    pub eigen: EigenOptions,
    /// Random seed.
    pub seed: u64,
}

impl Spectral {
    /// The normalized cut: as many eigenvectors as clusters, k-means with twenty restarts.
    pub fn ncut(n_clusters: usize) -> Self {
        Self {
            n_clusters,
            laplacian: Laplacian::Normalized,
            eigenvectors: None,
            row_norm: RowNorm::Auto,
            rounding: Rounding::KMeans,
            restarts: 20,
            eigen: EigenOptions::default(),
            seed: 0,
        }
    }

    /// The ratio cut, with the same options.
    pub fn rcut(n_clusters: usize) -> Self {
        Self { laplacian: Laplacian::Unnormalized, ..Self::ncut(n_clusters) }
    }

    /// Groups the nodes of a graph. Nodes without edges are set aside and put into the largest cluster.
    ///
    /// # Errors
    /// When there are fewer joined nodes than clusters, or a weight is not finite.
    pub fn fit_graph(&self, graph: &Csr) -> Result<SpectralFitted> {
        let k = self.n_clusters;
        let degrees = graph.degrees();
        let (main, isolated): (Vec<usize>, Vec<usize>) = (0..graph.len()).partition(|&i| degrees[i] > 0.0);
        self.check(main.len(), graph.len())?;
        let reduced;
        let graph = match isolated.is_empty() {
            true => graph,
            false => {
                reduced = graph.induced(&main);
                &reduced
            }
        };
        let components = connected_components(graph).count();
        let pairs = self.eigenpairs(graph)?;
        let (grouped, cut) = self.best_grouping(graph, &pairs.vectors)?;
        let mut labels = vec![largest_cluster(&grouped, k); degrees.len()];
        main.iter().zip(&grouped).for_each(|(&i, &label)| labels[i] = label);
        let mut fitted = SpectralFitted {
            labels,
            values: pairs.values,
            vectors: pairs.vectors,
            residual: pairs.residual,
            cut,
            components,
            isolated,
            warnings: Vec::new(),
        };
        fitted.warn(k, pairs.converged, self.eigen.tolerance);
        Ok(fitted)
    }

    /// Groups rows on their graph. Rows without edges get the label of the nearest row that has some.
    ///
    /// # Errors
    /// As [`Spectral::fit_graph`].
    pub fn fit_rows_on(&self, graph: &Csr, rows: ArrayView2<f32>) -> Result<SpectralFitted> {
        let mut fitted = self.fit_graph(graph)?;
        let isolated = &fitted.isolated;
        if !isolated.is_empty() {
            let others: Vec<usize> = (0..rows.nrows()).filter(|i| isolated.binary_search(i).is_err()).collect();
            let nearest =
                nearest_in(rows.select(Axis(0), isolated).view(), rows.select(Axis(0), &others).view(), 1).indices;
            for (&i, &near) in isolated.iter().zip(nearest.column(0)) {
                fitted.labels[i] = fitted.labels[others[near as usize]];
            }
        }
        Ok(fitted)
    }

    fn check(&self, joined: usize, all: usize) -> Result<()> {
        let k = self.n_clusters;
        if k == 0 {
            return Err(Error::config("k", 0, "at least 1"));
        }
        if joined < k.max(2) {
            return Err(Error::Degenerate(format!(
                "only {joined} of {all} rows have an affinity to another, too few for {k} clusters: raise --neighbors or --sigma"
            )));
        }
        match self.eigenvectors {
            Some(count) if count < k || count > joined => Err(Error::config(
                "eigenvectors",
                count,
                format!("from the number of clusters, {k}, to the number of rows with an affinity, {joined}"),
            )),
            _ => Ok(()),
        }
    }

    fn eigenpairs(&self, graph: &Csr) -> Result<Eigenpairs> {
        let count = self.eigenvectors.unwrap_or(self.n_clusters);
        let pairs = match self.laplacian {
            Laplacian::Normalized => {
                let mut pairs = top_eigenpairs(graph, count, self.eigen)?;
                pairs.values.iter_mut().for_each(|value| *value = (1.0 - *value).max(0.0)); // of the Laplacian
                pairs
            }
            Laplacian::Unnormalized => lowest_laplacian_eigenpairs(graph, count, self.eigen)?,
        };
        if !pairs.converged && pairs.residual > USELESS_RESIDUAL {
            return Err(Error::NotConverged {
                solver: "the eigensolver",
                iterations: self.eigen.max_products,
                residual: pairs.residual,
                tolerance: self.eigen.tolerance,
                remedy:
                    "the graph has many nearly equal eigenvalues; raise --neighbors, or ask for fewer --eigenvectors"
                        .into(),
            });
        }
        Ok(pairs)
    }

    /// The labels and their cut; of two ways to scale rows the one of lower cut, where that is left open.
    fn best_grouping(&self, graph: &Csr, vectors: &Array2<f64>) -> Result<(Vec<u32>, f64)> {
        let k = self.n_clusters;
        let plain = self.eigenfunctions(graph, vectors);
        let unit = || {
            let mut rows = plain.clone();
            rounding::unit_rows(&mut rows);
            rows
        };
        let scaled = match self.row_norm {
            _ if self.rounding == Rounding::Rotation => vec![plain.clone()], // orthonormal columns are what it rotates
            RowNorm::None => vec![plain.clone()],
            RowNorm::Unit => vec![unit()],
            RowNorm::Auto if self.rounding == Rounding::Discretize => vec![unit()], // makes rows unit in any case
            RowNorm::Auto => vec![plain.clone(), unit()],
        };
        let mut best: Option<(Vec<u32>, f64)> = None;
        for rows in &scaled {
            let labels = self.group(graph, rows)?;
            let cut = match self.laplacian {
                Laplacian::Normalized => ncut(graph, &labels, k),
                Laplacian::Unnormalized => rcut(graph, &labels, k),
            };
            if best.as_ref().is_none_or(|best| cut < best.1) {
                best = Some((labels, cut));
            }
        }
        best.ok_or_else(|| Error::Degenerate("there are no eigenvectors to group".into()))
    }

    /// The eigenvectors as functions on the nodes with entries of order one: those of the normalised Laplacian are divided by the
    /// roots of the degrees, which makes them eigenvectors of the random walk.
    fn eigenfunctions(&self, graph: &Csr, vectors: &Array2<f64>) -> Array2<f64> {
        let norm = (vectors.nrows() as f64).sqrt();
        let degrees = graph.degrees();
        let mean = degrees.iter().map(|&d| f64::from(d)).sum::<f64>() / vectors.nrows() as f64;
        let mut functions = vectors.clone();
        for (mut row, &degree) in functions.rows_mut().into_iter().zip(&degrees) {
            let scale = match self.laplacian {
                Laplacian::Normalized => norm * (mean / f64::from(degree)).sqrt(),
                Laplacian::Unnormalized => norm,
            };
            row.mapv_inplace(|x| x * scale);
        }
        functions
    }

    /// In whose metric eigenfunctions are orthogonal: degrees of the mean one, or ones.
    fn masses(&self, graph: &Csr) -> Vec<f64> {
        let degrees: Vec<f64> = graph.degrees().iter().map(|&degree| f64::from(degree)).collect();
        let mean = degrees.iter().sum::<f64>() / degrees.len() as f64;
        match self.laplacian {
            Laplacian::Normalized => degrees.iter().map(|degree| degree / mean).collect(),
            Laplacian::Unnormalized => vec![1.0; degrees.len()],
        }
    }

    fn group(&self, graph: &Csr, rows: &Array2<f64>) -> Result<Vec<u32>> {
        let k = self.n_clusters;
        match self.rounding {
            Rounding::KMeans => {
                let kmeans = KMeans { restarts: self.restarts, seed: self.seed, ..KMeans::new(k) };
                Ok(kmeans.fit(rows.mapv(|x| x as f32).view())?.labels().to_vec())
            }
            Rounding::ClusterQr => rounding::cluster_qr(rows, k),
            Rounding::Discretize => rounding::discretize(rows, k, self.seed),
            Rounding::Rotation => rounding::rotate(rows, &self.masses(graph), k, self.seed),
        }
    }
}

fn largest_cluster(labels: &[u32], k: usize) -> u32 {
    let mut sizes = vec![0_usize; k];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    (0..k).rev().max_by_key(|&c| sizes[c]).expect("there is a cluster") as u32
}

/// Labels of a graph's nodes, and what was seen on the way.
#[derive(Debug, Clone)]
pub struct SpectralFitted {
    labels: Vec<u32>,
    /// Eigenvalues of the Laplacian, ascending.
    pub values: Vec<f64>,
    /// Unit eigenvectors `(n, count)` of the nodes that have edges.
    pub vectors: Array2<f64>,
    /// The largest residual of an eigenpair.
    pub residual: f64,
    /// The normalized or ratio cut of the labels.
    pub cut: f64,
    /// Pieces into which the nodes with edges fall.
    pub components: usize,
    /// Nodes without edges.
    pub isolated: Vec<usize>,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

impl SpectralFitted {
    fn warn(&mut self, k: usize, converged: bool, tolerance: f64) {
        if self.components > k {
            self.warnings.push(format!(
                "the graph falls into {} pieces, more than the {k} clusters: which pieces go together is arbitrary; \
                 raise --neighbors to join them",
                self.components
            ));
        } else if self.components > 1 {
            self.warnings
                .push(format!("the graph falls into {} pieces, each of which is one cluster or more", self.components));
        }
        if !self.isolated.is_empty() {
            self.warnings.push(format!(
                "{} rows have no affinity to any other and follow the rest; raise --neighbors or --sigma",
                self.isolated.len()
            ));
        }
        if !converged {
            self.warnings.push(format!(
                "the eigenvectors are approximate: their residual is {:.1e}, and {tolerance:.0e} was wanted",
                self.residual
            ));
        }
    }
}

impl Clustering for SpectralFitted {
    fn labels(&self) -> &[u32] {
        &self.labels
    }
}

/// Spectral clustering of rows on an affinity.
pub struct SpectralClustering<'a> {
    /// How the graph is cut.
    pub spectral: Spectral,
    /// What joins rows; it must keep a few neighbours per row.
    pub affinity: &'a dyn Affinity,
}

impl Clusterer for SpectralClustering<'_> {
    type Fitted = SpectralFitted;

    fn fit(&self, rows: ArrayView2<f32>) -> Result<SpectralFitted> {
        self.spectral.fit_rows_on(&self.affinity.of_batch(rows)?.into_sparse(), rows)
    }
}

#[cfg(test)]
mod tests;
