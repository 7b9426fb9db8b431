//! Fits two interlocking half circles and saves the model: `cargo run --release --example fit_and_save -- [MODEL]`.
//!
//! Prints first: `1000 rows in 2 clusters, accuracy 1.00`

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use ndarray::Array2;
use neuncut::data::synthetic::Shape;
use neuncut::job::Job;
use neuncut::{Config, Result, Seed, metrics};
use std::path::PathBuf;

fn main() -> Result<()> {
    let path = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "moons.safetensors".into()));

    let mut moons = Shape::Moons.generator(None, Seed(0))?;
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    moons.fill(1000, &mut values, &mut classes);
    let rows = Array2::from_shape_vec((1000, moons.dimension()), values).expect("whole rows");

    // every setting has a default but the number of clusters; classes cannot reach a fit
    let outcome = Job::new(Config::new(2))?.fit(rows.view())?;

    let accuracy = metrics::accuracy(&outcome.labels, &metrics::encode(&classes))?;
    println!("{} rows in 2 clusters, accuracy {accuracy:.2}", rows.nrows());
    if let Some(model) = outcome.model {
        model.save(&path)?;
        println!("model written to {}", path.display());
    }
    Ok(())
}
