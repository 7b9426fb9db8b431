//! Ncut, Rcut and EnSC: a graph of all rows, its eigenvectors, labels.

use super::{GraphFindings, RivalFitted, grouped, representation};
use crate::affinity::{Affinity, ElasticNet};
use crate::baselines::{RowNorm, Spectral};
use crate::clustering::Clustering;
use crate::method::Method;
use crate::neural_cut::{Auto, Config, Neighborhood, affinity_of};
use crate::train::Observer;
use crate::{Error, Result};
use ndarray::ArrayView2;

/// Neighbours a row of the graph unless told.
const NEIGHBORS: usize = 10;

pub(super) fn fit(config: &Config, rows: ArrayView2<f32>, observer: &mut dyn Observer) -> Result<RivalFitted> {
    if config.neighbors == Neighborhood::All {
        return Err(Error::config("neighbors", "all", "a number: the graph of all rows is sparse"));
    }
    let expressive = config.method == Method::EnSC;
    observer.stage(if expressive { "elastic nets" } else { "nearest neighbours" });
    let rows = representation(config, rows)?.transform(rows);
    let affinity: Box<dyn Affinity> = match expressive {
        true => Box::new(ElasticNet::default()),
        false => affinity_of(config, rows.view(), NEIGHBORS)?,
    };
    let graph = affinity.of_batch(rows.view())?.into_sparse();
    if observer.interrupted() {
        return Err(Error::Interrupted);
    }
    observer.stage("eigenvectors");
    let k = config.clusters;
    let spectral = Spectral {
        eigenvectors: match config.eigenvectors {
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
    let fitted = spectral.fit_rows_on(&graph, rows.view())?;
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
