//! Bytes that come once and are read by several readers at about the same pace, as from standard input: what one of them has not read yet
//! waits in memory.

use std::collections::VecDeque;
use std::fmt::{self, Debug, Formatter};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes taken in at a time, at most.
const BLOCK: usize = 1 << 16;

/// A stream of rows with the name that errors call it and the ending that says its format.
#[derive(Clone)]
pub struct Stream {
    name: PathBuf,
    format: String,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Told when bytes have come.
    more: Condvar,
}

#[derive(Default)]
struct State {
    /// Where bytes come from; nothing while one of the readers takes some in.
    input: Option<Box<dyn Read + Send>>,
    /// Bytes that came, with their places in the stream.
    blocks: VecDeque<(u64, Arc<[u8]>)>,
    end: u64,
    is_over: bool,
    /// What went wrong, told to every reader.
    failure: Option<(io::ErrorKind, String)>,
    /// How far each reader is, until it is dropped.
    places: Vec<Option<u64>>,
    /// Whether nobody else will begin to read.
    is_closed: bool,
}

impl State {
    /// Forgets what all readers have read.
    fn forget(&mut self) {
        let read = self.places.iter().flatten().min().copied().unwrap_or(self.end);
        while self.is_closed && self.blocks.front().is_some_and(|(at, block)| at + block.len() as u64 <= read) {
            self.blocks.pop_front();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream {
    /// A stream of this name, in the format that an ending such as `csv` says: lines of text, which are read in order.
    pub fn new(name: impl Into<PathBuf>, format: impl Into<String>, input: impl Read + Send + 'static) -> Self {
        let state = State { input: Some(Box::new(input)), ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state), more: Condvar::new() });
        Self { name: name.into(), format: format.into(), shared }
    }

    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    pub(crate) fn format(&self) -> &str {
        &self.format
    }

    /// A reader of the whole stream.
    pub(crate) fn reader(&self) -> io::Result<StreamReader> {
        let mut state = self.shared.state();
        if state.is_closed {
            return Err(io::Error::other("it can be read only once"));
        }
        state.places.push(Some(0));
        Ok(StreamReader { shared: self.shared.clone(), number: state.places.len() - 1 })
    }

    /// From now on nobody else begins to read, and what all readers have read is forgotten.
    pub(crate) fn close(&self) {
        let mut state = self.shared.state();
        state.is_closed = true;
        state.forget();
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Stream {}

impl Debug for Stream {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.debug_struct("Stream").field("name", &self.name).field("format", &self.format).finish_non_exhaustive()
    }
}

/// One of the readers of a stream.
pub(crate) struct StreamReader {
    shared: Arc<Shared>,
    number: usize,
}

impl Read for StreamReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut state = self.shared.state();
        loop {
            let place = state.places[self.number].unwrap_or(state.end);
            if place < state.end {
                let block = state.blocks.partition_point(|(at, _)| *at <= place) - 1;
                let (at, bytes) = &state.blocks[block];
                let left = &bytes[(place - at) as usize..];
                let count = left.len().min(out.len());
                out[..count].copy_from_slice(&left[..count]);
                state.places[self.number] = Some(place + count as u64);
                state.forget();
                return Ok(count);
            }
            if let Some((kind, text)) = &state.failure {
                return Err(io::Error::new(*kind, text.clone()));
            }
            if state.is_over {
                return Ok(0);
            }
            state = match state.input.take() {
                Some(input) => {
                    drop(state); // the others may read what is there meanwhile
                    take_in(&self.shared, input)
                }
                None => self.shared.more.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// Waits for the next bytes.
fn take_in(shared: &Shared, mut input: Box<dyn Read + Send>) -> MutexGuard<'_, State> {
    let mut block = vec![0; BLOCK];
    let came = loop {
        match input.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            came => break came,
        }
    };
    let mut state = shared.state();
    match came {
        Ok(0) => state.is_over = true,
        Ok(count) => {
            let at = state.end;
            state.blocks.push_back((at, block[..count].into()));
            state.end += count as u64;
        }
        Err(error) => state.failure = Some((error.kind(), error.to_string())),
    }
    state.input = Some(input);
    shared.more.notify_all();
    state
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.places[self.number] = None;
        state.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives some bytes at a time, 200,000 of them.
    struct Slow(u32);

    impl Read for Slow {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0 == 200_000 {
                return Ok(0);
            }
            let count = out.len().min(1000);
            for byte in &mut out[..count] {
                *byte = (self.0 % 251) as u8;
                self.0 += 1;
            }
            Ok(count)
        }
    }

    #[test]
    fn readers_get_the_same_bytes_and_little_waits() {
        let stream = Stream::new("standard input", "csv", Slow(0));
        let mut first = [0; 5000];
        stream.reader().unwrap().read_exact(&mut first).unwrap();
        let [mut a, mut b] = [(); 2].map(|()| stream.reader().unwrap());
        stream.close();
        assert!(stream.reader().is_err());
        let ahead = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            a.read_to_end(&mut bytes).map(|_| bytes)
        });
        let mut behind = Vec::new();
        b.read_to_end(&mut behind).unwrap();
        assert_eq!(ahead.join().unwrap().unwrap(), behind);
        assert_eq!((behind.len(), &behind[..5000]), (200_000, &first[..]));
        assert!(stream.shared.state().blocks.is_empty());
    }

    #[test]
    fn every_reader_is_told_what_went_wrong() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let stream = Stream::new("standard input", "csv", Broken);
        for _ in 0..2 {
            let error = stream.reader().unwrap().read_to_end(&mut Vec::new()).unwrap_err();
            assert_eq!(error.to_string(), "gone");
        }
    }
}
