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

use super::pairs::{PairTable, Place, Third, read_pairs};
use super::source::{Source, excerpt};
use crate::Result;
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

/// What a file of links holds.
const TABLE: PairTable = PairTable {
    subject: "links have",
    refusal: "no links: give them as .csv, .tsv, .jsonl, .parquet or .arrow",
    third: "link",
    numbers: false,
};

/// Reads links between rows.
///
/// # Errors
/// When the file cannot be read, holds no links, or one of them joins no two rows or is neither of the two words.
pub fn read_links(path: &Path) -> Result<LinkList> {
    let source = Source::new(path)?;
    let links = read_pairs(&source, &TABLE, link)?;
    if links.is_empty() {
        return Err(source.error("there are no links: write at least one, or leave out the file"));
    }
    Ok(LinkList { path: source.path, links })
}

fn link([i, j]: [u32; 2], word: Third, place: &Place) -> Result<Link> {
    if i == j {
        return Err(place.error(format_args!(" links row {i} with itself: remove it, or name another row")));
    }
    let Third::Text(word) = word else { unreachable!("links have three columns, and the third has words") };
    let must = match word.trim() {
        MUST => true,
        CANNOT => false,
        _ => {
            return Err(place.error(format_args!(": the link is {}, but must be {MUST} or {CANNOT}", excerpt(word))));
        }
    };
    Ok(Link { i, j, must })
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
