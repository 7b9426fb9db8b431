//! Neural normalized cut: clusters the rows of a table with a small network that also labels rows it has not seen.
//!
//! # The flow in thirty lines
//!
//! 1. Rows come in. [`data::Table`] reads any number of files as one table of `f32` rows, in chunks;
//!    [`data::sample_rows`] draws a uniform sample. An `ArrayView2<f32>` from anywhere does as well.
//! 2. [`Config`] holds every setting, those of the [`Method`] among them, and [`job::Job::new`] checks it.
//! 3. [`job::Job::fit`] takes rows and nothing else, so labels cannot reach it. Inside a fit of [`methods::neural_cut`]:
//!    - rows are represented by [`features`] steps, as [`methods::Representation`] says;
//!    - nearest neighbours of some of them, the landmarks, make graphs ([`graph`]);
//!    - an [`ensemble`] partitions them in several ways (k-means, Leiden, eigenvectors), and a judge chooses one;
//!    - the network ([`network::Mlp`]) learns those labels by [`objective::cross_entropy`]: the warm start;
//!    - it is then trained in batches. An [`affinity`] joins the rows of a batch, [`objective::CutLoss`] is the relaxed
//!      cut of the memberships on that graph, with many columns [`objective::InformationLoss`] what the clusters of neighbours tell of
//!      each other, and [`train::Trainer`] takes the steps;
//!    - a guard keeps the better of the two networks, by the judge's mark of their labels on rows that the start has not seen.
//! 4. A [`methods::Model`] is left: feature steps, weights, settings and a record of the fit.
//!    [`methods::Model::memberships`] and [`methods::Model::predict`] label any rows, each row by itself.
//! 5. [`methods::Model::save`] writes it to one file ([`persist`]); [`methods::Model::load`] reads it back.
//! 6. [`metrics::scores`] compares labels with known classes, where there are some.
//!
//! ```
//! use ndarray::{Array2, array};
//! use neuncut::clustering::{Clustering, Inductive};
//! use neuncut::job::Job;
//! use neuncut::methods::{Auto, Config, Method, NetworkOptions, NeuralCutOptions};
//!
//! // two round clouds of thirty rows each
//! let rows = Array2::from_shape_fn((60, 2), |(i, j)| {
//!     let (turn, reach) = (i as f32 * 2.4, ((i % 30) as f32).sqrt() * 0.1);
//!     let centre = if i < 30 { 0.0_f32 } else { 5.0 };
//!     centre + reach * if j == 0 { turn.cos() } else { turn.sin() }
//! });
//! // a small network and few steps, to be quick; `Config::new(2)` alone is what you want
//! let network = NetworkOptions { hidden: vec![16, 16].into(), epochs: Auto::Given(10), ..Default::default() };
//! let method = Method::NeuNcut(NeuralCutOptions { network, ..Default::default() });
//! let fitted = Job::new(Config::of(method, 2))?.fit(rows.view())?;
//! let (first, last) = (fitted.labels()[0], fitted.labels()[59]);
//! assert_ne!(first, last);
//!
//! let others = array![[0.2_f32, -0.1], [5.1, 4.8]];
//! assert_eq!(fitted.predict(others.view())?, [first, last]);
//! # Ok::<(), neuncut::Error>(())
//! ```
//!
//! `fit` fits all rows it is given. [`job::Job::run`] goes the whole way from files or arrays to a model: it fits the feature steps,
//! draws a sample and fits the method, as the command and the Python package do. The library never prints; a [`train::Observer`] is told
//! how a fit goes, and can stop it. The same seed gives the same bits on any number of threads. Every failure is an
//! [`Error`] whose text says what to do.

// Not `forbid`: ndarray's macro `s!` says `allow` inside, which `forbid` refuses.
#![deny(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

/// The example of the manual's page compiles, and that of the README of this crate runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
#[doc = include_str!("../README.md")]
mod manual {}

pub mod affinity;
pub mod baselines;
pub mod clustering;
pub mod ensemble;
pub mod error;
pub mod features;
#[cfg(test)]
mod golden;
pub mod graph;
mod interrupt;
pub mod job;
pub mod links;
pub mod methods;
pub mod metrics;
pub mod network;
pub mod objective;
pub mod persist;
pub mod train;
pub mod vocabulary;
mod words;

// what the modules call the kernels by
pub(crate) use neuncut_linalg::{self as linalg, rows, tiles, vector};

pub use error::{Error, Result, TableError};
pub use methods::{Config, Method};
pub use neuncut_data as data;
pub use neuncut_data::seed::{self, Seed};
pub use neuncut_linalg::Cores;
