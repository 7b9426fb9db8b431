//! A writer that works while the next rows are labelled: copying columns keeps the disk and the system busy, not the cores.

use super::{Complete, RowWriter};
use crate::{Error, Result};
use ndarray::{Array2, ArrayView2};
use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Chunks that may wait for the writer.
const WAITING: usize = 32;

type Chunk = (Vec<i32>, Option<Array2<f32>>);

/// Hands chunks to a writer on a thread of its own, in their order.
pub(super) struct OnThread {
    chunks: Option<SyncSender<Chunk>>,
    thread: Option<JoinHandle<Result<Box<dyn RowWriter>>>>,
}

impl OnThread {
    pub(super) fn new(mut writer: Box<dyn RowWriter>) -> Self {
        let (chunks, waiting) = sync_channel::<Chunk>(WAITING);
        let thread = std::thread::spawn(move || {
            for (labels, memberships) in waiting {
                writer.write(&labels, memberships.as_ref().map(|found| found.view()))?;
            }
            Ok(writer)
        });
        Self { chunks: Some(chunks), thread: Some(thread) }
    }

    /// Waits until all chunks are written.
    fn end(&mut self) -> Result<Box<dyn RowWriter>> {
        self.chunks = None;
        let thread =
            self.thread.take().ok_or_else(|| Error::io("write", "the output")(io::ErrorKind::BrokenPipe.into()))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl RowWriter for OnThread {
    fn write(&mut self, labels: &[i32], memberships: Option<ArrayView2<f32>>) -> Result<()> {
        let chunk = (labels.to_vec(), memberships.map(|memberships| memberships.to_owned()));
        match self.chunks.as_ref().map(|chunks| chunks.send(chunk)) {
            Some(Ok(())) => Ok(()),
            // the writer has ended before its time, and says why
            _ => self.end().map(drop),
        }
    }

    fn complete(mut self: Box<Self>) -> Result<Complete> {
        self.end()?.complete()
    }
}

/// What was begun is gone when this returns.
impl Drop for OnThread {
    fn drop(&mut self) {
        self.chunks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Notes what it is given, and fails at the label 13.
    struct Noted(Arc<Mutex<Vec<i32>>>);

    impl RowWriter for Noted {
        fn write(&mut self, labels: &[i32], _: Option<ArrayView2<f32>>) -> Result<()> {
            self.0.lock().unwrap().extend(labels);
            match labels.contains(&13) {
                true => Err(Error::io("write", "a file")(io::Error::other("thirteen"))),
                false => Ok(()),
            }
        }

        fn complete(self: Box<Self>) -> Result<Complete> {
            Err(Error::io("write", "a file")(io::Error::other("the end")))
        }
    }

    #[test]
    fn chunks_are_written_in_their_order() {
        let noted = Arc::new(Mutex::new(Vec::new()));
        let mut writer = Box::new(OnThread::new(Box::new(Noted(noted.clone()))));
        for chunk in 0..6 {
            writer.write(&[2 * chunk, 2 * chunk + 1], None).unwrap();
        }
        let end = writer.complete().err().unwrap().to_string();
        assert!(end.contains("the end"), "{end}");
        assert_eq!(*noted.lock().unwrap(), (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn what_the_writer_says_reaches_the_caller() {
        let noted = Arc::new(Mutex::new(Vec::new()));
        let mut writer = Box::new(OnThread::new(Box::new(Noted(noted))));
        let error = (0..100).find_map(|label| writer.write(&[label], None).err());
        let error = error.unwrap_or_else(|| writer.complete().err().unwrap());
        assert!(error.to_string().contains("thirteen"), "{error}");
    }
}
