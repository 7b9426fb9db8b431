//! Made data: every shape is deterministic, independent of chunk sizes, bounded, and has the classes it promises.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use neuncut::Seed;
use neuncut::data::synthetic::{BACKGROUND, Shape, quality_family};

fn draw(shape: &Shape, seed: u64, chunks: &[usize]) -> (Vec<f32>, Vec<i32>) {
    let mut generator = shape.generator(None, Seed(seed)).unwrap();
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for &n in chunks {
        generator.fill(n, &mut rows, &mut labels);
    }
    (rows, labels)
}

/// Share of rows of each class, then of the background.
fn shares(shape: &Shape, n: usize) -> Vec<f64> {
    let k = shape.generator(None, Seed(1)).unwrap().n_classes();
    let mut counts = vec![0.0; k + 1];
    for label in draw(shape, 1, &[n]).1 {
        counts[if label == BACKGROUND { k } else { label as usize }] += 1.0 / n as f64;
    }
    counts
}

#[test]
fn chunks_of_any_size_give_the_same_rows() {
    for (name, shape) in quality_family() {
        let whole = draw(&shape, 5, &[101]);
        assert_eq!(whole, draw(&shape, 5, &[1, 0, 7, 93]), "{name}");
        assert_eq!(whole.0.len(), 101 * shape.dimension(), "{name}");
        assert_eq!(whole.1.len(), 101, "{name}");
    }
}

#[test]
fn the_seed_decides() {
    for (name, shape) in quality_family() {
        assert_ne!(draw(&shape, 5, &[50]), draw(&shape, 6, &[50]), "{name}");
    }
}

#[test]
fn rows_are_finite_and_not_far_out() {
    for (name, shape) in quality_family() {
        let (rows, _) = draw(&shape, 3, &[2000]);
        assert!(rows.iter().all(|x| x.abs() < 30.0), "{name}");
    }
}

#[test]
fn every_class_appears_and_equal_classes_are_equal() {
    for shape in ["rings", "double-c", "moons", "blobs"].map(|name| name.parse::<Shape>().unwrap()) {
        let found = shares(&shape, 20_000);
        let k = found.len() - 1;
        assert!(found[..k].iter().all(|share| (share - 1.0 / k as f64).abs() < 0.015), "{shape:?}: {found:?}");
        assert_eq!(found[k], 0.0);
    }
}

#[test]
fn unequal_shapes_are_unequal_as_promised() {
    let sizes = shares(&Shape::UnequalSizes { k: 2, ratio: 50.0 }, 100_000);
    assert!((sizes[1] / sizes[0] - 50.0).abs() < 6.0, "{sizes:?}");
    let scattered = shares(&Shape::Scattered { k: 3, share: 0.05 }, 100_000);
    assert!((scattered[3] - 0.05).abs() < 0.003, "{scattered:?}");
    let nested = shares(&Shape::Nested { k: 3 }, 100_000);
    assert!((nested[2] - 0.5).abs() < 0.01, "{nested:?}");
}

#[test]
fn classes_are_interleaved() {
    let (_, labels) = draw(&Shape::Rings, 2, &[1000]);
    let changes = labels.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!((430..570).contains(&changes), "{changes} changes of class in 999");
}

#[test]
fn rings_have_their_radii() {
    let (rows, labels) = draw(&Shape::Rings, 4, &[5000]);
    for (row, label) in rows.chunks(2).zip(labels) {
        let radius = row[0].hypot(row[1]);
        let wanted = if label == 0 { 1.0 } else { 0.5 };
        assert!((radius - wanted).abs() < 6.0 * 0.04, "class {label} at radius {radius}");
    }
}

/// Share of rows whose nearest other row has the same label.
fn nearest_agrees(rows: &[f32], labels: &[i32], dimension: usize) -> f64 {
    let row = |i: usize| &rows[i * dimension..(i + 1) * dimension];
    let distance = |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(x, y)| (x - y).powi(2)).sum::<f32>();
    let nearest = |i: usize| {
        let others = (0..labels.len()).filter(|&j| j != i);
        others.min_by(|&a, &b| distance(i, a).total_cmp(&distance(i, b))).unwrap()
    };
    (0..labels.len()).filter(|&i| labels[nearest(i)] == labels[i]).count() as f64 / labels.len() as f64
}

#[test]
fn usual_noise_leaves_the_classes_apart() {
    for (name, shape) in quality_family() {
        if matches!(shape, Shape::Scattered { .. } | Shape::Sphere { k: 1000, .. }) {
            continue; // scattered rows lie anywhere by design; 1000 classes need more rows than a quick test has
        }
        let (rows, labels) = draw(&shape, 8, &[1500]);
        let agreement = nearest_agrees(&rows, &labels, shape.dimension());
        assert!(agreement > 0.995, "{name}: {agreement}");
    }
}

#[test]
fn embedding_keeps_the_inner_shape() {
    // Without irrelevant noise, a rotation keeps lengths: the radii of the rings are still there.
    let shape = Shape::Embedded { shape: Box::new(Shape::Rings), dimension: 20, irrelevant: 0.0 };
    let (rows, labels) = draw(&shape, 4, &[500]);
    for (row, label) in rows.chunks(20).zip(labels) {
        let radius = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!((radius - if label == 0 { 1.0 } else { 0.5 }).abs() < 6.0 * 0.04);
    }
}

#[test]
fn nonsense_is_refused_by_name() {
    let refused = |shape: Shape, noise| shape.generator(noise, Seed(0)).err().unwrap().to_string();
    assert!(refused(Shape::Rings, Some(-1.0)).contains("noise is -1"));
    assert!(refused(Shape::Rings, Some(f32::NAN)).contains("noise is NaN"));
    assert!(refused(Shape::Blobs { k: 0, dimension: 2 }, None).contains("k is 0"));
    assert!(refused(Shape::Scattered { k: 2, share: 1.5 }, None).contains("share is 1.5"));
    let flat = Shape::Embedded { shape: Box::new(Shape::Rings), dimension: 1, irrelevant: 0.1 };
    assert!(refused(flat, None).contains("dimension is 1"));
    assert!("squares".parse::<Shape>().unwrap_err().to_string().contains("rings, double-c, moons, blobs"));
}
