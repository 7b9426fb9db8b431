//! Kills at random moments: what is there afterwards is whole, and is what an undisturbed run leaves.

use super::Random;
use super::stage::{Case, Outputs, Stage, files_below, is_temporary};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// What stands in the places of outputs before a run.
const OLD: &[u8] = b"what was there before\n";
/// Until then an orphan has ended, and temporary files count as left behind.
const SETTLED: Duration = Duration::from_millis(2500);

/// A case under torture.
struct Victim {
    case: Case,
    /// What an undisturbed run leaves, and how long it takes.
    whole: Vec<(String, Vec<u8>)>,
    time: Duration,
}

/// Kills the cases alternately, half of the times without a chance to clean up.
pub(super) fn run(stage: &Stage, kills: u64, mut random: Random) -> Result<(), String> {
    let mut victims = Vec::new();
    for case in stage.cases() {
        victims.push(Victim::new(stage, case)?);
    }
    let mut hits = 0;
    for kill in 0..kills {
        let victim = &victims[kill as usize % victims.len()];
        let round = kill / victims.len() as u64;
        let signal = if round.is_multiple_of(2) { "-KILL" } else { "-TERM" };
        let delay = victim.time.mul_f64(1.1 * random.fraction());
        let hit = victim.kill(stage, signal, delay, random.fraction() < 0.5);
        hits += u64::from(hit.map_err(|problem| format!("kill {kill}, {} {signal}: {problem}", victim.case.name))?);
        if (kill + 1).is_multiple_of(100) {
            println!("== {} kills", kill + 1);
        }
    }
    std::thread::sleep(SETTLED);
    for victim in &victims {
        victim.end(stage)?;
    }
    println!("== {kills} kills, {hits} of them before the end: every output whole and as without them");
    Ok(())
}

impl Victim {
    fn new(stage: &Stage, case: Case) -> Result<Self, String> {
        let folder = stage.fresh(&format!("whole/{}", case.name))?;
        let begin = Instant::now();
        case.complete(stage, &folder)?;
        let (time, whole) = (begin.elapsed(), case.left(&folder));
        println!("== {}: {:.2} s undisturbed, {} outputs", case.name, time.as_secs_f64(), whole.len());
        stage.fresh(case.name)?;
        if whole.is_empty() {
            return Err(format!("{} leaves nothing", case.name));
        }
        Ok(Self { case, whole, time })
    }

    /// Starts it, ends it after a while, and looks. True where it was hit before its end.
    fn kill(&self, stage: &Stage, signal: &str, delay: Duration, with_old: bool) -> Result<bool, String> {
        let folder = stage.place.join(self.case.name);
        if let Outputs::Together(names) = self.case.outputs {
            for name in names {
                let path = folder.join(name);
                let made = if with_old { fs::write(&path, OLD) } else { fs::remove_file(&path).or(Ok(())) };
                made.map_err(|e| format!("cannot prepare {}: {e}", path.display()))?;
            }
        }
        let mut child = self.case.command(stage, &folder).spawn().map_err(|e| e.to_string())?;
        std::thread::sleep(delay);
        let hit = child.try_wait().map_err(|e| e.to_string())?.is_none();
        send(signal, &child)?;
        let ended = end_of(&mut child)?;
        self.check(&folder, signal == "-TERM", ended.success())?;
        if matches!(self.case.outputs, Outputs::Resumed(_) | Outputs::Records(_)) && ended.success() {
            stage.fresh(self.case.name)?;
        }
        Ok(hit)
    }

    /// What is there is whole; of outputs that belong together, the first are new and the others as before.
    fn check(&self, folder: &Path, was_asked: bool, is_done: bool) -> Result<(), String> {
        let left: Vec<_> = self.case.left(folder).into_iter().filter(|(_, bytes)| bytes != OLD).collect();
        let whole = |output: &&(String, Vec<u8>)| self.whole.contains(output);
        if let Some((name, bytes)) = left.iter().find(|output| !whole(output)) {
            return Err(format!("{name} has {} bytes that no undisturbed run leaves", bytes.len()));
        }
        let together = matches!(self.case.outputs, Outputs::Together(_));
        if together && left != self.whole[..left.len()] {
            return Err(format!("of {} outputs, not the first {} are new", self.whole.len(), left.len()));
        }
        if together && was_asked && !left.is_empty() && left.len() != self.whole.len() {
            return Err(format!("{} of {} outputs were put in their places", left.len(), self.whole.len()));
        }
        if is_done && left != self.whole {
            return Err(format!("it ended well with {} of {} outputs", left.len(), self.whole.len()));
        }
        Ok(())
    }

    /// Another run completes what is there, and sweeps what the killed ones left; no process is left over.
    fn end(&self, stage: &Stage) -> Result<(), String> {
        let folder = stage.place.join(self.case.name);
        self.case.complete(stage, &folder)?;
        self.check(&folder, false, true).map_err(|problem| format!("{} after all kills: {problem}", self.case.name))?;
        if let Some(file) = files_below(&folder).iter().find(|path| is_temporary(path)) {
            return Err(format!("{} was not swept", file.display()));
        }
        match orphans(&folder) {
            0 => Ok(()),
            count => Err(format!("{count} processes of {} are left over", self.case.name)),
        }
    }
}

/// Processes that still run in a folder.
fn orphans(folder: &Path) -> usize {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter(|process| fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder)).count()
}

fn send(signal: &str, child: &Child) -> Result<(), String> {
    let sent =
        Command::new("kill").args([signal, &child.id().to_string()]).stderr(std::process::Stdio::null()).status();
    sent.map(drop).map_err(|e| format!("kill does not run: {e}"))
}

/// How a process ended; one that does not end within a minute is a finding.
fn end_of(child: &mut Child) -> Result<ExitStatus, String> {
    let begin = Instant::now();
    loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => return Ok(status),
            None if begin.elapsed() > Duration::from_secs(60) => {
                let _ = child.kill();
                return Err("it did not end within a minute".into());
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}
