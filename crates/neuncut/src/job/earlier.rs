//! Labels by a model that was fitted before, from which a fit starts where they still hold.

use crate::Result;
use crate::methods::{Config, Method, Model, Start};
use ndarray::ArrayView2;

/// What an earlier model says about rows.
#[derive(Debug, Default)]
pub(super) struct EarlierLabels {
    /// The label of each row.
    pub labels: Vec<u32>,
    /// Whether the row is within the reach of its cluster; beyond it the label says nothing.
    holds: Vec<bool>,
}

impl EarlierLabels {
    /// Those of raw rows. A model that does not know how far its clusters reach is believed everywhere.
    pub fn of(earlier: &Model, rows: ArrayView2<f32>) -> Result<Self> {
        let labels = earlier.predict(rows)?;
        let holds = match earlier.reach {
            Some(_) => earlier.beyond(rows, &labels)?.into_iter().map(|beyond| !beyond).collect(),
            None => vec![true; labels.len()],
        };
        Ok(Self { labels, holds })
    }

    /// Adds those of further rows.
    pub fn extend(&mut self, others: Self) {
        self.labels.extend(others.labels);
        self.holds.extend(others.holds);
    }

    /// Clusters that have rows, ascending.
    fn live(&self) -> Vec<u32> {
        let held = self.labels.iter().zip(&self.holds).filter(|(_, holds)| **holds);
        let mut live: Vec<u32> = held.map(|(&label, _)| label).collect();
        live.sort_unstable();
        live.dedup();
        live
    }

    /// Labels to start from, where the method starts from labels and as many clusters are asked for as still have rows. Who asks for as
    /// many as `earlier` has asks for those that still have rows.
    pub fn start(&self, earlier: &Model, config: &mut Config) -> Option<Vec<Option<u32>>> {
        let live = self.live();
        if config.clusters == earlier.n_alive() {
            config.clusters = live.len().max(1);
        }
        let (Method::NeuNcut(options) | Method::NeuRcut(options)) = &mut config.method else { return None };
        if config.clusters != live.len() || options.init != Start::default() {
            return None;
        }
        options.init = Start::Labels(None);
        let number = |label: &u32| live.binary_search(label).ok().map(|place| place as u32);
        let of = |(label, holds): (&u32, &bool)| if *holds { number(label) } else { None };
        Some(self.labels.iter().zip(&self.holds).map(of).collect())
    }
}
