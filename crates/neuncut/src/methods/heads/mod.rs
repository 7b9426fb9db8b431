//! Heads on fixed rows: small networks whose outputs are memberships, trained on pairs of near rows. Several are trained at once on the same rows,
//! and the one of lowest loss is kept, so that no label is needed to choose.
//!
//! `pairs` draws near rows, `rows` is how rows enter a head, `options` what all have in common, `scores` which head is best; `linear` trains linear
//! heads for any loss of pairs, of which `icon` and `scan` have one each; `temi` trains heads with
//! layers and teachers, `turtle` labels without pairs.

mod icon;
mod linear;
mod options;
mod pairs;
mod rows;
mod scan;
mod scores;
mod temi;
mod turtle;

pub use icon::IconOptions;
pub use linear::HeadStart;
pub use options::HeadOptions;
pub use scan::ScanOptions;
pub use temi::TemiOptions;
pub use turtle::TurtleOptions;

#[cfg(test)]
mod replay;
#[cfg(test)]
mod tests;
