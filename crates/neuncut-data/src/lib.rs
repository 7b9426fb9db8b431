//! Rows come in (and results go out), in chunks, so that memory does not grow with the number of rows.
//!
#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! [`Table`] opens any number of files as one table and reads it in order; [`sample`] draws a uniform sample in one
//! pass; [`labels`] reads the true classes for scoring, [`links`] what is known about pairs of rows; [`writers`] stream
//! labels and memberships out, each to a temporary file that is renamed when complete ([`atomic`]).

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod atomic;
pub mod edges;
pub mod error;
pub mod labels;
pub mod links;
pub mod sample;
pub mod seed;
pub mod synthetic;
pub mod table;
pub mod writers;

mod columns;
mod element;
mod hash;
mod image_shape;
mod kept;
mod kept_chunks;
mod npy_header;
mod npz;
mod nulls;
mod pairs;
mod partitions;
mod paths;
mod picture;
mod readers;
mod reservoir;
mod resize;
mod scratch;
mod source;
mod stream;
mod sweep;
mod temporary;
mod texts;
mod weighted_sample;
mod weights;
mod write_back;

#[cfg(test)]
mod testing;

pub use atomic::{AtomicFile, Complete, place_all};
pub use columns::ColumnNames;
pub use edges::{EdgeList, read_edges};
pub use error::{Error, Result};
pub use hash::{content_hash, file_hash};
pub use image_shape::ImageShape;
pub use kept::{Keep, KeptColumns};
pub use labels::read_labels;
pub use links::{Link, LinkList, read_links};
pub use nulls::OnNull;
pub use paths::{expand, is_table_name, lists};
pub use reservoir::Reservoir;
pub use resize::Resize;
pub use sample::{Sample, sample_indices, sample_rows, sample_with};
pub use scratch::Scratch;
pub use seed::Seed;
pub use stream::Stream;
#[doc(hidden)]
pub use table::rows_by_arrow;
pub use table::{RowReader, Table, TableSpec};
pub use texts::{check_text_column, find_texts, read_texts};
pub use weighted_sample::WeightedSample;
pub use weights::read_weights;
