//! A full disk, a disk that cannot be written, a reader that goes away, an input that changes: one sentence, the right exit code, and
//! nothing half done.

use super::stage::{Outputs, Stage, files_below};
use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The exit codes for data that cannot be used, and for a file that cannot be written.
const DATA: i32 = 3;
const FILE: i32 = 5;
/// How often an input is changed under way.
const CHANGES: u64 = 20;

/// All faults.
pub(super) fn run(stage: &Stage) -> Result<(), String> {
    disks(stage)?;
    devices(stage)?;
    pipe(stage)?;
    changing_input(stage)
}

/// Small file systems in memory, which only root may mount.
fn disks(stage: &Stage) -> Result<(), String> {
    for (what, options) in [("full disk", "size=16k"), ("read-only disk", "ro")] {
        let folder = stage.fresh("disk")?;
        let Some(_disk) = Disk::mount(&folder, options) else {
            println!("== {what}: skipped, a file system in memory cannot be mounted here (root may)");
            continue;
        };
        for case in stage.cases().iter().filter(|case| matches!(case.outputs, Outputs::Together(_))) {
            let output = case.command(stage, &folder).output().map_err(|e| e.to_string())?;
            let name = format!("{} on a {what}", case.name);
            expect(&name, &output, &[FILE])?;
            match files_below(&folder).first() {
                Some(left) => return Err(format!("{name} left {}", left.display())),
                None => println!("== {name}: {}", said(&output)),
            }
        }
    }
    Ok(())
}

/// A file system that is gone when this is dropped.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    fn mount(folder: &'a Path, options: &str) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(folder).stderr(Stdio::null());
        mount.status().is_ok_and(|status| status.success()).then_some(Self(folder))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status(); // it stays empty, and goes with the machine
    }
}

fn predict(stage: &Stage, rows: &Path, output: &str) -> Command {
    let model = stage.place.join("input/model.safetensors");
    stage.command(&stage.place, &format!("predict {} {} -o {output}", model.display(), rows.display()))
}

/// `/dev/full`, as a file and as standard output.
fn devices(stage: &Stage) -> Result<(), String> {
    let rows = stage.place.join("input/rows.npy");
    let full = OpenOptions::new().write(true).open("/dev/full").map_err(|e| format!("/dev/full: {e}"))?;
    let as_output = predict(stage, &rows, "-").stdout(full).output();
    for (name, output) in [("/dev/full", predict(stage, &rows, "/dev/full").output()), ("> /dev/full", as_output)] {
        let output = output.map_err(|e| e.to_string())?;
        expect(name, &output, &[FILE])?;
        println!("== {name}: {}", said(&output));
    }
    Ok(())
}

/// A reader that takes a few bytes and goes away.
fn pipe(stage: &Stage) -> Result<(), String> {
    let rows = stage.place.join("input/rows.npy");
    let mut child = predict(stage, &rows, "-").spawn().map_err(|e| e.to_string())?;
    let mut reader = child.stdout.take().ok_or("no standard output")?;
    reader.read_exact(&mut [0; 8]).map_err(|e| e.to_string())?;
    drop(reader);
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    expect("a broken pipe", &output, &[0])?;
    println!("== a broken pipe: no error");
    Ok(())
}

/// An input that is cut short, or written anew, while it is read.
fn changing_input(stage: &Stage) -> Result<(), String> {
    let folder = stage.fresh("changing")?;
    let rows = folder.join("rows.npy");
    let mut refused = 0;
    for change in 0..CHANGES {
        stage.ok(&folder, "synth rings -n 1000000 -o rows.npy")?;
        let child = predict(stage, &rows, "changing/labels.npy").spawn().map_err(|e| e.to_string())?;
        std::thread::sleep(Duration::from_millis(15 * change));
        let file = File::options().write(true).open(&rows).map_err(|e| e.to_string())?;
        let changed = if change.is_multiple_of(2) {
            file.set_len(4_000_000)
        } else {
            file.set_len(0).and_then(|()| file.set_len(8_000_128))
        };
        changed.map_err(|e| e.to_string())?;
        let output = child.wait_with_output().map_err(|e| e.to_string())?;
        expect("a changing input", &output, &[0, DATA])?;
        let (is_there, is_done) = (folder.join("labels.npy").exists(), output.status.success());
        if is_there != is_done {
            return Err(format!("a changing input: it ended with {}, and labels are there: {is_there}", output.status));
        }
        refused += u64::from(!is_done);
        let _ = fs::remove_file(folder.join("labels.npy"));
    }
    println!("== an input that changes while it is read: {refused} of {CHANGES} refused, the others were read before");
    Ok(())
}

/// The exit code is one of these, and an error is one line.
fn expect(name: &str, output: &Output, codes: &[i32]) -> Result<(), String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let known = output.status.code().is_some_and(|code| codes.contains(&code));
    let is_short = output.status.success() || said.lines().count() == 1;
    if known && is_short && !said.contains("panicked") {
        return Ok(());
    }
    Err(format!("{name}: ended with {} where {codes:?} was due: {said}", output.status))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
}
