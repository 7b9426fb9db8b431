//! The one training loop, for every network of this crate.

mod history;
mod observer;
mod trainer;

pub use history::{EpochRecord, History};
pub use observer::{Observer, Progress, Silent};
pub use trainer::{Objective, StepOutcome, Trainer};
