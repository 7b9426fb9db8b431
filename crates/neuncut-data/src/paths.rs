//! From what the user typed to files: plain paths, globs, folders of tables, and lists of files.

use super::readers::has_images;
use super::source::Format;
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// Files in the order given; the matches of a glob and the tables of a folder sorted; `@FILE` is a file of paths, one per line. A path
/// that exists is never taken for a glob.
///
/// # Errors
/// When there is no file, a folder cannot be read, or a glob is not valid.
pub fn expand(paths: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if let Some(list) = list_name(path) {
            files.extend(listed_files(Path::new(list))?);
            continue;
        }
        if Path::new(path).is_dir() && !has_images(Path::new(path)) {
            let before = files.len();
            add_tables(Path::new(path), &mut files)?;
            if files.len() == before {
                return Err(Error::data(
                    path,
                    "this folder has neither tables nor PNG or JPEG images: give files, or a folder of them",
                ));
            }
            files[before..].sort();
            continue;
        }
        if !path.contains(['*', '?', '[']) || Path::new(path).exists() {
            files.push(PathBuf::from(path));
            continue;
        }
        let invalid = |error: glob::PatternError| Error::data(path, format!("this is not a valid glob: {error}"));
        let before = files.len();
        for entry in glob::glob(path).map_err(invalid)? {
            files.push(
                entry.map_err(|error| Error::io("read", error.path())(std::io::Error::from(error.error().kind())))?,
            );
        }
        if files.len() == before {
            return Err(Error::data(path, "no file matches this glob: check the directory and the ending"));
        }
        files[before..].sort();
    }
    if files.is_empty() {
        return Err(Error::config("input", "empty", "at least one file or glob"));
    }
    Ok(files)
}

/// The lists of files among what was typed, `@FILE`.
pub fn lists(paths: &[String]) -> Vec<PathBuf> {
    paths.iter().filter_map(|path| list_name(path)).map(PathBuf::from).collect()
}

/// The list that is meant by `@FILE`, where there is no file of that name itself.
fn list_name(path: &str) -> Option<&str> {
    path.strip_prefix('@').filter(|_| !Path::new(path).exists())
}

/// The paths in a file, one per line.
fn listed_files(list: &Path) -> Result<Vec<PathBuf>> {
    let text = std::fs::read_to_string(list).map_err(Error::io("read", list))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(PathBuf::from).collect())
}

/// Files below a folder whose names say that they are tables; names that begin with a point or an underscore are left out, as those of
/// Spark's marks and of temporary files.
fn add_tables(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(Error::io("read", folder))? {
        let entry = entry.map_err(Error::io("read", folder))?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            add_tables(&path, files)?;
        } else if is_table_name(name.trim_end_matches(".gz")) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a file in a folder is taken for a table. Those called .json are notes about the tables beside them, as Hugging Face
/// writes them.
pub fn is_table_name(name: &str) -> bool {
    match Format::of(name) {
        Some(Format::Parquet | Format::Arrow | Format::Csv | Format::Tsv | Format::Npy) => true,
        Some(Format::Json) => !name.ends_with(".json"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dir;

    #[test]
    fn globs_are_sorted_and_the_given_order_is_kept() {
        let dir = Dir::new();
        for name in ["b.npy", "a.npy", "c[1].npy", "z.csv"] {
            dir.file(name, "x");
        }
        let paths = [dir.path("z.csv"), dir.path("[ab].npy"), dir.path("c[1].npy")];
        let names: Vec<_> = expand(&paths).unwrap().iter().map(|path| path.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["z.csv", "a.npy", "b.npy", "c[1].npy"]);
    }

    #[test]
    fn folders_and_lists() {
        let dir = Dir::new();
        std::fs::create_dir_all(dir.path("in/x=1")).unwrap();
        for name in ["in/b.parquet", "in/x=1/a.parquet", "in/_SUCCESS", "in/.part.csv", "in/notes.md"] {
            dir.file(name, "x");
        }
        let names = |path: String| {
            expand(&[path]).map(|files| files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>())
        };
        assert_eq!(names(dir.path("in")).unwrap(), [dir.path("in/b.parquet"), dir.path("in/x=1/a.parquet")]);
        let list = dir.file("list.txt", format!("# shards\n{}\n\n", dir.path("in/b.parquet")));
        assert_eq!(names(format!("@{list}")).unwrap(), [dir.path("in/b.parquet")]);
        std::fs::create_dir(dir.path("empty")).unwrap();
        assert!(names(dir.path("empty")).unwrap_err().to_string().contains("neither tables nor PNG"));
    }

    #[test]
    fn nothing_to_read_is_an_error() {
        let dir = Dir::new();
        let message = |path: String| expand(&[path]).unwrap_err().to_string();
        assert!(message(dir.path("*.npy")).contains("no file matches this glob"));
        assert!(message(dir.path("a***b")).contains("not a valid glob"));
        assert!(expand(&[]).unwrap_err().to_string().contains("at least one file or glob"));
    }
}
