//! A Chromium for the test of the page: the one that is there, or Debian's where it can be installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable by which the test is told where it is.
pub(crate) const VARIABLE: &str = "NEUNCUT_CHROMIUM";

/// What it is called on different systems.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// Finds a browser, or installs one as root on a system with apt-get; otherwise says why there is none.
pub(crate) fn find_or_install() -> Result<PathBuf, String> {
    if let Some(found) = find() {
        return Ok(found);
    }
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !is_root || in_path("apt-get").is_none() {
        return Err(format!("no Chromium was found; install Debian's package `chromium`, or name one in {VARIABLE}"));
    }
    println!("== page: installing Debian's chromium");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").args(arguments).stdout(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let install = ["install", "--yes", "--no-install-recommends", "chromium"];
    let installed = apt(&install) || (apt(&["update"]) && apt(&install));
    if !installed {
        return Err("no Chromium was found, and apt-get could not install one".into());
    }
    find().ok_or_else(|| "apt-get installed Chromium, but it is not in PATH".into())
}

fn find() -> Option<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from).filter(|path| path.exists());
    named.or_else(|| NAMES.iter().find_map(|name| in_path(name)))
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| Path::new(&directory).join(name)).find(|file| file.is_file())
}
