//! Milliseconds an image of the scattering transform: `cargo run --release --example scattering -- IMAGES.idx.gz`.
//!
//! Prints one line a round of 500 images: resizing and transform together, on all cores.

use ndarray::Array2;
use neuncut::data::{Table, TableSpec};
use neuncut::features::{Pipeline, Resize, Scattering, Step};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Images per round.
const BATCH: usize = 500;

fn main() -> neuncut::Result<()> {
    let paths: Vec<String> = std::env::args().skip(1).take(1).collect();
    let rounds = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(10);
    let mut table = Table::open(&TableSpec { paths, ..Default::default() })?;
    let Some(shape) = table.image_shape() else {
        return Err(neuncut::Error::Degenerate("the rows are no images".into()));
    };
    let mut values = Vec::new();
    let count = table.read(BATCH, &mut values)?;
    let images =
        Array2::from_shape_vec((count, shape.len()), values).map_err(|e| neuncut::Error::Degenerate(e.to_string()))?;
    let fitting = Scattering::fitting(shape, Scattering::SCALES, Scattering::ANGLES)?;
    let begin = Instant::now();
    let steps = vec![
        Step::Resize(Resize::new(shape, fitting.height, fitting.width, true)?),
        Step::Scattering(Scattering::new(fitting, Scattering::SCALES, Scattering::ANGLES)?),
    ];
    let pipeline = Pipeline { steps };
    eprintln!("filters prepared in {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    for _ in 0..rounds {
        let begin = Instant::now();
        let features = pipeline.transform(images.view());
        let each = begin.elapsed().as_secs_f64() * 1e3 / count as f64;
        eprintln!("{each:.3} ms an image ({} features)", features.ncols());
    }
    Ok(())
}
