//! Runs that have no record yet, several at a time; each leaves its record as soon as it is done.

use super::job::Job;
use super::machine::{Machine, commit};
use super::measure::{Bench, Measured};
use super::record::{Record, RecordFile};
use crate::args::Talk;
use crate::{interrupt, speech};
use neuncut::{Error, Result};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// How runs are done.
pub struct Runner<'a> {
    pub bench: Bench<'a>,
    /// Runs side by side.
    pub jobs: usize,
    /// Where the program's commit is looked up.
    pub source: &'a Path,
    pub talk: Talk,
}

impl Runner<'_> {
    /// Does every job that has no record, and gives the records of all, in the order of the jobs.
    pub fn run(&self, jobs: &[Job], records: &RecordFile) -> Result<Vec<Record>> {
        let before = records.read()?;
        let done = |job: &Job| before.iter().rev().find(|record| job.is_done_by(record)).cloned();
        let pending: Vec<&Job> = jobs.iter().filter(|job| done(job).is_none()).collect();
        let (machine, commit) = (Machine::here(), commit(self.source));
        let others = records.read_others()?;
        // features first and one after another: runs share them
        let mut queue = VecDeque::new();
        for job in pending {
            interrupt::check()?;
            if let Some(record) = self.taken(job, &others, &machine) {
                records.append(&record)?;
                speech::remark(self.talk, format_args!("{} (recorded in another table)", record.line()));
                continue;
            }
            queue.push_back((job, self.bench.data(job)?));
        }
        let left = queue.len();
        let shared =
            Shared { queue: Mutex::new(queue), failure: Mutex::new(None), write: Mutex::new((records, 0, left)) };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| self.work(&shared, &machine, commit.as_deref()));
            }
        });
        if let Some(error) = lock(&shared.failure).take() {
            return Err(error);
        }
        let after = records.read()?;
        Ok(jobs.iter().filter_map(|job| after.iter().rev().find(|record| record.id == job.id).cloned()).collect())
    }

    /// The record of the same run in another table, done on this machine under the same conditions.
    fn taken(&self, job: &Job, others: &[(String, Record)], machine: &Machine) -> Option<Record> {
        let threads = self.threads(machine);
        let (table, record) = others.iter().rev().find(|(_, record)| {
            job.is_the_work_of(record)
                && record.machine == *machine
                && (record.threads, record.jobs) == (threads, self.jobs)
        })?;
        let taken_from = record.taken_from.clone().or_else(|| Some(format!("{table}: {}", record.id)));
        Some(Record { id: job.id.clone(), taken_from, ..record.clone() })
    }

    fn threads(&self, machine: &Machine) -> usize {
        self.bench.program.threads.unwrap_or(machine.cores)
    }

    /// Takes runs from the queue until it is empty or one cannot be recorded.
    fn work(&self, shared: &Shared, machine: &Machine, commit: Option<&str>) {
        loop {
            let Some((job, data)) = lock(&shared.queue).pop_front() else { return };
            let outcome = match data {
                Ok(data) => self.bench.measure(job, &data),
                Err(problem) => Ok(Err(problem)),
            };
            let recorded = interrupt::check().and(outcome).and_then(|measured| {
                let record = self.record(job, measured, machine, commit);
                let mut write = lock(&shared.write);
                write.0.append(&record)?;
                write.1 += 1;
                speech::remark(self.talk, format_args!("[{}/{}] {}", write.1, write.2, record.line()));
                Ok(())
            });
            if let Err(error) = recorded {
                lock(&shared.queue).clear();
                lock(&shared.failure).get_or_insert(error);
                return;
            }
        }
    }

    fn record(&self, job: &Job, measured: Measured, machine: &Machine, commit: Option<&str>) -> Record {
        let (score, found, error) = match measured {
            Ok(outcome) => (outcome.score, outcome.found, None),
            Err(problem) => (None, Value::Null, Some(problem)),
        };
        Record {
            id: job.id.clone(),
            method: job.config.method.name().into(),
            kind: job.kind,
            quick: job.quick,
            config: job.settings(),
            rows: job.subset.unwrap_or(job.data.rows),
            fingerprint: job.fingerprint(),
            score,
            found,
            error,
            version: env!("CARGO_PKG_VERSION").into(),
            commit: commit.map(Into::into),
            machine: machine.clone(),
            threads: self.threads(machine),
            jobs: self.jobs,
            taken_from: None,
            finished: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
        }
    }
}

/// The words that name a run's data, or why there is none.
type Data = std::result::Result<Vec<String>, String>;

/// What workers share.
struct Shared<'a> {
    queue: Mutex<VecDeque<(&'a Job, Data)>>,
    failure: Mutex<Option<Error>>,
    /// The records, how many runs are done, and of how many.
    write: Mutex<(&'a RecordFile, usize, usize)>,
}

/// A worker that panicked leaves what it shared as it was.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
