//! Encoders in ONNX files as feature steps: networks that the exporter wrote, run by tract, beside our own inference, through fits,
//! files and refusals. `cargo xtask onnx` runs it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ndarray::{Array2, Axis, s};
use neuncut::data::ImageShape;
use neuncut::features::{ArrayRows, Chain, ChainOptions, FittedChain, Step};
use neuncut::job::Job;
use neuncut::methods::{Config, KMeansOptions, Method, Model};
use neuncut::network::Weights;
use neuncut::train::{Observer, Silent};
use neuncut::{Error, Result, Seed};
use rand::RngExt;
use std::path::{Path, PathBuf};

/// How far apart the same numbers by two engines may be.
const TOLERANCE: f32 = 1e-5;

/// A file of `tests/encoders`; `make.py` there and the model beside it say where they are from.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/encoders").join(name)
}

/// Rows of six columns in three round clouds.
fn clouds(n: usize) -> Array2<f32> {
    let mut rng = Seed(3).stream("clouds");
    Array2::from_shape_fn((n, 6), |(i, j)| if i % 3 == j { 4.0 } else { 0.0 } + rng.random::<f32>())
}

fn fit(chain: &str, rows: &Array2<f32>, shape: Option<ImageShape>) -> Result<FittedChain> {
    chain.parse::<Chain>()?.fit(&mut ArrayRows::new(rows.view(), shape), &ChainOptions::default(), &mut Silent)
}

fn refused(chain: &str, rows: &Array2<f32>, shape: Option<ImageShape>) -> String {
    fit(chain, rows, shape).unwrap_err().to_string()
}

/// The step with the exported network of `tests/encoders`.
fn exported() -> String {
    format!("onnx={}:output=memberships", file("mlp.onnx").display())
}

fn kmeans(chain: &str) -> Config {
    let features = chain.parse().unwrap();
    Config { features, ..Config::of(Method::KMeans(KMeansOptions::default()), 3) }
}

fn apart(a: &Array2<f32>, b: &Array2<f32>) -> f32 {
    assert_eq!(a.dim(), b.dim());
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

#[test]
fn an_exported_network_gives_what_our_own_inference_gives() {
    let (model, rows) = (Model::load(&file("mlp.safetensors")).unwrap(), clouds(101));
    let chain = fit(&exported(), &rows, None).unwrap();
    let found = chain.transform(rows.view()).unwrap();
    let distance = apart(&found, &model.memberships(rows.view()).unwrap());
    assert!(distance < TOLERANCE, "memberships are {distance} apart");
}

#[test]
fn a_row_gets_the_same_bits_however_rows_are_grouped_and_on_any_number_of_threads() {
    let rows = clouds(150);
    let chain = fit(&format!("standardize,{},unit", exported()), &rows, None).unwrap();
    let whole = chain.transform(rows.view()).unwrap();
    for size in [1, 7, 16, 149] {
        for (b, part) in rows.axis_chunks_iter(Axis(0), size).enumerate() {
            let found = chain.transform(part).unwrap();
            assert_eq!(found, whole.slice(s![b * size..b * size + part.nrows(), ..]), "{size}");
        }
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| chain.transform(rows.view())).unwrap(), whole, "{threads} threads");
    }
}

#[test]
fn a_model_holds_its_encoder_and_takes_raw_rows() {
    let rows = clouds(300);
    let outcome = Job::new(kmeans(&format!("{},standardize", exported()))).unwrap().fit(rows.view()).unwrap();
    let model = outcome.model.unwrap();
    assert_eq!(model.predict(rows.view()).unwrap(), outcome.labels);
    assert!((3..300).all(|i| outcome.labels[i] == outcome.labels[i % 3]));
    let bytes = model.to_bytes().unwrap();
    let back = Model::from_bytes(&bytes, Path::new("no/where/model")).unwrap();
    assert_eq!(back, model);
    assert_eq!(back.to_bytes().unwrap(), bytes);
    assert_eq!(back.memberships(rows.view()).unwrap(), model.memberships(rows.view()).unwrap());
    assert!(!back.beyond(rows.view(), &outcome.labels).unwrap().contains(&true));
    assert!(back.cut(rows.view()).unwrap() < 1.0);
    let refused = back.to_onnx().unwrap_err().to_string();
    assert!(refused.contains("onnx"), "{refused}");
}

#[test]
fn a_model_that_names_its_encoder_wants_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let (net, saved) = (folder.path().join("net.onnx"), folder.path().join("model.safetensors"));
    std::fs::copy(file("mlp.onnx"), &net).unwrap();
    let (rows, chain) = (clouds(60), format!("onnx={}:output=memberships:embed=no", net.display()));
    let model = Job::new(kmeans(&chain)).unwrap().fit(rows.view()).unwrap().model.unwrap();
    model.save(&saved).unwrap();
    let held = Job::new(kmeans(&exported())).unwrap().fit(rows.view()).unwrap().model.unwrap();
    let (small, large) = (std::fs::read(&saved).unwrap().len(), held.to_bytes().unwrap().len());
    assert!(small + 500 < large, "{small} bytes without the file, {large} with it");
    assert_eq!(Model::load(&saved).unwrap(), model);
    std::fs::copy(file("two-inputs.onnx"), &net).unwrap();
    let refused = Model::load(&saved).unwrap_err().to_string();
    assert!(refused.contains("was fitted with another encoder than") && refused.ends_with("or fit again"), "{refused}");
    std::fs::remove_file(&net).unwrap();
    let refused = Model::load(&saved).unwrap_err().to_string();
    assert!(refused.contains("which is not there: put it there, or beside the model"), "{refused}");
    let moved = tempfile::tempdir().unwrap();
    std::fs::copy(&saved, moved.path().join("model.safetensors")).unwrap();
    std::fs::copy(file("mlp.onnx"), moved.path().join("net.onnx")).unwrap();
    assert_eq!(Model::load(&moved.path().join("model.safetensors")).unwrap(), model, "the two moved together");
}

#[test]
fn a_stored_model_and_stored_steps_give_what_they_gave() {
    let rows = clouds(24);
    let model = Model::load(&file("v5.safetensors")).unwrap();
    assert_eq!(
        model.predict(rows.view()).unwrap(),
        (0..24).map(|i| model.predict(rows.slice(s![i..i + 1, ..])).unwrap()[0]).collect::<Vec<_>>()
    );
    let labels = model.predict(rows.view()).unwrap();
    assert!((3..24).all(|i| labels[i] == labels[i % 3]));
    let steps = FittedChain::load(&file("v2-steps.safetensors")).unwrap();
    assert_eq!(steps.chain.steps.len(), 2);
    let again = FittedChain::from_bytes(&steps.to_bytes().unwrap(), Path::new("steps")).unwrap();
    assert_eq!(again.transform(rows.view()).unwrap(), steps.transform(rows.view()).unwrap());
}

#[test]
fn models_without_an_encoder_keep_their_version() {
    let rows = clouds(60);
    let version = |chain: &str| {
        let model = Job::new(kmeans(chain)).unwrap().fit(rows.view()).unwrap().model.unwrap();
        let text = String::from_utf8_lossy(&model.to_bytes().unwrap()).into_owned();
        let place = text.find("format_version").unwrap();
        text[place..].chars().find(char::is_ascii_digit).unwrap()
    };
    assert_eq!((version("standardize"), version(&exported())), ('4', '5'));
}

/// Images of two grey pixels, above each other, whose network gives the mean of each of three channels.
#[test]
fn images_are_resized_and_normalised_on_their_way_in() {
    let shape = ImageShape { height: 2, width: 1, channels: 1 };
    let rows = ndarray::array![[0.0_f32, 255.0], [51.0, 51.0], [255.0, 255.0]];
    let net = file("channel-means.onnx");
    let chain = fit(&format!("onnx={}:mean=0,0.5,0:std=1,1,0.5", net.display()), &rows, Some(shape)).unwrap();
    let found = chain.transform(rows.view()).unwrap();
    let expected = ndarray::array![[0.5, 0.0, 1.0], [0.2, -0.3, 0.4], [1.0, 0.5, 2.0]];
    let distance = apart(&found, &expected);
    assert!(distance < 3e-3, "{distance} apart: {found}"); // resized bytes are whole numbers
    let Step::Encoder(encoder) = &chain.pipeline.steps[0] else { panic!("one step") };
    assert_eq!((encoder.columns(), encoder.n_outputs(), encoder.batch()), (2, 3, 1));
    let back = FittedChain::from_bytes(&chain.to_bytes().unwrap(), Path::new("steps")).unwrap();
    assert_eq!(back.transform(rows.view()).unwrap(), found);
    let free = file("free-size.onnx");
    let chain = fit(&format!("onnx={}:size=4x6:scale=1", free.display()), &rows, Some(shape)).unwrap();
    let found = chain.transform(rows.view()).unwrap();
    assert!(apart(&found, &ndarray::array![[127.5], [51.0], [255.0]]) < 0.6, "{found}");
    assert_eq!("onnx=a:size=4x6".parse::<Chain>().unwrap().leading_resize(), Some((4, 6)));
}

#[test]
fn a_network_that_mixes_rows_gets_them_one_by_one() {
    let rows = clouds(20);
    let chain = fit(&format!("onnx={}", file("mixes-rows.onnx").display()), &rows, None).unwrap();
    let Step::Encoder(encoder) = &chain.pipeline.steps[0] else { panic!("one step") };
    assert_eq!(encoder.batch(), 1);
    assert!(chain.transform(rows.view()).unwrap().iter().all(|&value| value == 0.0), "a row minus the mean of itself");
}

#[test]
fn what_cannot_be_used_is_refused_in_one_sentence() {
    let rows = clouds(20);
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("rows.csv");
    std::fs::write(&other, "a,b\n1,2\n3,4\n").unwrap();
    let of = |name: &str| format!("onnx={}", file(name).display());
    let image = Some(ImageShape { height: 2, width: 3, channels: 1 });
    for (chain, shape, expected) in [
        (format!("onnx={}", other.display()), None, "rows.csv: is not an ONNX file, or is cut short"),
        ("onnx=nothing.onnx".into(), None, "cannot read nothing.onnx"),
        (of("two-inputs.onnx"), None, "takes 2 inputs (a, b), where an encoder of rows has one"),
        (of("mlp.onnx"), None, "gives memberships and labels: choose one by output=NAME"),
        (of("mlp.onnx:output=codes"), None, "has no output codes: it has memberships and labels"),
        (of("mlp.onnx:output=labels"), None, "choose an output of floats with a line for each row"),
        (of("free-size.onnx"), image, "sides are not fixed but for the number of rows: give size=WxH"),
        (of("whole-numbers.onnx"), None, "takes i64 where rows are f32"),
        (of("channel-means.onnx"), None, "has 6 columns, but 48 are expected"),
        (of("mlp.onnx:output=memberships:mean=1"), None, "mean is given, but must be left out for"),
        (of("channel-means.onnx:size=9"), image, "size is 9x9, but must be left out, or 4x4"),
        (format!("unit,pca=2,{}", exported()), None, "what reaches onnx="),
    ] {
        let message = refused(&chain, &rows, shape);
        assert!(message.contains(expected), "{chain}: {message}");
        assert_eq!(message.matches(". ").count(), 0, "one sentence: {message}");
    }
    let half = folder.path().join("half.onnx");
    let whole = std::fs::read(file("mlp.onnx")).unwrap();
    std::fs::write(&half, &whole[..whole.len() / 2]).unwrap();
    let message = refused(&format!("onnx={}", half.display()), &rows, None);
    assert!(message.contains("is not an ONNX file, or is cut short"), "{message}");
}

#[test]
fn numbers_that_are_not_finite_are_refused_where_they_come_up() {
    let mut rows = clouds(60).mapv(|value| value + 1.0);
    let chain = format!("onnx={}", file("logarithm.onnx").display());
    let model = Job::new(kmeans(&chain)).unwrap().fit(rows.view()).unwrap().model.unwrap();
    rows[[7, 0]] = 0.0;
    let expected = "logarithm.onnx: gives numbers that are not finite for a row whose values are";
    for message in [
        refused(&format!("{chain},standardize"), &rows, None),
        Job::new(kmeans(&chain)).unwrap().fit(rows.view()).unwrap_err().to_string(),
        model.predict(rows.view()).unwrap_err().to_string(),
        model.memberships(rows.view()).unwrap_err().to_string(),
    ] {
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn damaged_models_are_refused() {
    let rows = clouds(60);
    let model = Job::new(kmeans(&exported())).unwrap().fit(rows.view()).unwrap().model.unwrap();
    let mut bytes = model.to_bytes().unwrap();
    let net = std::fs::read(file("mlp.onnx")).unwrap();
    let place = bytes.windows(net.len()).position(|window| window == net).unwrap();
    bytes[place + net.len() / 2] ^= 1;
    let refused = Model::from_bytes(&bytes, Path::new("model")).unwrap_err().to_string();
    assert!(
        refused.contains("model: holds the encoder") && refused.contains("damaged: fit the model again"),
        "{refused}"
    );
}

/// Counts what it is told, and asks to stop after some of it.
struct Counting {
    told: Vec<u64>,
    patience: usize,
}

impl Observer for Counting {
    fn rows(&mut self, what: &'static str, done: u64, _: Option<u64>) {
        if what == "encoding" {
            self.told.push(done);
        }
    }

    fn interrupted(&self) -> bool {
        self.told.len() >= self.patience
    }
}

#[test]
fn it_tells_how_far_it_is_and_can_be_stopped() {
    let rows = clouds(2500);
    let chain = fit(&exported(), &rows, None).unwrap();
    let mut counting = Counting { told: Vec::new(), patience: 10 };
    let found = chain.transform_observed(rows.view(), &mut counting).unwrap();
    assert_eq!((found, counting.told), (chain.transform(rows.view()).unwrap(), vec![1024, 2048, 2500]));
    let mut hasty = Counting { told: Vec::new(), patience: 1 };
    assert!(matches!(chain.transform_observed(rows.view(), &mut hasty), Err(Error::Interrupted)));
}

/// Weights are what the exported model has, so that the comparison is of two engines.
#[test]
fn the_exported_network_has_hidden_layers() {
    let model = Model::load(&file("mlp.safetensors")).unwrap();
    let Weights { layers } = &model.head;
    assert!(layers.len() == 3 && model.columns == 6, "{} layers", layers.len());
}
