//! Ncut, Rcut, EnSC and SENet with spectral clustering: a graph of all rows, its eigenvectors, labels.

use super::{GraphFindings, RivalFitted, grouped, representation};
use crate::affinity::Precomputed;
use crate::baselines::{RowNorm, Spectral};
use crate::clustering::Clustering;
use crate::method::Method;
use crate::neural_cut::{AffinityKind, Auto, Config, Neighborhood, Prepared, given_graph};
use crate::train::Observer;
use crate::{Error, Result};
use ndarray::ArrayView2;
use std::borrow::Cow;

/// Neighbours a row of the graph unless told.
const NEIGHBORS: usize = 10;

pub(super) fn fit(
    config: &Config,
    graph: Option<&Precomputed>,
    rows: ArrayView2<f32>,
    observer: &mut dyn Observer,
) -> Result<RivalFitted> {
    if config.neighbors == Neighborhood::All {
        return Err(Error::config("neighbors", "all", "a number: the graph of all rows is sparse"));
    }
    let graph = given_graph(config, graph, rows.nrows())?;
    let prepared = Prepared::new(config, rows, graph, NEIGHBORS, observer)?;
    let represented = representation(config, rows)?.transform(rows);
    let graph = match &prepared.graph {
        Some(graph) => Cow::Borrowed(&graph.graph),
        None => {
            observer.stage(match config.affinity() {
                AffinityKind::ElasticNet => "elastic nets",
                _ => "nearest neighbours",
            });
            let (affinity, measured) = prepared.affinity(represented.view())?;
            Cow::Owned(affinity.of_batch(measured)?.into_sparse())
        }
    };
    if observer.interrupted() {
        return Err(Error::Interrupted);
    }
    observer.stage("eigenvectors");
    let k = config.clusters;
    let expressive = matches!(config.method, Method::EnSC | Method::SenetSc);
    let spectral = Spectral {
        eigenvectors: match config.eigenvectors {
            // SENet's authors take 15 for the ten classes of MNIST
            Auto::Auto if expressive => Some((k + k / 2).min(rows.nrows())),
            Auto::Auto => None,
            Auto::Given(count) => Some(count),
        },
        rounding: config.rounding,
        // unit rows, as is usual in subspace clustering
        row_norm: if expressive && config.row_norm == RowNorm::Auto { RowNorm::Unit } else { config.row_norm },
        restarts: config.restarts.unwrap_or(grouped::EMBEDDING_RESTARTS),
        seed: config.seed,
        ..if config.method == Method::Rcut { Spectral::rcut(k) } else { Spectral::ncut(k) }
    };
    let fitted = spectral.fit_rows_on(&graph, represented.view())?;
    let labels = fitted.labels().to_vec();
    let findings = GraphFindings {
        weights: graph.n_stored(),
        components: fitted.components,
        isolated: fitted.isolated.len(),
        eigenvalues: fitted.values,
        residual: fitted.residual,
        cut: fitted.cut,
        warnings: fitted.warnings,
    };
    Ok(RivalFitted { model: None, graph: Some(findings), labels })
}
