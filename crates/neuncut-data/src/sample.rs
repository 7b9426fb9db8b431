//! A uniform sample of a table's rows, in one pass and bounded memory.
//!
//! ```
//! use neuncut_data::{Error, Scratch, Seed, Table, TableSpec, sample_rows};
//!
//! let folder = Scratch::create_in(&std::env::temp_dir())?;
//! let path = folder.path().join("rows.csv").to_string_lossy().into_owned();
//! let text: String = (0..100).map(|i| format!("{i}.5,{}\n", i % 7)).collect();
//! std::fs::write(&path, text)?;
//!
//! let mut table = Table::open(&TableSpec { paths: vec![path], ..Default::default() })?;
//! let mut rng = Seed(0).stream("example");
//! let sample = sample_rows(&mut table, 10, &mut rng, &mut |_rows_read| Ok::<(), Error>(()))?;
//! assert_eq!((sample.rows.dim(), sample.total), ((10, 2), 100));
//! assert_eq!(sample.rows[[0, 0]], sample.indices[0] as f32 + 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::reservoir::Reservoir;
use super::table::Table;
use crate::seed::Stream;
use crate::{Error, Result};
use ndarray::Array2;

/// Values read at a time.
const CHUNK_VALUES: usize = 1 << 20;

/// Rows drawn without replacement, each set of rows being equally likely.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The rows drawn, in the order of the table. (rows, width)
    pub rows: Array2<f32>,
    /// Where each of them stands in the table, counted from 0, ascending.
    pub indices: Vec<u64>,
    /// Rows in the whole table.
    pub total: u64,
    /// The table's fingerprint, see [`Table::fingerprint`].
    pub fingerprint: u64,
}

/// Reads the table to its end and keeps at most `at_most` of its rows; all of them if it has no more.
///
/// `progress` is told the number of rows read so far after every chunk; its error ends the reading.
///
/// # Errors
/// When a file cannot be read, when no row is asked for, or when `progress` says so.
pub fn sample_rows<E: From<Error>>(
    table: &mut Table,
    at_most: usize,
    rng: &mut Stream,
    progress: &mut dyn FnMut(u64) -> Result<(), E>,
) -> Result<Sample, E> {
    if at_most == 0 {
        return Err(Error::config("sample size", at_most, "at least 1").into());
    }
    sample_with(table, &[], at_most, rng, progress)
}

/// The same with some rows that are wanted in any case, ascending, which count among the `at_most`; those that the table does not have
/// are not in the sample.
///
/// # Errors
/// When a file cannot be read, or when `progress` says so.
pub fn sample_with<E: From<Error>>(
    table: &mut Table,
    wanted: &[u64],
    at_most: usize,
    rng: &mut Stream,
    progress: &mut dyn FnMut(u64) -> Result<(), E>,
) -> Result<Sample, E> {
    let width = table.width();
    let mut reservoir = Reservoir::beside(wanted, width, at_most);
    let mut chunk = Vec::new();
    let mut total = 0;
    loop {
        chunk.clear();
        let count = table.read((CHUNK_VALUES / width.max(1)).max(1), &mut chunk)?;
        if count == 0 {
            break;
        }
        reservoir.offer(&chunk, total, rng);
        total += count as u64;
        progress(total)?;
    }
    let (values, indices) = reservoir.into_order();
    let rows = Array2::from_shape_vec((indices.len(), width), values).expect("the reservoir keeps whole rows");
    Ok(Sample { rows, indices, total, fingerprint: table.fingerprint() })
}

/// Which rows [`sample_with`] keeps of a table of so many, for rows that are in memory already: ascending, counted from 0.
pub fn sample_indices(total: u64, wanted: &[u64], at_most: usize, rng: &mut Stream) -> Vec<u64> {
    let mut reservoir = Reservoir::beside(wanted, 0, at_most);
    reservoir.offer_rows(total, &[], 0, rng);
    reservoir.into_order().1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::TableSpec;
    use crate::testing::{Dir, spec};

    #[test]
    fn indices_are_those_of_the_rows_that_are_read() {
        for (total, at_most) in [(5, 10), (10, 10), (500, 10), (3, 1)] {
            let values: Vec<f32> = (0..total).map(|row| row as f32).collect();
            let mut reservoir = Reservoir::new(1, at_most);
            let mut rng = Seed(7).stream("sample");
            for (c, chunk) in values.chunks(3).enumerate() {
                reservoir.offer(chunk, 3 * c as u64, &mut rng);
            }
            let indices = sample_indices(total, &[], at_most, &mut Seed(7).stream("sample"));
            assert_eq!(reservoir.into_order().1, indices);
            assert_eq!(indices.len(), at_most.min(total as usize));
        }
    }

    /// A table whose rows hold their index and twice their index.
    fn table(dir: &Dir, rows: usize) -> TableSpec {
        let text: String = (0..rows).map(|row| format!("{row},{}\n", 2 * row)).collect();
        spec(&dir.file("a.csv", text))
    }

    fn draw(spec: &TableSpec, at_most: usize, seed: u64) -> Sample {
        let mut table = Table::open(spec).unwrap();
        sample_rows::<Error>(&mut table, at_most, &mut Seed(seed).stream("sample"), &mut |_| Ok(())).unwrap()
    }

    #[test]
    fn a_short_table_is_taken_whole() {
        let dir = Dir::new();
        let mut told = Vec::new();
        let mut table = Table::open(&table(&dir, 5)).unwrap();
        let sample = sample_rows::<Error>(&mut table, 9, &mut Seed(1).stream("s"), &mut |rows| {
            told.push(rows);
            Ok(())
        })
        .unwrap();
        assert_eq!((sample.total, sample.indices), (5, vec![0, 1, 2, 3, 4]));
        assert_eq!(sample.rows.row(4).to_vec(), [4.0, 8.0]);
        assert_eq!((sample.fingerprint, told), (table.fingerprint(), vec![5]));
    }

    #[test]
    fn rows_come_in_order_with_their_indices() {
        let dir = Dir::new();
        let sample = draw(&table(&dir, 1000), 100, 3);
        assert_eq!((sample.rows.dim(), sample.total), ((100, 2), 1000));
        assert!(sample.indices.is_sorted_by(|a, b| a < b));
        for (row, index) in sample.rows.rows().into_iter().zip(&sample.indices) {
            assert_eq!(row.to_vec(), [*index as f32, 2.0 * *index as f32]);
        }
        assert_eq!(sample.indices, draw(&table(&dir, 1000), 100, 3).indices);
        assert_ne!(sample.indices, draw(&table(&dir, 1000), 100, 4).indices);
    }

    #[test]
    fn nothing_cannot_be_sampled() {
        let dir = Dir::new();
        let mut table = Table::open(&table(&dir, 2)).unwrap();
        let error = sample_rows::<Error>(&mut table, 0, &mut Seed(1).stream("s"), &mut |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "sample size is 0, but must be at least 1");
        assert!(sample_indices(5, &[], 0, &mut Seed(1).stream("s")).is_empty());
    }
}
