//! Training through WebGPU goes the way it goes on the CPU. `cargo xtask gpu` runs it.

use ndarray::Array2;
use neuncut::Seed;
use neuncut::clustering::Clusterer;
use neuncut::job::Job;
use neuncut::methods::{Auto, Config, Method, Model};
use neuncut::network::Device;
use rand::RngExt;

const STEPS: usize = 50;

/// A model after 50 steps from random weights: every batch is all rows, so that an epoch is a step.
fn trained(rows: &Array2<f32>, device: Device) -> Model {
    let mut config = Config { device, ..Config::paper(4) };
    let Method::NeuNcut(options) = &mut config.method else { panic!("{}", config.method) };
    (options.network.hidden, options.network.batch) = (vec![64, 64].into(), Auto::Given(rows.nrows()));
    options.network.epochs = Auto::Given(STEPS);
    Job::new(config).unwrap().fit(rows.view()).unwrap().model.unwrap()
}

/// The loss terms of each step.
fn losses(model: &Model) -> Vec<&[f64]> {
    let curve = model.record.history.iter().find(|curve| curve.stage == "neural cut").unwrap();
    curve.epochs.iter().map(|epoch| &epoch.values[..]).collect()
}

#[test]
fn fifty_steps_have_the_losses_of_the_cpu() {
    let mut rng = Seed(5).stream("clouds");
    let centres = Array2::from_shape_fn((4, 20), |_| 3.0 * rng.random::<f32>());
    let rows = Array2::from_shape_fn((400, 20), |(i, j)| centres[[i % 4, j]] + rng.random::<f32>());
    let (cpu, gpu) = (trained(&rows, Device::Cpu), trained(&rows, Device::Wgpu));
    let (ours, theirs) = (losses(&cpu), losses(&gpu));
    assert_eq!((ours.len(), theirs.len()), (STEPS, STEPS));
    let apart = |(a, b): (&f64, &f64)| (a - b).abs() / b.abs().max(1.0);
    let pairs = ours.iter().zip(&theirs).flat_map(|(a, b)| a.iter().zip(b.iter()));
    let worst = pairs.map(apart).fold(0.0, f64::max);
    println!("largest difference of a loss over {STEPS} steps: {worst:.1e}");
    assert!(worst < 1e-3, "losses are {worst} apart");
    assert!(ours[STEPS - 1][0] < 0.9 * ours[0][0], "nothing was learnt: {:?} to {:?}", ours[0], ours[STEPS - 1]);
    assert_eq!(cpu.predict(rows.view()).unwrap(), gpu.predict(rows.view()).unwrap());
}
