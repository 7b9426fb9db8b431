//! Pairs of rows that belong together or apart, from a table with the columns `i`, `j` (rows counted from 0) and `link`.
//!
//! ```
//! use neuncut_data::{Link, Scratch, read_links};
//!
//! let folder = Scratch::create_in(&std::env::temp_dir())?;
//! let path = folder.path().join("links.csv");
//! std::fs::write(&path, "i,j,link\n0,7,must\n3,4,cannot\n")?;
//! let links = read_links(&path)?.links;
//! assert_eq!(links, [Link { i: 0, j: 7, must: true }, Link { i: 3, j: 4, must: false }]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::columns::numbered;
use super::edges::{bad_node, node_number};
use super::readers::delimited::{Delimited, field_text, looks_like_names};
use super::readers::{self, Batches};
use super::source::{Format, Source, excerpt};
use crate::{Error, Result};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_cast::cast;
use arrow_schema::DataType;
use std::path::{Path, PathBuf};

/// The words of the column `link`.
const MUST: &str = "must";
const CANNOT: &str = "cannot";

/// What is known about two different rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// One row.
    pub i: u32,
    /// The other.
    pub j: u32,
    /// Whether they belong in one cluster; otherwise they belong in two.
    pub must: bool,
}

impl Link {
    /// The word for it in files.
    pub fn word(self) -> &'static str {
        if self.must { MUST } else { CANNOT }
    }
}

/// The links of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkList {
    /// The file.
    pub path: PathBuf,
    /// In the order of the file.
    pub links: Vec<Link>,
}

/// Reads links between rows.
///
/// # Errors
/// When the file cannot be read, holds no links, or one of them joins no two rows or is neither of the two words.
pub fn read_links(path: &Path) -> Result<LinkList> {
    let source = Source::new(path)?;
    let links = match source.format {
        Format::Csv | Format::Tsv | Format::Txt => read_text(&source)?,
        Format::Parquet | Format::Arrow | Format::Json => {
            let batches = readers::table_batches(&source, &mut |schema| {
                choose(&source, &schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>())
            })?;
            batches.map_or(Ok(Vec::new()), |batches| read_batches(&source, batches))?
        }
        _ => {
            let remedy = "give them as .csv, .tsv, .jsonl, .parquet or .arrow";
            return Err(source.error(format!("a file of this format holds no links: {remedy}")));
        }
    };
    if links.is_empty() {
        return Err(source.error("there are no links: write at least one, or leave out the file"));
    }
    Ok(LinkList { path: source.path, links })
}

/// The columns called `i`, `j` and `link`, or else all three.
fn choose(source: &Source, names: &[String]) -> Result<Vec<usize>> {
    let called = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    match (called("i"), called("j"), called("link")) {
        (Some(i), Some(j), Some(link)) => Ok(vec![i, j, link]),
        _ if names.len() == 3 => Ok(vec![0, 1, 2]),
        _ => Err(source.error("links have the columns i, j and link: name them so, or write only these three")),
    }
}

fn read_text(source: &Source) -> Result<Vec<Link>> {
    let mut records = Delimited::open(source, looks_like_names)?;
    let names = records.names.clone().unwrap_or_else(|| numbered(records.width));
    let chosen = choose(source, &names)?;
    let mut links = Vec::new();
    while let Some((record, line)) = records.next()? {
        let field = |column: usize| field_text(&record[chosen[column]]);
        let row = |column: usize| {
            let text = field(column);
            node_number(text.parse().ok()).ok_or_else(|| bad_node(source, "line", line, &text))
        };
        links.push(link(source, "line", line, [row(0)?, row(1)?], &field(2))?);
    }
    Ok(links)
}

fn read_batches(source: &Source, mut batches: Batches) -> Result<Vec<Link>> {
    let mut links = Vec::new();
    while let Some(columns) = batches.next(source)? {
        if let Some(c) = (0..2).find(|&c| !columns[c].data_type().is_integer()) {
            let (name, kind) = (batches.name(c), columns[c].data_type());
            return Err(
                source.error(format!("column {name} ({kind}) must hold row numbers: convert it and save again"))
            );
        }
        let converted = |column: usize, kind: &DataType| {
            cast(&columns[column], kind).map_err(|error| source.error(format!("{error}: save the links again")))
        };
        let rows = [converted(0, &DataType::UInt64)?, converted(1, &DataType::UInt64)?];
        let words = converted(2, &DataType::LargeUtf8)?;
        let words = words.as_string::<i64>();
        for at in 0..words.len() {
            let place = links.len() as u64 + 1;
            let row = |side: usize| {
                let given = (!rows[side].is_null(at)).then(|| rows[side].as_primitive::<UInt64Type>().value(at));
                node_number(given).ok_or_else(|| bad_node(source, "row", place, "missing or negative"))
            };
            let word = if words.is_null(at) { "" } else { words.value(at) };
            links.push(link(source, "row", place, [row(0)?, row(1)?], word)?);
        }
    }
    Ok(links)
}

fn link(source: &Source, unit: &str, place: u64, [i, j]: [u32; 2], word: &str) -> Result<Link> {
    if i == j {
        return Err(source.error(format!("{unit} {place} links row {i} with itself: remove it, or name another row")));
    }
    let must = match word.trim() {
        MUST => true,
        CANNOT => false,
        _ => return Err(bad_word(source, unit, place, word)),
    };
    Ok(Link { i, j, must })
}

fn bad_word(source: &Source, unit: &str, place: u64, word: &str) -> Error {
    source.error(format!("{unit} {place}: the link is {}, but must be {MUST} or {CANNOT}", excerpt(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dir;
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use std::sync::Arc;

    const LINKS: [Link; 2] = [Link { i: 0, j: 7, must: true }, Link { i: 4, j: 3, must: false }];

    fn read(path: &str) -> Vec<Link> {
        read_links(path.as_ref()).unwrap().links
    }

    fn parquet(dir: &Dir, i: Vec<i64>, words: Vec<Option<&str>>) -> String {
        let (i, j) = (Arc::new(Int64Array::from(i)) as ArrayRef, Arc::new(Int64Array::from(vec![7, 3])) as ArrayRef);
        let words: ArrayRef = Arc::new(StringArray::from(words));
        let batch = RecordBatch::try_from_iter([("link", words), ("j", j), ("i", i)]).unwrap();
        let path = dir.path("links.parquet");
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        path
    }

    #[test]
    fn every_format_gives_the_same_links() {
        let dir = Dir::new();
        assert_eq!(read(&dir.file("a.csv", "i,j,link\n0,7,must\n4,3,cannot\n")), LINKS);
        assert_eq!(read(&dir.file("b.tsv", "link\twhy\tJ\tI\nmust\tx\t7\t0\ncannot\ty\t3\t4\n")), LINKS);
        assert_eq!(read(&dir.file("c.csv", "0,7,must\n4,3, cannot\n")), LINKS);
        let lines = "{\"i\":0,\"j\":7,\"link\":\"must\"}\n{\"i\":4,\"j\":3,\"link\":\"cannot\"}\n";
        assert_eq!(read(&dir.file("d.jsonl", lines)), LINKS);
        assert_eq!(read(&parquet(&dir, vec![0, 4], vec![Some("must"), Some("cannot")])), LINKS);
    }

    #[test]
    fn what_is_no_link_is_named() {
        let dir = Dir::new();
        let refusal = |text: &str| read_links(dir.file("a.csv", text).as_ref()).unwrap_err().to_string();
        assert!(
            refusal("i,j,link\n0,1,must\n1,2,perhaps\n")
                .ends_with("line 3: the link is \"perhaps\", but must be must or cannot")
        );
        assert!(refusal("i,j,link\n0,1,must\n1,2.5,must\n").contains("line 3: \"2.5\" is not a row number"));
        assert!(refusal("i,j,link\n2,2,cannot\n").contains("line 2 links row 2 with itself"));
        assert!(refusal("i,j\n2,3\n").contains("columns i, j and link"));
        assert!(refusal("i,j,link\n").contains("no links"));
        let refused = |i, words| read_links(parquet(&dir, i, words).as_ref()).unwrap_err().to_string();
        assert!(refused(vec![0, 4], vec![Some("must"), None]).contains("row 2: the link is \"\""));
        assert!(refused(vec![-1, 4], vec![Some("must"); 2]).contains("row 1"));
        assert!(read_links(dir.file("a.npy", "x").as_ref()).unwrap_err().to_string().contains("holds no links"));
    }
}
