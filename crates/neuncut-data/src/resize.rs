//! Bilinear resizing of images as PIL does it: a triangle filter, widened where images shrink, along rows first.

use super::image_shape::ImageShape;
use crate::{Error, Result};
use ndarray::{Array2, ArrayView2, Axis};

/// Bits behind the point of PIL's weights for bytes.
const PRECISION: u32 = 22;
/// No image side is larger than this.
const LARGEST: usize = 1 << 14;

/// Resizing from one shape to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Resize {
    /// What comes in.
    pub from: ImageShape,
    /// What goes out; channels are those that come in.
    pub to: ImageShape,
    /// Whether pixels are bytes: PIL then rounds to whole numbers after each of the two passes. The features of the paper were
    /// made from such images.
    pub bytes: bool,
    across: Vec<Weights>,
    down: Vec<Weights>,
}

/// An output pixel as a weighted sum of neighbouring input pixels.
#[derive(Debug, Clone, PartialEq)]
struct Weights {
    first: usize,
    real: Vec<f64>,
    fixed: Vec<i64>,
}

impl Resize {
    /// Prepares the weights.
    ///
    /// # Errors
    /// When a side is 0 or too large.
    pub fn new(from: ImageShape, height: usize, width: usize, bytes: bool) -> Result<Self> {
        if !(1..=LARGEST).contains(&height) || !(1..=LARGEST).contains(&width) {
            return Err(Error::config("resize", format!("{width}x{height}"), format!("WxH, each from 1 to {LARGEST}")));
        }
        let to = ImageShape { height, width, channels: from.channels };
        Ok(Self { from, to, bytes, across: weights(from.width, width), down: weights(from.height, height) })
    }

    /// Whether rows look like bytes: whole numbers from 0 to 255, and more than two levels.
    pub fn are_bytes(rows: ArrayView2<f32>) -> bool {
        rows.iter().all(|&v| (0.0..=255.0).contains(&v) && v.fract() == 0.0) && rows.iter().any(|&v| v > 1.0)
    }

    /// Resizes images `(n, height * width * channels)`.
    pub fn apply(&self, images: ArrayView2<f32>) -> Array2<f32> {
        let channels = self.from.channels;
        let mut wide = vec![0.0; self.from.height * self.to.width * channels];
        let mut resized = Array2::zeros((images.nrows(), self.to.height * self.to.width * channels));
        for (row, mut out) in images.axis_iter(Axis(0)).zip(resized.axis_iter_mut(Axis(0))) {
            for (i, value) in wide.iter_mut().enumerate() {
                let (y, x, c) = (i / (self.to.width * channels), i / channels % self.to.width, i % channels);
                let weights = &self.across[x];
                *value = self.sum(weights, |k| row[(y * self.from.width + weights.first + k) * channels + c]);
            }
            for (i, value) in out.iter_mut().enumerate() {
                let (y, rest) = (i / (self.to.width * channels), i % (self.to.width * channels));
                let weights = &self.down[y];
                *value = self.sum(weights, |k| wide[(weights.first + k) * self.to.width * channels + rest]);
            }
        }
        resized
    }

    fn sum(&self, weights: &Weights, pixel: impl Fn(usize) -> f32) -> f32 {
        if self.bytes {
            let half = 1_i64 << (PRECISION - 1);
            let byte = |k| pixel(k).round().clamp(0.0, 255.0) as i64;
            let sum = weights.fixed.iter().enumerate().fold(half, |sum, (k, w)| sum + w * byte(k));
            (sum >> PRECISION).clamp(0, 255) as f32
        } else {
            weights.real.iter().enumerate().map(|(k, w)| w * f64::from(pixel(k))).sum::<f64>() as f32
        }
    }
}

fn weights(from: usize, to: usize) -> Vec<Weights> {
    let scale = from as f64 / to as f64;
    let support = scale.max(1.0);
    let output = |x: usize| {
        let centre = (x as f64 + 0.5) * scale;
        let first = (centre - support + 0.5).max(0.0) as usize;
        let end = ((centre + support + 0.5) as usize).min(from);
        let triangle = |i: usize| (1.0 - ((i as f64 - centre + 0.5) / support).abs()).max(0.0);
        let total: f64 = (first..end).map(triangle).sum();
        let real: Vec<f64> = (first..end).map(|i| triangle(i) / total).collect();
        let fixed = real.iter().map(|w| (w * f64::from(1 << PRECISION) + 0.5) as i64).collect();
        Weights { first, real, fixed }
    };
    (0..to).map(output).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn grey(height: usize, width: usize) -> ImageShape {
        ImageShape { height, width, channels: 1 }
    }

    /// `PIL.Image.fromarray(numpy.array([[0, 100], [200, 255]], "u1")).resize((4, 3), PIL.Image.BILINEAR)`, and an image that
    /// shrinks along one side and grows along the other.
    #[test]
    fn bytes_are_rounded_as_by_pil() {
        let resized = Resize::new(grey(2, 2), 3, 4, true).unwrap().apply(array![[0.0, 100.0, 200.0, 255.0]].view());
        let expected = array![[0.0, 25.0, 75.0, 100.0, 100.0, 120.0, 158.0, 178.0, 200.0, 214.0, 241.0, 255.0]];
        assert_eq!(resized, expected);
        let image: [u8; 35] = [
            217, 163, 130, 69, 78, 10, 19, 4, 44, 208, 166, 233, 128, 155, 248, 186, 161, 139, 143, 239, 71, 208, 171,
            0, 100, 219, 141, 8, 195, 186, 216, 44, 22, 220, 5,
        ];
        let expected: [u8; 36] = [
            190, 120, 62, 18, 137, 134, 106, 61, 49, 158, 178, 133, 114, 162, 179, 147, 217, 160, 161, 146, 198, 106,
            166, 107, 183, 73, 159, 78, 189, 129, 102, 90, 192, 162, 68, 98,
        ];
        let rows = Array2::from_shape_fn((1, 35), |(_, i)| f32::from(image[i]));
        let resized = Resize::new(grey(5, 7), 9, 4, true).unwrap().apply(rows.view());
        assert_eq!(resized, Array2::from_shape_fn((1, 36), |(_, i)| f32::from(expected[i])));
    }

    #[test]
    fn channels_stay_apart_and_a_constant_stays_itself() {
        let shape = ImageShape { height: 3, width: 2, channels: 2 };
        let rows = Array2::from_shape_fn((2, 12), |(_, i)| if i % 2 == 0 { 0.25 } else { 7.5 });
        let resized = Resize::new(shape, 5, 3, false).unwrap().apply(rows.view());
        assert!(resized.indexed_iter().all(|((_, i), &v)| (v - if i % 2 == 0 { 0.25 } else { 7.5 }).abs() < 1e-6));
        assert!(Resize::new(shape, 0, 3, false).is_err());
    }

    #[test]
    fn bytes_are_recognised() {
        assert!(Resize::are_bytes(array![[0.0, 255.0]].view()));
        assert!(!Resize::are_bytes(array![[0.0, 1.0]].view()) && !Resize::are_bytes(array![[0.5, 3.0]].view()));
    }
}
