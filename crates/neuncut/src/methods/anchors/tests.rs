//! Embeddings against numpy (see tests/golden/anchors.py), and shapes that k-means cannot follow.

use super::autosc;
use super::bipartite;
use super::nystrom;
use super::selection::Anchors;
use super::transfer::{AnchorGraph, heat_factor, mean_squared_distance};
use super::usenc;
use super::*;
use crate::Seed;
use crate::data::synthetic::Shape;
use crate::features::{LandmarkMap, Pipeline, Step};
use crate::golden::Golden;
use crate::job::Job;
use crate::methods::{Config, Method};
use crate::metrics::accuracy;
use crate::train::Silent;
use ndarray::{Array2, s};

const GOLDEN: &[u8] = include_bytes!("../../../tests/golden/anchors.safetensors");
/// Rows whose products are stored.
const STORED: usize = 40;

fn golden(name: &str) -> Array2<f32> {
    Golden::of(GOLDEN).matrix(name)
}

/// The first rows, as the script takes them.
fn anchors(rows: &Array2<f32>, count: usize) -> Anchors {
    Anchors { rows: rows.slice(s![..count, ..]).to_owned(), drawn: Some((0..count).collect()) }
}

/// Products of unit rows of the embedding: signs of eigenvectors do not matter.
fn assert_golden(name: &str, map: LandmarkMap, rows: &Array2<f32>) {
    assert_products(name, &Pipeline { steps: vec![Step::Landmarks(map), Step::Unit] }.transform(rows.view()));
}

fn assert_products(name: &str, embedding: &Array2<f32>) {
    let stored = embedding.slice(s![..STORED, ..]).to_owned();
    let (found, expected) = (stored.dot(&stored.t()), golden(name));
    let apart = (&found - &expected).iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    assert!(apart < 2e-3, "{name}: {apart} apart");
}

#[test]
fn embeddings_are_those_of_numpy() {
    let rows = golden("rows");
    for name in ["lsc", "reskm", "uspec"] {
        let method = Method::named(name).unwrap();
        let options = AnchorGraphOptions::default();
        assert_golden(name, options.embedding(rows.view(), anchors(&rows, 30), &method, 3).unwrap(), &rows);
    }
    let chosen = anchors(&rows, 30);
    let factor = heat_factor(mean_squared_distance(rows.view(), chosen.rows.view()));
    assert_golden("nystrom", nystrom::embedding(rows.view(), chosen, factor, 3, &mut Silent).unwrap(), &rows);
    let layers = [anchors(&rows, 30).rows, anchors(&rows, 12).rows];
    assert_golden("bipartite", bipartite::embedding(rows.view(), &layers, 5, 3).unwrap(), &rows);
    let members = golden("members"); // five, of four clusters each
    let indices = Array2::from_shape_fn(members.dim(), |(i, m)| 4 * m as u32 + members[[i, m]] as u32);
    let graph = AnchorGraph { weights: Array2::ones(indices.dim()), indices, anchors: 20 };
    assert_products("usenc", &usenc::consensus(&graph, 3).unwrap());
}

#[test]
fn the_search_of_autosc_is_that_of_numpy() {
    let golden = Golden::of(include_bytes!("../../../tests/golden/autosc.safetensors"));
    let (rows, best) = (Array2::from_shape_vec((80, 12), golden.numbers("rows")).unwrap(), golden.numbers("best"));
    let found = autosc::search(rows.view(), 4, &mut Silent).unwrap();
    assert_eq!((found.gaussian, found.ridge as f32, found.kept), (best[1] == 1.0, best[2], best[3] as usize));
    assert!((found.gap / f64::from(best[0]) - 1.0).abs() < 0.01, "{} for {}", found.gap, best[0]);
    // four subspaces, one after the other
    let places = &found.places;
    assert!((0..80).all(|i| places.row(i).dot(&places.row(i % 4)) > 0.9));
}

fn shape(name: &str, n: usize) -> (Array2<f32>, Vec<u32>) {
    let mut generator = name.parse::<Shape>().unwrap().generator(None, Seed(3)).unwrap();
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    generator.fill(n, &mut rows, &mut truth);
    let rows = Array2::from_shape_vec((n, generator.dimension()), rows).unwrap();
    (rows, truth.iter().map(|&t| t as u32).collect())
}

fn config(name: &str, k: usize, settings: &str) -> Config {
    Config::of(Method::named(name).unwrap(), k).with_settings(toml::from_str(settings).unwrap()).unwrap()
}

#[test]
fn moons_are_followed_and_new_rows_too() {
    let (rows, truth) = shape("moons", 1500);
    for name in ["lsc", "reskm", "uspec", "usenc", "bipartite"] {
        let found = Job::new(config(name, 2, "anchors = 200")).unwrap().fit(rows.slice(s![..1000, ..])).unwrap();
        let labels = found.model.unwrap().predict(rows.view()).unwrap();
        assert_eq!(labels[..1000], found.labels, "{name}");
        let reached = accuracy(&labels, &truth).unwrap();
        assert!(reached > 0.97, "{name}: {reached}");
    }
    // all pairs of rows count, so that moons need a bandwidth
    let found = Job::new(config("nystrom", 2, "bandwidth = 0.1\nanchors = 300")).unwrap().fit(rows.view()).unwrap();
    let reached = accuracy(&found.labels, &truth).unwrap();
    assert!(reached > 0.97, "nystrom: {reached}");
}

#[test]
fn anchors_of_every_choice_and_places_by_neighbours_follow_moons() {
    let (rows, truth) = shape("moons", 1000);
    for choice in ["auto", "k-means", "random", "k-means++", "leverage"] {
        for settings in [("uspec", ""), ("nystrom", "bandwidth = 0.1")] {
            let settings = (settings.0, format!("{}\nanchors = 250\nanchor-choice = '{choice}'", settings.1));
            let found = Job::new(config(settings.0, 2, &settings.1)).unwrap().fit(rows.view()).unwrap();
            let reached = accuracy(&found.labels, &truth).unwrap();
            assert!(reached > 0.97, "{}, {choice}: {reached}", settings.0);
        }
    }
}

#[test]
fn a_graph_that_falls_apart_gives_its_pieces() {
    // the constant vector is one of several with eigenvalue one, and must be the one that is left out
    let rows = Array2::from_shape_fn((200, 2), |(i, j)| (i % 2) as f32 * 1e3 + ((i * (j + 3) * 37) % 61) as f32 * 0.1);
    let truth: Vec<u32> = (0..200).map(|i| i % 2).collect();
    for name in ["lsc", "reskm", "uspec", "nystrom", "bipartite"] {
        let found = Job::new(config(name, 2, "anchors = 20")).unwrap().fit(rows.view()).unwrap();
        assert_eq!(accuracy(&found.labels, &truth).unwrap(), 1.0, "{name}");
    }
}

#[test]
fn few_rows_have_few_anchors_and_still_clusters() {
    let rows = Array2::from_shape_fn((20, 3), |(i, j)| (i % 2) as f32 * 9.0 + ((i * (j + 3) * 37) % 61) as f32 * 0.02);
    let truth: Vec<u32> = (0..20).map(|i| i % 2).collect();
    for name in ["lsc", "reskm", "uspec", "nystrom", "bipartite", "autosc", "usenc"] {
        assert_eq!(Job::new(config(name, 1, "")).unwrap().fit(rows.view()).unwrap().labels, [0; 20], "{name}");
        let labels = Job::new(config(name, 2, "")).unwrap().fit(rows.view()).unwrap().labels;
        assert!(name == "autosc" || accuracy(&labels, &truth).unwrap() == 1.0, "{name}: {labels:?}"); // unit rows are all alike
    }
}

#[test]
fn bad_settings_are_named() {
    let refused = |name, settings| Job::new(config(name, 5, settings)).unwrap_err().to_string();
    assert!(refused("lsc", "anchors = 4").contains("anchors is 4"));
    assert!(refused("uspec", "nearest = 0").contains("nearest is 0"));
    assert!(refused("nystrom", "bandwidth = -1").contains("bandwidth is -1"));
    assert!(refused("bipartite", "layers = 0").contains("layers is 0"));
    assert!(refused("autosc", "nearest = 0").contains("nearest is 0"));
    assert!(refused("usenc", "members = 0").contains("members is 0"));
}

#[test]
fn rows_beside_the_anchors_of_autosc_have_places_by_network_or_by_neighbours() {
    // four lines through zero
    let rows = Array2::from_shape_fn((400, 6), |(i, j)| {
        let along = 1.0 + ((i * 29) % 31) as f32 * 0.1;
        if j == i % 4 { along } else { ((i * (j + 3) * 37) % 61) as f32 * 2e-3 }
    });
    let truth: Vec<u32> = (0..400).map(|i| i % 4).collect();
    for placement in ["network", "anchors"] {
        let found = Job::new(config("autosc", 4, &format!("placement = '{placement}'"))).unwrap();
        let found = found.fit(rows.slice(s![..300, ..])).unwrap();
        let labels = found.model.unwrap().predict(rows.view()).unwrap();
        assert!(accuracy(&labels, &truth).unwrap() > 0.98, "{placement}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (rows, _) = shape("blobs", 700);
    for name in ["lsc", "reskm", "uspec", "usenc", "nystrom", "bipartite", "autosc"] {
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let job = Job::new(config(name, 3, "anchors = 60")).unwrap();
            pool.install(|| job.fit(rows.view()).unwrap().model.unwrap().to_bytes().unwrap())
        };
        assert!(bytes(1) == bytes(3), "{name}");
    }
}
