//! The fit on every set of a directory, beside the scores of peers stored there.
//!
//! A set is `KIND-NAME.x.npy` with its classes in `KIND-NAME.y.npy`; `peers.csv` holds the accuracy of other programs. Options:
//! `--suite DIR`, `--real DIR` (more sets, of kind `image`), `--only TEXT`, `--seeds N`, `--jobs N` (sets at a time),
//! `--set KEY=VALUE` (any key of `fit --config`), `--record FILE`, `--against RECORD`. A run that is interrupted goes on where it
//! stopped when it is started again with the same record, settings and program.

pub mod options;
mod peers;
mod record;
mod report;
pub mod sets;

use neuncut::job::Job;
use neuncut::methods::Config;
use neuncut::metrics::scores;
use neuncut::{Error, Result};
use options::Options;
use peers::Peers;
use record::{Record, Run};
use sets::SuiteSet;
use std::collections::VecDeque;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

/// Runs what is missing from the record, then prints the tables.
pub fn run(words: &[String]) -> Result<ExitCode> {
    let options = Options::read(words)?;
    let sets = sets::find(&options)?;
    let peers = Peers::read(&options.suite)?;
    let record = Record::open(&options)?;
    let missing: VecDeque<(&SuiteSet, u64)> = (0..options.seeds)
        .flat_map(|seed| sets.iter().map(move |set| (set, seed)))
        .filter(|(set, seed)| !record.has(&set.name, *seed))
        .collect();
    let (queue, record) = (Mutex::new(missing), Mutex::new(record));
    let threads = (std::thread::available_parallelism().map_or(1, usize::from) / options.jobs).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..options.jobs).map(|_| scope.spawn(|| work(&options, &queue, &record, &peers, threads))).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(Error::Degenerate("a worker of the suite panicked".into())))
        })
    })?;
    let record = record.into_inner().map_err(|_| Error::Degenerate("a worker of the suite panicked".into()))?;
    let runs: Vec<&Run> = record.runs.iter().filter(|run| sets.iter().any(|set| set.name == run.set)).collect();
    report::print(&runs, &peers);
    if let Some(file) = &options.against {
        report::print_against(&runs, &Record::read(file)?.runs);
    }
    println!("\nrecord: {}", options.record.display());
    Ok(ExitCode::SUCCESS)
}

/// Takes sets from the queue until there are none.
fn work(
    options: &Options,
    queue: &Mutex<VecDeque<(&SuiteSet, u64)>>,
    record: &Mutex<Record>,
    peers: &Peers,
    threads: usize,
) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Error::Degenerate(e.to_string()))?;
    loop {
        let Some((set, seed)) = queue.lock().ok().and_then(|mut queue| queue.pop_front()) else { return Ok(()) };
        match pool.install(|| score(options, set, seed)) {
            Ok(run) => {
                println!("{}", report::line(&run, peers));
                if let Ok(mut record) = record.lock() {
                    record.add(run)?;
                }
            }
            Err(error) => println!("{} seed {seed}: {error}", set.name),
        }
    }
}

/// One fit, scored.
fn score(options: &Options, set: &SuiteSet, seed: u64) -> Result<Run> {
    let data = set.data(seed)?;
    let config = Config { seed, ..options.config(data.clusters)? };
    let begin = Instant::now();
    let fitted = Job::new(config)?.fit(data.rows.view())?;
    let seconds = begin.elapsed().as_secs_f64();
    let (found, classes): (Vec<u32>, Vec<u32>) =
        fitted.labels.iter().zip(&data.truth).filter_map(|(&label, class)| class.map(|class| (label, class))).unzip();
    let scores = scores(&found, &classes)?;
    let diagnostics = fitted.model.map(|model| model.record.diagnostics).unwrap_or_default();
    Ok(Run {
        set: set.name.clone(),
        seed,
        clusters: data.clusters,
        accuracy: scores.accuracy,
        nmi: scores.nmi,
        seconds,
        start: diagnostics.start.map(|start| start.leader).unwrap_or_default(),
        representation: diagnostics.representation,
        guard_kept_start: diagnostics.guard_kept_start,
        warnings: diagnostics.warnings.into_iter().map(|warning| warning.name).collect(),
    })
}
