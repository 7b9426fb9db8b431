//! Columns that stand in the names of folders, as Hive, Spark and DuckDB write them: `year=2024/part-0.parquet`.

use std::path::Path;

/// What Hive writes in the place of null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The columns that the folders of all these files name.
pub(crate) fn keys(files: &[&Path]) -> Vec<String> {
    let [first, rest @ ..] = files else { return Vec::new() };
    let keys_of = |file: &Path| pairs(file).into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    let keys = keys_of(first);
    if rest.iter().any(|file| keys_of(file) != keys) { Vec::new() } else { keys }
}

/// The value of a column in the name of a file's folder; `None` is null.
pub(crate) fn value(file: &Path, key: &str) -> Option<String> {
    pairs(file).into_iter().find(|(name, _)| name == key).map(|(_, value)| value).filter(|value| value != NULL)
}

/// The `key=value` folders right above a file, from the outermost on.
fn pairs(file: &Path) -> Vec<(String, String)> {
    let folders = file.ancestors().skip(1).map(|folder| folder.file_name()?.to_str()?.split_once('='));
    let pairs = folders.map_while(|pair| pair.map(|(key, value)| (key.to_owned(), decoded(value))));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.reverse();
    pairs
}

/// Text in which `%3A` stands for a colon.
fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_columns() {
        let files = ["in/a=1/b=x%3Ay/0.parquet", "in/a=2/b=__HIVE_DEFAULT_PARTITION__/0.parquet"].map(Path::new);
        assert_eq!(keys(&files), ["a", "b"]);
        assert_eq!(value(files[0], "b").as_deref(), Some("x:y"));
        assert_eq!(value(files[1], "a").as_deref(), Some("2"));
        assert_eq!(value(files[1], "b"), None);
        assert!(keys(&[files[0], Path::new("in/0.parquet")]).is_empty());
        assert_eq!(keys(&files[..1]), ["a", "b"]);
        assert_eq!(decoded("100%"), "100%");
    }
}
