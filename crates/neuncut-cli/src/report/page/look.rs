//! What a model makes of some rows: sizes, confidence, typical and uncertain rows, places on a map, scores.

use super::map::places;
use super::sprite::Sprite;
use crate::interrupt;
use crate::naming;
use crate::progress::rows_bar;
use crate::watch::Truth;
use crate::{args::Talk, speech};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use neuncut::data::{ImageShape, Sample, Table, sample_rows};
use neuncut::methods::{Model, argmax_rows};
use neuncut::metrics::{Confusion, Scores, confusion, scores};
use neuncut::{Result, Seed};
use serde::Serialize;
use std::path::Path;

/// Rows shown of each cluster, typical and uncertain; fewer where there are many clusters.
const SHOWN: usize = 12;
const SHOWN_OF_MANY: usize = 4;
const MANY: usize = 60;
/// Values of a row that are drawn, evenly spaced among its columns.
const VALUES: usize = 64;
/// The map's size in units of its picture.
pub const MAP_WIDE: f32 = 640.0;
pub const MAP_HIGH: f32 = 560.0;

/// What to look at.
pub struct LookAt<'a> {
    pub model: &'a Model,
    pub truth: Option<(&'a Truth, &'a Path)>,
    /// The column of texts, where there is one.
    pub text: Option<&'a str>,
    /// Most rows to look at, and on the map.
    pub sample: usize,
    pub map: usize,
    pub talk: Talk,
}

/// What was seen.
pub struct Look {
    /// Rows of the table, and those that were looked at.
    pub total: u64,
    pub looked: usize,
    pub scores: Option<Scores>,
    pub confusion: Option<Confusion>,
    pub mean_confidence: f64,
    /// What the page's script needs.
    pub data: PageData,
}

/// What the page's script needs.
#[derive(Debug, Serialize)]
pub struct PageData {
    /// The names of clusters, and of classes where they are known.
    pub clusters: Vec<ClusterData>,
    pub classes: Vec<String>,
    /// Which class each cluster is matched to.
    pub matched: Vec<Option<u32>>,
    /// Every row that is shown somewhere; images have the same order.
    pub rows: Vec<RowData>,
    /// Row and place of each point.
    pub map: Vec<(usize, f32, f32)>,
    pub sprite: Option<Sprite>,
}

/// A cluster.
#[derive(Debug, Clone, Serialize)]
pub struct ClusterData {
    pub name: String,
    /// The words that set it apart, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    pub size: usize,
    pub share: f64,
    pub confidence: f64,
    /// Rows of `rows`.
    pub typical: Vec<usize>,
    pub uncertain: Vec<usize>,
}

/// A row that is shown.
#[derive(Debug, Clone, Serialize)]
pub struct RowData {
    /// Its number in the table, counted from 1.
    pub row: u64,
    pub cluster: u32,
    pub confidence: f32,
    /// The cluster it might be in as well, and its membership there.
    pub second: u32,
    pub second_confidence: f32,
    pub class: Option<u32>,
    /// Its text, where rows have texts.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Some of its values, where it is no image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f32>,
}

impl LookAt<'_> {
    /// Looks at a uniform sample of the table's rows.
    pub fn look(&self, table: &mut Table) -> Result<Look> {
        let bar = rows_bar("looking", table.row_count(), self.talk);
        table.rewind();
        let sample = sample_rows(table, self.sample.max(1), &mut Seed(0).stream("report"), &mut |done| {
            bar.set_position(done);
            interrupt::check()
        })?;
        bar.finish_and_clear();
        let mut look = self.look_at(&sample, table.image_shape())?;
        if let Some(column) = self.text {
            naming::put_texts(&mut look.data.rows, table, column)?;
        }
        Ok(look)
    }

    /// Looks at rows that are at hand; `shape` where they are images.
    pub fn look_at(&self, sample: &Sample, shape: Option<ImageShape>) -> Result<Look> {
        let truth = self.truth.map(|(truth, path)| truth.of_rows(&sample.indices, sample.total, path)).transpose()?;
        let features = self.model.to_features().transform(sample.rows.view());
        let memberships = self.model.head.memberships(&self.model.encoding, features.view());
        let seen = Seen { labels: argmax_rows(memberships.view()), memberships, features };
        let scored = truth.as_ref().map(|truth| scores(&seen.labels, truth)).transpose()?;
        let confused = truth.as_ref().map(|truth| confusion(&seen.labels, truth)).transpose()?;

        let mut shown = Shown::default();
        let mut clusters = self.clusters(&seen, &mut shown);
        let points: Vec<usize> = even(sample.rows.nrows(), self.map);
        speech::remark(self.talk, format_args!("map of {} rows", points.len()));
        let on_map = match sample.rows.ncols() {
            1 | 2 => sample.rows.select(Axis(0), &points),
            _ => seen.features.select(Axis(0), &points),
        };
        let placed = fitted_places(&places(on_map.view())?);
        let map = points.iter().zip(placed).map(|(&row, [x, y])| (shown.index(row), x, y)).collect();
        for cluster in &mut clusters {
            cluster.typical.iter_mut().chain(&mut cluster.uncertain).for_each(|row| *row = shown.index(*row));
        }
        let rows = shown.rows.iter().map(|&row| {
            let class = truth.as_ref().map(|truth| truth[row]);
            seen.row(row, sample.indices[row], class, sample.rows.row(row), shape)
        });
        let rows: Vec<RowData> = rows.collect();
        let images = sample.rows.select(Axis(0), &shown.rows);
        let sprite = shape.map(|shape| Sprite::new(images.view(), shape)).transpose()?;
        let matched = matched(self.model.n_clusters(), confused.as_ref());
        let classes = self.truth.map(|(truth, _)| truth.names.clone()).unwrap_or_default();
        let confidence = (0..seen.labels.len()).map(|row| f64::from(seen.confidence(row))).sum::<f64>();
        Ok(Look {
            total: sample.total,
            looked: seen.labels.len(),
            scores: scored,
            confusion: confused,
            mean_confidence: confidence / seen.labels.len().max(1) as f64,
            data: PageData { clusters, classes, matched, rows, map, sprite },
        })
    }

    /// Every cluster; typical and uncertain rows are numbers of the sample, and go into `shown`.
    fn clusters(&self, seen: &Seen, shown: &mut Shown) -> Vec<ClusterData> {
        let k = self.model.n_clusters();
        let most = if k > MANY { SHOWN_OF_MANY } else { SHOWN };
        let record = &self.model.record;
        let title = |cluster: usize| record.cluster_titles.get(cluster).filter(|title| **title != cluster.to_string());
        let name = |cluster: usize| match (record.cluster_names.get(cluster), title(cluster)) {
            (Some(name), _) => name.clone(),
            (None, Some(title)) => format!("{cluster} {title}"),
            (None, None) => cluster.to_string(),
        };
        let mut members = vec![Vec::new(); k];
        seen.labels.iter().enumerate().for_each(|(row, &label)| members[label as usize].push(row));
        let data = |(cluster, rows): (usize, Vec<usize>)| {
            let confidence = rows.iter().map(|&row| f64::from(seen.confidence(row))).sum::<f64>();
            let (typical, uncertain) = (seen.typical(&rows, most), seen.uncertain(&rows, most));
            for &row in typical.iter().chain(&uncertain) {
                shown.index(row);
            }
            ClusterData {
                name: name(cluster),
                words: record.cluster_words.get(cluster).cloned().unwrap_or_default(),
                size: rows.len(),
                share: rows.len() as f64 / seen.labels.len().max(1) as f64,
                confidence: confidence / rows.len().max(1) as f64,
                typical,
                uncertain,
            }
        };
        members.into_iter().enumerate().map(data).collect()
    }
}

/// The sampled rows as the model sees them.
struct Seen {
    labels: Vec<u32>,
    memberships: Array2<f32>,
    features: Array2<f32>,
}

impl Seen {
    fn confidence(&self, row: usize) -> f32 {
        self.memberships[[row, self.labels[row] as usize]]
    }

    /// The cluster of second largest membership.
    fn second(&self, row: usize) -> u32 {
        let own = self.labels[row] as usize;
        let others = self.memberships.row(row).into_iter().enumerate().filter(|(cluster, _)| *cluster != own);
        others.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0))).map_or(own, |(cluster, _)| cluster) as u32
    }

    /// Of the more confident half of a cluster, the rows nearest to its mean: confidence alone has many equals.
    fn typical(&self, rows: &[usize], most: usize) -> Vec<usize> {
        let mut rows = rows.to_vec();
        rows.sort_by(|&a, &b| self.confidence(b).total_cmp(&self.confidence(a)).then(a.cmp(&b)));
        rows.truncate(rows.len().div_ceil(2));
        let Some(mean) = self.features.select(Axis(0), &rows).mean_axis(Axis(0)) else { return Vec::new() };
        let distance = |row: usize| squared(self.features.row(row), &mean);
        let mut by_distance: Vec<(f32, usize)> = rows.into_iter().map(|row| (distance(row), row)).collect();
        by_distance.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        by_distance.into_iter().take(most).map(|(_, row)| row).collect()
    }

    /// The rows whose two largest memberships are nearest to each other.
    fn uncertain(&self, rows: &[usize], most: usize) -> Vec<usize> {
        let margin = |row: usize| self.confidence(row) - self.memberships[[row, self.second(row) as usize]];
        let mut by_margin: Vec<(f32, usize)> = rows.iter().map(|&row| (margin(row), row)).collect();
        by_margin.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        by_margin.into_iter().take(most).map(|(_, row)| row).collect()
    }

    fn row(
        &self,
        row: usize,
        place: u64,
        class: Option<u32>,
        values: ArrayView1<f32>,
        shape: Option<ImageShape>,
    ) -> RowData {
        let second = self.second(row);
        let drawn = if shape.is_none() { even(values.len(), VALUES) } else { Vec::new() };
        RowData {
            row: place + 1,
            cluster: self.labels[row],
            confidence: rounded(self.confidence(row)),
            second,
            second_confidence: rounded(self.memberships[[row, second as usize]]),
            class,
            text: String::new(),
            values: drawn.into_iter().map(|column| significant(values[column])).collect(),
        }
    }
}

/// Rows of the sample that are shown, each once.
#[derive(Default)]
struct Shown {
    rows: Vec<usize>,
    places: std::collections::HashMap<usize, usize>,
}

impl Shown {
    fn index(&mut self, row: usize) -> usize {
        *self.places.entry(row).or_insert_with(|| {
            self.rows.push(row);
            self.rows.len() - 1
        })
    }
}

/// At most so many numbers below `n`, evenly spaced.
fn even(n: usize, most: usize) -> Vec<usize> {
    let count = n.min(most);
    (0..count).map(|i| i * n / count).collect()
}

fn squared(row: ArrayView1<f32>, mean: &Array1<f32>) -> f32 {
    row.iter().zip(mean).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Four digits behind the point: the page needs no more.
fn rounded(value: f32) -> f32 {
    (1e4 * value).round() / 1e4
}

/// Four digits.
fn significant(value: f32) -> f32 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// Places in the units of the map's picture, with one scale for both axes.
fn fitted_places(places: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let range = |axis: usize| {
        let values = places.iter().map(|place| place[axis]);
        values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let ((left, right), (low, high)) = (range(0), range(1));
    let margin = 12.0;
    let unit = ((MAP_WIDE - 2.0 * margin) / (right - left).max(1e-9))
        .min((MAP_HIGH - 2.0 * margin) / (high - low).max(1e-9))
        .min(1e9);
    let tenth = |value: f32| (10.0 * value).round() / 10.0;
    let place = |place: &[f32; 2]| {
        let x = MAP_WIDE / 2.0 + unit * (place[0] - (left + right) / 2.0);
        let y = MAP_HIGH / 2.0 - unit * (place[1] - (low + high) / 2.0);
        [tenth(x), tenth(y)]
    };
    places.iter().map(place).collect()
}

/// The class that each cluster is matched to.
fn matched(k: usize, confusion: Option<&Confusion>) -> Vec<Option<u32>> {
    let mut matched = vec![None; k];
    for (class, cluster) in confusion.iter().flat_map(|table| table.classes.iter().zip(&table.clusters)) {
        if let Some(place) = cluster.and_then(|cluster| matched.get_mut(cluster as usize)) {
            *place = Some(*class);
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn typical_rows_are_central_and_uncertain_ones_are_between() {
        let memberships = array![[0.9, 0.1], [0.95, 0.05], [0.51, 0.49], [0.1, 0.9], [0.99, 0.01]];
        let features = array![[0.0_f32], [1.0], [2.0], [9.0], [0.9]];
        let seen = Seen { labels: argmax_rows(memberships.view()), memberships, features };
        let rows = [0, 1, 2, 4];
        assert_eq!(seen.typical(&rows, 1), [1]); // the mean of rows 4 and 1 is 0.95: equals go by number
        assert_eq!(seen.uncertain(&rows, 2), [2, 0]);
        assert_eq!((seen.second(3), seen.confidence(3)), (0, 0.9));
    }

    #[test]
    fn places_fill_the_map_with_one_scale() {
        let placed = fitted_places(&[[0.0, 0.0], [2.0, 1.0]]);
        assert_eq!((placed[0][0], placed[1][0]), (12.0, 628.0));
        assert_eq!(placed[0][1] - placed[1][1], 308.0);
        assert!(fitted_places(&[[1.0, 1.0]])[0].iter().all(|v| v.is_finite()));
        assert_eq!(even(10, 3), [0, 3, 6]);
        assert_eq!(significant(1234.567), 1235.0);
    }
}
