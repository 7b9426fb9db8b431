use super::*;
use crate::features::ArrayRows;
use crate::linalg::matmul;
use crate::train::Silent;
use ndarray::s;
use rand::RngExt;

fn random(rows: usize, width: usize) -> Array2<f32> {
    let mut rng = Seed(8).stream("chain");
    Array2::from_shape_fn((rows, width), |(_, j)| (rng.random::<f32>() - 0.2) * (1 + j) as f32)
}

fn fit(chain: &str, rows: &Array2<f32>, shape: Option<ImageShape>) -> Result<FittedChain> {
    chain.parse::<Chain>()?.fit(&mut ArrayRows::new(rows.view(), shape), &ChainOptions::default(), &mut Silent)
}

fn features(chain: &str, rows: &Array2<f32>, shape: Option<ImageShape>) -> Array2<f32> {
    fit(chain, rows, shape).unwrap().pipeline.transform(rows.view())
}

/// A source that reads a few rows at a time.
struct Slowly<'a>(ArrayRows<'a>);

impl RowSource for Slowly<'_> {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn image_shape(&self) -> Option<ImageShape> {
        self.0.image_shape()
    }

    fn rewind(&mut self) {
        self.0.rewind();
    }

    fn read(&mut self, max_rows: usize, rows: &mut Vec<f32>) -> Result<usize> {
        self.0.read(max_rows.min(7), rows)
    }
}

#[test]
fn standardized_columns_have_mean_zero_and_deviation_one() {
    let found = features("standardize", &random(3000, 4), None).mapv(f64::from);
    for column in found.columns() {
        assert!(column.mean().unwrap().abs() < 1e-5 && (column.std(0.0) - 1.0).abs() < 1e-5);
    }
    let centred = features("center", &random(3000, 4), None).mapv(f64::from);
    assert!(centred.columns().into_iter().all(|column| column.mean().unwrap().abs() < 1e-5));
}

#[test]
fn whitened_rows_have_the_unit_covariance() {
    let found = features("whiten=3", &random(3000, 5), None);
    let covariance = matmul(found.t(), found.view()) / 3000.0;
    for ((i, j), &value) in covariance.indexed_iter() {
        assert!((value - if i == j { 1.0 } else { 0.0 }).abs() < 1e-4, "{i} {j} {value}");
    }
}

#[test]
fn all_components_keep_every_inner_product() {
    let rows = random(300, 5);
    let found = features("pca=5", &rows, None);
    let (before, after) = (matmul(rows.view(), rows.t()), matmul(found.view(), found.t()));
    assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-3));
    let energy = found.mapv(|x| x * x).sum_axis(Axis(0)).to_vec();
    assert!(energy.is_sorted_by(|a, b| a >= b), "{energy:?}");
}

#[test]
fn neither_the_sources_chunks_nor_the_callers_rows_change_a_bit() {
    let shape = Some(ImageShape { height: 8, width: 8, channels: 1 });
    let rows = random(700, 64);
    let chain: Chain = "scattering=2,4,standardize,pca=6:centered,unit".parse().unwrap();
    let once = fit(&chain.to_string(), &rows, shape).unwrap();
    let mut slowly = Slowly(ArrayRows::new(rows.view(), shape));
    assert_eq!(chain.fit(&mut slowly, &ChainOptions::default(), &mut Silent).unwrap(), once);
    let whole = once.pipeline.transform(rows.view());
    assert_eq!(whole.slice(s![300..331, ..]), once.pipeline.transform(rows.slice(s![300..331, ..])));
}

#[test]
fn images_that_do_not_fit_are_resized_by_a_step_of_their_own() {
    let shape = Some(ImageShape { height: 7, width: 9, channels: 1 });
    let bytes = random(20, 63).mapv(|x| (x.abs() * 3.0).floor().min(255.0));
    let steps = fit("scattering=1,2", &bytes, shape).unwrap().pipeline.steps;
    let [Step::Resize(resize), Step::Scattering(scattering)] = &steps[..] else { panic!("{steps:?}") };
    assert_eq!((resize.to.height, resize.to.width, resize.bytes), (8, 10, true));
    assert_eq!(scattering.shape(), resize.to);
    let steps = fit("resize=5x4", &random(20, 63), shape).unwrap().pipeline.steps;
    assert!(matches!(&steps[..], [Step::Resize(resize)] if !resize.bytes && resize.to.len() == 20));
    assert!(fit("resize=9x7", &bytes, shape).unwrap().pipeline.steps.is_empty());
}

#[test]
fn what_cannot_be_fitted_is_explained() {
    let rows = random(9, 4);
    let message = |chain: &str| fit(chain, &rows, None).unwrap_err().to_string();
    assert!(message("scattering").contains("4 columns that are not images"));
    assert!(message("pca=5").contains("from 1 to 4"));
    assert!(message("unit,whiten=4,pca=5").contains("pca is 5"));
    let none = Array2::zeros((0, 4));
    assert!(fit("center", &none, None).unwrap_err().to_string().contains("has 0 rows"));
}
