//! Files that appear complete or not at all: written under another name in the same directory, renamed at the end.
//!
//! ```
//! use neuncut_data::{AtomicFile, Scratch};
//! use std::io::Write;
//!
//! let folder = Scratch::create_in(&std::env::temp_dir())?;
//! let path = folder.path().join("answer.txt");
//! let mut file = AtomicFile::create(&path)?;
//! file.write_all(b"42")?;
//! assert!(!path.exists());
//! file.commit()?;
//! assert_eq!(std::fs::read(&path)?, b"42");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::sweep::abandon;

use crate::sweep;
use crate::temporary::TemporaryFile;
use crate::write_back::WriteBack;
use crate::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A buffered file that replaces its target by [`AtomicFile::commit`]. Dropped before that, it leaves no trace.
///
/// Devices and pipes, such as `/dev/stdout`, are written directly.
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    writer: BufWriter<Sink>,
}

#[derive(Debug)]
enum Sink {
    Temporary(TemporaryFile, WriteBack),
    Direct(File),
}

impl AtomicFile {
    /// Begins to write a file. The target's directory must exist; the target itself is not touched yet.
    ///
    /// # Errors
    /// When the target is a directory or may not be written, or its directory takes no file.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        // Behind a link, the file that it points to is replaced, and not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let sink = open(&target).map_err(|error| Error::io("create", path)(explain(&target, error)))?;
        Ok(Self { target: path.to_owned(), writer: BufWriter::with_capacity(1 << 17, sink) })
    }

    /// The target's path, as given.
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Whether the file goes to a device or pipe, where nothing can be patched afterwards.
    pub fn is_direct(&self) -> bool {
        matches!(self.writer.get_ref(), Sink::Direct(_))
    }

    /// Writes everything to disk; the file is not in its place yet.
    ///
    /// # Errors
    /// When not everything can be written.
    pub fn complete(self) -> Result<Complete> {
        let target = self.target;
        let sink = self.writer.into_inner().map_err(|error| Error::io("write", &target)(error.into_error()))?;
        let Sink::Temporary(file, mut early) = sink else {
            return Ok(Complete(None));
        };
        early.finish().and_then(|()| file.file.sync_all()).map_err(Error::io("write", &target))?;
        Ok(Complete(Some((target, file))))
    }

    /// Writes everything to disk and puts the file in its place.
    ///
    /// # Errors
    /// When not everything can be written, or the target cannot be replaced.
    pub fn commit(self) -> Result<()> {
        self.complete()?.place()
    }
}

/// A file that is complete on disk, but not in its place: of several files none is put in its place before all are complete. Dropped, it
/// leaves no trace.
#[derive(Debug)]
#[must_use = "the file is not in its place yet"]
pub struct Complete(Option<(PathBuf, TemporaryFile)>);

impl Complete {
    /// What was written directly, and has no place to be put in.
    pub(crate) fn direct() -> Self {
        Self(None)
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// When the target cannot be replaced.
    pub fn place(self) -> Result<()> {
        let Some((path, file)) = self.0 else { return Ok(()) };
        let target = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        file.persist(&target).map_err(Error::io("replace", &path))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.writer.flush()?;
        match self.writer.get_mut() {
            Sink::Temporary(file, _) => file.file.seek(position),
            Sink::Direct(file) => file.seek(position),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Temporary(file, early) => early.write(&mut file.file, bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary(file, _) => file.file.flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}

/// Puts files that belong together in their places, one after another; no interruption comes in between.
///
/// # Errors
/// When a target cannot be replaced; those before it are in their places then.
pub fn place_all(files: impl IntoIterator<Item = Complete>) -> Result<()> {
    let _undisturbed = sweep::undisturbed(); // `abandon` waits for it
    files.into_iter().try_for_each(Complete::place)
}

fn open(target: &Path) -> io::Result<Sink> {
    let existing = fs::metadata(target).ok();
    if existing.as_ref().is_some_and(|existing| existing.is_dir()) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        return OpenOptions::new().write(true).open(target).map(Sink::Direct);
    }
    if existing.as_ref().is_some_and(|existing| existing.permissions().readonly()) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    sweep::sweep_once(directory(target));
    let file = TemporaryFile::create_in(directory(target), mode(existing.as_ref()))?;
    // held until the file is closed, which tells others that it is being written; where locks are not known, nothing is swept either
    let _ = file.file.try_lock();
    Ok(Sink::Temporary(file, WriteBack::default()))
}

/// A replaced file keeps its permissions; a new one gets what the umask allows, not a temporary file's 0600.
#[cfg(unix)]
fn mode(existing: Option<&fs::Metadata>) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    existing.map_or(0o666, |existing| existing.permissions().mode() & 0o7777)
}

/// Other systems have no such permissions.
#[cfg(not(unix))]
fn mode(_: Option<&fs::Metadata>) -> u32 {
    0o666
}

fn directory(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The operating system's answer with its remedy.
fn explain(target: &Path, error: io::Error) -> io::Error {
    let directory = directory(target).display();
    let text = match error.kind() {
        io::ErrorKind::NotFound => format!("the directory {directory} does not exist; create it first"),
        io::ErrorKind::IsADirectory => "this is a directory; give the name of a file".to_owned(),
        io::ErrorKind::PermissionDenied => format!("no permission to write it in {directory}; choose another place"),
        io::ErrorKind::ReadOnlyFilesystem => "its disk can only be read; choose another place".to_owned(),
        _ => return error,
    };
    io::Error::new(error.kind(), text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dir;

    #[test]
    fn the_target_appears_at_commit_and_not_before() {
        let dir = Dir::new();
        let path = dir.path("a.bin");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert!(!Path::new(&path).exists());
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(dir.names(), ["a.bin"]);
    }

    #[test]
    fn of_two_files_none_is_there_unless_both_are_complete() {
        let dir = Dir::new();
        let [first, second] = ["a.bin", "b.bin"].map(|name| AtomicFile::create(dir.path(name)).unwrap());
        let (first, second) = (first.complete().unwrap(), second.complete().unwrap());
        assert!(!Path::new(&dir.path("a.bin")).exists());
        drop(second);
        place_all([first]).unwrap();
        assert_eq!(dir.names(), ["a.bin"]);
    }

    #[test]
    fn dropped_unfinished_leaves_the_old_file_and_nothing_else() {
        let dir = Dir::new();
        let path = dir.file("a.bin", "old");
        AtomicFile::create(&path).unwrap().write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(dir.names(), ["a.bin"]);
    }

    #[test]
    fn the_beginning_can_be_patched() {
        let dir = Dir::new();
        let path = dir.path("a.bin");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"xyz").unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.write_all(b"a").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ayz");
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = Dir::new();
        let (path, link) = (dir.file("a.bin", "old"), dir.path("link"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn devices_are_written_directly_and_a_full_disk_is_reported() {
        let mut null = AtomicFile::create("/dev/null").unwrap();
        assert!(null.is_direct());
        null.write_all(b"gone").unwrap();
        null.commit().unwrap();
        let mut full = AtomicFile::create("/dev/full").unwrap();
        full.write_all(b"gone").unwrap();
        assert!(full.commit().unwrap_err().to_string().contains("cannot write /dev/full: No space left on device"));
        assert!(Path::new("/dev/full").exists());
    }

    #[test]
    fn impossible_targets_are_explained() {
        let dir = Dir::new();
        let message = |name: &str| AtomicFile::create(dir.path(name)).unwrap_err().to_string();
        assert!(message("no/a.bin").contains("does not exist; create it first"));
        assert!(message("").contains("this is a directory; give the name of a file"));
    }
}
