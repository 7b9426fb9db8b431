//! Large files go to disk while they are written, so that their end does not have to wait for all of it.

use std::fs::File;
use std::io::{self, Write};
use std::thread::JoinHandle;

/// What is written between two requests to put it on disk.
const STEP: u64 = 64 << 20;

/// A file whose bytes are put on disk by a thread of their own as they come.
#[derive(Debug)]
pub(crate) struct WriteBack {
    written: u64,
    step: u64,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Default for WriteBack {
    fn default() -> Self {
        Self { written: 0, step: STEP, thread: None }
    }
}

impl WriteBack {
    /// Writes to the file; after every [`STEP`] bytes the system is asked to put them on disk, unless it is still at it.
    pub fn write(&mut self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        let length = file.write(bytes)?;
        self.written += length as u64;
        if self.written >= self.step && self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            self.finish()?;
            let same = file.try_clone()?;
            self.thread = Some(std::thread::spawn(move || same.sync_data()));
            self.written = 0;
        }
        Ok(length)
    }

    /// Waits for the thread. The system tells a failure to write once, so that it must not be lost here.
    pub fn finish(&mut self) -> io::Result<()> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that puts a file on disk ended early")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dir;
    use std::fs;

    #[test]
    fn what_is_put_on_disk_early_is_what_was_written() {
        let dir = Dir::new();
        let path = dir.path("a.bin");
        let mut file = File::create(&path).unwrap();
        let mut early = WriteBack { step: 1000, ..WriteBack::default() };
        let bytes: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        for part in bytes.chunks(333) {
            assert_eq!(early.write(&mut file, part).unwrap(), part.len());
        }
        early.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}
