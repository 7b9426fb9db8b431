//! A folder for temporary files.

use crate::sweep::sweep_once;
use crate::temporary::TemporaryFolder;
use crate::{Error, Result};
use std::fs::File;
use std::path::Path;

/// A folder for temporary files, which goes with all that is in it; one that a killed process left is swept as its files are.
#[derive(Debug)]
pub struct Scratch {
    folder: TemporaryFolder,
    /// Held as long as the folder is in use.
    _lock: Option<File>,
}

impl Scratch {
    /// A new folder in this directory.
    ///
    /// # Errors
    /// When the directory takes none.
    pub fn create_in(directory: &Path) -> Result<Self> {
        sweep_once(directory);
        let folder = TemporaryFolder::create_in(directory).map_err(Error::io("create a directory in", directory))?;
        let _lock = File::open(folder.path()).ok().filter(|opened| opened.try_lock().is_ok());
        Ok(Self { folder, _lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::sweep;
    use crate::testing::Dir;
    use std::fs;
    use std::path::PathBuf;
    use std::time::Duration;

    #[test]
    fn folders_go_with_their_files_or_are_swept() {
        let dir = Dir::new();
        let place = PathBuf::from(dir.path(""));
        let left = place.join(".neuncut-left.tmp");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("file"), "x").unwrap();
        let scratch = Scratch::create_in(&place).unwrap();
        fs::write(scratch.path().join("file"), "x").unwrap();
        sweep(&place, Duration::ZERO);
        assert!(scratch.path().exists() && !left.exists(), "the one in use stays");
        drop(scratch);
        assert!(dir.names().is_empty());
    }
}
