//! Which anchors.

use super::leverage::{draw_without_return, leverage_scores};
use crate::baselines::KMeans;
use crate::clustering::Clusterer;
use crate::{Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Rows per anchor on which k-means looks for anchors, as U-SPEC has it.
const ROWS_PER_ANCHOR: usize = 10;
/// Lloyd's iterations before the best run is followed, and as many again: anchors need not be the best means.
const ITERATIONS: usize = 5;

/// How anchors are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum AnchorChoice {
    /// As the method's authors do
    #[default]
    Auto,
    /// Centres of k-means
    #[cfg_attr(feature = "clap", value(name = "k-means"))]
    #[serde(rename = "k-means")]
    KMeans,
    /// Rows drawn at random
    Random,
    /// Rows far apart, drawn by k-means++
    #[cfg_attr(feature = "clap", value(name = "k-means++"))]
    #[serde(rename = "k-means++")]
    PlusPlus,
    /// Rows about which the affinity of the others says little, drawn by their leverage scores
    Leverage,
}

impl AnchorChoice {
    /// The choice, or the one that is usual.
    pub(super) fn unwrap_or(self, usual: Self) -> Self {
        if self == Self::Auto { usual } else { self }
    }
}

/// Anchors `(m, d)`, no two of them equal.
pub(in crate::methods) struct Anchors {
    pub rows: Array2<f32>,
    /// The rows that they are, where they were drawn.
    pub drawn: Option<Vec<usize>>,
}

impl Anchors {
    /// Up to `count` anchors of the rows `(n, d)`; fewer where fewer rows differ.
    pub fn of(rows: ArrayView2<f32>, count: usize, choice: AnchorChoice, seed: Seed, stream: &str) -> Result<Self> {
        let n = rows.nrows();
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut seed.stream(stream));
        if choice == AnchorChoice::Random || count >= n {
            return Ok(Self::drawn(rows, order[..count.min(n)].to_vec()));
        }
        let mut sample = order[..(ROWS_PER_ANCHOR * count).min(n)].to_vec();
        sample.sort_unstable();
        let sampled = rows.select(Axis(0), &sample);
        let places = |places: Vec<usize>| places.into_iter().map(|place| sample[place]).collect();
        match choice {
            AnchorChoice::PlusPlus => {
                let kmeans = KMeans { seed: seed.0, ..KMeans::new(count) };
                Ok(Self::drawn(rows, places(kmeans.plus_plus(sampled.view())?)))
            }
            AnchorChoice::Leverage => {
                let scores = leverage_scores(sampled.view(), count)?;
                Ok(Self::drawn(rows, places(draw_without_return(&scores, count, &mut seed.stream("leverage")))))
            }
            AnchorChoice::Auto | AnchorChoice::KMeans | AnchorChoice::Random => {
                let kmeans = KMeans { restarts: 1, max_iterations: ITERATIONS, seed: seed.0, ..KMeans::new(count) };
                let centers = kmeans.fit(sampled.view())?.centers;
                let distinct = distinct(centers.view());
                Ok(Self { rows: centers.select(Axis(0), &distinct), drawn: None })
            }
        }
    }

    /// These rows, of equal ones the first.
    fn drawn(rows: ArrayView2<f32>, mut drawn: Vec<usize>) -> Self {
        drawn.sort_unstable();
        let distinct = distinct(rows.select(Axis(0), &drawn).view());
        let drawn: Vec<usize> = distinct.iter().map(|&place| drawn[place]).collect();
        Self { rows: rows.select(Axis(0), &drawn), drawn: Some(drawn) }
    }
}

/// The first of every set of equal rows.
fn distinct(rows: ArrayView2<f32>) -> Vec<usize> {
    let mut seen = HashSet::new();
    // zero and minus zero are equal
    let bits = |i: usize| rows.row(i).iter().map(|&x| (x + 0.0).to_bits()).collect::<Vec<u32>>();
    (0..rows.nrows()).filter(|&i| seen.insert(bits(i))).collect()
}
