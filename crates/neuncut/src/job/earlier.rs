//! Labels by a model that was fitted before, from which a fit starts where they still hold.

use super::change::Change;
use crate::Result;
use crate::methods::{Config, Method, Model, Start};
use crate::train::Observer;
use ndarray::ArrayView2;

/// What an earlier model says about rows.
#[derive(Debug, Default)]
pub(super) struct EarlierLabels {
    /// The label of each row; none where the row is beyond the reach of its cluster, and the label says nothing.
    held: Vec<Option<u32>>,
    /// How deep within the reach of its cluster each row lies, from 0 at the edge to 1 at the centre.
    depths: Vec<f32>,
    /// Which new group each row is in, and how many groups there are.
    born: Vec<Option<u32>>,
    births: usize,
    /// The share of the rows that are like no earlier cluster and in no new group.
    unlike: f64,
}

impl EarlierLabels {
    /// Those of raw rows. A model that does not know how far its clusters reach is believed everywhere.
    pub fn of(earlier: &Model, rows: ArrayView2<f32>) -> Result<Self> {
        let labels = earlier.predict(rows)?;
        let depths = match earlier.reach {
            Some(_) => earlier.depths(rows, &labels)?,
            None => vec![Some(1.0); labels.len()],
        };
        Ok(Self {
            held: labels.into_iter().zip(&depths).map(|(label, depth)| depth.map(|_| label)).collect(),
            depths: depths.into_iter().map(Option::unwrap_or_default).collect(),
            ..Self::default()
        })
    }

    /// Adds those of further rows.
    pub fn extend(&mut self, others: Self) {
        self.held.extend(others.held);
        self.depths.extend(others.depths);
    }

    /// The label of each row where it still holds.
    pub fn held(&self) -> &[Option<u32>] {
        &self.held
    }

    /// The share of the rows that are like no earlier cluster and in no new group.
    pub fn unlike(&self) -> f64 {
        self.unlike
    }

    /// Clusters that have rows, ascending.
    fn live(&self) -> Vec<u32> {
        let mut live: Vec<u32> = self.held.iter().copied().flatten().collect();
        live.sort_unstable();
        live.dedup();
        live
    }

    /// Finds what has changed in the rows, which are behind the feature steps: labels of clusters that died do not hold, nor do those of
    /// rows in a new group. There are as many clusters then as are left and as are new.
    pub fn follow(
        &mut self,
        earlier: &Model,
        rows: ArrayView2<f32>,
        config: &mut Config,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if earlier.record.cluster_shares.is_empty() {
            config.clusters = self.live().len().max(1); // a model without a fit does not know how large its clusters were
            return Ok(());
        }
        let change = Change { held: &self.held, depths: &self.depths, shares: &earlier.record.cluster_shares, config };
        let found = change.find(earlier.record.trained_rows, rows, observer)?;
        (self.held, self.born, self.births, self.unlike) = (found.held, found.born, found.births, found.unlike);
        let clusters = self.live().len() + self.births;
        if clusters > 0 {
            config.clusters = clusters; // where nothing is as before, there are as many as there were
        }
        Ok(())
    }

    /// Labels to start from, where the method starts from labels and as many clusters are asked for as still have rows or are new.
    pub fn start(&self, config: &mut Config) -> Option<Vec<Option<u32>>> {
        let live = self.live();
        let (Method::NeuNcut(options) | Method::NeuRcut(options)) = &mut config.method else { return None };
        if config.clusters != live.len() + self.births || options.init != Start::default() {
            return None;
        }
        options.init = Start::Labels(None);
        let number = |label: u32| live.binary_search(&label).ok().map(|place| place as u32);
        let born = |row: usize| self.born.get(row).copied().flatten().map(|group| live.len() as u32 + group);
        let label = |(row, held): (usize, &Option<u32>)| held.and_then(number).or_else(|| born(row));
        Some(self.held.iter().enumerate().map(label).collect())
    }
}
