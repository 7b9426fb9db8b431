//! Texts of rows: which column holds them, the words that name the clusters of a fit, and what pages show.

use crate::args::Talk;
use crate::report::page::RowData;
use crate::{interrupt, speech};
use neuncut::Result;
use neuncut::data::{Keep, KeptColumns, Table, check_text_column, find_texts, read_texts};
use neuncut::methods::Model;
use neuncut::vocabulary::{ClusterWords, cluster_words};

/// What is typed for no column.
const NONE: &str = "none";
/// Characters of a text that a page shows.
const SHOWN: usize = 240;

/// The column of texts: the one that was named, or the only one that there is.
pub fn text_column(asked: Option<&str>, table: &Table, label_column: Option<&str>) -> Result<Option<String>> {
    match asked {
        Some(NONE) => Ok(None),
        Some(column) => check_text_column(table, column).map(|()| Some(column.to_owned())).map_err(Into::into),
        None => Ok(find_texts(table, label_column)?),
    }
}

/// Names the clusters of a model by the texts of the rows that were fitted; `rows` are their labels, and which they are.
pub fn name_clusters(
    model: &mut Model,
    table: &mut Table,
    column: &str,
    (labels, fitted): (&[u32], Option<&[u64]>),
    talk: Talk,
) -> Result<()> {
    let all: Vec<u64>;
    let rows = match fitted {
        Some(rows) => rows,
        None => {
            all = (0..labels.len() as u64).collect();
            &all
        }
    };
    let texts = read_texts(table, column, rows, &mut |_| interrupt::check())?;
    let rows = texts.iter().map(String::as_str).zip(labels.iter().copied());
    let ClusterWords { words, names } = cluster_words(rows, model.n_clusters());
    if words.iter().all(Vec::is_empty) {
        speech::remark(talk, format_args!("the texts of column {column} have no words that set clusters apart"));
        return Ok(());
    }
    model.record.cluster_words = words;
    if model.record.has_given_names() {
        speech::remark(talk, "clusters keep the names that were given; `neuncut inspect` shows their words too");
        return Ok(());
    }
    model.record.cluster_titles = names;
    speech::remark(
        talk,
        format_args!("clusters are named by the words of column {column}; `neuncut inspect` shows them"),
    );
    Ok(())
}

/// The names of clusters that a model took over from an earlier one.
pub fn kept_names(model: &Model) -> Vec<(u32, String)> {
    let kept = model.record.succession.iter().flat_map(|succession| &succession.kept);
    let name = |cluster: u32| model.record.cluster_titles.get(cluster as usize).cloned();
    kept.filter_map(|kept| Some((kept.cluster, name(kept.cluster)?))).collect()
}

/// Puts them back in the place of new ones.
pub fn restore_names(model: &mut Model, kept: Vec<(u32, String)>) {
    for (cluster, name) in kept {
        if let Some(place) = model.record.cluster_titles.get_mut(cluster as usize) {
            *place = name;
        }
    }
}

/// Puts the texts of rows that a page shows beside them.
pub fn put_texts(rows: &mut [RowData], table: &mut Table, column: &str) -> Result<()> {
    put(rows, table, column, |row, text| row.text = text)
}

/// Puts the ids of rows that a page shows beside them, where the table has a column of that name.
pub fn put_ids(rows: &mut [RowData], table: &mut Table) -> Result<()> {
    let Some(kept) = KeptColumns::open(table, &Keep::Scalars)? else { return Ok(()) };
    let column = kept.schema().fields().iter().map(|field| field.name().clone()).find(|name| is_id(name));
    match column {
        Some(column) => put(rows, table, &column, |row, id| row.id = id),
        None => Ok(()),
    }
}

fn is_id(name: &str) -> bool {
    ["id", "_id", "uuid", "guid"].contains(&&*name.to_lowercase())
}

fn put(rows: &mut [RowData], table: &mut Table, column: &str, set: impl Fn(&mut RowData, String)) -> Result<()> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&at| rows[at].row);
    let places: Vec<u64> = order.iter().map(|&at| rows[at].row).collect();
    let texts = read_texts(table, column, &places, &mut |_| interrupt::check())?;
    for (at, text) in order.into_iter().zip(texts) {
        set(&mut rows[at], shortened(&text));
    }
    Ok(())
}

/// The beginning of a long text, with the spaces of all kinds as one.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened_between_characters() {
        assert_eq!(shortened(" a\n b\t"), "a b");
        let long = "é".repeat(SHOWN + 1);
        assert_eq!(shortened(&long), format!("{}…", "é".repeat(SHOWN)));
        assert_eq!(shortened(&long[2..]), long[2..]);
    }
}
