//! Labels new rows with a saved model: `cargo run --release --example predict_saved -- [MODEL]`, after the example `fit_and_save`.
//!
//! Prints first: `[0, 1] and [1, -0.5] are in different clusters`

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use ndarray::array;
use neuncut::Result;
use neuncut::methods::Model;
use std::path::PathBuf;

fn main() -> Result<()> {
    let path = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "moons.safetensors".into()));
    let model = Model::load(&path)?;

    // the top of one half circle and the bottom of the other
    let rows = array![[0.0_f32, 1.0], [1.0, -0.5]];
    let labels = model.predict(rows.view())?;

    let relation = if labels[0] == labels[1] { "the same cluster" } else { "different clusters" };
    println!("{} and {} are in {relation}", rows.row(0), rows.row(1));
    for (row, memberships) in rows.rows().into_iter().zip(model.memberships(rows.view())?.rows()) {
        println!("{row}: memberships {memberships:.2}");
    }
    Ok(())
}
