//! Images become the input of an encoder: resized, scaled, normalised, in the order that it takes.

use super::spec::{EncoderSpec, Layout};
use crate::data::{ImageShape, Resize};
use crate::{Error, Result};
use ndarray::{ArrayView1, ArrayViewMut1, Axis};

/// What bytes are divided by.
const BYTE: f32 = 255.0;

/// What is done with the pixels of an image before they enter a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Pixels {
    /// Images that come in.
    pub from: ImageShape,
    /// Images that the network takes.
    pub to: ImageShape,
    /// Whether pixels are bytes, which resizing rounds to.
    pub bytes: bool,
    /// The order of values that the network takes.
    pub layout: Layout,
    /// One factor and one offset for each channel.
    affine: Vec<(f32, f32)>,
    resize: Option<Resize>,
}

impl Pixels {
    /// The way of images of one shape into a network whose input, for one row, has the sides `sides`.
    pub(super) fn new(spec: &EncoderSpec, from: ImageShape, bytes: bool, sides: [usize; 3]) -> Result<Self> {
        let layout = spec.layout.unwrap_or_else(|| layout_of(sides, from.channels));
        let to = match (layout, sides) {
            (Layout::Nchw, [channels, height, width]) | (Layout::Nhwc, [height, width, channels]) => {
                ImageShape { height, width, channels }
            }
        };
        if let Some((width, height)) = spec.size.filter(|&size| size != (to.width, to.height)) {
            let must = format!("left out, or {}x{}, which {} takes", to.width, to.height, spec.path);
            return Err(Error::config("size", format!("{width}x{height}"), must));
        }
        if from.channels != to.channels && from.channels != 1 {
            let must = format!(
                "given images of 1 or {} values for each pixel, which {} takes with layout={}",
                to.channels,
                spec.path,
                if layout == Layout::Nchw { "nchw" } else { "nhwc" }
            );
            return Err(Error::config(
                "onnx",
                format!("given images of {} values for each pixel", from.channels),
                must,
            ));
        }
        let scale = spec.scale.unwrap_or(if bytes { BYTE } else { 1.0 });
        let (mean, deviation) =
            (by_channel("mean", &spec.mean, 0.0, to.channels)?, by_channel("std", &spec.deviation, 1.0, to.channels)?);
        let affine = mean.iter().zip(&deviation).map(|(mean, by)| (1.0 / (scale * by), mean / by)).collect();
        let same = (from.height, from.width) == (to.height, to.width);
        let resize = if same { None } else { Some(Resize::new(from, to.height, to.width, bytes)?) };
        Ok(Self { from, to, bytes, layout, affine, resize })
    }

    /// Puts one image `(height * width * channels)` into its place in the input.
    pub(super) fn put(&self, image: ArrayView1<f32>, mut input: ArrayViewMut1<f32>) {
        let resized = self.resize.as_ref().map(|resize| resize.apply(image.insert_axis(Axis(0))));
        let image = resized.as_ref().map_or(image, |resized| resized.row(0));
        let (from, channels) = (self.from.channels, self.to.channels);
        let pixels = self.to.height * self.to.width;
        for pixel in 0..pixels {
            for (channel, (factor, offset)) in self.affine.iter().enumerate() {
                // a grey value stands for all channels
                let value = image[pixel * from + if from == 1 { 0 } else { channel }] * factor - offset;
                let place = match self.layout {
                    Layout::Nchw => channel * pixels + pixel,
                    Layout::Nhwc => pixel * channels + channel,
                };
                input[place] = value;
            }
        }
    }
}

/// The order that the sides of an input speak for: where the images' own number of channels is, or that of colours.
fn layout_of(sides: [usize; 3], channels: usize) -> Layout {
    let [first, _, last] = sides;
    let wanted = [channels, 3, 1].into_iter().find(|&count| first == count || last == count);
    if wanted.is_some_and(|count| last == count && first != count) { Layout::Nhwc } else { Layout::Nchw }
}

/// A number for each channel.
fn by_channel(name: &'static str, given: &[f32], usual: f32, channels: usize) -> Result<Vec<f32>> {
    match given {
        [] => Ok(vec![usual; channels]),
        [one] => Ok(vec![*one; channels]),
        all if all.len() == channels => Ok(all.to_vec()),
        all => Err(Error::config(
            name,
            format!("{} numbers", all.len()),
            format!("one, or {channels}, one for each channel of the encoder's images"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    const GREY: ImageShape = ImageShape { height: 1, width: 2, channels: 1 };
    const COLOUR: ImageShape = ImageShape { height: 1, width: 2, channels: 3 };

    fn put(spec: &str, from: ImageShape, bytes: bool, sides: [usize; 3], image: Array1<f32>) -> Vec<f32> {
        let pixels = Pixels::new(&spec.parse().unwrap(), from, bytes, sides).unwrap();
        let mut input = Array1::zeros(sides.iter().product::<usize>());
        pixels.put(image.view(), input.view_mut());
        input.to_vec()
    }

    #[test]
    fn values_are_scaled_then_normalised_in_the_order_of_the_network() {
        let image = array![0.0, 255.0, 51.0, 255.0, 0.0, 102.0];
        let planes = put("a:mean=0.5:std=0.5,1,0.25", COLOUR, true, [3, 1, 2], image.clone());
        let expected = [-1.0, 1.0, 0.5, -0.5, -1.2, -0.4];
        assert!(planes.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{planes:?}");
        let places = put("a:mean=0.5:std=0.5,1,0.25", COLOUR, true, [1, 2, 3], image.clone());
        assert_eq!([planes[0], planes[2], planes[4], planes[1], planes[3], planes[5]], places[..]);
        assert_eq!(put("a:scale=1", COLOUR, true, [1, 2, 3], image.clone()), image.to_vec());
        assert_eq!(put("a", COLOUR, false, [1, 2, 3], image.clone()), image.to_vec());
    }

    #[test]
    fn grey_images_fill_all_channels_and_are_resized() {
        assert_eq!(put("a", GREY, false, [3, 1, 2], array![1.0, 2.0]), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
        assert_eq!(put("a:scale=1", GREY, true, [1, 2, 2], array![0.0, 100.0]), [0.0, 100.0, 0.0, 100.0]);
        let same = ImageShape { height: 2, width: 1, channels: 1 };
        assert_eq!(put("a:layout=nhwc", same, false, [1, 1, 1], array![1.0, 3.0]), [2.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let refused =
            |spec: &str, from, sides| Pixels::new(&spec.parse().unwrap(), from, true, sides).unwrap_err().to_string();
        assert!(refused("a:size=5", COLOUR, [3, 4, 4]).contains("size is 5x5, but must be left out, or 4x4"));
        assert!(refused("a:mean=1,2", COLOUR, [3, 4, 4]).contains("mean is 2 numbers, but must be one, or 3"));
        assert!(refused("a", COLOUR, [1, 4, 4]).contains("images of 3 values for each pixel"));
    }
}
