//! What is written about a fit: words and JSON ([`text`]), learning curves as tables ([`history`]), and pictures as SVG
//! text, of a clustering of the plane ([`scatter`]) and of the course of training ([`learning_curves`]); the tables and figures of
//! experiments ([`results`]); and a page for a browser ([`page`]).
//!
//! The pictures are drawn by hand: the plotting crate that was looked at (kuva 0.6) has few dependencies, but is 95,000
//! lines to compile and cannot follow the reader's light or dark theme. What is needed here is two kinds of picture.

pub mod comparison;
pub mod count_table;
mod curves;
mod figures;
pub mod history;
mod lines;
pub mod page;
mod palette;
mod pictures;
pub mod results;
mod scatter;
mod spread;
mod svg;
pub mod text;
mod ticks;
pub mod tree;

pub use curves::{Series, learning_curves};
pub use pictures::{count_picture, gamma_picture, shape_picture};
pub use scatter::scatter;
