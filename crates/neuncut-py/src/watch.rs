//! Long work on a thread of its own, while Python's thread draws progress, calls back and listens for Ctrl-C.
//!
//! Ctrl-C is obeyed within a moment: the exception is raised at once, and the work ends by itself at its next step. A callback runs
//! on Python's thread while training waits, so that what it does is seen before the next step.

use crate::errors::to_python;
use crate::threads::on_all_threads;
use neuncut::train::{Interrupt, Observer, Progress};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long Python's thread sleeps before it looks for signals.
const LISTEN: Duration = Duration::from_millis(50);
/// The least time between two steps that are told.
const TELL: Duration = Duration::from_millis(100);

/// What the work tells.
enum Event<T> {
    Stage(String),
    Step(TrainingStep, SyncSender<()>),
    Done(neuncut::Result<T>),
}

/// Where training stands.
struct TrainingStep {
    stage: String,
    step: usize,
    total: usize,
    epoch: usize,
    epochs: usize,
    ends_epoch: bool,
    terms: Vec<(&'static str, f64)>,
    learning_rate: f64,
}

/// Tells Python's thread how the work goes.
struct Teller<T> {
    events: Sender<Event<T>>,
    stop: Interrupt,
    heard: bool,
    told: Instant,
}

impl<T> Observer for Teller<T> {
    fn stage(&mut self, name: &str) {
        if self.heard {
            let _ = self.events.send(Event::Stage(name.into())); // nobody listens after Ctrl-C
        }
    }

    fn step(&mut self, progress: &Progress) {
        let (epoch, ends_epoch) = progress.epoch();
        if !self.heard || !(ends_epoch || self.told.elapsed() >= TELL) {
            return;
        }
        self.told = Instant::now();
        let step = TrainingStep {
            stage: progress.stage.into(),
            step: progress.step,
            total: progress.total,
            epoch,
            epochs: progress.epochs,
            ends_epoch,
            terms: progress.terms.to_vec(),
            learning_rate: progress.learning_rate,
        };
        let (answer, answered) = sync_channel(1);
        if self.events.send(Event::Step(step, answer)).is_ok() {
            let _ = answered.recv(); // an error where nobody listens any more
        }
    }

    fn interrupt(&self) -> Interrupt {
        self.stop.clone()
    }
}

/// Does `work` on a thread of its own. `watcher` has the methods `stage(name)` and `step(progress)`.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    watcher: Option<Bound<'_, PyAny>>,
    work: impl FnOnce(&mut dyn Observer) -> neuncut::Result<T> + Send + 'static,
) -> PyResult<T> {
    let (events, received) = channel();
    let stop = Interrupt::new();
    let mut teller = Teller { events, stop: stop.clone(), heard: watcher.is_some(), told: Instant::now() };
    let thread = std::thread::Builder::new().name("neuncut".into()).spawn(move || {
        let done = on_all_threads(|| work(&mut teller));
        match done {
            Ok(outcome) => drop(teller.events.send(Event::Done(outcome))),
            Err(error) => Python::attach(|py| error.print(py)), // no threads: said, and the listener finds the channel closed
        }
    });
    let thread = thread.map_err(|e| PyRuntimeError::new_err(format!("cannot start a thread: {e}")))?;
    match listen(py, watcher.as_ref(), Mutex::new(received)) {
        Ok(Some(outcome)) => outcome.map_err(to_python),
        Ok(None) => match py.detach(|| thread.join()) {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => Err(PyRuntimeError::new_err("the work ended without a result")),
        },
        Err(error) => {
            stop.request();
            Err(error)
        }
    }
}

/// Passes events on until the work is done; none where its thread died.
fn listen<T: Send>(
    py: Python<'_>,
    watcher: Option<&Bound<'_, PyAny>>,
    received: Mutex<Receiver<Event<T>>>,
) -> PyResult<Option<neuncut::Result<T>>> {
    loop {
        let event = py.detach(|| received.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LISTEN));
        match (event, watcher) {
            (Ok(Event::Done(outcome)), _) => return Ok(Some(outcome)),
            (Err(RecvTimeoutError::Disconnected), _) => return Ok(None),
            (Ok(Event::Stage(name)), Some(watcher)) => drop(watcher.call_method1("stage", (name,))?),
            (Ok(Event::Step(step, answer)), Some(watcher)) => {
                watcher.call_method1("step", (step.to_python(py)?,))?;
                let _ = answer.send(());
            }
            _ => {}
        }
        py.check_signals()?;
    }
}

impl TrainingStep {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let progress = PyDict::new(py);
        progress.set_item("stage", &self.stage)?;
        progress.set_item("step", self.step)?;
        progress.set_item("total", self.total)?;
        progress.set_item("epoch", self.epoch)?;
        progress.set_item("epochs", self.epochs)?;
        progress.set_item("ends_epoch", self.ends_epoch)?;
        progress.set_item("learning_rate", self.learning_rate)?;
        let terms = PyDict::new(py);
        for (name, value) in &self.terms {
            terms.set_item(name, value)?;
        }
        progress.set_item("terms", terms)?;
        Ok(progress)
    }
}
