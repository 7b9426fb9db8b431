//! One self-contained page about a model: what it found in some rows, how it was trained, how it was configured.
//!
//! Rows are looked at ([`look`]), laid out on a map ([`map`]) and, where they are images, gathered into one picture
//! ([`sprite`]); [`parts`] are the pieces of the page. It needs no network, and follows the reader's light or dark theme.

mod look;
mod map;
mod parts;
mod sprite;

pub use look::{Look, LookAt, RowData};

use super::svg::{STYLE, escape};
use crate::text_file;
use crate::watch::EpochScores;
use neuncut::methods::Model;
use neuncut::{Error, Result};
use std::path::Path;

const CSS: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

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
        let title = escape(&parts::title(self.model));
        let data = self.data()?;
        let sections = [
            parts::header(self.model, self.look),
            "<div class=\"nn-two\">\n".into(),
            parts::map_section(self.look),
            parts::clusters_section(self.model, self.look),
            "</div>\n".into(),
            parts::rows_section(self.look),
            parts::confusion_section(self.look),
            parts::curves_section(self.model, self.scores),
            parts::settings_section(self.model),
        ]
        .concat();
        Ok(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>{STYLE}\n{CSS}</style>\n</head>\n<body>\n<main>\n{sections}</main>\n\
             <div id=\"tip\" hidden></div>\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
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
        for (name, svg) in parts::pictures(self.model, self.look, self.scores) {
            text_file::write(&directory.join(name), &svg)?;
        }
        Ok(())
    }
}
