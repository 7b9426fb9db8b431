//! What a model makes of some rows: sizes, confidence, typical and uncertain rows, places on a map, scores.

use super::candidates::{Candidates, Part, Shown};
use super::colours;
use super::columns::{self, Columns, Difference};
use super::map::{median, places_on_page};
use super::nesting::Nesting;
use super::phrases::count;
use super::seen::Seen;
use super::sprite::Sprite;
use super::titles;
use crate::interrupt;
use crate::naming;
use crate::progress::rows_bar;
use crate::watch::Truth;
use crate::{args::Talk, speech};
use ndarray::Axis;
use neuncut::data::{ImageShape, Sample, Table, sample_rows, sample_with};
use neuncut::methods::{Model, argmax_rows};
use neuncut::metrics::{Confusion, Scores, confusion, scores};
use neuncut::{Result, Seed};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// Rows shown of each cluster, typical and uncertain; fewer where there are many clusters.
const SHOWN: usize = 12;
const SHOWN_OF_MANY: usize = 4;
const MANY: usize = 60;
/// Values of a row that are drawn, evenly spaced among its columns.
const VALUES: usize = 64;

/// What to look at.
pub struct LookAt<'a> {
    pub model: &'a Model,
    pub truth: Option<(&'a Truth, &'a Path)>,
    /// The column of texts, where there is one.
    pub text: Option<&'a str>,
    /// Whether the table has the rows that the model was fitted on.
    pub is_fitted: bool,
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
    /// Share of rows that are less than half in their cluster.
    pub unsure: f64,
    /// Share of rows that are farther from their cluster than every row that was fitted; nothing where a model does not know.
    pub beyond: Option<f64>,
    /// The two clusters that are hardest to tell apart.
    pub hardest: Option<(usize, usize)>,
    pub nesting: Nesting,
    /// The images of rows, with their picture.
    pub sprite: Option<Sprite>,
    /// What the page's script needs.
    pub data: PageData,
}

/// What the page's script needs.
#[derive(Debug, Serialize)]
pub struct PageData {
    /// Number of clusters: the first so many nodes.
    pub clusters: usize,
    /// Clusters, and what they are together on coarser levels.
    pub nodes: Vec<NodeData>,
    /// Levels that a reader may choose.
    pub stops: Vec<usize>,
    /// The names of classes, where they are known.
    pub classes: Vec<String>,
    /// Which class each cluster is matched to.
    pub matched: Vec<Option<u32>>,
    /// What the columns of `differs` are called, and the numbers of those of `values`.
    pub columns: Vec<String>,
    pub drawn: Vec<usize>,
    /// Every row that is shown somewhere; images have the same order.
    pub rows: Vec<RowData>,
    /// Row and place of each point.
    pub map: Vec<(usize, f32, f32)>,
    /// Where the images of rows are in the picture: width, height, how many a line.
    pub sprite: Option<[usize; 3]>,
    pub labels: Labels,
}

impl PageData {
    /// What a row is called: by its own id, or its number.
    pub fn called(&self, row: &RowData) -> String {
        if row.id.is_empty() { format!("row {}", count(row.row)) } else { format!("id {}", row.id) }
    }
}

/// A cluster, or several as one.
#[derive(Debug, Clone, Serialize)]
pub struct NodeData {
    pub name: String,
    /// The words that set it apart, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The columns in which it differs, where columns are described.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Difference>,
    pub size: usize,
    pub share: f64,
    pub confidence: f64,
    pub colour: usize,
    /// The clusters in it, and the levels that it is on.
    pub members: Vec<usize>,
    pub from: usize,
    pub to: usize,
    /// Rows of `rows`.
    pub typical: Vec<usize>,
    pub uncertain: Vec<usize>,
}

/// The labels of all rows that were looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Labels {
    /// Numbers of the rows from 0, each as the distance from the one before; none where they are all rows.
    pub steps: Vec<u64>,
    pub cluster: Vec<u32>,
    /// Memberships in thousandths.
    pub confidence: Vec<u16>,
}

/// A row that is shown.
#[derive(Debug, Clone, Serialize)]
pub struct RowData {
    /// Its number in the table, counted from 0.
    pub row: u64,
    /// What the table's own column of ids calls it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    pub cluster: u32,
    pub confidence: f32,
    /// The cluster it might be in as well, and its membership there.
    pub second: u32,
    pub second_confidence: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<u32>,
    /// Its text, where rows have texts.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Some of its values, where it is neither an image nor a text.
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
        let missing = self.remembered_outside(&sample);
        let remembered = if missing.is_empty() { None } else { Some(rows_of(table, &missing)?) };
        let mut look = self.look_at(&sample, remembered.as_ref(), table.image_shape())?;
        if let Some(column) = self.text {
            naming::put_texts(&mut look.data.rows, table, column)?;
        }
        naming::put_ids(&mut look.data.rows, table)?;
        Ok(look)
    }

    /// What the model makes of rows.
    fn part<'a>(&self, sample: &'a Sample) -> Result<Part<'a>> {
        let classes = self.truth.map(|(truth, path)| truth.of_rows(&sample.indices, sample.total, path)).transpose()?;
        let features = self.model.to_features().transform(sample.rows.view())?;
        let memberships = self.model.inference().memberships(sample.rows.view())?;
        let seen = Seen { labels: argmax_rows(memberships.view()), memberships, features };
        Ok(Part { sample, seen, classes })
    }

    /// Looks at rows that are at hand; `shape` where they are images. Typical rows that are `remembered` and not among them are shown too.
    pub fn look_at(&self, sample: &Sample, remembered: Option<&Sample>, shape: Option<ImageShape>) -> Result<Look> {
        let k = self.model.n_clusters();
        let remembered = remembered.map(|sample| self.part(sample)).transpose()?;
        let candidates = Candidates { looked: self.part(sample)?, remembered };
        let Part { seen, classes: truth, .. } = &candidates.looked;
        let scored = truth.as_ref().map(|truth| scores(&seen.labels, truth)).transpose()?;
        let confused = truth.as_ref().map(|truth| confusion(&seen.labels, truth)).transpose()?;

        let nesting = Nesting::new(&self.model.record.merges, k);
        let members = seen.members(k);
        let mut shown = Shown::default();
        let mut nodes = self.nodes(&candidates, &nesting, &members, shape);
        let points: Vec<usize> = even(sample.rows.nrows(), self.map);
        speech::remark(self.talk, format_args!("map of {} rows", points.len()));
        let on_map = if sample.rows.ncols() <= 2 { &sample.rows } else { &seen.features }.select(Axis(0), &points);
        let placed = places_on_page(on_map.view())?;
        let sizes: Vec<usize> = members.iter().map(Vec::len).collect();
        let of_points: Vec<u32> = points.iter().map(|&row| seen.labels[row]).collect();
        let colours = colours::of_nodes(&nesting, &sizes, &median(&placed, &of_points, k));
        let map = points.iter().zip(placed).map(|(&row, [x, y])| (shown.index(row), x, y)).collect();
        for (node, colour) in nodes.iter_mut().zip(colours) {
            node.colour = colour;
            node.typical.iter_mut().chain(&mut node.uncertain).for_each(|row| *row = shown.index(*row));
        }
        let drawn = if shape.is_none() && self.text.is_none() { even(sample.rows.ncols(), VALUES) } else { Vec::new() };
        let rows = shown.rows.iter().map(|&row| candidates.data(row, &drawn)).collect();
        let sprite = shape.map(|shape| Sprite::new(candidates.rows(&shown.rows).view(), shape)).transpose()?;
        let beyond =
            self.model.reach.as_ref().map(|_| self.model.beyond(sample.rows.view(), &seen.labels)).transpose()?;
        let beyond = beyond.map(|all| all.iter().filter(|is| **is).count() as f64 / all.len().max(1) as f64);
        let confidence = (0..seen.labels.len()).map(|row| f64::from(seen.confidence(row))).sum::<f64>();
        Ok(Look {
            total: sample.total,
            looked: seen.labels.len(),
            mean_confidence: confidence / seen.labels.len().max(1) as f64,
            unsure: seen.unsure(),
            beyond,
            hardest: seen.hardest(&members),
            data: PageData {
                clusters: k,
                nodes,
                stops: nesting.stops(),
                classes: self.truth.map(|(truth, _)| truth.names.clone()).unwrap_or_default(),
                matched: matched(k, confused.as_ref()),
                columns: self.column_names(shape),
                drawn,
                rows,
                map,
                sprite: sprite.as_ref().map(|sprite| [sprite.width, sprite.height, sprite.across]),
                labels: labels(seen, sample),
            },
            scores: scored,
            confusion: confused,
            nesting,
            sprite,
        })
    }

    /// The rows that the model remembers as typical of each cluster; none where it was fitted on other rows.
    fn remembered(&self, sample: &Sample) -> &[Vec<u64>] {
        let record = &self.model.record;
        if self.is_fitted && record.rows == sample.total { &record.typical_rows } else { &[] }
    }

    /// Those of them that the sample does not have, ascending.
    fn remembered_outside(&self, sample: &Sample) -> Vec<u64> {
        let rows = self.remembered(sample).iter().flatten().copied();
        let missing: BTreeSet<u64> = rows.filter(|row| sample.indices.binary_search(row).is_err()).collect();
        missing.into_iter().collect()
    }

    /// What columns are called, where they are described.
    fn column_names(&self, shape: Option<ImageShape>) -> Vec<String> {
        let names = &self.model.column_names;
        let told = shape.is_none() && columns::are_telling(names, self.model.columns);
        if told { (0..self.model.columns).map(|column| columns::name(names, column)).collect() } else { Vec::new() }
    }

    /// Every cluster and what they are together; their rows are numbers of the candidates yet.
    fn nodes(
        &self,
        candidates: &Candidates,
        nesting: &Nesting,
        members: &[Vec<usize>],
        shape: Option<ImageShape>,
    ) -> Vec<NodeData> {
        let Part { sample, seen, .. } = &candidates.looked;
        let k = nesting.clusters;
        let most = if k > MANY { SHOWN_OF_MANY } else { SHOWN };
        let sizes: Vec<usize> = members.iter().map(Vec::len).collect();
        let described = !self.column_names(shape).is_empty();
        let means = described.then(|| Columns::new(sample.rows.view()));
        let remembered = self.remembered(sample);
        let typical = |(cluster, rows): (usize, &Vec<usize>)| {
            let known = remembered.get(cluster).into_iter().flatten().filter_map(|&place| candidates.find(place));
            let mut typical: Vec<usize> = known.filter(|&row| candidates.label(row) as usize == cluster).collect();
            let others = seen.typical(rows, most).into_iter().filter(|row| !typical.contains(row));
            let others: Vec<usize> = others.collect();
            typical.extend(others);
            typical.truncate(most);
            typical
        };
        let typical: Vec<Vec<usize>> = members.iter().enumerate().map(typical).collect();
        let uncertain: Vec<Vec<usize>> = members.iter().map(|rows| seen.uncertain(rows, most)).collect();
        let node = |node: &super::nesting::Node| {
            let rows: Vec<usize> = node.members.iter().flat_map(|&cluster| members[cluster].iter().copied()).collect();
            let mut between: Vec<usize> = node.members.iter().flat_map(|&c| uncertain[c].iter().copied()).collect();
            between.retain(|&row| node.members.len() == 1 || !node.members.contains(&(seen.second(row) as usize)));
            NodeData {
                name: titles::name(self.model, node, &sizes),
                words: titles::words(self.model, node, &sizes),
                differs: means.as_ref().map(|means| means.differing(&rows)).unwrap_or_default(),
                size: rows.len(),
                share: rows.len() as f64 / seen.labels.len().max(1) as f64,
                confidence: seen.mean_confidence(node, &rows),
                colour: 0,
                members: node.members.clone(),
                from: node.from,
                to: node.to,
                typical: by_turns(&node.members, &sizes, &typical, most),
                uncertain: seen.uncertain(&between, most),
            }
        };
        nesting.nodes.iter().map(node).collect()
    }
}

/// Typical rows of several clusters alternately, beginning with the largest.
fn by_turns(clusters: &[usize], sizes: &[usize], typical: &[Vec<usize>], most: usize) -> Vec<usize> {
    let mut clusters = clusters.to_vec();
    clusters.sort_by(|&a, &b| sizes[b].cmp(&sizes[a]).then(a.cmp(&b)));
    let turn = |turn: usize| clusters.iter().filter_map(move |&cluster| typical[cluster].get(turn).copied());
    (0..most).flat_map(turn).take(most).collect()
}

/// These rows of a table, which are ascending.
fn rows_of(table: &mut Table, rows: &[u64]) -> Result<Sample> {
    table.rewind();
    sample_with(table, rows, rows.len(), &mut Seed(0).stream("report"), &mut |_| interrupt::check())
}

fn labels(seen: &Seen, sample: &Sample) -> Labels {
    let all = sample.indices.len() as u64 == sample.total;
    let steps = sample.indices.iter().scan(0, |last, &index| Some(index - std::mem::replace(last, index)));
    Labels {
        steps: if all { Vec::new() } else { steps.collect() },
        cluster: seen.labels.clone(),
        confidence: (0..seen.labels.len()).map(|row| (1000.0 * seen.confidence(row)).round() as u16).collect(),
    }
}

/// At most so many numbers below `n`, evenly spaced.
fn even(n: usize, most: usize) -> Vec<usize> {
    let count = n.min(most);
    (0..count).map(|i| i * n / count).collect()
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

    #[test]
    fn rows_of_several_clusters_come_by_turns() {
        let typical = [vec![1, 2], vec![3], vec![4, 5]];
        assert_eq!(by_turns(&[0, 1, 2], &[10, 5, 20], &typical, 4), [4, 1, 3, 5]);
        assert_eq!(even(10, 3), [0, 3, 6]);
    }
}
