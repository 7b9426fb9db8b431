//! Labels by a model that was fitted before, from which a fit starts where they still hold.

use crate::Result;
use crate::methods::{Config, Method, Model, Start};
use ndarray::ArrayView2;

/// What an earlier model says about rows.
#[derive(Debug, Default)]
pub(super) struct EarlierLabels {
    /// The label of each row; none where the row is beyond the reach of its cluster, and the label says nothing.
    held: Vec<Option<u32>>,
}

impl EarlierLabels {
    /// Those of raw rows. A model that does not know how far its clusters reach is believed everywhere.
    pub fn of(earlier: &Model, rows: ArrayView2<f32>) -> Result<Self> {
        let labels = earlier.predict(rows)?;
        let beyond = match earlier.reach {
            Some(_) => earlier.beyond(rows, &labels)?,
            None => vec![false; labels.len()],
        };
        Ok(Self {
            held: labels.into_iter().zip(beyond).map(|(label, beyond)| Some(label).filter(|_| !beyond)).collect(),
        })
    }

    /// Adds those of further rows.
    pub fn extend(&mut self, others: Self) {
        self.held.extend(others.held);
    }

    /// The label of each row where it still holds.
    pub fn held(&self) -> &[Option<u32>] {
        &self.held
    }

    /// Clusters that have rows, ascending.
    fn live(&self) -> Vec<u32> {
        let mut live: Vec<u32> = self.held.iter().copied().flatten().collect();
        live.sort_unstable();
        live.dedup();
        live
    }

    /// Labels to start from, where the method starts from labels and as many clusters are asked for as still have rows: in any case where
    /// the fit is to `follow` the earlier one.
    pub fn start(&self, follow: bool, config: &mut Config) -> Option<Vec<Option<u32>>> {
        let live = self.live();
        if follow {
            config.clusters = live.len().max(1);
        }
        let (Method::NeuNcut(options) | Method::NeuRcut(options)) = &mut config.method else { return None };
        if config.clusters != live.len() || options.init != Start::default() {
            return None;
        }
        options.init = Start::Labels(None);
        let number = |label: u32| live.binary_search(&label).ok().map(|place| place as u32);
        Some(self.held.iter().map(|label| label.and_then(number)).collect())
    }
}
