//! Images of rows, side by side in one PNG inside the page.

use ndarray::{Array2, ArrayView2};
use neuncut::data::{ImageShape, Resize};
use neuncut::{Error, Result};

/// Images a line of the picture.
const ACROSS: usize = 40;
/// Larger images are made smaller.
const LARGEST: usize = 64;

/// Images in one picture.
#[derive(Debug, Clone)]
pub struct Sprite {
    /// The picture as an address that holds its data.
    pub source: String,
    /// Pixels of one image, and images per line.
    pub width: usize,
    pub height: usize,
    pub across: usize,
}

impl Sprite {
    /// Gathers rows `(n, pixels)` that are images.
    pub fn new(rows: ArrayView2<f32>, shape: ImageShape) -> Result<Self> {
        let (shape, rows) = shrunk(rows, shape)?;
        let (low, high) = range(rows.view());
        let across = ACROSS.min(rows.nrows().max(1));
        let down = rows.nrows().div_ceil(across).max(1);
        let channels = if shape.channels == 3 { 3 } else { 1 };
        let (wide, high_in_pixels) = (across * shape.width, down * shape.height);
        let mut pixels = vec![0_u8; wide * high_in_pixels * channels];
        for (i, row) in rows.rows().into_iter().enumerate() {
            let (left, top) = (i % across * shape.width, i / across * shape.height);
            for at in 0..shape.width * shape.height {
                let place = (top + at / shape.width) * wide + left + at % shape.width;
                for channel in 0..channels {
                    let value = (row[at * shape.channels + channel] - low) / (high - low);
                    pixels[place * channels + channel] = (255.0 * value).round().clamp(0.0, 255.0) as u8;
                }
            }
        }
        let bytes = encode(&pixels, wide, high_in_pixels, channels)?;
        let source = format!("data:image/png;base64,{}", base64(&bytes));
        Ok(Self { source, width: shape.width, height: shape.height, across })
    }

    /// The style sheet of images in the page: the script places them as [`span`](Self::span) does.
    pub fn style(&self) -> String {
        format!(".nn-image{{background-image:url({})}}\n", self.source)
    }

    /// One image as an element, its longer side about so many pixels.
    pub fn span(&self, at: usize, side: usize, label: &str) -> String {
        let scale = (side / self.width.max(self.height)).max(1);
        let (wide, high) = (self.width * scale, self.height * scale);
        format!(
            "<span class=\"nn-image\" role=\"img\" aria-label=\"{label}\" style=\"width:{wide}px;height:{high}px;background-size:{}px auto;\
             background-position:-{}px -{}px\"></span>",
            self.across * wide,
            at % self.across * wide,
            at / self.across * high
        )
    }
}

/// Images no larger than can be shown.
fn shrunk(rows: ArrayView2<f32>, shape: ImageShape) -> Result<(ImageShape, Array2<f32>)> {
    let longest = shape.height.max(shape.width);
    if longest <= LARGEST {
        return Ok((shape, rows.to_owned()));
    }
    let side = |length: usize| (length * LARGEST / longest).max(1);
    let resize = Resize::new(shape, side(shape.height), side(shape.width), false)?;
    Ok((resize.to, resize.apply(rows)))
}

/// Black and white: those of bytes, or of what is there. Whole numbers that stay below half of 255 are not bytes but levels of grey.
fn range(rows: ArrayView2<f32>) -> (f32, f32) {
    let (low, high) = rows.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
    if Resize::are_bytes(rows) && high > 127.0 {
        return (0.0, 255.0);
    }
    if high > low { (low, high) } else { (0.0, 1.0) }
}

fn encode(pixels: &[u8], width: usize, height: usize, channels: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(if channels == 3 { png::ColorType::Rgb } else { png::ColorType::Grayscale });
    encoder.set_depth(png::BitDepth::Eight);
    let problem = |e: png::EncodingError| Error::Degenerate(format!("the images cannot be drawn: {e}"));
    let mut writer = encoder.write_header().map_err(problem)?;
    writer.write_image_data(pixels).map_err(problem)?;
    writer.finish().map_err(problem)?;
    Ok(bytes)
}

/// Bytes as text, four letters for three.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let number = group.iter().chain([&0, &0]).take(3).fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
        for at in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= group.len() { letter as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_as_others_have_them() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        assert!(cases.iter().all(|(bytes, text)| base64(bytes.as_bytes()) == *text));
    }

    #[test]
    fn images_lie_side_by_side_and_large_ones_shrink() {
        let shape = ImageShape { height: 2, width: 3, channels: 1 };
        let rows = Array2::from_shape_fn((41, 6), |(i, j)| (i + j) as f32);
        let sprite = Sprite::new(rows.view(), shape).unwrap();
        assert_eq!((sprite.across, sprite.width), (40, 3));
        assert!(sprite.source.starts_with("data:image/png;base64,iVBOR"));
        assert!(
            sprite
                .span(40, 10, "row 3")
                .contains("width:9px;height:6px;background-size:360px auto;background-position:-0px -6px")
        );
        assert_eq!(range(ndarray::array![[0.0, 16.0]].view()), (0.0, 16.0));
        assert_eq!(range(ndarray::array![[7.0, 250.0]].view()), (0.0, 255.0));
        let large = ImageShape { height: 128, width: 64, channels: 3 };
        let sprite = Sprite::new(Array2::zeros((2, 128 * 64 * 3)).view(), large).unwrap();
        assert_eq!((sprite.height, sprite.width), (64, 32));
    }
}
