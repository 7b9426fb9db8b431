//! The scattering transform of 32 x 32 images.

use crate::fastest;
use crate::options::Options;
use ndarray::Array2;
use neuncut::data::ImageShape;
use neuncut::features::{Pipeline, Scattering, Step};
use neuncut::{Result, Seed};
use rand::RngExt;
use serde_json::{Value, json};

/// Milliseconds an image.
pub fn run(options: &Options) -> Result<Value> {
    let count = options.get("rows", 500)?;
    let shape = ImageShape { height: 32, width: 32, channels: 1 };
    let mut rng = Seed(0).stream("bench images");
    let images = Array2::from_shape_fn((count, shape.len()), |_| rng.random::<f32>());
    let scattering = Scattering::new(shape, Scattering::SCALES, Scattering::ANGLES)?;
    let pipeline = Pipeline { steps: vec![Step::Scattering(scattering)] };
    let seconds = fastest(5, || drop(pipeline.transform(images.view())));
    Ok(json!({ "job": "scattering", "ms_per_image": 1e3 * seconds / count as f64 }))
}
