//! One self-contained page about a model: what it found in some rows, how it was trained, how it was configured.
//!
//! Rows are looked at ([`look`]), laid out on a map ([`map`]) and, where they are images, gathered into one picture
//! ([`sprite`]); clusters are the leaves of a tree ([`nesting`]), and every node of it has a name, a colour and a row in the table.
//! A file a section of the page makes its HTML; `script/` chooses, sorts, searches and zooms. It needs no network, and follows the
//! reader's light or dark theme.

mod candidates;
mod colours;
mod columns;
mod confusion;
mod dendrogram;
mod header;
mod learning;
mod look;
mod map;
mod map_section;
mod nesting;
mod number;
mod phrases;
mod pictures;
mod seen;
mod settings;
mod sprite;
mod table;
mod titles;

pub use look::{Look, LookAt, RowData};

use super::svg::{STYLE, escape};
use crate::text_file;
use crate::watch::EpochScores;
use neuncut::methods::Model;
use neuncut::{Error, Result};
use std::path::Path;

const CSS: &str = include_str!("page.css");
/// In the order in which they build on each other.
const SCRIPTS: [&str; 6] = [
    include_str!("script/data.js"),
    include_str!("script/rows.js"),
    include_str!("script/map.js"),
    include_str!("script/table.js"),
    include_str!("script/tree.js"),
    include_str!("script/state.js"),
];

/// A page about a model.
pub struct Page<'a> {
    pub model: &'a Model,
    pub look: &'a Look,
    /// Scores by epoch, where the truth was known when it was fitted.
    pub scores: &'a [EpochScores],
}

impl Page<'_> {
    /// The page.
    pub fn html(&self) -> Result<String> {
        let title = escape(&header::title(self.model));
        let images = self.look.sprite.as_ref().map(sprite::Sprite::style).unwrap_or_default();
        let style = [STYLE, "\n", CSS, &colours::style(), &images].concat();
        let sections = [
            header::header(self.model, self.look),
            map_section::toolbar(self.look),
            map_section::map_section(self.look),
            table::table_section(self.model, self.look),
            dendrogram::tree_section(self.look),
            number::number_section(self.model),
            confusion::confusion_section(self.look),
            learning::curves_section(self.model, self.scores),
            settings::settings_section(self.model),
        ]
        .concat();
        let (data, script) = (self.data()?, SCRIPTS.concat());
        Ok(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{sections}</main>\n\
             <div id=\"tip\" hidden></div>\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>\n\"use strict\";\n(() => {{\n{script}}})();\n</script>\n</body>\n</html>\n"
        ))
    }

    /// What the script needs, as JSON that cannot end its element.
    fn data(&self) -> Result<String> {
        let text = serde_json::to_string(&self.look.data).map_err(|e| Error::Degenerate(e.to_string()))?;
        Ok(text.replace('<', "\\u003c"))
    }

    /// The pictures as files of their own.
    pub fn write_pictures(&self, directory: &Path) -> Result<()> {
        std::fs::create_dir_all(directory).map_err(Error::io("create", directory))?;
        for (name, svg) in pictures::pictures(self.model, self.look, self.scores) {
            text_file::write(&directory.join(name), &svg)?;
        }
        Ok(())
    }
}
