//! The affinity that settings name, made ready: the one place where affinities are made.

use super::{AffinityKind, AffinityOptions, Auto, Config, Task};
use crate::affinity::{
    Affinity, Bandwidth, ElasticNet, HeatKernel, LearnedAffinity, Precomputed, SelfExpressive, Senet, SenetOptions,
    Siamese, SiameseOptions,
};
use crate::features::Pipeline;
use crate::graph::Csr;
use crate::train::{History, Observer};
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use std::borrow::Cow;

/// The user's graph over the rows that are fitted: the one at hand, or `graph:FILE`; none for other affinities.
pub(crate) fn given_graph<'a>(
    options: &AffinityOptions,
    at_hand: Option<&'a Precomputed>,
    rows: usize,
) -> Result<Option<Cow<'a, Precomputed>>> {
    let graph = match (at_hand, &options.affinity) {
        (Some(graph), _) => Cow::Borrowed(graph),
        (None, AffinityKind::Graph(path)) => Cow::Owned(Precomputed::read(path, rows)?),
        _ => return Ok(None),
    };
    if graph.graph.len() != rows {
        let must = format!("a graph over the {rows} rows that are fitted");
        return Err(Error::config("affinity", format!("a graph over {} rows", graph.graph.len()), must));
    }
    Ok(Some(graph))
}

/// The sparse graph of all rows that settings name, and the rows as they are represented.
pub(super) struct RowGraph<'a> {
    pub graph: Cow<'a, Csr>,
    pub representation: Pipeline,
    pub represented: Array2<f32>,
    /// What joins rows, in a few words.
    pub note: String,
}

impl<'a> RowGraph<'a> {
    /// `automatic` is how many entries a row keeps unless told.
    pub fn of(
        options: &AffinityOptions,
        task: Task<'a>,
        automatic: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let representation = task.representation()?;
        let represented = representation.transform(task.rows);
        let (graph, note) = match given_graph(options, task.graph, task.rows.nrows())? {
            Some(Cow::Borrowed(given)) => (Cow::Borrowed(&given.graph), given.note.clone()),
            Some(Cow::Owned(given)) => (Cow::Owned(given.graph), given.note),
            None => {
                let prepared = Prepared::new(task.config, options, task.rows.view(), None, automatic, observer)?;
                observer.stage(match options.affinity {
                    AffinityKind::ElasticNet => "elastic nets",
                    _ => "nearest neighbours",
                });
                let (affinity, measured) = prepared.affinity(represented.view())?;
                (Cow::Owned(affinity.of_batch(measured)?.into_sparse()), prepared.note())
            }
        };
        Ok(Self { graph, representation, represented, note })
    }
}

/// What joins rows, as far as it is known before they are represented: the graph is read, networks are trained.
pub(crate) struct Prepared<'a> {
    options: &'a AffinityOptions,
    /// The rows that are fitted.
    rows: ArrayView2<'a, f32>,
    /// Entries kept per row inside a batch; none keeps all.
    neighbors: Option<usize>,
    /// The user's graph over the rows.
    pub graph: Option<Cow<'a, Precomputed>>,
    /// The affinity that was trained on the rows.
    pub learned: Option<LearnedAffinity>,
    /// Its learning curve.
    pub curve: Option<History>,
}

impl<'a> Prepared<'a> {
    /// Trains the affinity's own network on the rows `(n, d)`, where it has one. `automatic` is how many entries a row keeps unless
    /// told.
    pub fn new(
        config: &Config,
        options: &'a AffinityOptions,
        rows: ArrayView2<'a, f32>,
        graph: Option<Cow<'a, Precomputed>>,
        automatic: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let neighbors = options.neighbors.kept(automatic);
        let mut prepared = Self { options, rows, neighbors, graph, learned: None, curve: None };
        if config.clusters == 1 || prepared.graph.is_some() {
            return Ok(prepared);
        }
        let (seed, device) = (Seed(config.seed), config.device);
        let (learned, curve) = match options.affinity {
            AffinityKind::Siamese => {
                let options = SiameseOptions { neighbors, ..Default::default() };
                let (siamese, curve) = Siamese::fit(rows, &options, seed, device, observer)?;
                (LearnedAffinity::Siamese(siamese), curve)
            }
            AffinityKind::Senet => {
                let options = SenetOptions { neighbors, ..options.senet.options() };
                let (senet, curve) = Senet::fit(rows, &options, seed, device, observer)?;
                (LearnedAffinity::Senet(senet), curve)
            }
            AffinityKind::Heat | AffinityKind::SelfExpressive | AffinityKind::ElasticNet | AffinityKind::Graph(_) => {
                return Ok(prepared);
            }
        };
        (prepared.learned, prepared.curve) = (Some(learned), Some(curve));
        Ok(prepared)
    }

    /// What it is, in a few words.
    pub fn note(&self) -> String {
        match (&self.graph, &self.learned) {
            (Some(graph), _) => graph.note.clone(),
            (None, Some(learned)) => learned.note(),
            (None, None) => self.options.affinity.to_string(),
        }
    }

    /// Whether there is a graph of the user or of a trained affinity.
    pub fn has_own_graph(&self) -> bool {
        self.graph.is_some() || self.learned.is_some()
    }

    /// Whether rows are joined by their distances, so that neighbours among very many are quickly found.
    pub fn is_by_distance(&self) -> bool {
        self.graph.is_none() && matches!(self.options.affinity, AffinityKind::Heat | AffinityKind::Siamese)
    }

    /// The graph among some rows that the user or a trained affinity gives; none for the affinities of a representation.
    pub fn own_graph(&self, nodes: &[usize], neighbors: usize) -> Result<Option<Csr>> {
        match (&self.graph, &self.learned) {
            (Some(graph), _) => Ok(Some(graph.graph.induced(nodes))),
            (None, Some(learned)) => learned.graph(self.rows.select(Axis(0), nodes).view(), neighbors).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The affinity, and the rows it is measured on: a trained one takes rows as they are, the others their representation, on
    /// which they are fitted where they learn.
    pub fn affinity<'b>(
        &'b self,
        representation: ArrayView2<'b, f32>,
    ) -> Result<(Box<dyn Affinity + 'b>, ArrayView2<'b, f32>)> {
        if let Some(learned) = &self.learned {
            return Ok((Box::new(learned), self.rows));
        }
        let neighbors = self.neighbors;
        let affinity: Box<dyn Affinity> = match self.options.affinity {
            AffinityKind::SelfExpressive => {
                Box::new(SelfExpressive::fit(representation, self.options.ridge, neighbors)?)
            }
            AffinityKind::ElasticNet => Box::new(ElasticNet::default()),
            _ => Box::new(HeatKernel { bandwidth: self.bandwidth(), neighbors }),
        };
        Ok((affinity, representation))
    }

    /// The `kept` coefficients of largest magnitude of each row, by the trained SENet or in closed form on the representation.
    pub fn coefficients(&self, representation: ArrayView2<f32>, kept: usize) -> Result<Vec<Vec<(u32, f32)>>> {
        match &self.learned {
            Some(LearnedAffinity::Senet(senet)) => Ok(senet.coefficients(self.rows, kept)),
            _ => Ok(SelfExpressive::fit(representation, self.options.ridge, None)?.coefficients(representation, kept)),
        }
    }

    fn bandwidth(&self) -> Bandwidth {
        match self.options.sigma {
            Auto::Auto => Bandwidth::Auto,
            Auto::Given(sigma) => Bandwidth::Sigma(sigma),
        }
    }
}
