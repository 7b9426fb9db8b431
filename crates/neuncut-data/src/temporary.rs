//! Temporary files and folders, which go when they are dropped.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// What temporary files are called.
pub(crate) const PREFIX: &str = ".neuncut-";
pub(crate) const SUFFIX: &str = ".tmp";
/// How often a name that is taken already is given up for another.
const TRIES: usize = 100;

/// What the temporary files of this process are called.
pub(crate) fn own_prefix() -> String {
    format!("{PREFIX}{}-", std::process::id())
}

/// A file that is there until it is renamed to its target, or dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFile {
    /// None once it has another name.
    path: Option<PathBuf>,
    pub file: File,
}

impl TemporaryFile {
    /// A new file in this directory, with what the umask allows of these permissions.
    #[cfg_attr(not(unix), allow(unused_variables, reason = "only Unix has such permissions"))]
    pub fn create_in(directory: &Path, mode: u32) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        let (path, file) = with_new_name(directory, |path| options.open(path))?;
        Ok(Self { path: Some(path), file })
    }

    /// Gives it its name, in place of a file that has it already.
    pub fn persist(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target)?;
            self.path = None;
        }
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

/// A file without a name, which goes when it is closed.
pub(crate) fn nameless() -> io::Result<File> {
    let owner_only = 0o600;
    let file = TemporaryFile::create_in(&std::env::temp_dir(), owner_only)?;
    file.file.try_clone() // the name goes here
}

/// A folder that goes with all that is in it.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// A new folder in this directory, for its owner only.
    pub fn create_in(directory: &Path) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let (path, ()) = with_new_name(directory, |path| builder.create(path))?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes something under a name that nothing has yet.
fn with_new_name<T>(directory: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let mut taken = io::ErrorKind::AlreadyExists.into();
    for _ in 0..TRIES {
        // the keys of a hash map are the random numbers of the standard library
        let random = RandomState::new().hash_one(directory);
        let path = directory.join(format!("{}{random:016x}{SUFFIX}", own_prefix()));
        match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            made => return made.map(|made| (path, made)),
        }
    }
    Err(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dir;
    use std::io::{Read, Seek, Write};

    #[test]
    fn names_differ_and_what_is_dropped_is_gone() {
        let dir = Dir::new();
        let place = PathBuf::from(dir.path(""));
        let [first, second] = [(); 2].map(|()| TemporaryFile::create_in(&place, 0o600).unwrap());
        let folder = TemporaryFolder::create_in(&place).unwrap();
        fs::write(folder.path().join("file"), "x").unwrap();
        assert_eq!(dir.names().len(), 3);
        assert!(dir.names().iter().all(|name| name.starts_with(&own_prefix()) && name.ends_with(SUFFIX)));
        drop((first, folder));
        second.persist(&place.join("a.bin")).unwrap();
        assert_eq!(dir.names(), ["a.bin"]);
    }

    #[test]
    fn a_nameless_file_can_be_read_again() {
        let mut file = nameless().unwrap();
        file.write_all(b"bytes").unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "bytes");
    }

    #[test]
    fn a_name_that_is_taken_is_given_up_for_another() {
        let tries = std::cell::Cell::new(0);
        let (_, made) = with_new_name(Path::new("."), |_| {
            tries.set(tries.get() + 1);
            if tries.get() < 3 { Err(io::ErrorKind::AlreadyExists.into()) } else { Ok(tries.get()) }
        })
        .unwrap();
        assert_eq!(made, 3);
        let always = with_new_name::<()>(Path::new("."), |_| Err(io::ErrorKind::AlreadyExists.into()));
        assert_eq!(always.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }
}
