//! What is written about a fit: words and JSON ([`text`]), learning curves as tables ([`history`]), and pictures as SVG
//! text, of a clustering of the plane ([`scatter`]) and of the course of training ([`learning_curves`]).
//!
//! The pictures are drawn by hand: the plotting crate that was looked at (kuva 0.6) has few dependencies, but is 95,000
//! lines to compile and cannot follow the reader's light or dark theme. What is needed here is two kinds of picture.

pub mod comparison;
mod curves;
pub mod history;
mod palette;
mod scatter;
mod svg;
pub mod text;
mod ticks;

pub use curves::{Series, learning_curves};
pub use scatter::scatter;
