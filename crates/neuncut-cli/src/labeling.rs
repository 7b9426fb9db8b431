//! Labels every row of a table in a stream: reading goes on while rows are labelled, and memory does not grow with rows.

use crate::interrupt;
use ndarray::{Array2, ArrayView2};
use neuncut::data::writers::{NO_LABEL, RowWriter};
use neuncut::data::{Complete, Table};
use neuncut::methods::{Inference, Level, Model, argmax_rows};
use neuncut::network::TILE_ROWS;
use neuncut::{Error, Result, TableError};
use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Values read at a time unless the caller says otherwise: 4 megabytes, which the cache that cores share still holds when it is
/// their turn.
const CHUNK_VALUES: usize = 1 << 20;
/// Values of the first chunk, and its rows at least: few, so that the first results come at once. Those behind it double until they are
/// large.
const FIRST_VALUES: usize = 1 << 17;
const FIRST_ROWS: usize = 8;
/// Rows of a chunk of what comes through a pipe, at most: who writes them may wait for their labels.
const STREAMED_ROWS: usize = 1024;
/// How long what is done waits for the next rows before it is handed on.
const PATIENCE: Duration = Duration::from_millis(20);
/// Chunks read ahead.
const AHEAD: usize = 2;
/// Chunks that are worked on at a time.
const AT_ONCE: usize = 2;

/// What came of labelling a table.
#[derive(Debug, Clone, Copy, Default)]
pub struct Labelled {
    /// All rows, also those without a label.
    pub rows: u64,
    /// Rows without a label, because values are missing.
    pub skipped: u64,
    /// Rows without a label, because none is certain enough.
    pub abstained: u64,
    /// Of these, rows that are like none that was fitted.
    pub outliers: u64,
}

/// How rows are labelled.
#[derive(Debug, Clone, Default)]
pub struct Labelling {
    /// Memberships are written too.
    pub proba: bool,
    /// The membership in a row's own cluster is written too.
    pub confidence: bool,
    /// Rows at a time.
    pub batch: Option<usize>,
    /// Clusters in groups, which take their place.
    pub level: Option<Level>,
    /// Rows whose membership is below this have no label, nor have those that are farther from their cluster than any that was fitted.
    pub abstain: Option<f32>,
}

/// Labels of some rows, with memberships or confidences where they are written, and how many rows are like none that was fitted.
struct Found {
    labels: Vec<i32>,
    memberships: Option<Array2<f32>>,
    outliers: u64,
}

impl Labelling {
    /// Labels, and memberships where they are written, of rows that are not empty.
    fn label(&self, model: &Model, inference: &Inference, rows: ArrayView2<f32>) -> Result<Found> {
        if !self.proba && !self.confidence && self.abstain.is_none() {
            let labels = inference.labels(rows)?.into_iter();
            let labels = labels.map(|label| self.group(label) as i32).collect();
            return Ok(Found { labels, memberships: None, outliers: 0 });
        }
        let memberships = inference.memberships(rows)?;
        let clusters = argmax_rows(memberships.view());
        let beyond = match (self.abstain, &model.reach) {
            (Some(_), Some(_)) => model.beyond(rows, &clusters)?,
            _ => vec![false; clusters.len()],
        };
        // a row's group is that of its cluster, with and without memberships
        let groups: Vec<u32> = clusters.into_iter().map(|label| self.group(label)).collect();
        let memberships = match &self.level {
            Some(level) => level.memberships(memberships.view()),
            None => memberships,
        };
        let least = self.abstain.unwrap_or(0.0);
        let confidence = |row: usize| memberships[[row, groups[row] as usize]];
        let is_certain = |row: usize| confidence(row) >= least && !beyond[row];
        let label = |row: usize| if is_certain(row) { groups[row] as i32 } else { NO_LABEL };
        let labels = (0..groups.len()).map(label).collect();
        let memberships = match self.confidence {
            true => Some(Array2::from_shape_fn((groups.len(), 1), |(row, _)| confidence(row))),
            false => self.proba.then_some(memberships),
        };
        Ok(Found { labels, memberships, outliers: beyond.iter().filter(|beyond| **beyond).count() as u64 })
    }

    /// Numbers that are written for each row beside its label.
    fn width(&self, model: &Model) -> Option<usize> {
        if self.confidence { Some(1) } else { self.proba.then(|| self.n_clusters(model)) }
    }

    fn group(&self, label: u32) -> u32 {
        self.level.as_ref().map_or(label, |level| level.of(label))
    }

    /// Clusters, or groups of them.
    pub fn n_clusters(&self, model: &Model) -> usize {
        self.level.as_ref().map_or(model.n_clusters(), |level| level.count)
    }
}

/// Labels all rows into `writer`; `progress` is told after each chunk how many rows are done. The output is left to be put in its place.
pub fn label_table(
    model: &Model,
    table: Table,
    mut writer: Box<dyn RowWriter>,
    labelling: &Labelling,
    progress: impl Fn(u64),
) -> Result<(Labelled, Complete)> {
    check_width(model, &table)?;
    let chunk = labelling.batch.unwrap_or_else(|| chunk_rows(model.columns)).max(1);
    let mut done = Labelled::default();
    let inference = model.inference();
    inference.expect(table.row_count().unwrap_or(0) as usize);
    let label = |rows: ArrayView2<f32>| {
        if rows.is_empty() {
            let memberships = labelling.width(model).map(|width| Array2::zeros((0, width)));
            return Ok(Found { labels: Vec::new(), memberships, outliers: 0 }); // only skipped rows were left
        }
        labelling.label(model, &inference, rows)
    };
    // clusters of whole numbers that were given are written as these, groups of them by their own
    let given = model.record.given_numbers().filter(|_| labelling.level.is_none());
    read_ahead(table, chunk, label, |Found { mut labels, memberships, outliers }, skipped| {
        interrupt::check()?;
        if let Some(given) = &given {
            let own = |label: i32| usize::try_from(label).map_or(label, |cluster| given[cluster]);
            labels.iter_mut().for_each(|label| *label = own(*label));
        }
        done.outliers += outliers;
        done.abstained += labels.iter().filter(|&&label| label == NO_LABEL).count() as u64;
        let (labels, memberships) = with_gaps(labels, memberships, &skipped);
        writer.write(&labels, memberships.as_ref().map(|found| found.view()))?;
        done.rows += labels.len() as u64;
        done.skipped += skipped.len() as u64;
        progress(done.rows);
        Ok(())
    })?;
    Ok((done, writer.complete()?))
}

/// Results with a place for each row that was skipped.
fn with_gaps(labels: Vec<i32>, memberships: Option<Array2<f32>>, skipped: &[u64]) -> (Vec<i32>, Option<Array2<f32>>) {
    if skipped.is_empty() {
        return (labels, memberships);
    }
    let mut gaps = skipped.iter().copied().peekable();
    let total = labels.len() + skipped.len();
    let there: Vec<usize> = (0..total).filter(|&row| gaps.next_if_eq(&(row as u64)).is_none()).collect();
    let mut all = vec![NO_LABEL; total];
    for (&row, label) in there.iter().zip(labels) {
        all[row] = label;
    }
    let memberships = memberships.map(|found| {
        let mut all = Array2::zeros((total, found.ncols()));
        for (&row, found) in there.iter().zip(found.rows()) {
            all.row_mut(row).assign(&found);
        }
        all
    });
    (all, memberships)
}

/// Refuses a table that has other columns than the model was fitted on. One of lists without any has none.
pub fn check_width(model: &Model, table: &Table) -> Result<()> {
    if [model.columns, 0].contains(&table.width()) {
        return Ok(());
    }
    Err(Error::Table(TableError::Width {
        what: table.name(),
        given: table.width(),
        expected: model.columns,
        remedy: "give the columns the model was fitted on (--columns, --label-column)".into(),
    }))
}

/// About 4 megabytes of rows, in whole tiles.
pub fn chunk_rows(columns: usize) -> usize {
    (CHUNK_VALUES / columns.max(1)).clamp(4 * TILE_ROWS, 1 << 18).next_multiple_of(TILE_ROWS)
}

/// Rows of the first chunk: a tile, and fewer where rows are wide.
fn first_rows(columns: usize) -> usize {
    (FIRST_VALUES / columns.max(1)).clamp(FIRST_ROWS, TILE_ROWS)
}

/// Reads the table on a thread of its own, puts chunks through `work` on all cores, and hands what comes of them to `take` in
/// order, with the rows that were skipped, counted from 0 among all rows of the chunk. Two chunks are worked on at a time, so that no core waits for the last rows of one. Waits for the threads of the pool, and
/// so must not be called on one of them.
pub fn read_ahead<T: Send>(
    mut table: Table,
    chunk: usize,
    work: impl Fn(ArrayView2<f32>) -> Result<T> + Sync,
    mut take: impl FnMut(T, Vec<u64>) -> Result<()>,
) -> Result<()> {
    let (width, work) = (table.width(), &work);
    let chunk = if table.begin_stream() { chunk.min(STREAMED_ROWS) } else { chunk };
    let (full, chunks) = mpsc::sync_channel::<Result<(Vec<f32>, Vec<u64>)>>(AHEAD);
    let (empty, spare) = mpsc::channel::<Vec<f32>>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut count = chunk.min(first_rows(width));
            loop {
                let mut rows = spare.try_recv().unwrap_or_default();
                rows.clear();
                let outcome = table.read(count, &mut rows).map(|_| (rows, table.take_skipped())).map_err(Error::from);
                let end = outcome.as_ref().map_or(true, |(rows, _)| rows.is_empty());
                count = chunk.min(count * 2);
                if full.send(outcome).is_err() || end {
                    return;
                }
            }
        });
        let chunks = chunks; // dropped on an early return, which ends the reader
        rayon::in_place_scope(|tasks| {
            let mut under_way = VecDeque::new();
            loop {
                let patience = if under_way.is_empty() { Duration::MAX } else { PATIENCE };
                let (next, waits) = match chunks.recv_timeout(patience) {
                    Ok(next) => (next?, false),
                    Err(error) => ((Vec::new(), Vec::new()), error == RecvTimeoutError::Timeout),
                };
                let (rows, skipped) = next;
                let at_end = rows.is_empty() && !waits;
                if !rows.is_empty() || !skipped.is_empty() {
                    let (done, outcome) = mpsc::sync_channel(1);
                    let empty = empty.clone();
                    tasks.spawn(move |_| {
                        let view = ArrayView2::from_shape((rows.len() / width, width), &rows);
                        let _ = done.send(view.map_err(|e| Error::Degenerate(e.to_string())).and_then(work));
                        let _ = empty.send(rows); // the reader may have ended already
                    });
                    under_way.push_back((outcome, skipped));
                }
                let enough = if at_end || waits { 1 } else { AT_ONCE };
                while under_way.len() >= enough {
                    // a task that panicked sends nothing, and its panic goes on when the scope ends
                    let Some((outcome, skipped)) = under_way.pop_front() else { return Ok(()) };
                    match outcome.recv() {
                        Ok(outcome) => take(outcome?, skipped)?,
                        Err(_) => return Ok(()),
                    }
                }
                if at_end {
                    return Ok(());
                }
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_chunk_is_small_at_any_width() {
        assert_eq!([2, 384, 10_000, 10_000_000].map(first_rows), [TILE_ROWS, TILE_ROWS, 13, 8]);
    }

    #[test]
    fn skipped_rows_have_their_place() {
        let memberships = Array2::from_shape_vec((2, 1), vec![0.25, 0.75]).unwrap();
        let (labels, all) = with_gaps(vec![4, 5], Some(memberships), &[0, 2, 4]);
        assert_eq!(labels, [-1, 4, -1, 5, -1]);
        assert_eq!(all.unwrap().into_raw_vec_and_offset().0, [0.0, 0.25, 0.0, 0.75, 0.0]);
        assert_eq!(with_gaps(Vec::new(), None, &[0, 1]).0, [-1, -1]);
    }
}
