//! Images without end, made from some: each row is one of them, shifted, turned and elastically deformed (after Loosli, Canu and
//! Bottou's infinite MNIST and Simard's elastic deformations).
//!
//! A row depends on the images, the seed and its place alone. Rows are therefore made in parallel, in chunks of any size, and a
//! sample of a million rows costs no more than its own.

use crate::{Error, Result, Seed};
use crate::{ImageShape, Resize};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use rand::seq::index;
use rayon::prelude::*;

/// How far images are deformed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deformation {
    /// Largest shift along each axis, in pixels.
    pub shift: f32,
    /// Largest turn either way, in degrees.
    pub turn: f32,
    /// Root mean square of the elastic displacement along each axis, in pixels.
    pub elastic: f32,
    /// Width of the Gaussian that makes the displacement smooth, in pixels.
    pub smooth: f32,
}

impl Default for Deformation {
    /// For images of about 28 x 28, which stay readable.
    fn default() -> Self {
        Self { shift: 2.0, turn: 10.0, elastic: 0.8, smooth: 4.0 }
    }
}

/// Deformed versions of images with known classes, as rows in a fixed order: row `i` is made from image `i` modulo their number.
pub struct DeformedImages {
    images: Vec<u8>,
    classes: Vec<u32>,
    shape: ImageShape,
    total: u64,
    seed: Seed,
    deformation: Deformation,
    /// Half of the smoothing kernel, its middle first, scaled so that displacements have their root mean square.
    kernel: Vec<f32>,
    next: u64,
}

impl DeformedImages {
    /// `total` rows made from images `(n, pixels)` of whole numbers from 0 to 255 and their classes.
    ///
    /// # Errors
    /// When the images are not bytes, or not as many as the classes, or a deformation is negative.
    pub fn new(
        images: ArrayView2<f32>,
        classes: Vec<u32>,
        shape: ImageShape,
        total: u64,
        deformation: Deformation,
        seed: Seed,
    ) -> Result<Self> {
        if images.nrows() != classes.len() || images.is_empty() || images.ncols() != shape.len() {
            let given = format!("{} images and {} classes", images.nrows(), classes.len());
            return Err(Error::config("images", given, "one class per image, and at least one image"));
        }
        if !Resize::are_bytes(images) {
            return Err(Error::config(
                "images",
                "not bytes",
                "whole numbers from 0 to 255, as idx files of images hold",
            ));
        }
        let Deformation { shift, turn, elastic, smooth } = deformation;
        if let Some(bad) = [shift, turn, elastic].into_iter().find(|value| !(*value >= 0.0 && value.is_finite())) {
            return Err(Error::config("deformation", bad, "zero or a positive number"));
        }
        if !(smooth > 0.0 && smooth.is_finite()) {
            return Err(Error::config("deformation", smooth, "a positive width to smooth by"));
        }
        let images = images.iter().map(|&value| value as u8).collect();
        Ok(Self { images, classes, shape, total, seed, deformation, kernel: kernel(smooth, elastic), next: 0 })
    }

    /// Rows in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The shape of each row.
    pub fn shape(&self) -> ImageShape {
        self.shape
    }

    /// The class of a row.
    pub fn class(&self, row: u64) -> u32 {
        self.classes[(row % self.classes.len() as u64) as usize]
    }

    /// Goes back to the first row.
    pub fn rewind(&mut self) {
        self.next = 0;
    }

    /// Appends up to `max_rows` rows and returns how many; 0 only at the end.
    pub fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> usize {
        let count = (self.total - self.next).min(max_rows as u64);
        let (first, start, width) = (self.next, rows.len(), self.shape.len());
        rows.resize(start + count as usize * width, 0.0);
        rows[start..].par_chunks_mut(width).enumerate().for_each(|(row, out)| self.draw(first + row as u64, out));
        self.next += count;
        count as usize
    }

    /// Some rows, by their place.
    pub fn rows(&self, places: &[u64]) -> Array2<f32> {
        let width = self.shape.len();
        let mut values = vec![0.0; places.len() * width];
        values.par_chunks_mut(width).zip(places).for_each(|(out, &place)| self.draw(place, out));
        Array2::from_shape_vec((places.len(), width), values).expect("each place gives one image")
    }

    /// Places of a uniform sample without replacement, ascending: all where there are no more.
    pub fn sample(&self, at_most: usize, seed: Seed) -> Vec<u64> {
        let total = usize::try_from(self.total).unwrap_or(usize::MAX);
        let drawn = index::sample(&mut seed.stream("sample"), total, at_most.min(total));
        let mut places: Vec<u64> = drawn.into_iter().map(|place| place as u64).collect();
        places.sort_unstable();
        places
    }

    /// Makes one row.
    fn draw(&self, place: u64, out: &mut [f32]) {
        let ImageShape { height, width, channels } = self.shape;
        let mut stream = self.seed.stream(&format!("deformed image {place}"));
        let mut between = |reach: f32| reach * (2.0 * stream.random::<f32>() - 1.0);
        let (right, down) = (between(self.deformation.shift), between(self.deformation.shift));
        let (sin, cos) = between(self.deformation.turn).to_radians().sin_cos();
        let mut field = || -> Vec<f32> { (0..height * width).map(|_| between(1.0)).collect() };
        let across = smoothed(field(), width, &self.kernel);
        let along = smoothed(field(), width, &self.kernel);
        let base = (place % self.classes.len() as u64) as usize * self.shape.len();
        let image = &self.images[base..base + self.shape.len()];
        let (middle_x, middle_y) = ((width as f32 - 1.0) / 2.0, (height as f32 - 1.0) / 2.0);
        for (at, pixel) in out.chunks_exact_mut(channels).enumerate() {
            let (x, y) = ((at % width) as f32 - middle_x - right, (at / width) as f32 - middle_y - down);
            let from_x = cos * x + sin * y + middle_x + across[at];
            let from_y = cos * y - sin * x + middle_y + along[at];
            for (channel, value) in pixel.iter_mut().enumerate() {
                *value = bilinear(image, self.shape, channel, from_x, from_y).round();
            }
        }
    }
}

/// Half of a Gaussian up to twice its width, such that uniform noise in (-1, 1) smoothed along both axes has this root mean square.
fn kernel(width: f32, root_mean_square: f32) -> Vec<f32> {
    let reach = (2.0 * width).ceil() as usize;
    let half: Vec<f32> = (0..=reach).map(|i| (-0.5 * (i as f32 / width).powi(2)).exp()).collect();
    // the variance of the noise is 1/3, and each pass multiplies it by the sum of squares
    let squares = 2.0 * half.iter().map(|w| w * w).sum::<f32>() - 1.0;
    let scale = (root_mean_square * 3f32.sqrt()).sqrt() / squares.sqrt();
    half.into_iter().map(|w| w * scale).collect()
}

/// Convolves along both axes; what lies outside is mirrored, so that borders move as much as the middle.
fn smoothed(field: Vec<f32>, width: usize, kernel: &[f32]) -> Vec<f32> {
    let height = field.len() / width;
    let down = pass(&field, height, width, |line, at| at * width + line, kernel);
    pass(&down, width, height, |line, at| line * width + at, kernel)
}

/// Convolves each of `lines` lines of `length` values, found by `place`.
fn pass(field: &[f32], length: usize, lines: usize, place: impl Fn(usize, usize) -> usize, kernel: &[f32]) -> Vec<f32> {
    let reach = kernel.len() - 1;
    let mirrored = |at: usize| {
        let around = (at + 2 * length * reach.div_ceil(2 * length).max(1) - reach) % (2 * length);
        if around < length { around } else { 2 * length - 1 - around }
    };
    let places: Vec<usize> = (0..length + 2 * reach).map(mirrored).collect();
    let mut padded = vec![0.0; places.len()];
    let mut out = vec![0.0; field.len()];
    for line in 0..lines {
        padded.iter_mut().zip(&places).for_each(|(value, &at)| *value = field[place(line, at)]);
        for at in 0..length {
            let around = &padded[at..at + 2 * reach + 1];
            let mut sum = kernel[0] * around[reach];
            for (step, weight) in kernel.iter().enumerate().skip(1) {
                sum += weight * (around[reach - step] + around[reach + step]);
            }
            out[place(line, at)] = sum;
        }
    }
    out
}

/// The value between pixels; zero outside.
fn bilinear(image: &[u8], shape: ImageShape, channel: usize, x: f32, y: f32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (right_share, bottom_share) = (x - left, y - top);
    let pixel = |dx: isize, dy: isize| {
        let (x, y) = (left as isize + dx, top as isize + dy);
        let inside = (0..shape.width as isize).contains(&x) && (0..shape.height as isize).contains(&y);
        if !inside {
            return 0.0;
        }
        f32::from(image[(y as usize * shape.width + x as usize) * shape.channels + channel])
    };
    let upper = (1.0 - right_share) * pixel(0, 0) + right_share * pixel(1, 0);
    let lower = (1.0 - right_share) * pixel(0, 1) + right_share * pixel(1, 1);
    (1.0 - bottom_share) * upper + bottom_share * lower
}

#[cfg(test)]
mod tests {
    use super::*;

    const STILL: Deformation = Deformation { shift: 0.0, turn: 0.0, elastic: 0.0, smooth: 4.0 };

    fn shape() -> ImageShape {
        ImageShape { height: 12, width: 10, channels: 1 }
    }

    fn made(total: u64, deformation: Deformation) -> DeformedImages {
        let images = Array2::from_shape_fn((3, 120), |(i, j)| ((i * 37 + j * 11) % 256) as f32);
        DeformedImages::new(images.view(), vec![4, 5, 6], shape(), total, deformation, Seed(9)).unwrap()
    }

    #[test]
    fn without_deformation_rows_are_the_images_in_turn() {
        let source = made(7, STILL);
        let rows = source.rows(&[0, 1, 2, 3, 6]);
        assert_eq!(rows[[1, 5]], (37 + 55) as f32);
        assert_eq!((rows.row(0), rows.row(0)), (rows.row(3), rows.row(4)));
        assert_eq!([0, 1, 5].map(|row| source.class(row)), [4, 5, 6]);
    }

    #[test]
    fn chunks_and_places_give_the_same_rows() {
        let mut source = made(50, Deformation::default());
        let (mut whole, mut parts) = (Vec::new(), Vec::new());
        assert_eq!(source.read(100, &mut whole), 50);
        source.rewind();
        while source.read(7, &mut parts) > 0 {}
        assert_eq!(whole, parts);
        assert_eq!(source.rows(&[49]).as_slice().unwrap(), &whole[49 * 120..]);
        assert!(whole.iter().all(|value| (0.0..=255.0).contains(value) && value.fract() == 0.0));
        assert_ne!(whole[..120], whole[360..480], "two versions of one image");
    }

    #[test]
    fn displacements_are_as_large_as_asked_for_and_smooth() {
        let kernel = kernel(4.0, 0.8);
        let (mut squares, mut steps, mut count) = (0.0, 0.0, 0.0);
        for image in 0..40 {
            let mut stream = Seed(image).stream("test");
            let field: Vec<f32> = (0..784).map(|_| 2.0 * stream.random::<f32>() - 1.0).collect();
            let field = smoothed(field, 28, &kernel);
            squares += field.iter().map(|v| v * v).sum::<f32>();
            steps += field.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f32>();
            count += 784.0;
        }
        let size = (squares / count).sqrt();
        assert!((0.7..1.05).contains(&size), "{size}"); // mirrored borders add a little
        assert!((steps / count).sqrt() < 0.4 * size);
    }

    #[test]
    fn smoothing_by_hand() {
        // 1 in the first of three places, mirrored at the borders: a b c becomes c b a a b c c b a
        assert_eq!(pass(&[1.0, 0.0, 0.0], 3, 1, |_, at| at, &[4.0, 2.0, 1.0]), [6.0, 3.0, 1.0]);
        // a kernel that reaches further than the line: 3 3 1 [1] 3 3 1 and 3 1 1 [3] 3 1 1
        assert_eq!(pass(&[1.0, 3.0], 2, 1, |_, at| at, &[1.0, 1.0, 1.0, 1.0]), [15.0, 13.0]);
    }

    #[test]
    fn samples_are_distinct_and_in_order() {
        let places = made(1000, STILL).sample(100, Seed(0));
        assert!(places.len() == 100 && places.is_sorted_by(|a, b| a < b) && places[99] < 1000);
        assert_eq!(made(5, STILL).sample(100, Seed(0)), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_is_no_image_is_refused() {
        let images = Array2::from_elem((1, 120), 0.5);
        let refused = |images: ArrayView2<f32>, classes| {
            DeformedImages::new(images, classes, shape(), 1, STILL, Seed(0)).err().unwrap().to_string()
        };
        assert!(refused(images.view(), vec![0]).contains("0 to 255"));
        assert!(refused(images.view(), vec![0, 1]).contains("2 classes"));
    }
}
