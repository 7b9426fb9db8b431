//! Neural normalized cut.

pub mod error;
pub mod metrics;
pub mod seed;
pub mod synthetic;

pub use error::{Error, Result};
pub use seed::Seed;
