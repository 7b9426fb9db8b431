//! The rows that a job fits: drawn from the source, and what the feature steps make of them.

use super::earlier::EarlierLabels;
use super::source::{Drawn, JobSource};
use super::{Job, in_table};
use crate::data::WeightedSample;
use crate::features::FittedChain;
use crate::train::Observer;
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2, CowArray, Ix2};

/// Values read at a time where all rows go through feature steps.
const CHUNK_VALUES: usize = 1 << 20;

/// What is fitted: what the feature steps make of the rows that were drawn.
pub(super) struct Features<'a> {
    pub rows: CowArray<'a, f32, Ix2>,
    pub fitted: Option<Vec<u64>>,
    pub total: u64,
    pub fingerprint: Option<u64>,
    /// The labels of the earlier model.
    pub earlier: Option<EarlierLabels>,
    /// What each row that is fitted weighs, on average one; none where all weigh the same.
    pub weights: Option<Vec<f32>>,
}

impl Job {
    /// The weights of all rows; none where all are the same, which is the same as none.
    fn unequal_weights(&self) -> Option<&[f64]> {
        let values = &self.weights.as_ref()?.values[..];
        (values.iter().any(|value| value != &values[0])).then_some(values)
    }

    /// The weights of the rows that are fitted, on average one; `drawn` are those of a sample.
    fn fitted_weights(&self, drawn: Option<Vec<f64>>, total: u64) -> Result<Option<Vec<f32>>> {
        let Some(given) = &self.weights else { return Ok(None) };
        if given.values.len() as u64 != total {
            let problem =
                format!("holds {} weights for {total} rows of data: give one weight per row", given.values.len());
            return Err(Error::data(&given.name, problem));
        }
        let Some(all) = self.unequal_weights() else { return Ok(None) };
        let weights = drawn.unwrap_or_else(|| all.to_vec());
        let heavy = weights.iter().filter(|&&weight| weight > 0.0).count();
        let mean = weights.iter().sum::<f64>() / heavy.max(1) as f64;
        Ok(Some(weights.iter().map(|weight| (weight / mean) as f32).collect()))
    }

    /// Rows that are fitted in any case, ascending.
    fn wanted(&self, at_most: usize) -> Result<Vec<u64>> {
        let Some(list) = &self.links else { return Ok(Vec::new()) };
        let mut rows: Vec<u64> = list.links.iter().flat_map(|link| [link.i.into(), link.j.into()]).collect();
        rows.sort_unstable();
        rows.dedup();
        if rows.len() > at_most {
            let must = format!("at least {}, the rows that have a link in {}", rows.len(), list.path.display());
            return Err(Error::config("train-rows", at_most, must));
        }
        Ok(rows)
    }

    /// The feature steps, fitted on all rows; none unless asked for.
    pub(super) fn fit_chain(
        &self,
        source: &mut dyn JobSource,
        observer: &mut dyn Observer,
    ) -> Result<Option<FittedChain>> {
        let least = self.config.least_clusters();
        if let Some(rows) = source.row_count().filter(|&rows| rows < least as u64) {
            return Err(Error::too_few_rows(source.name(), rows, least));
        }
        if self.config.features.is_empty() {
            return Ok(None);
        }
        let name = source.name();
        self.config.fit_chain(source.rows(), observer).map(Some).map_err(|error| in_table(error, &name, None))
    }

    /// The rows that are fitted, after the feature steps.
    pub(super) fn features<'a>(
        &self,
        source: &'a mut dyn JobSource,
        chain: Option<&FittedChain>,
        observer: &mut dyn Observer,
    ) -> Result<Features<'a>> {
        let most = self.config.train_rows();
        if let Some(chain) = chain.filter(|_| most == usize::MAX) {
            return self.all_features(source, chain, observer); // raw rows may need much more memory
        }
        source.rewind();
        let mut rng = Seed(self.config.seed).stream("sample");
        let (mut wanted, mut room, mut weights) = (self.wanted(most)?, most, None);
        if let Some(all) = self.unequal_weights().filter(|all| all.len() > most) {
            let sample = WeightedSample::draw(all, &wanted, most, &mut rng);
            (wanted, room, weights) = (sample.indices, 0, Some(sample.weights));
        }
        let drawn = source.draw(&wanted, room, &mut rng, observer)?;
        let Drawn { rows, indices, total, fingerprint } = drawn;
        let weights = self.fitted_weights(weights, total)?;
        observer.drawn(indices.as_deref(), total)?;
        let earlier =
            self.earlier.as_ref().map(|earlier| EarlierLabels::of(&earlier.model, rows.view())).transpose()?;
        let rows = match chain {
            Some(chain) => CowArray::from(chain.transform_observed(rows.view(), observer)?),
            None => rows,
        };
        Ok(Features { rows, fitted: indices, total, fingerprint, earlier, weights })
    }

    /// All rows of a source through the feature steps, chunk by chunk.
    fn all_features<'a>(
        &self,
        source: &mut dyn JobSource,
        chain: &FittedChain,
        observer: &mut dyn Observer,
    ) -> Result<Features<'a>> {
        source.rewind();
        let (width, total) = (source.width(), source.row_count());
        let columns = chain.pipeline.n_features(width);
        let at_once = (CHUNK_VALUES / width.max(columns).max(1)).max(1);
        let (mut values, mut chunk, mut done) = (Vec::new(), Vec::new(), 0);
        let mut earlier = self.earlier.as_ref().map(|_| EarlierLabels::default());
        loop {
            observer.go_on()?;
            chunk.clear();
            let count = source.read(at_once, &mut chunk)?;
            if count == 0 {
                break;
            }
            let raw = ArrayView2::from_shape((count, width), &chunk).expect("a source reads whole rows");
            if let (Some(labels), Some(earlier)) = (&mut earlier, &self.earlier) {
                labels.extend(EarlierLabels::of(&earlier.model, raw)?);
            }
            values.extend(chain.transform(raw)?);
            done += count;
            observer.rows("reading", done as u64, total);
        }
        observer.drawn(None, done as u64)?;
        let rows = Array2::from_shape_vec((done, columns), values).expect("feature steps give whole rows");
        let (rows, total) = (CowArray::from(rows), done as u64);
        let weights = self.fitted_weights(None, total)?;
        Ok(Features { rows, fitted: None, total, fingerprint: None, earlier, weights })
    }
}
