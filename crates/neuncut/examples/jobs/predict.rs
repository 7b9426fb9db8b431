//! Labels of rows in memory, and the rate of a matrix product to compare with.

use crate::fastest;
use crate::neighbors::read;
use crate::options::Options;
use crate::step::unit_rows;
use ndarray::{Array2, ArrayView2};
use neuncut::data::synthetic::Shape;
use neuncut::data::writers::create_matrix;
use neuncut::features::Pipeline;
use neuncut::methods::Model;
use neuncut::network::Weights;
use neuncut::{Error, Result, Seed};
use neuncut_linalg::{Cores, Packed, matmul_into};
use serde_json::{Value, json};
use std::path::Path;

/// Length of what is added to a row's centre, which has length one.
const NOISE: f32 = 2.0;

/// Labels of `--data` by `--model`, and the share of rows that rounded products were enough for.
pub fn labels(options: &Options) -> Result<Value> {
    let (model, rows) = (Model::load(Path::new(options.required("model")?))?, read(options)?);
    let inference = model.inference();
    inference.labels(rows.view())?;
    let certain = inference.certain_rows() as f64 / rows.nrows() as f64;
    let seconds = fastest(5, || drop(model.predict(rows.view())));
    let rate = rows.nrows() as f64 / seconds;
    Ok(json!({ "job": "labels", "seconds": seconds, "rows_per_s": rate, "certain": certain }))
}

/// Memberships by a network of random weights, and the product's rate in the same process.
pub fn memberships(options: &Options) -> Result<Value> {
    let (n, dim) = (options.get("rows", 70_000)?, options.get("dim", 500)?);
    let hidden = options.list("hidden", &[512, 512])?;
    let sizes = [&[dim][..], &hidden, &[options.get("clusters", 10)?]].concat();
    let weights = Weights::random(&sizes, &mut Seed(0).stream("bench weights"));
    let rows = unit_rows(n, dim);
    let seconds = fastest(5, || drop(weights.memberships(&Pipeline::default(), rows.view())));
    let flops = 2.0 * n as f64 * sizes.windows(2).map(|pair| (pair[0] * pair[1]) as f64).sum::<f64>();
    let (rate, gemm) = (flops / seconds / 1e9, best_product());
    Ok(json!({
        "job": "memberships", "rows_per_s": n as f64 / seconds, "gflops": rate, "gemm_gflops": gemm, "of_gemm": rate / gemm,
    }))
}

/// Writes unit rows in ten clusters. Of a model of them, rounded products are enough for fewer rows than of one of the scattering features
/// of MNIST or Fashion-MNIST.
pub fn embeddings(options: &Options) -> Result<Value> {
    let (n, dimension) = (options.get("rows", 70_000)?, options.get("dim", 500)?);
    let mut generator = Shape::Sphere { k: 10, dimension }.generator(Some(NOISE), Seed(0))?;
    let mut writer = create_matrix(options.required("out")?, dimension)?;
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for first in (0..n).step_by(10_000) {
        values.clear();
        classes.clear();
        generator.fill((n - first).min(10_000), &mut values, &mut classes);
        let rows = ArrayView2::from_shape((classes.len(), dimension), &values);
        writer.write(rows.map_err(|e| Error::Degenerate(e.to_string()))?)?;
    }
    writer.finish()?;
    Ok(json!({ "job": "embeddings", "rows": n, "dim": dimension }))
}

/// The faster of our product and the gemm crate's.
pub fn gemm() -> Value {
    json!({ "job": "gemm", "gflops": best_product() })
}

fn best_product() -> f64 {
    let (m, k) = (2048, 512);
    let (left, right) = (Array2::from_elem((m, k), 0.5_f32), Array2::from_elem((k, m), 0.25_f32));
    let mut out = Array2::zeros((m, m));
    let own = fastest(20, || Packed::new(right.view()).product(out.view_mut(), left.view(), |_, _, _| {}));
    let other = fastest(20, || matmul_into(out.view_mut(), left.view(), right.view(), Cores::All));
    2e-9 * (m * m * k) as f64 / own.min(other)
}
