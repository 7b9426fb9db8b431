//! Each method on small shapes; models come back from their bytes; what a method cannot do is refused.

use super::*;
use crate::Seed;
use crate::clustering::Clustering;
use crate::data::EdgeList;
use crate::data::synthetic::Shape;
use crate::job::{Job, Outcome};
use crate::metrics::accuracy;
use ndarray::{Array2, s};
use std::path::Path;

fn shape(name: &str, n: usize) -> (Array2<f32>, Vec<u32>) {
    let mut generator = name.parse::<Shape>().unwrap().generator(None, Seed(3)).unwrap();
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    generator.fill(n, &mut rows, &mut truth);
    let width = generator.dimension();
    (Array2::from_shape_vec((n, width), rows).unwrap(), truth.iter().map(|&t| t as u32).collect())
}

/// The configuration of a method with these settings, as TOML, where the method has them; networks are small.
fn config(method: &str, k: usize, settings: &str) -> Config {
    let config = Config::of(Method::named(method).unwrap(), k);
    let small = "hidden = [64, 64]\nbatch = 300\n";
    let mut settings: serde_json::Map<_, _> = toml::from_str(&format!("{small}{settings}")).unwrap();
    let known = config.settings();
    settings.retain(|key, _| known.contains_key(key));
    config.with_settings(settings).unwrap()
}

fn fitted(method: &str, k: usize, rows: &Array2<f32>, settings: &str) -> Outcome {
    Job::new(config(method, k, settings)).unwrap().fit(rows.view()).unwrap()
}

#[test]
fn spectral_methods_follow_shapes_and_leave_no_model() {
    let (rows, truth) = shape("moons", 800);
    for method in ["ncut", "rcut", "nsc", "min-max-cut", "rotation"] {
        let found = fitted(method, 2, &rows, "");
        assert!(accuracy(found.labels(), &truth).unwrap() > 0.99, "{method}");
        assert!(found.model.is_none() && found.graph.is_some_and(|graph| graph.residual < 1e-5));
    }
    for start in ["labels", "nndsvd", "random"] {
        let settings = format!("nonnegative-start = '{start}'");
        let (rows, truth) = shape("blobs", 300);
        let k = *truth.iter().max().unwrap() as usize + 1;
        let reached = accuracy(fitted("nsc", k, &rows, &settings).labels(), &truth).unwrap();
        // updates from random memberships end in a local optimum, which need not be a good one
        assert!(reached > if start == "random" { 0.4 } else { 0.95 }, "{start}: {reached}");
    }
    for form in ["improved", "discretize"] {
        let found = fitted("rotation", 2, &rows, &format!("rotation = '{form}'"));
        assert!(accuracy(found.labels(), &truth).unwrap() > 0.99, "{form}");
    }
    let refused = Job::new(config("ncut", 2, "rounding = 'rotation'\nrow-norm = 'unit'")).unwrap_err().to_string();
    assert!(refused.contains("row-norm is unit"), "{refused}");
    let refused = Job::new(config("ncut", 2, "neighbors = 'all'")).unwrap_err().to_string();
    assert!(refused.contains("neighbors is all"), "{refused}");
}

#[test]
fn self_expression_tells_planes_apart() {
    let mut rng = Seed(4).stream("planes");
    let mut draw = || rand::RngExt::random::<f32>(&mut rng) - 0.5;
    let rows = Array2::from_shape_fn((240, 9), |(i, j)| if j / 3 == i % 3 { draw() } else { 0.0 });
    let truth: Vec<u32> = (0..240).map(|i| i % 3).collect();
    assert_eq!(accuracy(fitted("ensc", 3, &rows, "").labels(), &truth).unwrap(), 1.0);
    let learnt = |eigenvectors: &str| {
        let settings = format!("senet-layers = [64, 32]\nsenet-steps = 300\neigenvectors = {eigenvectors}");
        fitted("senet-sc", 3, &rows, &settings)
    };
    assert_eq!(accuracy(learnt("3").labels(), &truth).unwrap(), 1.0);
    assert_eq!(learnt("'auto'").graph.unwrap().eigenvalues.len(), 4, "half as many again");
    assert_eq!(accuracy(fitted("senet-sc", 3, &rows, "coefficients = 'closed-form'").labels(), &truth).unwrap(), 1.0);
    // the graph of three neighbours in a whole plane falls into pieces; that of one octant has few
    let rows = rows.mapv(|x| if x == 0.0 { 0.0 } else { x.abs() + 0.3 });
    for coefficients in ["senet", "closed-form"] {
        let small = "eigenvectors = 3\nsenet-layers = [64, 32]\nsenet-steps = 300";
        let settings = format!("coefficients = '{coefficients}'\ncoefficient-graph = 'second-order'\n{small}");
        let found = fitted("senet-sc", 3, &rows, &settings);
        let reached = accuracy(found.labels(), &truth).unwrap();
        assert!(reached > 0.95, "{coefficients}: {reached}");
        // three neighbours per row, symmetrised
        let weights = found.graph.unwrap().weights as f64 / 240.0;
        assert!((3.0..=6.0).contains(&weights), "{coefficients}: {weights}");
    }
}

#[test]
fn affinities_reach_the_rivals() {
    let (rows, truth) = shape("blobs", 300);
    let k = *truth.iter().max().unwrap() as usize + 1;
    let class = |i: usize, step: usize| (i + 1..300).filter(move |&j| j % 2 == i % 2).take(step);
    let edges = (0..300).flat_map(|i| class(i, 3).map(move |j| (i as u32, j as u32, 1.0))).collect();
    let mut job = Job::new(config("ncut", 2, "")).unwrap();
    job.graph = Some(EdgeList { path: "g.csv".into(), nodes: None, edges });
    let found = job.fit(rows.view()).unwrap();
    let parity: Vec<u32> = (0..300).map(|i| i % 2).collect();
    assert_eq!(accuracy(found.labels(), &parity).unwrap(), 1.0, "labels follow the graph and not the rows");
    let refused = Job::new(config("specnet2", 2, "affinity = 'graph:g.csv'")).unwrap_err().to_string();
    assert!(refused.contains("affinity is graph:g.csv") && refused.contains("neuncut for a model"), "{refused}");
    let settings = "affinity = 'senet'\nsenet-layers = [16, 8]\nsenet-steps = 5\nepochs = 2\nkeep-affinity = true";
    let learnt = fitted("specnet2", k, &rows, settings);
    let model = learnt.model.unwrap();
    assert!(model.affinity.is_some() && model.record.diagnostics.affinity.starts_with("SENet"));
    assert_eq!(model.record.history.len(), 2);
}

#[test]
fn models_label_new_rows_and_come_back_from_their_bytes() {
    let (rows, truth) = shape("blobs", 900);
    let k = *truth.iter().max().unwrap() as usize + 1;
    for method in [
        "kmeans",
        "spectralnet",
        "specnet2",
        "leiden",
        "lsc",
        "nystrom",
        "reskm",
        "uspec",
        "usenc",
        "bipartite",
        "autosc",
        "basis",
    ] {
        let epochs = if method == "basis" { "epochs = 75" } else { "epochs = 150" };
        let found = fitted(method, k, &rows.slice(s![..600, ..]).to_owned(), epochs);
        let model = found.model.as_ref().unwrap();
        assert_eq!(model.predict(rows.slice(s![..600, ..])).unwrap(), found.labels());
        let reached = accuracy(&model.predict(rows.view()).unwrap(), &truth).unwrap();
        assert!(reached > 0.95, "{method}: {reached}");
        let bytes = model.to_bytes().unwrap();
        let back = Model::from_bytes(&bytes, Path::new("test")).unwrap();
        assert!(back.steps().eq(model.steps()) && back.head == model.head, "{method}");
        assert_eq!(back.to_bytes().unwrap(), bytes, "{method}: all else is in the bytes too");
        assert_eq!(model.embedding(rows.view()).is_ok(), !["kmeans", "leiden", "usenc"].contains(&method), "{method}");
    }
}

#[test]
fn embeddings_are_eigenfunctions_and_the_same_for_a_row_alone() {
    let (rows, truth) = shape("blobs", 900);
    // SpecNet2 has no orthogonalisation, and its outputs come less close to the constant
    for (method, slack) in [("spectralnet", 0.02), ("specnet2", 0.2)] {
        let found = fitted(method, 3, &rows, "epochs = 200");
        let model = found.model.as_ref().unwrap();
        let embedding = model.embedding(rows.view()).unwrap();
        assert_eq!(embedding.slice(s![7..8, ..]), model.embedding(rows.slice(s![7..8, ..])).unwrap());
        // they are orthonormal, have the constant function in their span, and tell the blobs apart
        let gram = embedding.t().dot(&embedding) / 900.0;
        assert!((&gram - &Array2::<f32>::eye(3)).iter().all(|g| g.abs() < 0.02), "{method}: {gram}");
        let constant = embedding.dot(&(embedding.sum_axis(ndarray::Axis(0)) / 900.0));
        let off = constant.mapv(|x| (x - 1.0).powi(2)).mean().unwrap().sqrt();
        assert!(off < slack, "{method}: {off}");
        assert!(accuracy(found.labels(), &truth).unwrap() > 0.95, "{method}");
    }
}

#[test]
fn spectralnet_follows_moons() {
    let (rows, truth) = shape("moons", 900);
    let found = fitted("spectralnet", 2, &rows, "epochs = 300\nlr = 5e-3\nneighbors = 4");
    assert!(accuracy(found.labels(), &truth).unwrap() > 0.98);
}
