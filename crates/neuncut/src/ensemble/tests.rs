//! The ensemble on small shapes.

use super::*;
use crate::data::synthetic::Shape;
use crate::metrics::accuracy;
use ndarray::Array2;

fn reached(shape: Shape, n: usize, seed: u64) -> f64 {
    let mut generator = shape.generator(None, Seed(seed)).unwrap();
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    generator.fill(n, &mut rows, &mut truth);
    let rows = Array2::from_shape_vec((n, generator.dimension()), rows).unwrap();
    let fitted = Ensemble { seed, ..Ensemble::new(generator.n_classes()) }.fit(rows.view()).unwrap();
    let kept: Vec<usize> = (0..n).filter(|&i| truth[i] >= 0).collect();
    let pick = |labels: &[u32]| kept.iter().map(|&i| labels[i]).collect::<Vec<u32>>();
    let truth: Vec<u32> = truth.iter().map(|&t| t.max(0) as u32).collect();
    accuracy(&pick(fitted.labels()), &pick(&truth)).unwrap()
}

#[test]
fn thin_shapes_and_unequal_sizes_are_found() {
    for shape in [Shape::Rings, Shape::Moons, Shape::Spirals { arms: 2 }, Shape::UnequalSizes { k: 3, ratio: 50.0 }] {
        let reached = reached(shape.clone(), 1200, 0);
        assert!(reached > 0.99, "{shape:?}: {reached}");
    }
}

#[test]
fn equal_rows_are_one_node_that_counts_for_all() {
    let rows = ndarray::array![[1.0, 0.0], [2.0, 0.0], [1.0, -0.0], [2.0, 0.0], [1.0, 0.0]];
    let repeats = Repeats::of(rows.view(), None);
    assert_eq!((repeats.first, repeats.of_row, repeats.counts), (vec![0, 1], vec![0, 1, 0, 1, 0], vec![3.0, 2.0]));
    assert!(Repeats::of(ndarray::array![[1.0], [2.0]].view(), None).are_none());
}

#[test]
fn rows_outside_the_landmarks_follow_them() {
    let rows = Array2::from_shape_fn((300, 2), |(i, j)| (i % 3) as f32 * 20.0 + ((i * 7 + j * 5) % 13) as f32 * 0.1);
    let fitted = Ensemble { landmarks: Some(60), ..Ensemble::new(3) }.fit(rows.view()).unwrap();
    let truth: Vec<u32> = (0..300).map(|i| i % 3).collect();
    assert_eq!(accuracy(fitted.labels(), &truth).unwrap(), 1.0);
}

#[test]
fn the_same_seed_gives_the_same_labels_on_any_threads() {
    let rows = Array2::from_shape_fn((400, 20), |(i, j)| ((i * 37 + j * 11) % 101) as f32 + (i % 4) as f32 * 9.0);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Ensemble::new(4).fit(rows.view()).unwrap().labels().to_vec())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn too_few_different_rows_are_reported() {
    let rows = Array2::from_shape_fn((40, 2), |(i, _)| (i % 2) as f32);
    let error = Ensemble::new(3).fit(rows.view()).unwrap_err();
    assert!(error.to_string().contains("only 2 different rows"), "{error}");
}

#[test]
fn a_field_that_no_fit_could_use_is_named() {
    let options = EnsembleOptions { graph_neighbors: vec![10, 0], ..Default::default() };
    assert!(options.check().unwrap_err().to_string().contains("graph-neighbors"));
    let options = EnsembleOptions { row_restarts: 0, ..Default::default() };
    assert!(options.check().unwrap_err().to_string().contains("row-restarts"));
}
