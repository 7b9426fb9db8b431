//! Subspaces are told apart; sparse with all neighbours is dense; gradients and ten clipped Adam steps are PyTorch's
//! (`tests/golden/senet.py`).

use super::*;
use crate::golden::Golden;
use crate::network::Trainable;
use crate::train::Silent;
use ndarray::{Array1, ArrayView1};
use rand::RngExt;

const GOLDEN: &[u8] = include_bytes!("../../../tests/golden/senet.safetensors");

/// Rows in two planes of six dimensions, which meet in the origin only; rows alternate between them.
fn planes(n: usize) -> Array2<f32> {
    let mut rng = Seed(5).stream("planes");
    let mut basis = || Array2::from_shape_fn((2, 6), |_| rng.random::<f32>() - 0.5);
    let bases = [basis(), basis()];
    let mut rows = Array2::zeros((n, 6));
    for (i, mut row) in rows.rows_mut().into_iter().enumerate() {
        let weights = Array1::from_shape_fn(2, |_| 2.0 * rng.random::<f32>() - 1.0);
        row.assign(&weights.dot(&bases[i % 2]));
    }
    rows
}

fn options() -> SenetOptions {
    SenetOptions {
        layers: vec![64, 64, 32],
        batch: 50,
        steps: 400,
        block: Some(150),
        ..SenetOptions::of(SenetSize::Small)
    }
}

#[test]
fn rows_of_one_plane_express_each_other() {
    let rows = planes(300);
    let (senet, history) = Senet::fit(rows.view(), &options(), Seed(1), Device::Cpu, &mut Silent).unwrap();
    let (first, last) = (&history.epochs[0].values, &history.epochs[history.epochs.len() - 1].values);
    assert!(last[0] < 0.2 * first[0], "{first:?} to {last:?}");
    let graph = senet.graph(rows.view(), 5).unwrap();
    let weight = |same: bool| -> f32 {
        (0..300).flat_map(|i| graph.neighbors(i).filter(move |(j, _)| (i % 2 == j % 2) == same)).map(|(_, w)| w).sum()
    };
    assert!(weight(true) > 0.9 * (weight(true) + weight(false)), "{} beside {}", weight(true), weight(false));
    let again = Senet::fit(rows.view(), &options(), Seed(1), Device::Cpu, &mut Silent).unwrap().0;
    assert_eq!(again, senet);
}

#[test]
fn keeping_all_neighbours_equals_the_dense_affinity() {
    let rows = planes(40);
    let mut rng = Seed(2).stream("weights");
    let (query, key) = (Weights::random(&[6, 8, 4], &mut rng), Weights::random(&[6, 8, 4], &mut rng));
    let senet = Senet { networks: KeyQueryWeights { query, key, threshold: 0.1 }, whitening: None, neighbors: None };
    let dense = senet.of_batch(rows.view()).unwrap().multiply(Array2::eye(40).view());
    let sparse = senet.graph(rows.view(), 39).unwrap().multiply(Array2::eye(40).view());
    assert!((&dense - &sparse).iter().all(|d| d.abs() < 1e-6));
    assert_eq!(dense, dense.t());
    assert!(dense.diag().iter().all(|&w| w == 0.0) && dense.sum() > 0.0);
}

#[test]
fn one_row_cannot_be_expressed() {
    let error = Senet::fit(planes(1).view(), &options(), Seed(1), Device::Cpu, &mut Silent).unwrap_err();
    assert!(error.to_string().contains("combinations of other rows"), "{error}");
}

fn places(golden: &Golden, name: &str) -> Vec<usize> {
    golden.numbers(name).iter().map(|&place| place as usize).collect()
}

fn networks(golden: &Golden, prefix: &str) -> KeyQueryWeights {
    KeyQueryWeights {
        query: golden.network(&format!("{prefix}.query")),
        key: golden.network(&format!("{prefix}.key")),
        threshold: golden.numbers(&format!("{prefix}.threshold"))[0],
    }
}

fn assert_close(found: ArrayView1<f32>, expected: ArrayView1<f32>, tolerance: f32, what: &str) {
    let scale = expected.iter().fold(1e-6_f32, |a, b| a.max(b.abs()));
    for (i, (&value, &wanted)) in found.iter().zip(expected).enumerate() {
        assert!((value - wanted).abs() <= tolerance * scale, "{what} at {i}: {value} for {wanted} (scale {scale})");
    }
}

fn assert_networks(found: &KeyQueryWeights, expected: &KeyQueryWeights, tolerance: f32, what: &str) {
    let flat = |weight: &Array2<f32>| Array1::from_iter(weight.iter().copied());
    for (name, found, expected) in [("query", &found.query, &expected.query), ("key", &found.key, &expected.key)] {
        for (l, (found, expected)) in found.layers.iter().zip(&expected.layers).enumerate() {
            let what = format!("{what} {name} layer {l}");
            assert_close(flat(&found.weight).view(), flat(&expected.weight).view(), tolerance, &what);
            assert_close(found.bias.view(), expected.bias.view(), tolerance, &what);
        }
    }
    let one = |x: f32| Array1::from_elem(1, x);
    assert_close(one(found.threshold).view(), one(expected.threshold).view(), tolerance, &format!("{what} threshold"));
}

#[test]
fn gradients_and_ten_clipped_steps_are_pytorchs() {
    let golden = Golden::of(GOLDEN);
    let rows = golden.matrix("rows");
    let loss = SelfExpression { reconstruction: 200.0, sparsity: 0.9 };
    let mut network = KeyQuery::new(&networks(&golden, "init"), Device::Cpu).unwrap();
    network.begin(0.0);
    for t in 0..10 {
        let (batch, drawn) = (places(&golden, &format!("batch.{t}")), places(&golden, &format!("keys.{t}")));
        let own: Vec<Option<usize>> = batch.iter().map(|row| drawn.iter().position(|key| key == row)).collect();
        let (queries, keys) = (rows.select(Axis(0), &batch), rows.select(Axis(0), &drawn));
        let codes = network.forward(queries.view(), keys.view()).unwrap();
        let value = loss.evaluate(&Expressed {
            rows: queries.view(),
            keys: keys.view(),
            own: &own,
            query_codes: codes.queries.view(),
            key_codes: codes.keys.view(),
            threshold: codes.threshold,
        });
        let (total, reconstruction, penalty) = (value.total, value.reconstruction, value.penalty);
        let gradient = KeyQueryGradient { queries: value.queries, keys: value.keys, threshold: value.threshold };
        network.backward(queries.view(), keys.view(), &codes, gradient);
        for (name, value) in [("loss", total), ("reconstruction", reconstruction), ("penalty", penalty)] {
            let expected = f64::from(golden.numbers(&format!("step{t}.{name}"))[0]);
            assert!(
                (value - expected).abs() < 1e-3 * (1e-3 + expected.abs()),
                "step {t} {name}: {value} for {expected}"
            );
        }
        if t == 0 {
            assert_networks(&network.gradients(), &networks(&golden, "grad0"), 1e-3, "gradient");
        }
        network.clip(1e-3).unwrap();
        if t == 0 {
            assert_networks(&network.gradients(), &networks(&golden, "clipped0"), 1e-3, "clipped gradient");
        }
        network.step(1e-3);
    }
    assert_networks(&network.weights().unwrap(), &networks(&golden, "final"), 2e-3, "after ten steps");
}
