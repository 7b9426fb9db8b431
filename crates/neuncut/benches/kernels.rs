//! The kernels of a training step and of prediction: `cargo xtask bench --kernels`.

#![allow(missing_docs, reason = "criterion's macros make items without")]

use criterion::{Criterion, criterion_group, criterion_main};
use ndarray::Array2;
use neuncut::Seed;
use neuncut::affinity::{Affinity, Bandwidth, HeatKernel};
use neuncut::graph::nearest_neighbors;
use neuncut::metrics::accuracy;
use neuncut::objective::{Cut, CutLoss, Penalty, Volumes, softmax};
use neuncut_linalg::{Packed, matmul};
use rand::RngExt;
use std::hint::black_box;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn random(n: usize, d: usize) -> Array2<f32> {
    let mut rng = Seed(0).stream("kernels");
    Array2::from_shape_fn((n, d), |_| rng.random::<f32>() - 0.5)
}

fn products(criterion: &mut Criterion) {
    let (rows, weights) = (random(1000, 500), random(500, 512));
    let mut out = Array2::zeros((1000, 512));
    criterion.bench_function("product 1000 x 500 x 512", |bencher| {
        bencher.iter(|| Packed::new(weights.view()).product(out.view_mut(), rows.view(), |_, _, _| {}));
    });
    criterion.bench_function("the same by the gemm crate", |bencher| {
        bencher.iter(|| black_box(matmul(rows.view(), weights.view())));
    });
}

fn affinities(criterion: &mut Criterion) {
    let rows = random(1000, 500);
    let cases = [
        ("heat kernel, dense", Bandwidth::Sigma(3.0), None),
        ("heat kernel, dense, locally scaled", Bandwidth::Auto, None),
        ("heat kernel, 10 neighbours", Bandwidth::Sigma(3.0), Some(10)),
        ("heat kernel, 3 neighbours, locally scaled", Bandwidth::Auto, Some(3)),
    ];
    for (name, bandwidth, neighbors) in cases {
        let kernel = HeatKernel { bandwidth, neighbors };
        criterion.bench_function(name, |bencher| bencher.iter(|| black_box(kernel.of_batch(rows.view()))));
    }
    criterion.bench_function("10 nearest neighbours of 10,000 x 50", |bencher| {
        let rows = random(10_000, 50);
        bencher.iter(|| black_box(nearest_neighbors(rows.view(), 10)));
    });
}

fn losses(criterion: &mut Criterion) {
    let rows = random(1000, 500);
    let memberships = softmax(random(1000, 10));
    let loss = CutLoss { cut: Cut::Ncut, penalty: Penalty::Normed, volumes: Volumes::Flow, gamma: 80.0 };
    for (name, neighbors) in [("loss, dense", None), ("loss, 10 neighbours", Some(10))] {
        let Ok(graph) = (HeatKernel { bandwidth: Bandwidth::Auto, neighbors }).of_batch(rows.view()) else { return };
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| black_box(loss.evaluate(&graph, memberships.view())));
        });
    }
    criterion.bench_function("softmax of 1000 x 1000", |bencher| {
        let logits = random(1000, 1000);
        bencher.iter(|| black_box(softmax(logits.clone())));
    });
}

fn scores(criterion: &mut Criterion) {
    // no structure at all: one dense block of 1000 x 1000 clusters, the worst case
    let mut rng = Seed(0).stream("clusters");
    let (first, second): (Vec<u32>, Vec<u32>) =
        (0..1_000_000).map(|_| (rng.random_range(0..1000), rng.random_range(0..1000))).unzip();
    criterion.bench_function("accuracy of 1000 random clusters", |bencher| {
        bencher.iter(|| black_box(accuracy(&first, &second)));
    });
}

criterion_group! {
    name = kernels;
    config = Criterion::default().sample_size(30).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = products, affinities, losses, scores
}
criterion_main!(kernels);
