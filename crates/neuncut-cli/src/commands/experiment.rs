//! `neuncut experiment`: tables and figures of the paper, run from their files.

use crate::args::{ExperimentArgs, Talk};
use crate::experiment::file::ExperimentFile;
use crate::experiment::job::{Job, settings};
use crate::experiment::measure::Bench;
use crate::experiment::quick;
use crate::experiment::record::{Record, RecordFile, RunId};
use crate::experiment::runner::Runner;
use crate::experiment::sets::{SETS_FILE, SetData, SetSpec, Shelf, note_absent, read_sets};
use crate::process::Program;
use crate::report::results;
use crate::{speech, text_file};
use neuncut::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn run(mut args: ExperimentArgs, threads: Option<usize>, talk: Talk) -> Result<()> {
    if args.jobs == 0 || args.seeds == Some(0) {
        return Err(Error::config(if args.jobs == 0 { "jobs" } else { "seeds" }, 0, "at least 1"));
    }
    args.data = args.data.or_else(|| std::env::var_os("NEUNCUT_DATA").map(PathBuf::from));
    std::fs::create_dir_all(&args.out).map_err(Error::io("create", &args.out))?;
    let cache = args.cache.clone().unwrap_or_else(|| args.out.join("cache"));
    std::fs::create_dir_all(&cache).map_err(Error::io("create", &cache))?;
    let threads = match args.jobs {
        1 => threads,
        jobs => {
            let cores = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
            Some((cores / jobs).max(1))
        }
    };
    let mut stage = Stage { args: &args, cache, program: Program { threads }, opened: BTreeMap::new(), talk };
    let (mut runs, mut failed) = (0, 0);
    for file in args.files.iter().filter(|file| file.file_name().is_none_or(|name| name != SETS_FILE)) {
        let records = stage.experiment(file)?;
        runs += records.len();
        failed += records.iter().filter(|record| record.error.is_some()).count();
    }
    if args.list {
        return Ok(());
    }
    note_absent(&args.out, stage.opened.iter().map(|(set, opened)| (set, opened.as_ref().err())))?;
    let written = results::write(&args.out)?;
    speech::remark(talk, format_args!("records and {written} tables are in {}", args.out.display()));
    match failed {
        0 => Ok(()),
        _ => Err(Error::Degenerate(format!(
            "{failed} of {runs} runs failed: the tables in {} say why; run it again to retry them",
            args.out.display()
        ))),
    }
}

/// What the experiments of one call share.
struct Stage<'a> {
    args: &'a ExperimentArgs,
    cache: PathBuf,
    program: Program,
    /// Data sets that were looked for: at hand, or why not.
    opened: BTreeMap<String, std::result::Result<Arc<SetData>, String>>,
    talk: Talk,
}

impl Stage<'_> {
    fn experiment(&mut self, path: &Path) -> Result<Vec<Record>> {
        let file = ExperimentFile::read(path)?;
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let sets = read_sets(directory)?;
        speech::remark(self.talk, format_args!("{}", file.title));
        let jobs = self.jobs(&file, &sets, path)?;
        let name = path.file_stem().map_or_else(|| "experiment".into(), |stem| stem.to_string_lossy().into_owned());
        let records = RecordFile::new(self.args.out.join(format!("{name}.jsonl")));
        if self.args.list {
            return list(&jobs, &records).map(|()| Vec::new());
        }
        // the tables are made from the directory alone
        text_file::write(&self.args.out.join(format!("{name}.toml")), &text_file::read(path)?)?;
        text_file::write(&self.args.out.join(SETS_FILE), &text_file::read(&directory.join(SETS_FILE))?)?;
        let bench =
            Bench { program: self.program, cache: &self.cache, feature_seed: 0, pictures: Some(&self.args.out) };
        let runner = Runner { bench, jobs: self.args.jobs, source: directory, talk: self.talk };
        runner.run(&jobs, &records)
    }

    /// Every run that was asked for on data that is at hand.
    fn jobs(&mut self, file: &ExperimentFile, sets: &BTreeMap<String, SetSpec>, path: &Path) -> Result<Vec<Job>> {
        let seeds = match (self.args.seeds, self.args.quick) {
            (Some(seeds), _) => seeds,
            (None, true) => 1,
            (None, false) => file.seeds,
        };
        let mut jobs = Vec::new();
        for name in &file.sets {
            if self.args.quick && !jobs.is_empty() {
                break; // the first set at hand will do
            }
            let spec = sets.get(name).ok_or_else(|| {
                Error::config(
                    "experiment",
                    path.display(),
                    format!("a file whose sets are in {SETS_FILE}: add `{name}`"),
                )
            })?;
            let mut ids = Vec::new();
            for row in file.row.iter().filter(|row| row.is_on(name)) {
                for seed in row.method.iter().flat_map(|_| 0..seeds) {
                    let id = RunId { group: row.group.clone(), row: row.name.clone(), set: name.clone(), seed };
                    let text = id.to_string();
                    if self.args.only.iter().all(|part| text.contains(part.as_str())) {
                        ids.push((row, id));
                    }
                }
            }
            if ids.is_empty() {
                continue;
            }
            let data = match self.open(name, spec)? {
                Ok(data) => data,
                Err(problem) => {
                    speech::remark(self.talk, format_args!("{}: not available: {problem}", spec.title));
                    continue;
                }
            };
            for (row, id) in ids {
                let Some(method) = &row.method else { continue };
                let config = settings(file, row, method, spec, id.seed, self.args.quick)?;
                let subset = row.subset.filter(|_| spec.deformed);
                let subset = if self.args.quick { subset.map(quick::subset_rows) } else { subset };
                jobs.push(Job { id, kind: row.run, config, data: Arc::clone(&data), subset, quick: self.args.quick });
            }
        }
        Ok(jobs)
    }

    fn open(&mut self, name: &str, spec: &SetSpec) -> Result<std::result::Result<Arc<SetData>, String>> {
        if let Some(opened) = self.opened.get(name) {
            return Ok(opened.clone());
        }
        let data = self.args.data.as_deref();
        let shelf = Shelf { data, cache: &self.cache, program: self.program, quick: self.args.quick };
        let opened = shelf.open(name, spec)?.map(Arc::new);
        self.opened.insert(name.into(), opened.clone());
        Ok(opened)
    }
}

/// Says which runs there are.
fn list(jobs: &[Job], records: &RecordFile) -> Result<()> {
    let before = records.read()?;
    for job in jobs {
        let done = before.iter().any(|record| job.is_done_by(record));
        speech::answer(format_args!("{} {}", if done { "done" } else { "    " }, job.id))?;
    }
    Ok(())
}
