//! Labels every row of a table in a stream: reading goes on while rows are labelled, and memory does not grow with rows.

use crate::interrupt;
use ndarray::ArrayView2;
use neuncut::data::Table;
use neuncut::data::writers::RowWriter;
use neuncut::methods::{Model, argmax_rows};
use neuncut::network::TILE_ROWS;
use neuncut::{Error, Result, TableError};
use std::collections::VecDeque;
use std::sync::mpsc;

/// Values read at a time unless the caller says otherwise: 4 megabytes, which the cache that cores share still holds when it is
/// their turn.
const CHUNK_VALUES: usize = 1 << 20;
/// Chunks read ahead.
const AHEAD: usize = 2;
/// Chunks that are worked on at a time.
const AT_ONCE: usize = 2;

/// Labels all rows into `writer`; `progress` is told after each chunk how many rows are done. Gives the number of rows.
pub fn label_table(
    model: &Model,
    table: Table,
    mut writer: Box<dyn RowWriter>,
    proba: bool,
    batch: Option<usize>,
    progress: impl Fn(u64),
) -> Result<u64> {
    check_width(model, &table)?;
    let chunk = batch.unwrap_or_else(|| chunk_rows(model.columns)).max(1);
    let mut done = 0;
    let inference = model.inference();
    inference.expect(table.row_count().unwrap_or(0) as usize);
    let label = |rows: ArrayView2<f32>| {
        let memberships = proba.then(|| inference.memberships(rows));
        let labels = memberships.as_ref().map_or_else(|| inference.labels(rows), |found| argmax_rows(found.view()));
        Ok((labels.into_iter().map(|label| label as i32).collect::<Vec<_>>(), memberships))
    };
    read_ahead(table, chunk, label, |(labels, memberships)| {
        interrupt::check()?;
        writer.write(&labels, memberships.as_ref().map(|found| found.view()))?;
        done += labels.len() as u64;
        progress(done);
        Ok(())
    })?;
    writer.finish()?;
    Ok(done)
}

/// Refuses a table that has other columns than the model was fitted on.
pub fn check_width(model: &Model, table: &Table) -> Result<()> {
    if table.width() == model.columns {
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

/// Reads the table on a thread of its own, puts chunks through `work` on all cores, and hands what comes of them to `take` in
/// order. Two chunks are worked on at a time, so that no core waits for the last rows of one. Waits for the threads of the pool, and
/// so must not be called on one of them.
pub fn read_ahead<T: Send>(
    mut table: Table,
    chunk: usize,
    work: impl Fn(ArrayView2<f32>) -> Result<T> + Sync,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let (width, work) = (table.width(), &work);
    let (full, chunks) = mpsc::sync_channel::<Result<Vec<f32>>>(AHEAD);
    let (empty, spare) = mpsc::channel::<Vec<f32>>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            loop {
                let mut rows = spare.try_recv().unwrap_or_default();
                rows.clear();
                let outcome = table.read(chunk, &mut rows).map(|_| rows).map_err(Error::from);
                let end = outcome.as_ref().map_or(true, Vec::is_empty);
                if full.send(outcome).is_err() || end {
                    return;
                }
            }
        });
        let chunks = chunks; // dropped on an early return, which ends the reader
        rayon::in_place_scope(|tasks| {
            let mut under_way = VecDeque::new();
            loop {
                let rows = chunks.recv().unwrap_or(Ok(Vec::new()))?;
                let at_end = rows.is_empty();
                if !at_end {
                    let (done, outcome) = mpsc::sync_channel(1);
                    let empty = empty.clone();
                    tasks.spawn(move |_| {
                        let view = ArrayView2::from_shape((rows.len() / width, width), &rows);
                        let _ = done.send(view.map_err(|e| Error::Degenerate(e.to_string())).and_then(work));
                        let _ = empty.send(rows); // the reader may have ended already
                    });
                    under_way.push_back(outcome);
                }
                while at_end && !under_way.is_empty() || under_way.len() >= AT_ONCE {
                    // a task that panicked sends nothing, and its panic goes on when the scope ends
                    match under_way.pop_front().map(|outcome| outcome.recv()) {
                        Some(Ok(outcome)) => take(outcome?)?,
                        _ => return Ok(()),
                    }
                }
                if at_end {
                    return Ok(());
                }
            }
        })
    })
}
