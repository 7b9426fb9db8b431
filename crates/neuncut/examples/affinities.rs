//! Purity of each affinity: `cargo run --release --example affinities -- FEATURES.npy LABELS.npy [ROWS] [SEED] [AFFINITY...]`.
//!
//! Fits the affinities on a sample of the rows, the one that `neuncut fit` draws, and prints the share of weight that joins rows
//! of one class: in the graph of ten neighbours over the sample, and of three inside its first thousand rows. `model:FILE` takes
//! the affinity that `neuncut fit --keep-affinity` left there. Classes are read after the fits.

use ndarray::{ArrayView2, s};
use neuncut::affinity::{
    Affinity, Bandwidth, HeatKernel, SelfExpressive, Senet, SenetOptions, SenetSize, Siamese, SiameseOptions,
};
use neuncut::data::{Table, TableSpec, read_labels, sample_rows};
use neuncut::methods::Model;
use neuncut::metrics::{encode, purity};
use neuncut::network::Device;
use neuncut::train::Silent;
use neuncut::{Error, Result, Seed};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rows per batch.
const BATCH: usize = 1000;

fn main() -> Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [features, labels, rest @ ..] = &given[..] else {
        return Err(Error::Degenerate("give a file of features and a file of labels".into()));
    };
    let number = |place: usize, usual: u64| rest.get(place).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (rows, seed) = (number(0, 20_000) as usize, Seed(number(1, 0)));
    let all = ["heat", "self-expressive", "siamese", "senet"].map(String::from);
    let kinds = if rest.len() > 2 { &rest[2..] } else { &all[..] };
    let mut table = Table::open(&TableSpec { paths: vec![features.clone()], ..Default::default() })?;
    let sample = sample_rows::<Error>(&mut table, rows, &mut seed.stream("sample"), &mut |_| Ok(()))?;
    for kind in kinds {
        let begin = Instant::now();
        let affinity = fit(kind, sample.rows.view(), seed)?;
        let fitted = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let graph = affinity.graph(sample.rows.view(), 10)?;
        let made = begin.elapsed().as_secs_f64();
        let batch = affinity.graph(sample.rows.slice(s![..BATCH.min(sample.rows.nrows()), ..]), 3)?;
        let all = encode(&read_labels(labels, None)?);
        let classes: Vec<u32> = sample.indices.iter().map(|&row| all[row as usize]).collect();
        eprintln!(
            "{kind}: purity {:.4} of {} rows, {:.4} in a batch; fitted in {fitted:.1} s, graph in {made:.1} s",
            purity(&graph, &classes)?,
            classes.len(),
            purity(&batch, &classes[..batch.len()])?
        );
    }
    Ok(())
}

fn fit(kind: &str, rows: ArrayView2<f32>, seed: Seed) -> Result<Box<dyn Affinity>> {
    Ok(match kind {
        "heat" => Box::new(HeatKernel { bandwidth: Bandwidth::Auto, neighbors: Some(10) }),
        "self-expressive" => Box::new(SelfExpressive::fit(rows, 0.01, Some(10))?),
        "siamese" => Box::new(Siamese::fit(rows, &SiameseOptions::default(), seed, Device::Cpu, &mut Silent)?.0),
        "senet" => {
            let options = SenetOptions::of(SenetSize::Small);
            Box::new(Senet::fit(rows, &options, seed, Device::Cpu, &mut Silent)?.0)
        }
        other => {
            let kept = other.strip_prefix("model:").map(|path| Model::load(path.as_ref())).transpose()?;
            let kept = kept.and_then(|model| model.affinity);
            Box::new(kept.ok_or_else(|| Error::Degenerate(format!("`{other}` is no affinity, nor has it one")))?)
        }
    })
}
