//! Temporary files that nobody will finish: those of this process when it is about to end, and those of processes that were killed.

use crate::temporary::{PREFIX, SUFFIX, own_prefix};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The age at which a temporary file is locked by its maker, if that is alive.
const SETTLED: Duration = Duration::from_secs(2);

/// Directories in which this process writes.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// As long as it is held, no other thread sweeps, and [`abandon`] waits.
pub(crate) fn undisturbed() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    SWEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of this process, which is about to end without finishing what it writes.
pub fn abandon() {
    let own = own_prefix();
    for directory in undisturbed().iter() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&own) {
                let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
            }
        }
    }
}

/// Sweeps a directory when this process writes there for the first time.
pub(crate) fn sweep_once(directory: &Path) {
    let first = undisturbed().insert(directory.to_owned());
    if first {
        sweep(directory, SETTLED);
    }
}

/// Removes temporary files and folders that a process left behind when it was killed: nobody holds their lock, and they are not so new that their
/// maker may be about to take it. What cannot be removed does no harm.
pub(crate) fn sweep(directory: &Path, settled: Duration) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let age = entry.metadata().ok().and_then(|found| found.modified().ok()?.elapsed().ok());
        let is_ours = name.starts_with(PREFIX) && name.ends_with(SUFFIX) && age.is_some_and(|age| age >= settled);
        if is_ours && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AtomicFile;
    use crate::testing::Dir;
    use std::io::Write;

    #[test]
    fn what_killed_processes_left_is_swept_and_nothing_else() {
        let dir = Dir::new();
        let [left, other] = [dir.file(".neuncut-left.tmp", "x"), dir.file("neuncut.tmp", "x")];
        let mut written = AtomicFile::create(dir.path("a.csv")).unwrap();
        sweep(Path::new(&dir.path("")), Duration::from_secs(3600));
        assert!(Path::new(&left).exists(), "it is too new");
        sweep(Path::new(&dir.path("")), Duration::ZERO);
        assert!(!Path::new(&left).exists() && Path::new(&other).exists());
        written.write_all(b"1").unwrap();
        written.commit().unwrap();
        assert_eq!(fs::read(dir.path("a.csv")).unwrap(), b"1", "one that is being written stays");
    }
}
