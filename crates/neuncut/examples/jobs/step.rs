//! Training steps inside a real fit from random weights, told apart by an observer.

use crate::options::Options;
use ndarray::Array2;
use neuncut::features::ArrayRows;
use neuncut::job::Job;
use neuncut::methods::{AffinityOptions, Auto, Config, Gamma, Method, Neighborhood};
use neuncut::objective::{Penalty, Volumes};
use neuncut::train::{Observer, Progress};
use neuncut::{Error, Result, Seed};
use rand::RngExt;
use serde_json::{Value, json};
use std::time::Instant;

/// Steps before the clock is read.
const WARM_UP: usize = 3;
const ROUNDS: usize = 5;

/// Milliseconds per step, the best of five rounds.
pub fn run(options: &Options) -> Result<Value> {
    let (batch, dim) = (options.get("batch", 1000)?, options.get("dim", 500)?);
    let (clusters, neighbors) = (options.get("clusters", 10)?, options.get("neighbors", 0_usize)?);
    let per_round = (options.get("steps", 100)? / ROUNDS).max(1);
    let rows = unit_rows(options.get("rows", 20_000)?.max(batch), dim);
    let mut config = Config { train_rows: Auto::Given(rows.nrows()), ..Config::paper(clusters) };
    let Method::NeuNcut(paper) = &mut config.method else { unreachable!("the paper's method") };
    paper.volumes = Volumes::Flow;
    (paper.network.batch, paper.network.hidden) = (Auto::Given(batch), options.list("hidden", &[512, 512])?.into());
    paper.network.epochs = Auto::Given((WARM_UP + ROUNDS * per_round).div_ceil(rows.nrows() / batch) + 1);
    if neighbors > 0 {
        paper.affinity.neighbors = Neighborhood::Count(neighbors);
    }
    if options.text("affinity") == Some("default") {
        paper.affinity = AffinityOptions::default();
        (paper.penalty, paper.gamma) = (Penalty::Normed, Gamma::Auto);
    }
    let mut clock = Clock { per_round, seen: 0, begin: Instant::now(), best: f64::INFINITY, loss: 0.0 };
    match Job::new(config)?.run(&mut ArrayRows::new(rows.view(), None), &mut clock) {
        Ok(_) | Err(Error::Interrupted) => {}
        Err(error) => return Err(error),
    }
    Ok(json!({ "job": "step", "step_ms": clock.best, "loss": clock.loss }))
}

/// Random unit rows.
pub fn unit_rows(n: usize, d: usize) -> Array2<f32> {
    let mut rng = Seed(0).stream("bench rows");
    // the sum of four uniform numbers is near enough to normal
    let mut rows = Array2::from_shape_fn((n, d), |_| (0..4).map(|_| rng.random::<f32>()).sum::<f32>() - 2.0);
    for mut row in rows.rows_mut() {
        let length = row.dot(&row).sqrt();
        row /= length;
    }
    rows
}

struct Clock {
    per_round: usize,
    seen: usize,
    begin: Instant,
    best: f64,
    loss: f64,
}

impl Observer for Clock {
    fn step(&mut self, progress: &Progress) {
        self.loss = progress.terms.first().map_or(0.0, |term| term.1);
        self.seen += 1;
        if self.seen == WARM_UP {
            self.begin = Instant::now();
        } else if self.seen > WARM_UP && (self.seen - WARM_UP).is_multiple_of(self.per_round) {
            self.best = self.best.min(self.begin.elapsed().as_secs_f64() * 1e3 / self.per_round as f64);
            self.begin = Instant::now();
        }
    }

    fn interrupted(&self) -> bool {
        self.seen >= WARM_UP + ROUNDS * self.per_round
    }
}
