//! The one training loop, for every network of this crate.
//!
//! ```
//! use ndarray::Array2;
//! use neuncut::job::Job;
//! use neuncut::train::Observer;
//! use neuncut::{Config, Method};
//!
//! /// Notes the stages of a fit.
//! #[derive(Default)]
//! struct Stages(Vec<String>);
//!
//! impl Observer for Stages {
//!     fn stage(&mut self, name: &str) {
//!         self.0.push(name.to_owned());
//!     }
//! }
//!
//! let rows = Array2::from_shape_fn((40, 2), |(i, j)| (i / 20) as f32 * 9.0 + ((i * 7 + j) % 5) as f32 * 0.1);
//! let config = Config::of(Method::named("kmeans").expect("there is such a method"), 2);
//! let mut stages = Stages::default();
//! Job::new(config)?.run(&mut neuncut::features::ArrayRows::new(rows.view(), None), &mut stages)?;
//! assert!(stages.0.iter().any(|stage| stage == "k-means"));
//! # Ok::<(), neuncut::Error>(())
//! ```

mod early_stop;
mod history;
mod observer;
mod trainer;

pub use crate::interrupt::Interrupt;
pub(crate) use early_stop::EarlyStop;
pub use history::{EpochRecord, History};
pub use observer::{Observer, Progress, Silent};
pub use trainer::{Objective, Trainer};
