//! Made data with known classes: shapes to try the method on, to test it with and to draw.
//!
//! Rows are drawn one after another from named streams, so a million rows need no more memory than the chunk being
//! filled, and the same seed gives the same rows in chunks of any size.
//!
//! ```
//! use neuncut_data::{Seed, synthetic::Shape};
//!
//! let mut rings = Shape::Rings.generator(None, Seed(7))?;
//! let (mut rows, mut labels) = (Vec::new(), Vec::new());
//! rings.fill(100, &mut rows, &mut labels);
//! assert_eq!((rows.len(), labels.len()), (100 * rings.dimension(), 100));
//! # Ok::<(), neuncut_data::Error>(())
//! ```
//!
//! ```
//! use neuncut_data::Seed;
//! use neuncut_data::synthetic::Shape;
//!
//! let mut rings = "rings".parse::<Shape>()?.generator(None, Seed(0))?;
//! let (mut rows, mut classes) = (Vec::new(), Vec::new());
//! rings.fill(100, &mut rows, &mut classes);
//! assert_eq!((rows.len(), classes.len(), rings.n_classes()), (200, 100, 2));
//! # Ok::<(), neuncut_data::Error>(())
//! ```

mod bridge;
mod curves;
mod deformed;
mod embedding;
mod generator;
mod mixture;
mod normal;
mod shape;
mod sphere;

pub use deformed::{Deformation, DeformedImages};
pub use generator::Generator;
pub use shape::{Shape, quality_family};

/// The label of a row that belongs to no class.
pub const BACKGROUND: i32 = -1;
