//! ESC (You, Li, Robinson and Vidal, ECCV 2018): exemplar-based subspace clustering. Few rows express all, and rows that are expressed alike
//! belong together, however many others there are of their kind: it is meant for clusters of unequal size.

use super::limits::{at_least_clusters, at_least_one};
use super::method::Options;
use super::neighbor_vote::voted;
use super::{Auto, Config, Fitted, RoundingOptions, Task, spectral};
use crate::affinity::{furthest_first, second_order_graph};
use crate::features::{ExemplarCode, Step};
use crate::train::Observer;
use crate::{Error, Result, Seed};
use ndarray::{ArrayView2, Axis};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Exemplars unless told, at least per cluster, and rows per exemplar where there are few.
const EXEMPLARS: usize = 300;
const EXEMPLARS_PER_CLUSTER: usize = 5;
const ROWS_PER_EXEMPLAR: usize = 5;

/// The settings of ESC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct EscOptions {
    /// Rows by which all others are expressed; auto is 300 or a fifth of the rows, whichever is less, and at least 5 per cluster,
    /// but no more than half of the rows
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto|N"))]
    pub exemplars: Auto<usize>,
    /// What half the squared error of a unit row weighs beside its absolute coefficients
    #[cfg_attr(feature = "clap", arg(long, allow_negative_numbers = true, value_name = "F"))]
    pub error_weight: f32,
    /// Rows of nearest coefficients that a row is joined to
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub coefficient_neighbors: usize,
    /// How eigenvectors become labels.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub rounding: RoundingOptions,
}

impl Default for EscOptions {
    /// The authors' values for letters.
    fn default() -> Self {
        let rounding = RoundingOptions::default();
        Self { exemplars: Auto::Auto, error_weight: 150.0, coefficient_neighbors: 3, rounding }
    }
}

impl Options for EscOptions {
    fn check(&self, config: &Config) -> Result<()> {
        if let Auto::Given(count) = self.exemplars {
            at_least_clusters("exemplars", count, config.clusters)?;
            if count > ExemplarCode::MOST {
                return Err(Error::config("exemplars", count, format!("at most {}", ExemplarCode::MOST)));
            }
        }
        if !(self.error_weight > 1.0 && self.error_weight.is_finite()) {
            return Err(Error::config("error-weight", self.error_weight, "above 1: at 1 every coefficient is zero"));
        }
        at_least_one("coefficient-neighbors", self.coefficient_neighbors)?;
        self.rounding.check(config.clusters)
    }

    fn fit(&self, task: Task, observer: &mut dyn Observer) -> Result<Fitted> {
        let Task { config, rows, .. } = task;
        let mut represented = task.representation()?;
        represented.steps.push(Step::Unit);
        let units = represented.transform(rows);
        observer.stage("exemplars");
        let code = self.code(units.view(), config, observer)?;
        let (exemplars, k) = (code.exemplars().nrows(), config.clusters);
        represented.steps.extend([Step::Exemplars(code), Step::Unit]);
        observer.stage("coefficients");
        let coefficients = represented.transform(rows);
        observer.go_on()?;
        let labels = if k == 1 {
            vec![0; rows.nrows()]
        } else {
            self.labels(units.view(), coefficients.view(), config, observer)?
        };
        let mut fitted = voted(config.clone(), represented, coefficients, rows, &labels);
        if let Some(model) = &mut fitted.model {
            model.record.diagnostics.affinity = format!("coefficients over {exemplars} exemplars");
        }
        Ok(fitted)
    }
}

impl EscOptions {
    /// The exemplars of unit rows; the first is drawn at random among those that are not zero.
    fn code(&self, units: ArrayView2<f32>, config: &Config, observer: &mut dyn Observer) -> Result<ExemplarCode> {
        let n = units.nrows();
        let automatic = EXEMPLARS.min(n / ROWS_PER_EXEMPLAR).max(EXEMPLARS_PER_CLUSTER * config.clusters);
        // a row that is an exemplar is expressed by itself alone: were all rows exemplars, none would be like another
        let automatic = automatic.min((n / 2).max(config.clusters));
        let count = self.exemplars.unwrap_or(automatic.min(ExemplarCode::MOST)).min(n);
        let rows: Vec<usize> = (0..n).filter(|&i| units.row(i).iter().any(|&x| x != 0.0)).collect();
        if rows.is_empty() {
            return Err(Error::Degenerate("every row is zero: there is nothing to cluster".into()));
        }
        let first = rows[Seed(config.seed).stream("exemplars").random_range(0..rows.len())];
        let chosen = furthest_first(units, self.error_weight, count, first, observer)?;
        Ok(ExemplarCode::new(units.select(Axis(0), &chosen), self.error_weight))
    }

    /// Labels of unit rows `(n, d)` by the graph of their unit coefficients `(n, exemplars)`. Where it falls into too many pieces, the rows say
    /// which are near.
    fn labels(
        &self,
        units: ArrayView2<f32>,
        coefficients: ArrayView2<f32>,
        config: &Config,
        observer: &mut dyn Observer,
    ) -> Result<Vec<u32>> {
        let used = |(j, &c): (usize, &f32)| (c != 0.0).then_some((j as u32, c));
        let sparse: Vec<Vec<(u32, f32)>> =
            coefficients.rows().into_iter().map(|row| row.iter().enumerate().filter_map(used).collect()).collect();
        observer.stage("nearest coefficients");
        let graph = second_order_graph(&sparse, coefficients.ncols(), self.coefficient_neighbors);
        observer.go_on()?;
        observer.stage("eigenvectors");
        // unit rows of eigenvectors, as the authors have them
        Ok(spectral::fit_pieces(&graph, units, &self.rounding.of_units(), config)?.labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::methods::{Method, Model};
    use crate::metrics::accuracy;
    use ndarray::{Array2, s};

    /// Rows of three cones in nine columns, the first of which has ten times as many as the last.
    fn cones(n: usize) -> (Array2<f32>, Vec<u32>) {
        let mut rng = Seed(4).stream("cones");
        let truth: Vec<u32> = (0..n).map(|i| [0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 2][i % 15]).collect();
        let rows = Array2::from_shape_fn((n, 9), |(i, j)| {
            if j / 3 == truth[i] as usize { 0.3 + rng.random::<f32>() } else { 0.001 * rng.random::<f32>() }
        });
        (rows, truth)
    }

    fn job(k: usize, options: EscOptions) -> Result<Job> {
        Job::new(Config::of(Method::Esc(options), k))
    }

    #[test]
    fn unequal_cones_are_told_apart_and_new_rows_follow() {
        let (rows, truth) = cones(900);
        let found = job(3, EscOptions::default()).unwrap().fit(rows.slice(s![..600, ..])).unwrap();
        assert!(accuracy(&found.labels, &truth[..600]).unwrap() > 0.98);
        let model = found.model.unwrap();
        let labels = model.predict(rows.view()).unwrap();
        assert_eq!(labels[..600], found.labels, "a row that was fitted keeps its label");
        assert!(accuracy(&labels, &truth).unwrap() > 0.98);
        let back = Model::from_bytes(&model.to_bytes().unwrap(), std::path::Path::new("test")).unwrap();
        assert_eq!(back.predict(rows.view()).unwrap(), labels);
        assert!(model.record.diagnostics.affinity.contains("120 exemplars"), "{}", model.record.diagnostics.affinity);
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let (rows, _) = cones(300);
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let job = job(3, EscOptions::default()).unwrap();
            pool.install(|| job.fit(rows.view()).unwrap().model.unwrap().to_bytes().unwrap())
        };
        assert!(bytes(1) == bytes(3));
    }

    #[test]
    fn bad_settings_are_named() {
        let refused = |options| job(5, options).unwrap_err().to_string();
        assert!(refused(EscOptions { error_weight: 1.0, ..Default::default() }).contains("error-weight is 1"));
        assert!(refused(EscOptions { exemplars: Auto::Given(4), ..Default::default() }).contains("exemplars is 4"));
        let none = EscOptions { coefficient_neighbors: 0, ..Default::default() };
        assert!(refused(none).contains("coefficient-neighbors is 0"));
    }
}
