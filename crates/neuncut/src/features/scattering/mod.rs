//! The two-dimensional scattering transform (Bruna and Mallat) of orders 0 to 2 with Morlet wavelets: the features of
//! section 4.1.
//!
//! `x * phi`, `| x * psi_1 | * phi` and `|| x * psi_1 | * psi_2 | * phi` for all wavelets `psi` of `scales` sizes and `angles`
//! directions, a second wavelet always being coarser than the first; `phi` averages over `2^scales` pixels and is sampled as
//! finely. With 3 scales and 8 angles a 32 x 32 image has 217 paths of 4 x 4 numbers, 3,472 in all.
//!
//! Each path of each image is then divided by its largest magnitude, as the published code of SENet does, from which the paper
//! takes its features. A path that is zero stays zero there (that code divides by zero).

mod filter_bank;
mod fourier;
mod transform;

use crate::data::ImageShape;
use crate::linalg::Cores;
use crate::linalg::lanes::LANES;
use crate::{Error, Result};
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;
use std::sync::Arc;
use transform::Plan;

/// More scales than this would average over 1,024 pixels and more.
const MOST_SCALES: usize = 10;
/// More angles than this say nothing new: the wavelets overlap.
const MOST_ANGLES: usize = 64;

/// A scattering transform for images of one shape, with its filters prepared.
#[derive(Clone)]
pub struct Scattering {
    shape: ImageShape,
    scales: usize,
    angles: usize,
    plan: Arc<Plan>,
}

impl Scattering {
    /// Scales of the paper's features.
    pub const SCALES: usize = 3;
    /// Angles of the paper's features.
    pub const ANGLES: usize = 8;

    /// Prepares the filters. Height and width must be multiples of `2^scales`; see [`Scattering::fitting`].
    ///
    /// # Errors
    /// As [`Scattering::fitting`], or when the sides are no multiples of `2^scales`.
    pub fn new(shape: ImageShape, scales: usize, angles: usize) -> Result<Self> {
        if Self::fitting(shape, scales, angles)? != shape {
            let must =
                format!("a size whose height and width are multiples of {}: resize the images first", 1 << scales);
            return Err(Error::config("scattering", format!("given images of {}", size(shape)), must));
        }
        let plan = Arc::new(Plan::new(shape.height, shape.width, scales, angles));
        Ok(Self { shape, scales, angles, plan })
    }

    /// The shape to which images are to be resized: each side the next multiple of `2^scales`, such as 32 x 32 for 28 x 28.
    /// Images smaller than `2^scales` cannot be taken.
    ///
    /// # Errors
    /// When the images are too small for the scales, or there are no angles.
    pub fn fitting(shape: ImageShape, scales: usize, angles: usize) -> Result<ImageShape> {
        if !(1..=MOST_SCALES).contains(&scales) || !(1..=MOST_ANGLES).contains(&angles) {
            let must = format!("J,L with J from 1 to {MOST_SCALES} and L from 1 to {MOST_ANGLES}, such as 3,8");
            return Err(Error::config("scattering", format!("{scales},{angles}"), must));
        }
        let least = 1 << scales;
        if shape.height < least || shape.width < least {
            let must = format!(
                "given images of at least {least}x{least} pixels (2^J for J={scales}): put resize=WxH before it, or lower J"
            );
            return Err(Error::config("scattering", format!("given images of {}", size(shape)), must));
        }
        let next = |side: usize| side.next_multiple_of(least);
        Ok(ImageShape { height: next(shape.height), width: next(shape.width), channels: shape.channels })
    }

    /// The images it takes.
    pub fn shape(&self) -> ImageShape {
        self.shape
    }

    /// Wavelet sizes, `J`.
    pub fn scales(&self) -> usize {
        self.scales
    }

    /// Wavelet directions, `L`.
    pub fn angles(&self) -> usize {
        self.angles
    }

    /// Paths of order 0, 1 and 2 of each channel.
    pub fn paths(&self) -> [usize; 3] {
        self.plan.paths()
    }

    /// Numbers a path.
    pub fn path_len(&self) -> usize {
        self.plan.path_len()
    }

    /// Columns of the result: channels, paths, rows and columns of the samples, the last fastest.
    pub fn n_features(&self) -> usize {
        self.shape.channels * self.paths().iter().sum::<usize>() * self.path_len()
    }

    /// The features of images `(n, height * width * channels)`: coefficients, each path divided by its largest magnitude.
    pub fn apply(&self, images: ArrayView2<f32>, cores: Cores) -> Array2<f32> {
        let mut features = self.coefficients(images, cores);
        let normalize = |path: &mut [f32]| {
            let largest = path.iter().fold(0.0_f32, |a, v| a.max(v.abs()));
            if largest > 0.0 {
                path.iter_mut().for_each(|v| *v /= largest);
            }
        };
        if let Some(values) = features.as_slice_mut() {
            match cores {
                Cores::One => values.chunks_exact_mut(self.path_len()).for_each(normalize),
                Cores::All => values.par_chunks_exact_mut(self.path_len()).with_min_len(1024).for_each(normalize),
            }
        }
        features
    }

    /// The coefficients themselves, as kymatio gives them.
    ///
    /// # Panics
    /// If the rows are not images of [`Scattering::shape`].
    pub fn coefficients(&self, images: ArrayView2<f32>, cores: Cores) -> Array2<f32> {
        let ImageShape { height, width, channels } = self.shape;
        assert_eq!(images.ncols(), height * width * channels, "rows must be images of {}", size(self.shape));
        let images = images.as_standard_layout();
        let (width, mut features) = (images.ncols(), Array2::zeros((images.nrows(), self.n_features())));
        let (Some(pixels), Some(out)) = (images.as_slice(), features.as_slice_mut()) else { return features };
        let (taken, given) = (LANES * width, LANES * self.n_features());
        match cores {
            Cores::One => {
                pixels.chunks(taken).zip(out.chunks_mut(given)).for_each(|(pixels, out)| self.group(pixels, out));
            }
            Cores::All => {
                let groups = pixels.par_chunks(taken).zip(out.par_chunks_mut(given));
                groups.for_each(|(pixels, out)| self.group(pixels, out));
            }
        }
        features
    }

    /// Up to [`LANES`] images, one after another.
    fn group(&self, pixels: &[f32], out: &mut [f32]) {
        if pixels.iter().all(|&pixel| pixel == 0.0) {
            return out.fill(0.0); // the rows that fill up a tile cost nothing
        }
        let ImageShape { height, width, channels } = self.shape;
        let n_features = self.n_features();
        for channel in 0..channels {
            let mine = channel * n_features / channels..(channel + 1) * n_features / channels;
            let pixels: Vec<&[f32]> =
                pixels.chunks_exact(height * width * channels).map(|image| &image[channel..]).collect();
            let mut out: Vec<&mut [f32]> = out.chunks_exact_mut(n_features).map(|row| &mut row[mine.clone()]).collect();
            self.plan.transform(&pixels, channels, &mut out);
        }
    }
}

/// `WxH`, as the user writes sizes.
fn size(shape: ImageShape) -> String {
    format!("{}x{} pixels", shape.width, shape.height)
}

impl PartialEq for Scattering {
    fn eq(&self, other: &Self) -> bool {
        (self.shape, self.scales, self.angles) == (other.shape, other.scales, other.angles)
    }
}

impl std::fmt::Debug for Scattering {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let mut text = f.debug_struct("Scattering");
        text.field("shape", &self.shape)
            .field("scales", &self.scales)
            .field("angles", &self.angles)
            .finish_non_exhaustive()
    }
}
