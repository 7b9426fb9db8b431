//! Clusters rows by a graph of your own, and labels rows that the graph does not know: `cargo run --release --example own_graph`.
//!
//! Prints first: `600 rows in 2 clusters, accuracy 1.00`

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use ndarray::{Array2, array};
use neuncut::clustering::Inductive;
use neuncut::data::EdgeList;
use neuncut::job::Job;
use neuncut::methods::{AffinityKind, AffinityOptions, Method, NeuralCutOptions};
use neuncut::{Config, Result, metrics};

/// Rows that are fitted.
const ROWS: u32 = 600;

fn main() -> Result<()> {
    // a plain strip of rows, which nothing in their columns divides
    let rows = Array2::from_shape_fn(
        (ROWS as usize, 2),
        |(i, j)| if j == 0 { i as f32 / 100.0 } else { (i % 7) as f32 / 10.0 },
    );
    // only the graph knows that the left third belongs together, and the rest: clicks, citations, links
    let class = |row: u32| u32::from(row >= ROWS / 3);
    let near = |row: u32| (1..8).map(move |step| (row, row + step, 1.0));
    let edges = (0..ROWS).flat_map(near).filter(|&(i, j, _)| j < ROWS && class(i) == class(j)).collect();

    let affinity = AffinityOptions { affinity: AffinityKind::Graph("the clicks".into()), ..Default::default() };
    let method = Method::NeuNcut(NeuralCutOptions { affinity, ..Default::default() });
    let mut job = Job::new(Config::of(method, 2))?;
    job.graph = Some(EdgeList { path: "the clicks".into(), nodes: Some(ROWS as usize), edges });
    let outcome = job.fit(rows.view())?;

    let classes: Vec<u32> = (0..ROWS).map(class).collect();
    println!("{ROWS} rows in 2 clusters, accuracy {:.2}", metrics::accuracy(&outcome.labels, &classes)?);
    // rows that have no node in the graph
    println!("new rows: {:?}", outcome.predict(array![[0.505_f32, 0.3], [5.005, 0.3]].view())?);
    Ok(())
}
