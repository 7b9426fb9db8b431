//! The start on small shapes.

use super::*;
use crate::Seed;
use crate::data::synthetic::Shape;
use crate::metrics::accuracy;
use crate::train::Silent;
use ndarray::Array2;

fn start_accuracy(shape: Shape, n: usize, seed: u64) -> f64 {
    let mut generator = shape.generator(None, Seed(seed)).unwrap();
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    generator.fill(n, &mut rows, &mut truth);
    let rows = Array2::from_shape_vec((n, generator.dimension()), rows).unwrap();
    let options = StartOptions {
        clusters: generator.n_classes(),
        eigenvectors: true,
        representation: Representation::Auto,
        graph: GraphOptions { neighbors: 10, sigma: None },
        seed,
    };
    let landmarks: Vec<usize> = (0..n).collect();
    let found = find_start(rows.view(), &landmarks, &options, &mut Silent).unwrap();
    let kept: Vec<usize> = (0..n).filter(|&i| truth[i] >= 0).collect();
    let pick = |labels: Vec<u32>| kept.iter().map(|&i| labels[i]).collect::<Vec<u32>>();
    accuracy(&pick(found.labels), &pick(truth.iter().map(|&t| t.max(0) as u32).collect())).unwrap()
}

#[test]
fn thin_shapes_and_unequal_sizes_are_found() {
    for shape in [Shape::Rings, Shape::Moons, Shape::Spirals { arms: 2 }, Shape::UnequalSizes { k: 3, ratio: 50.0 }] {
        let reached = start_accuracy(shape.clone(), 1200, 0);
        assert!(reached > 0.99, "{shape:?}: {reached}");
    }
}

#[test]
fn equal_rows_are_one_node() {
    let rows = ndarray::array![[1.0, 0.0], [2.0, 0.0], [1.0, -0.0], [2.0, 0.0]];
    assert_eq!(distinct_rows(rows.view()), (vec![0, 1], vec![0, 1, 0, 1]));
}

#[test]
fn too_few_different_rows_are_said() {
    let rows = Array2::from_shape_fn((40, 2), |(i, _)| (i % 2) as f32);
    let options = StartOptions {
        clusters: 3,
        eigenvectors: true,
        representation: Representation::Auto,
        graph: GraphOptions { neighbors: 10, sigma: None },
        seed: 0,
    };
    let landmarks: Vec<usize> = (0..40).collect();
    let error = find_start(rows.view(), &landmarks, &options, &mut Silent).unwrap_err();
    assert!(error.to_string().contains("only 2 different rows"), "{error}");
}
