//! Leiden communities of a graph of all rows that are fitted; others follow their nearest.

use super::affinity_choice::RowGraph;
use super::limits::positive_unless_auto;
use super::method::Options;
use super::neighbor_vote::voted;
use super::neural_cut::Warning;
use super::{AffinityOptions, Auto, Config, Fitted, Task};
use crate::ensemble::{Pieces, mean_distances};
use crate::graph::{communities_at, connected_components, leiden};
use crate::train::Observer;
use crate::{Result, Seed};
use serde::{Deserialize, Serialize};

/// Neighbours per row of the graph unless told, as is usual for Leiden.
const NEIGHBORS: usize = 15;
/// Pieces of the graph below this share of the mean cluster follow their nearest row.
pub(super) const SMALL_PIECE: f64 = 0.02;

/// The settings of Leiden.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct LeidenOptions {
    /// What joins rows.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub affinity: AffinityOptions,
    /// Resolution of the modularity; auto searches for the one that gives k communities. A number gives as many as there are at it, k at
    /// most: those that gain most by it are merged
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "auto|F"))]
    pub resolution: Auto<f64>,
}

impl Options for LeidenOptions {
    fn check(&self, _: &Config) -> Result<()> {
        self.affinity.check_sparse()?;
        self.affinity.check()?;
        positive_unless_auto("resolution", self.resolution)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let k = task.config.clusters;
        let RowGraph { graph, representation, represented, note } =
            RowGraph::of(&self.affinity, task, NEIGHBORS, observer)?;
        observer.go_on()?;
        observer.stage("communities");
        let components = connected_components(&graph);
        let (large, _) = Pieces::count(&components, k, SMALL_PIECE);
        let scales = mean_distances(&graph, represented.view());
        let pieces = Pieces::joined(&graph, represented.view(), &scales, k, SMALL_PIECE);
        let rng = &mut Seed(task.config.seed).stream("leiden");
        let labels = pieces.spread(&match self.resolution {
            Auto::Auto => leiden(&pieces.graph, k, rng),
            Auto::Given(resolution) => communities_at(&pieces.graph, resolution, k, rng),
        });
        let found = labels.iter().max().map_or(1, |&last| last as usize + 1);
        let config = Config { clusters: found, ..task.config.clone() };
        let mut fitted = voted(config, representation, represented, task.rows, &labels);
        if let Some(model) = &mut fitted.model {
            let diagnostics = &mut model.record.diagnostics;
            diagnostics.affinity = note;
            if large > k {
                let text = format!(
                    "the graph falls apart into {large} pieces, more than the {k} clusters asked for: try -k {large}, or more --neighbors"
                );
                diagnostics.warnings.push(Warning { name: "more-pieces-than-clusters".into(), text });
            }
        }
        Ok(fitted)
    }

    fn affinity(&self) -> Option<&AffinityOptions> {
        Some(&self.affinity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::Shape;
    use crate::job::Job;
    use crate::methods::Method;
    use crate::metrics::accuracy;
    use ndarray::{Array2, s};

    fn shape(name: &str, n: usize) -> (Array2<f32>, Vec<u32>) {
        let mut generator = name.parse::<Shape>().unwrap().generator(None, Seed(3)).unwrap();
        let (mut rows, mut truth) = (Vec::new(), Vec::new());
        generator.fill(n, &mut rows, &mut truth);
        let rows = Array2::from_shape_vec((n, generator.dimension()), rows).unwrap();
        (rows, truth.iter().map(|&t| t as u32).collect())
    }

    fn job(k: usize, resolution: Auto<f64>) -> Job {
        Job::new(Config::of(Method::Leiden(LeidenOptions { resolution, ..Default::default() }), k)).unwrap()
    }

    #[test]
    fn blobs_are_found_and_new_rows_follow() {
        let (rows, truth) = shape("blobs", 900);
        let k = *truth.iter().max().unwrap() as usize + 1;
        let found = job(k, Auto::Auto).fit(rows.slice(s![..600, ..])).unwrap();
        assert!(accuracy(&found.labels, &truth[..600]).unwrap() > 0.95);
        let labels = found.model.unwrap().predict(rows.view()).unwrap();
        assert_eq!(labels[..600], found.labels, "a row that was fitted keeps its label");
        assert!(accuracy(&labels, &truth).unwrap() > 0.95);
    }

    #[test]
    fn a_resolution_gives_the_number_of_clusters_and_k_bounds_it() {
        let (rows, _) = shape("blobs", 600);
        let clusters = |k, resolution| {
            let found = job(k, Auto::Given(resolution)).fit(rows.view()).unwrap();
            let model = found.model.unwrap();
            assert_eq!(model.n_clusters(), model.config.clusters);
            assert_eq!(found.labels.iter().max().unwrap() + 1, model.n_clusters() as u32);
            model.n_clusters()
        };
        assert!(clusters(600, 8.0) > clusters(600, 0.5));
        assert_eq!(clusters(4, 8.0), 4);
        let refused =
            Config::of(Method::Leiden(LeidenOptions { resolution: Auto::Given(0.0), ..Default::default() }), 2);
        assert!(refused.check().unwrap_err().to_string().contains("resolution is 0"));
    }

    #[test]
    fn more_pieces_than_clusters_are_joined_and_reported() {
        // four clouds far apart, of which two are asked for
        let rows = Array2::from_shape_fn((120, 2), |(i, j)| {
            let reach = ((i / 4) as f32).sqrt() * if j == 0 { (i as f32 * 2.4).cos() } else { (i as f32 * 2.4).sin() };
            reach + if j == 0 { [0.0, 100.0, 1000.0, 1100.0][i % 4] } else { 0.0 }
        });
        let found = job(2, Auto::Auto).fit(rows.view()).unwrap();
        let truth: Vec<u32> = (0..120).map(|i| u32::from(i % 4 > 1)).collect();
        assert_eq!(accuracy(&found.labels, &truth).unwrap(), 1.0);
        let warnings = found.model.unwrap().record.diagnostics.warnings;
        assert!(warnings.iter().any(|warning| warning.text.contains("4 pieces")), "{warnings:?}");
    }
}
