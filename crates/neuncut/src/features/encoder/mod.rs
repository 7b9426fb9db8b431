//! A network that somebody else trained, in an ONNX file, as a feature step: rows or images go in, one vector for each comes out.
//!
//! The runtime is tract, with the feature `onnx`. Without it chains can be written and read, and are refused when they are to be used.

#[cfg(not(feature = "onnx"))]
mod absent;
mod file;
mod pixels;
#[cfg(feature = "onnx")]
mod session;
mod spec;

use crate::data::ImageShape;
use crate::{Error, Result, TableError};
#[cfg(not(feature = "onnx"))]
use absent::Session;
pub(crate) use file::{EncoderFile, Place};
use ndarray::{Array2, ArrayView2, Axis, s};
pub use pixels::Pixels;
use rayon::prelude::*;
#[cfg(feature = "onnx")]
use session::Session;
pub use spec::{EncoderSpec, Layout};
use std::path::Path;

/// A network with the way of rows into it.
#[derive(Debug)]
pub struct Encoder {
    spec: EncoderSpec,
    file: EncoderFile,
    pixels: Option<Pixels>,
    session: Session,
}

impl Encoder {
    /// Reads the file for rows of so many columns, or for images; `are_bytes` says whether pixels are bytes, which is asked where
    /// rows are images that the network takes as such.
    pub(super) fn fit(
        spec: &EncoderSpec,
        columns: usize,
        shape: Option<ImageShape>,
        are_bytes: impl FnOnce() -> Result<bool>,
    ) -> Result<Self> {
        if cfg!(not(feature = "onnx")) {
            let must = "left out in this build, which runs no encoders: build with `--features onnx`";
            return Err(Error::config("features", format!("`{spec}`"), must));
        }
        let (file, bytes) = EncoderFile::read(spec)?;
        let session = Session::open(&bytes, spec, None)?;
        let pixels = match (shape, session.sides()) {
            (Some(shape), &[a, b, c]) => Some(Pixels::new(spec, shape, are_bytes()?, [a, b, c])?),
            _ => None,
        };
        Self::of(spec.clone(), file, pixels, session, columns)
    }

    /// One that the model at `model` holds, or names.
    pub(crate) fn restore(
        spec: EncoderSpec,
        file: EncoderFile,
        batch: usize,
        image: Option<(ImageShape, bool)>,
        columns: usize,
        model: &Path,
    ) -> Result<Self> {
        if cfg!(not(feature = "onnx")) {
            let problem =
                "has an encoder among its feature steps, which this build cannot run: build with `--features onnx`";
            return Err(Error::model(model, problem));
        }
        let session = Session::open(&file.bytes(&spec, model)?, &spec, Some(batch))?;
        let pixels = match (image, session.sides()) {
            (Some((shape, are_bytes)), &[a, b, c]) => Some(Pixels::new(&spec, shape, are_bytes, [a, b, c])?),
            _ => None,
        };
        Self::of(spec, file, pixels, session, columns)
    }

    fn of(
        spec: EncoderSpec,
        file: EncoderFile,
        pixels: Option<Pixels>,
        session: Session,
        columns: usize,
    ) -> Result<Self> {
        if let Some(name) = spec.image_setting().filter(|_| pixels.is_none()) {
            let must = format!(
                "left out for {}: rows are not images, or it takes no images; --image-shape says that flat rows are images",
                spec.path
            );
            return Err(Error::config(name, "given", must));
        }
        let encoder = Self { spec, file, pixels, session };
        if encoder.columns() != columns {
            return Err(Error::Table(TableError::Width {
                what: format!("what reaches onnx={}", encoder.spec.path),
                given: columns,
                expected: encoder.columns(),
                remedy: "give the rows that it was trained on, or an encoder of these".into(),
            }));
        }
        Ok(encoder)
    }

    /// What was written in the chain.
    pub fn spec(&self) -> &EncoderSpec {
        &self.spec
    }

    /// What is done with pixels, where rows are images that the network takes as such.
    pub fn pixels(&self) -> Option<&Pixels> {
        self.pixels.as_ref()
    }

    /// Where its file is.
    pub(crate) fn file(&self) -> &EncoderFile {
        &self.file
    }

    /// Rows that are run at a time.
    pub fn batch(&self) -> usize {
        self.session.batch()
    }

    /// Columns that it takes.
    pub fn columns(&self) -> usize {
        self.pixels.as_ref().map_or_else(|| self.inputs(), |pixels| pixels.from.len())
    }

    /// Columns that it gives.
    pub fn n_outputs(&self) -> usize {
        self.session.n_outputs()
    }

    /// Numbers that enter the network for a row.
    fn inputs(&self) -> usize {
        self.session.sides().iter().product()
    }

    /// What the network makes of rows `(n, columns)`, `(n, outputs)`, on all cores: the same bits for a row however rows are grouped.
    ///
    /// # Errors
    /// When the network cannot be run on them, or gives numbers that are not finite.
    pub fn encode(&self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        let (batch, outputs) = (self.batch(), self.n_outputs());
        let mut encoded = Array2::zeros((rows.nrows(), outputs));
        let batches = encoded.axis_chunks_iter_mut(Axis(0), batch).into_par_iter();
        batches.zip(rows.axis_chunks_iter(Axis(0), batch)).try_for_each(|(mut encoded, rows)| {
            let found = self.session.run(&self.input(rows)).map_err(|e| Error::model(&self.spec.path, e))?;
            let found = &found[..rows.nrows() * outputs];
            if !found.iter().all(|value| value.is_finite()) {
                let problem = "gives numbers that are not finite for a row whose values are: check scale=, mean= and std=, or leave such rows out";
                return Err(Error::model(&self.spec.path, problem));
            }
            encoded.iter_mut().zip(found).for_each(|(to, from)| *to = *from);
            Ok(())
        })?;
        Ok(encoded)
    }

    /// A whole batch in a line; the first row stands in the places that are left.
    fn input(&self, rows: ArrayView2<f32>) -> Vec<f32> {
        let mut input = Array2::zeros((self.batch(), self.inputs()));
        for (row, mut place) in rows.rows().into_iter().zip(input.rows_mut()) {
            match &self.pixels {
                Some(pixels) => pixels.put(row, place),
                None => place.assign(&row),
            }
        }
        let (given, mut left) = input.view_mut().split_at(Axis(0), rows.nrows());
        left.rows_mut().into_iter().for_each(|mut row| row.assign(&given.slice(s![0, ..])));
        input.into_raw_vec_and_offset().0
    }
}

/// Equal files that rows enter in the same way.
impl PartialEq for Encoder {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec && self.file == other.file && self.pixels == other.pixels
    }
}
