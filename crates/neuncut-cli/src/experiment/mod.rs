//! Experiments: a table or figure of the paper is a TOML file ([`file`]) over named data sets ([`sets`]); each of its runs is a
//! process of its own ([`measure`]) that leaves one JSON line ([`record`]), and what has a line is not run again ([`runner`]).

pub mod cache;
pub mod file;
pub mod job;
pub mod machine;
pub mod measure;
pub mod quick;
pub mod record;
pub mod runner;
pub mod sets;
