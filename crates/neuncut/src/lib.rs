//! Neural normalized cut.

pub mod data;
pub mod error;
pub mod seed;

pub use error::{Error, Result};
pub use seed::Seed;
