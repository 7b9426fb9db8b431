//! Fitting a chain: one pass over the rows for each step that learns from them.

use super::autoencoder::{AutoencoderOptions, train_autoencoder};
use super::encoder::Encoder;
use super::moments::{ColumnMoments, Columns};
use super::normalize::mean_square;
use super::{Chain, EncoderSpec, FittedChain, Pipeline, Resize, RowSource, Scattering, Step, StepSpec};
use crate::data::{ImageShape, Reservoir};
use crate::network::Device;
use crate::train::{History, Observer};
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;

/// Rows that are transformed at a time.
const BLOCK_ROWS: usize = 2048;
/// Fewer where rows that enter an encoder are large, such as images: so many values.
const BLOCK_VALUES: usize = 1 << 24;
/// Rows whose pixels are looked at.
const PIXEL_ROWS: usize = 256;

/// What steps that are trained need.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChainOptions {
    /// Random seed.
    pub seed: u64,
    /// Where training runs.
    pub device: Device,
    /// How an autoencoder is trained.
    pub autoencoder: AutoencoderOptions,
}

impl Chain {
    /// Fits every step on all rows of `source`, each on what the steps before it make of them; an autoencoder on a sample.
    /// Memory does not grow with rows.
    ///
    /// # Errors
    /// When rows cannot be read, a step cannot be fitted on them, or `observer` asks to stop.
    pub fn fit(
        &self,
        source: &mut dyn RowSource,
        options: &ChainOptions,
        observer: &mut dyn Observer,
    ) -> Result<FittedChain> {
        let (shape, width) = (source.image_shape(), source.width());
        let mut fit =
            ChainFit { source, options, observer, pipeline: Pipeline::default(), history: Vec::new(), shape, width };
        for step in &self.steps {
            fit.add(step)?;
        }
        fit.source.rewind();
        let columns = fit.source.width();
        Ok(FittedChain { chain: self.clone(), columns, pipeline: fit.pipeline, history: fit.history })
    }
}

/// A fit under way.
struct ChainFit<'a> {
    source: &'a mut dyn RowSource,
    options: &'a ChainOptions,
    observer: &'a mut dyn Observer,
    pipeline: Pipeline,
    history: Vec<History>,
    /// The shape of what the steps so far give, where it is images.
    shape: Option<ImageShape>,
    width: usize,
}

impl ChainFit<'_> {
    fn add(&mut self, step: &StepSpec) -> Result<()> {
        match *step {
            StepSpec::Unit => self.push(Step::Unit),
            StepSpec::Center => {
                let columns = self.columns("center")?;
                self.push(Step::Center(columns.mean()));
            }
            StepSpec::Standardize => {
                let columns = self.columns("standardize")?;
                self.push(Step::Center(columns.mean()));
                self.push(Step::Divide(columns.deviation()));
            }
            StepSpec::Pca { count, centered } => self.components("pca", count, centered, false)?,
            StepSpec::Whiten(count) => self.components("whiten", count, true, true)?,
            StepSpec::Autoencoder(count) => self.autoencoder(count)?,
            StepSpec::Scattering { scales, angles } => self.scattering(scales, angles)?,
            StepSpec::Resize { width, height } => {
                let shape = self.image("resize")?;
                self.resize(shape, height, width)?;
            }
            StepSpec::Encoder(ref spec) => self.encoder(spec)?,
        }
        Ok(())
    }

    fn push(&mut self, step: Step) {
        self.pipeline.steps.push(step);
        self.width = self.pipeline.n_features(self.source.width());
    }

    fn image(&self, step: &'static str) -> Result<ImageShape> {
        let must = "given images: idx files, npy files of shape (rows, height, width) or (rows, height, width, channels), or folders of PNG or JPEG, or flat rows with --image-shape; and no step before it that ends them";
        self.shape.ok_or_else(|| {
            Error::config(step, format!("given rows of {} columns that are not images", self.width), must)
        })
    }

    fn resize(&mut self, from: ImageShape, height: usize, width: usize) -> Result<()> {
        if (from.height, from.width) == (height, width) {
            return Ok(()); // a folder of images is resized as it is read
        }
        let resize = Resize::new(from, height, width, self.are_bytes()?)?;
        self.shape = Some(resize.to);
        self.push(Step::Resize(resize));
        Ok(())
    }

    /// Whether pixels are bytes, by the first of them.
    fn are_bytes(&mut self) -> Result<bool> {
        let mut bytes = false;
        self.each_block("looking at pixels", PIXEL_ROWS, |rows| {
            bytes = Resize::are_bytes(rows);
            Ok(false)
        })?;
        Ok(bytes)
    }

    fn encoder(&mut self, spec: &EncoderSpec) -> Result<()> {
        self.observer.stage(&format!("reading {}", spec.path));
        let (width, shape) = (self.width, self.shape);
        let encoder = Encoder::fit(spec, width, shape, || self.are_bytes())?;
        self.push(Step::Encoder(encoder.into()));
        self.shape = None;
        Ok(())
    }

    fn scattering(&mut self, scales: usize, angles: usize) -> Result<()> {
        let given = self.image("scattering")?;
        let shape = Scattering::fitting(given, scales, angles)?;
        if shape != given {
            self.resize(given, shape.height, shape.width)?;
        }
        self.push(Step::Scattering(Scattering::new(shape, scales, angles)?));
        self.shape = None;
        Ok(())
    }

    fn columns(&mut self, name: &str) -> Result<Columns> {
        let mut columns = Columns::new(self.width);
        self.each_block(name, BLOCK_ROWS, |rows| {
            columns.add(rows);
            Ok(true)
        })?;
        Ok(columns)
    }

    fn components(&mut self, name: &'static str, count: usize, centered: bool, whiten: bool) -> Result<()> {
        if count > self.width {
            let must = format!("from 1 to {}, the columns that reach it: ask for fewer components", self.width);
            return Err(Error::config(name, count, must));
        }
        let mut moments = ColumnMoments::new(self.width);
        self.each_block(name, BLOCK_ROWS, |rows| {
            moments.add(rows);
            Ok(true)
        })?;
        self.observer.stage(&format!("{name}: eigenvectors of {0} x {0}", self.width));
        let mean = moments.mean();
        let mut found = moments.components(name, count, centered)?;
        if whiten {
            for (mut direction, moment) in found.directions.columns_mut().into_iter().zip(&found.moments) {
                direction.mapv_inplace(|x| x / moment.sqrt());
            }
        }
        if centered {
            self.push(Step::Center(mean.mapv(|x| x as f32)));
        }
        self.push(Step::Project(found.directions.mapv(|x| x as f32)));
        self.shape = None;
        Ok(())
    }

    /// Rows are scaled to mean square one by a single number, which becomes a step of its own.
    fn autoencoder(&mut self, count: usize) -> Result<()> {
        let seed = Seed(self.options.seed);
        let mut reservoir = Reservoir::new(self.width, self.options.autoencoder.rows.max(1));
        let (mut rng, mut first) = (seed.stream("autoencoder sample"), 0);
        self.each_block("autoencoder", BLOCK_ROWS, |rows| {
            if let Some(values) = rows.as_slice() {
                reservoir.offer(values, first, &mut rng);
            }
            first += rows.nrows() as u64;
            Ok(true)
        })?;
        let (values, indices) = reservoir.into_order();
        let rows = Array2::from_shape_vec((indices.len(), self.width), values)
            .map_err(|e| Error::Degenerate(e.to_string()))?;
        let scale = (1.0 / mean_square(rows.view()).max(1e-30).sqrt()) as f32;
        let mut order: Vec<usize> = (0..rows.nrows()).collect();
        order.shuffle(&mut rng);
        let rows = rows.select(Axis(0), &order) * scale;
        let options = &self.options.autoencoder;
        let trained = train_autoencoder(rows.view(), count, options, seed, self.options.device, self.observer)?;
        self.history.push(trained.history);
        self.push(Step::Scale(scale));
        self.push(Step::Encode(trained.encoder));
        self.shape = None;
        Ok(())
    }

    /// Hands all rows, in blocks of `size` and after the steps so far, to `take`, until it says false. Blocks never depend on
    /// how the source reads.
    fn each_block(
        &mut self,
        name: &str,
        size: usize,
        mut take: impl FnMut(ArrayView2<f32>) -> Result<bool>,
    ) -> Result<()> {
        self.source.rewind();
        let size = match self.pipeline.has_encoder() {
            true => size.min((BLOCK_VALUES / self.source.width().max(1)).max(1)),
            false => size,
        };
        let (mut values, mut done) = (Vec::new(), 0);
        loop {
            if self.observer.interrupted() {
                return Err(Error::Interrupted);
            }
            self.observer.stage(&format!("{name}: {done} rows"));
            values.clear();
            let mut count = 0;
            while count < size {
                match self.source.read(size - count, &mut values)? {
                    0 => break,
                    read => count += read,
                }
            }
            if count == 0 {
                break;
            }
            let rows = std::mem::take(&mut values);
            let rows = Array2::from_shape_vec((count, self.source.width()), rows)
                .map_err(|e| Error::Degenerate(e.to_string()))?;
            let transformed = self.pipeline.route().transform(rows.view())?;
            done += count;
            values = rows.into_raw_vec_and_offset().0;
            if !take(transformed.view())? {
                return Ok(());
            }
        }
        if done == 0 {
            let (what, remedy) = ("the data".into(), "feature steps are fitted on rows".into());
            return Err(Error::TooFewRows { what, rows: 0, needed: 1, remedy });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
