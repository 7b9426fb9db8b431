//! Trains a network on an objective of your own, soft modularity: `cargo run --release --example own_objective`.
//!
//! Prints first: `900 rows in 3 clusters, accuracy 1.00`

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use ndarray::{Array2, ArrayView2, Axis};
use neuncut::affinity::{Affinity, Bandwidth, HeatKernel};
use neuncut::data::synthetic::Shape;
use neuncut::graph::Csr;
use neuncut::methods::Model;
use neuncut::network::{Device, Mlp, Weights};
use neuncut::objective::{softmax, softmax_backward};
use neuncut::train::{Objective, Silent, Trainer};
use neuncut::{Config, Result, Seed, metrics};

/// Minus the modularity of memberships on the graph of a batch, and what keeps clusters from dying (DMoN, Tsitsulin et al. 2023).
struct Modularity<'a> {
    rows: ArrayView2<'a, f32>,
    graph: &'a Csr,
}

impl Modularity<'_> {
    /// Modularity, evenness, and the gradient of what is minimised with respect to the memberships, `(m, k)`.
    fn terms(graph: &Csr, memberships: ArrayView2<f32>) -> (f32, f32, Array2<f32>) {
        let (m, k) = memberships.dim();
        let degrees = graph.degrees();
        let total = degrees.sum();
        let joined = graph.multiply(memberships);
        let volumes = degrees.dot(&memberships) / total;
        let by_chance = degrees.insert_axis(Axis(1)) * volumes.insert_axis(Axis(0));
        let gain = (joined - by_chance) / total;
        let modularity = (&gain * &memberships).sum();
        // 1 where clusters are equally large, sqrt(k) where all rows are in one
        let sizes = memberships.sum_axis(Axis(0));
        let length = sizes.dot(&sizes).sqrt();
        let scale = (k as f32).sqrt() / m as f32;
        let gradient = gain * -2.0 + (sizes * (scale / length)).insert_axis(Axis(0));
        (modularity, scale * length, gradient)
    }
}

impl Objective<Mlp> for Modularity<'_> {
    fn terms(&self) -> &'static [&'static str] {
        &["loss", "modularity", "evenness"]
    }

    fn evaluate(&mut self, network: &mut Mlp, batch: &[usize]) -> Result<Vec<f64>> {
        let rows = self.rows.select(Axis(0), batch);
        let memberships = softmax(network.forward(rows.view())?);
        let (modularity, evenness, gradient) = Self::terms(&self.graph.induced(batch), memberships.view());
        network.backward(rows.view(), softmax_backward(memberships.view(), gradient));
        Ok([evenness - modularity, modularity, evenness].map(f64::from).to_vec())
    }
}

fn main() -> Result<()> {
    let (n, k, seed) = (900, 3, Seed(0));
    let mut blobs = Shape::Blobs { k, dimension: 2 }.generator(None, seed)?;
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    blobs.fill(n, &mut values, &mut classes);
    let rows = Array2::from_shape_vec((n, 2), values).expect("whole rows");

    let kernel = HeatKernel { bandwidth: Bandwidth::Auto, neighbors: Some(20) };
    let graph = kernel.graph(rows.view(), 20)?;
    let mut objective = Modularity { rows: rows.view(), graph: &graph };
    let mut network = Mlp::new(&Weights::random(&[2, 64, k], &mut seed.stream("weights")), Device::Cpu)?;
    let trainer = Trainer { stage: "modularity", batch: 300, epochs: 30, learning_rate: 1e-2, weight_decay: 0.0 };
    let history = trainer.run(&mut network, n, &mut objective, &mut seed.stream("batches"), &mut Silent)?;

    // a model like any other: it labels new rows, and can be saved
    let model = Model::new(Config::new(k), 2, network.weights()?);
    let labels = model.predict(rows.view())?;
    println!("{n} rows in {k} clusters, accuracy {:.2}", metrics::accuracy(&labels, &metrics::encode(&classes))?);
    if let (Some(first), Some(last)) = (history.epochs.first(), history.epochs.last()) {
        println!("modularity of a batch: {:.2} in the first epoch, {:.2} in the last", first.values[1], last.values[1]);
    }
    Ok(())
}
