//! Folders of PNG and JPEG files: one image per row, in the order of their paths.

use super::projected::project;
use crate::columns::ColumnChoice;
use crate::image_shape::ImageShape;
use crate::picture::Picture;
use crate::resize::Resize;
use crate::source::Source;
use crate::table::{RowReader, check_columns};
use crate::{Error, Result};
use ndarray::ArrayView2;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Endings of images that are read, and of images that are not and would be missed.
const READ: [&str; 3] = ["png", "jpg", "jpeg"];
const NOT_READ: [&str; 8] = ["gif", "bmp", "webp", "tif", "tiff", "ppm", "pgm", "avif"];
/// Images decoded at a time.
const BLOCK: usize = 256;
/// Values of the images decoded at a time, where they are large.
const BLOCK_VALUES: usize = 1 << 25;

/// Opens a folder, or one image.
pub(crate) fn open(source: &Source, choice: &ColumnChoice) -> Result<Box<dyn RowReader>> {
    let files = image_files(&source.path)?;
    let Some(first) = files.first() else {
        return Err(source.error("there is no PNG or JPEG image in this folder: give a folder of images, or files with a glob such as '*.npy'"));
    };
    let mut shape = Picture::read(first)?.shape;
    if let Some((width, height)) = source.image_size {
        shape = ImageShape { height, width, ..shape };
    }
    check_columns(source, shape.height.saturating_mul(shape.width).saturating_mul(shape.channels))?;
    let resized = source.image_size.is_some();
    project(source, choice, Box::new(ImageRows { files, shape, resized, done: 0 }))
}

/// Whether a folder is one of images.
pub(crate) fn has_images(path: &Path) -> bool {
    image_files(path).map_or(true, |files| !files.is_empty())
}

/// Images below a folder, sorted; hidden files and other files than images are left out.
fn image_files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let entries = std::fs::read_dir(path).map_err(Error::io("read", path))?;
    for entry in entries {
        let entry = entry.map_err(Error::io("read", path))?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if path.is_dir() {
            files.extend(image_files(&path)?);
        } else if READ.contains(&&*ending) {
            files.push(path);
        } else if NOT_READ.contains(&&*ending) {
            return Err(Error::data(
                path,
                format!("images of type {ending} are not read: convert it to PNG, or remove it"),
            ));
        }
    }
    files.sort();
    Ok(files)
}

struct ImageRows {
    files: Vec<PathBuf>,
    shape: ImageShape,
    /// Whether images of other sizes are resized.
    resized: bool,
    done: usize,
}

impl ImageRows {
    /// The pixels of one file in the shape of the table.
    fn row(&self, path: &Path) -> Result<Vec<f32>> {
        let Picture { shape, pixels } = Picture::read(path)?;
        if shape.channels != self.shape.channels {
            let kind = |channels| if channels == 1 { "grey" } else { "in colour" };
            let (this, first) = (kind(shape.channels), kind(self.shape.channels));
            return Err(Error::data(
                path,
                format!("the image is {this}, but the first one is {first}: convert one kind to the other"),
            ));
        }
        let pixels: Vec<f32> = pixels.into_iter().map(f32::from).collect();
        if shape == self.shape {
            return Ok(pixels);
        }
        let (w, h) = (self.shape.width, self.shape.height);
        if !self.resized {
            let problem = format!(
                "the image has {}x{} pixels, but {w}x{h} are expected: begin --features with resize=WxH where images differ in size",
                shape.width, shape.height
            );
            return Err(Error::data(path, problem));
        }
        let row = ArrayView2::from_shape((1, pixels.len()), &pixels).map_err(|e| Error::data(path, e.to_string()))?;
        Ok(Resize::new(shape, h, w, true)?.apply(row).into_raw_vec_and_offset().0)
    }
}

impl RowReader for ImageRows {
    fn width(&self) -> usize {
        self.shape.len()
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        let count = max_rows.min((BLOCK_VALUES / self.shape.len()).clamp(1, BLOCK)).min(self.files.len() - self.done);
        let files = &self.files[self.done..self.done + count];
        let images = match files {
            [one] => vec![self.row(one)], // waking the other threads takes longer than a small image
            _ => files.par_iter().map(|path| self.row(path)).collect::<Vec<Result<_>>>(),
        };
        for image in images {
            rows.extend(image?);
        }
        self.done += count;
        Ok(count)
    }

    fn row_count(&self) -> Option<u64> {
        Some(self.files.len() as u64)
    }

    fn column_name(&self, column: usize) -> String {
        (column + 1).to_string()
    }

    fn image_shape(&self) -> Option<ImageShape> {
        Some(self.shape)
    }
}
