//! The one training loop, for every network of this crate.

mod early_stop;
mod history;
mod observer;
mod trainer;

pub(crate) use early_stop::EarlyStop;
pub use history::{EpochRecord, History};
pub use observer::{Observer, Progress, Silent};
pub use trainer::{Objective, Trainer};
