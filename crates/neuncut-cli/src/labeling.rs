//! Labels every row of a table in a stream: reading goes on while rows are labelled, and memory does not grow with rows.

use crate::interrupt;
use ndarray::ArrayView2;
use neuncut::data::Table;
use neuncut::data::writers::RowWriter;
use neuncut::network::TILE_ROWS;
use neuncut::neural_cut::{Model, argmax_rows};
use neuncut::{Error, Result};
use std::sync::mpsc;

/// Values read at a time unless the caller says otherwise: 16 megabytes.
const CHUNK_VALUES: usize = 4 << 20;
/// Chunks read ahead.
const AHEAD: usize = 2;

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
    read_ahead(table, chunk, |rows| {
        interrupt::check()?;
        let memberships = model.memberships(rows)?;
        let labels: Vec<i32> = argmax_rows(memberships.view()).into_iter().map(|label| label as i32).collect();
        writer.write(&labels, proba.then(|| memberships.view()))?;
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
    Err(Error::Width {
        what: table.name(),
        given: table.width(),
        expected: model.columns,
        remedy: "give the columns the model was fitted on (--columns, --label-column)".into(),
    })
}

/// About 16 megabytes of rows, in whole tiles.
pub fn chunk_rows(columns: usize) -> usize {
    (CHUNK_VALUES / columns.max(1)).clamp(4 * TILE_ROWS, 1 << 18).next_multiple_of(TILE_ROWS)
}

/// Reads the table on a thread of its own and hands each chunk to `consume` in order.
pub fn read_ahead(
    mut table: Table,
    chunk: usize,
    mut consume: impl FnMut(ArrayView2<f32>) -> Result<()>,
) -> Result<()> {
    let width = table.width();
    let (full, chunks) = mpsc::sync_channel::<Result<Vec<f32>>>(AHEAD);
    let (empty, spare) = mpsc::channel::<Vec<f32>>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            loop {
                let mut rows = spare.try_recv().unwrap_or_default();
                rows.clear();
                let outcome = table.read(chunk, &mut rows).map(|_| rows);
                let end = outcome.as_ref().map_or(true, Vec::is_empty);
                if full.send(outcome).is_err() || end {
                    return;
                }
            }
        });
        let chunks = chunks; // dropped on an early return, which ends the reader
        while let Ok(chunk) = chunks.recv() {
            let rows = chunk?;
            if rows.is_empty() {
                break;
            }
            let view = ArrayView2::from_shape((rows.len() / width, width), &rows);
            consume(view.map_err(|e| Error::Degenerate(e.to_string()))?)?;
            let _ = empty.send(rows); // the reader may have ended already
        }
        Ok(())
    })
}
