//! One PNG or JPEG file as bytes.

use super::image_shape::ImageShape;
use crate::{Error, Result};
use std::io::Cursor;
use std::path::Path;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// More pixels than this in one picture are a mistake, or an attack.
const MOST_VALUES: usize = 1 << 27;

/// Pixels of a grey or colour picture; transparency is left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picture {
    pub(crate) shape: ImageShape,
    /// Rows from top to bottom, channels side by side.
    pub(crate) pixels: Vec<u8>,
}

impl Picture {
    /// Reads a file, whose content says its format.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
        let (format, decoded) = match &bytes[..] {
            [0x89, b'P', b'N', b'G', ..] => ("PNG", decode_png(&bytes)),
            [0xff, 0xd8, ..] => ("JPEG", decode_jpeg(bytes)),
            [] => return Err(Error::data(path, "the image is empty: write it again, or remove it")),
            _ => return Err(Error::data(path, "this is neither a PNG nor a JPEG image: convert it, or remove it")),
        };
        let broken = |problem| {
            Error::data(path, format!("cannot be read as {format} ({problem}): write it again, or remove it"))
        };
        decoded.map_err(broken)
    }
}

fn decode_png(bytes: &[u8]) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: 2 * MOST_VALUES });
    // palettes and fewer bits become bytes, sixteen bits become eight
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let size = reader.output_buffer_size().filter(|&size| size <= MOST_VALUES).ok_or("it is too large")?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(|e| e.to_string())?;
    pixels.truncate(frame.buffer_size());
    picture(frame.height as usize, frame.width as usize, frame.color_type.samples(), pixels)
}

fn decode_jpeg(bytes: Vec<u8>) -> Result<Picture, String> {
    // otherwise a file that is cut short would be filled up with grey
    let options = DecoderOptions::default().set_strict_mode(true);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(Cursor::new(bytes), options);
    decoder.decode_headers().map_err(|e| e.to_string())?;
    if decoder.input_colorspace() == Some(ColorSpace::Luma) {
        decoder.set_options(options.jpeg_set_out_colorspace(ColorSpace::Luma));
    }
    let (width, height) = decoder.dimensions().ok_or("it has no size")?;
    if decoder.output_buffer_size().is_none_or(|size| size > MOST_VALUES) {
        return Err("it is too large".into());
    }
    let pixels = decoder.decode().map_err(|e| e.to_string())?;
    let samples = pixels.len() / (width * height).max(1);
    picture(height, width, samples, pixels)
}

/// A picture of 1 or 3 channels from samples that may have transparency behind them.
fn picture(height: usize, width: usize, samples: usize, pixels: Vec<u8>) -> Result<Picture, String> {
    let channels = match samples {
        1 | 2 => 1,
        3 | 4 => 3,
        other => return Err(format!("it has {other} channels")),
    };
    let pixels = if channels == samples {
        pixels
    } else {
        pixels.chunks_exact(samples).flat_map(|pixel| &pixel[..channels]).copied().collect()
    };
    if height * width * channels != pixels.len() || pixels.is_empty() {
        return Err("it is cut short".into());
    }
    Ok(Picture { shape: ImageShape { height, width, channels }, pixels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dir;
    use proptest::prelude::*;
    use safetensors::SafeTensors;

    const GOLDEN: &[u8] = include_bytes!("../tests/golden/pictures.safetensors");

    fn read(dir: &Dir, bytes: &[u8]) -> Result<Picture> {
        Picture::read(Path::new(&dir.file("picture", bytes)))
    }

    #[test]
    fn every_kind_shows_what_pil_sees() {
        let golden = SafeTensors::deserialize(GOLDEN).unwrap();
        let dir = Dir::new();
        let names = golden.names();
        let files: Vec<_> = names.iter().filter_map(|name| name.strip_suffix(".file")).collect();
        assert_eq!(files.len(), 10);
        for name in files {
            let expected = golden.tensor(&format!("{name}.pixels")).unwrap();
            let found = read(&dir, golden.tensor(&format!("{name}.file")).unwrap().data()).unwrap();
            let ImageShape { height, width, channels } = found.shape;
            assert_eq!([height, width, channels], expected.shape(), "{name}");
            let tolerance = if name.ends_with("jpg") { 3 } else { 0 }; // decoders of JPEG may round differently
            let difference = found.pixels.iter().zip(expected.data()).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(difference <= Some(tolerance), "{name}: {difference:?}");
        }
    }

    #[test]
    fn damaged_files_are_explained() {
        let golden = SafeTensors::deserialize(GOLDEN).unwrap();
        let dir = Dir::new();
        let message = |bytes: &[u8]| read(&dir, bytes).unwrap_err().to_string();
        for name in ["grey.png", "colour.jpg"] {
            let file = golden.tensor(&format!("{name}.file")).unwrap();
            let short = message(&file.data()[..file.data().len() / 3]);
            assert!(short.contains("cannot be read as") && short.contains("remove it"), "{name}: {short}");
        }
        assert!(message(b"").contains("is empty"));
        assert!(message(b"GIF89a").contains("neither a PNG nor a JPEG"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), at in 8usize..60) {
            let golden = SafeTensors::deserialize(GOLDEN).unwrap();
            let dir = Dir::new();
            for name in ["palette.png", "progressive.jpg"] {
                let mut file = golden.tensor(&format!("{name}.file")).unwrap().data().to_vec();
                let end = (at + bytes.len()).min(file.len());
                file[at..end].copy_from_slice(&bytes[..end - at]);
                let _ = read(&dir, &file);
            }
        }
    }
}
