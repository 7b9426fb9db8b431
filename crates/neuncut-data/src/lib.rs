//! Rows come in (and results go out), in chunks, so that memory does not grow with the number of rows.
//!
//! [`Table`] opens any number of files as one table and reads it in order; [`sample`] draws a uniform sample in one
//! pass; [`labels`] reads the true classes for scoring; [`writers`] stream labels and memberships out, each to a
//! temporary file that is renamed when complete ([`atomic`]).
//!
//! ```
//! use neuncut_data::writers::{self, Columns};
//! use neuncut_data::{Table, TableSpec};
//!
//! let folder = std::env::temp_dir().join(format!("neuncut-data-{}", std::process::id()));
//! std::fs::create_dir_all(&folder).expect("a temporary folder");
//! let path = folder.join("rows.csv").to_string_lossy().into_owned();
//! std::fs::write(&path, "x,y\n1,2\n3,4\n").expect("a file");
//!
//! let mut table = Table::open(&TableSpec { paths: vec![path], ..Default::default() })?;
//! let mut rows = Vec::new();
//! assert_eq!(table.read(100, &mut rows)?, 2);
//! assert_eq!((table.width(), &rows[..]), (2, &[1.0, 2.0, 3.0, 4.0][..]));
//!
//! let labels = folder.join("labels.csv").to_string_lossy().into_owned();
//! let mut writer = writers::create(&labels, Columns::Labels)?;
//! writer.write(&[0, 1], None)?;
//! writer.complete()?.place()?;
//! assert_eq!(neuncut_data::read_labels(&labels, None)?, ["0", "1"]);
//! # std::fs::remove_dir_all(folder).expect("it was there");
//! # Ok::<(), neuncut_data::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod atomic;
pub mod edges;
pub mod error;
pub mod labels;
pub mod sample;
pub mod seed;
pub mod synthetic;
pub mod table;
pub mod writers;

mod columns;
mod element;
mod image_shape;
mod kept;
mod kept_chunks;
mod npy_header;
mod npz;
mod nulls;
mod partitions;
mod paths;
mod picture;
mod readers;
mod resize;
mod source;
mod temporary;
mod texts;

#[cfg(test)]
mod testing;

pub use atomic::{AtomicFile, Complete, Scratch, file_hash, place_all};
pub use columns::ColumnNames;
pub use edges::{EdgeList, read_edges};
pub use error::{Error, Result};
pub use image_shape::ImageShape;
pub use kept::{Keep, KeptColumns};
pub use labels::read_labels;
pub use nulls::OnNull;
pub use paths::expand;
pub use resize::Resize;
pub use sample::{Reservoir, Sample, sample_indices, sample_rows};
pub use seed::Seed;
#[doc(hidden)]
pub use table::rows_by_arrow;
pub use table::{RowReader, Table, TableSpec};
pub use texts::{check_text_column, find_texts, read_texts};
