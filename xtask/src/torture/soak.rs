//! A stream of any number of rows through `predict`: memory and open files stay as they are.

use super::stage::Stage;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Rows of the file that is read again and again.
const FILE_ROWS: u64 = 10_000_000;
/// What memory may grow by from the first fifth of the time to the last, in kilobytes: the allocator's moods.
const GROWTH: u64 = 32 << 10;
/// How often the process is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// What was seen of the process at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sight {
    kilobytes: u64,
    files: usize,
}

/// Labels so many rows of two columns, and fails where memory or open files grow.
pub(super) fn run(stage: &Stage, rows: u64) -> Result<(), String> {
    let folder = stage.fresh("soak")?;
    let (per_file, files) = (FILE_ROWS.min(rows), rows.div_ceil(FILE_ROWS.min(rows).max(1)));
    stage.ok(&folder, &format!("synth rings -n {per_file} -o rows.npy"))?;
    let model = stage.place.join("input/model.safetensors");
    let line = format!("predict {} {} -o /dev/null", model.display(), "rows.npy ".repeat(files as usize));
    let begin = Instant::now();
    let mut child = stage.command(&folder, &line).stdout(Stdio::null()).spawn().map_err(|e| e.to_string())?;
    let mut seen = Vec::new();
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        seen.extend(sight(child.id()));
        std::thread::sleep(LOOK);
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let _ = fs::remove_file(folder.join("rows.npy")); // it is large, and made again in seconds
    if !output.status.success() {
        return Err(format!("it ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    let (first, last) = first_and_last(&seen).ok_or("it ended before it was seen often enough: ask for more rows")?;
    println!(
        "== {} rows in {:.0} s: at first {} kB and {} open files, at last {} kB and {}",
        per_file * files,
        begin.elapsed().as_secs_f64(),
        first.kilobytes,
        first.files,
        last.kilobytes,
        last.files
    );
    match last.kilobytes <= first.kilobytes + GROWTH && last.files <= first.files {
        true => Ok(()),
        false => Err("memory or open files have grown".into()),
    }
}

/// Resident memory and open files of a process.
fn sight(id: u32) -> Option<Sight> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Sight { kilobytes, files: fs::read_dir(format!("/proc/{id}/fd")).ok()?.count() })
}

/// The most in the first fifth of the time, without its very beginning, and in the last.
fn first_and_last(seen: &[Sight]) -> Option<(Sight, Sight)> {
    let fifth = seen.len() / 5;
    let most = |part: &[Sight]| {
        let kilobytes = part.iter().map(|sight| sight.kilobytes).max()?;
        Some(Sight { kilobytes, files: part.iter().map(|sight| sight.files).max()? })
    };
    Some((most(&seen[fifth / 2..2 * fifth])?, most(&seen[seen.len() - fifth..])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_seen() {
        let seen: Vec<Sight> = (0..50).map(|time| Sight { kilobytes: 100 + time, files: 3 }).collect();
        let (first, last) = first_and_last(&seen).expect("enough");
        assert_eq!((first.kilobytes, last.kilobytes, last.files), (119, 149, 3));
        assert_eq!(first_and_last(&seen[..3]), None);
    }
}
