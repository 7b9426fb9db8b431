//! Where there is no terminal: a line every ten seconds about what is being done, also while nothing of it can be counted.

use crate::args::Talk;
use crate::progress::rate;
use crate::speech;
use indicatif::HumanCount;
use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// How often a line comes.
const EVERY: Duration = Duration::from_secs(10);

/// What is being done.
#[derive(Debug, Clone)]
pub enum Doing {
    /// Something that is not counted, since when.
    Stage { name: String, begin: Instant },
    /// Steps, described.
    Steps(String),
    /// Rows of so many, where that is known.
    Rows { what: &'static str, done: u64, total: Option<u64>, begin: Instant },
    /// Rows of all files up to this one.
    File { what: &'static str, number: usize, of: usize, rows: u64, begin: Instant },
}

impl Doing {
    fn line(&self, now: Instant) -> String {
        let since = |begin: &Instant| now.saturating_duration_since(*begin).as_secs_f64();
        match self {
            Self::Stage { name, begin } => format!("{name}, for {:.0} s", since(begin)),
            Self::Steps(steps) => steps.clone(),
            Self::Rows { what, done, total: Some(total), begin } => {
                let (rate, left) = (rate(*done, since(begin)), total.saturating_sub(*done));
                let left = since(begin) * left as f64 / (*done as f64).max(1.0);
                format!("{what}: {} of {} rows, {rate}, {left:.0} s left", HumanCount(*done), HumanCount(*total))
            }
            Self::Rows { what, done, total: None, begin } => {
                format!("{what}: {} rows, {}", HumanCount(*done), rate(*done, since(begin)))
            }
            Self::File { what, number, of, rows, begin } => {
                let rate = rate(*rows, since(begin));
                format!(
                    "{what}: file {} of {}, {} rows, {rate}",
                    HumanCount(*number as u64),
                    HumanCount(*of as u64),
                    HumanCount(*rows)
                )
            }
        }
    }
}

/// Writes the lines until it is dropped.
pub struct Heartbeat {
    doing: Arc<Mutex<Option<Doing>>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// One that is silent on a terminal, or where told to be quiet.
    pub fn new(talk: Talk) -> Self {
        if talk.quiet || stderr().is_terminal() {
            return Self { doing: Arc::default(), stop: None, thread: None };
        }
        Self::every(EVERY, move |line| speech::remark(talk, line))
    }

    fn every(period: Duration, mut say: impl FnMut(String) + Send + 'static) -> Self {
        let doing = Arc::<Mutex<Option<Doing>>>::default();
        let (stop, stopped) = mpsc::channel();
        let seen = Arc::clone(&doing);
        let beat = move || {
            while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                let doing = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if let Some(doing) = doing {
                    say(doing.line(Instant::now()));
                }
            }
        };
        // without a thread there are no lines, which does no harm
        Self { doing, stop: Some(stop), thread: Builder::new().spawn(beat).ok() }
    }

    /// What the next line is about.
    pub fn tell(&self, doing: Doing) {
        if self.thread.is_some() {
            *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = Some(doing);
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_is_done() {
        let begin = Instant::now();
        let line = |doing: Doing| doing.line(begin + Duration::from_secs(2));
        let rows = |total| Doing::Rows { what: "labelling", done: 1000, total, begin };
        assert_eq!(line(rows(Some(4000))), "labelling: 1,000 of 4,000 rows, 500 rows/s, 6 s left");
        assert_eq!(line(rows(None)), "labelling: 1,000 rows, 500 rows/s");
        assert_eq!(line(Doing::Stage { name: "eigenvectors".into(), begin }), "eigenvectors, for 2 s");
        let file = Doing::File { what: "labelling", number: 3, of: 1000, rows: 5000, begin };
        assert_eq!(line(file), "labelling: file 3 of 1,000, 5,000 rows, 2,500 rows/s");
    }

    #[test]
    fn lines_come_while_nothing_is_counted() {
        let (say, said) = mpsc::channel();
        let heartbeat = Heartbeat::every(Duration::from_millis(1), move |line| drop(say.send(line)));
        heartbeat.tell(Doing::Stage { name: "eigenvectors".into(), begin: Instant::now() });
        for _ in 0..3 {
            assert_eq!(said.recv().expect("a line"), "eigenvectors, for 0 s");
        }
        drop(heartbeat);
        while said.try_recv().is_ok() {}
        assert!(said.recv().is_err(), "it has ended");
    }
}
