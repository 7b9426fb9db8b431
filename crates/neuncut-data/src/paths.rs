//! From what the user typed to files: plain paths and globs.

use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// Files in the order given; the matches of a glob sorted. A path that exists is never taken for a glob.
pub(crate) fn expand(paths: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
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
    fn nothing_to_read_is_an_error() {
        let dir = Dir::new();
        let message = |path: String| expand(&[path]).unwrap_err().to_string();
        assert!(message(dir.path("*.npy")).contains("no file matches this glob"));
        assert!(message(dir.path("a***b")).contains("not a valid glob"));
        assert!(expand(&[]).unwrap_err().to_string().contains("at least one file or glob"));
    }
}
