//! `cargo xtask dist`: an archive of the program with its completions and manual pages, the wheel of the Python package, their checksums
//! and a bill of materials. They come out the same wherever they are made from the same commit.

use crate::environment::{python_with, succeeds};
use crate::fuzz::host;
use crate::packages::{self, Package};
use crate::python;
use crate::test::{cargo, root, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What goes into the archive beside the program.
const DOCUMENTS: [&str; 5] = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// Shells with completions, and the names of their scripts.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "neuncut.bash"),
    ("elvish", "neuncut.elv"),
    ("fish", "neuncut.fish"),
    ("powershell", "_neuncut.ps1"),
    ("zsh", "_neuncut"),
];
/// Bytes of the largest program that is handed out.
const LARGEST: u64 = 40_000_000;
/// The bill of materials, and the checksums.
const BILL: &str = "sbom.cdx.json";
const SUMS: &str = "SHA256SUMS";

/// Makes the archive and the wheel, and says where they are.
pub(crate) fn run() -> Result<(), String> {
    let triple = host().ok_or("rustc does not tell the machine it is on")?;
    let name = format!("neuncut-{}-{triple}", env!("CARGO_PKG_VERSION"));
    let place = target().join("dist");
    let folder = place.join(&name);
    let _ = fs::remove_dir_all(&folder); // of a run before
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let time = commit_time()?;
    build(&time, &place)?;
    let program = folder.join("neuncut");
    copy(&place.join("build/dist/neuncut"), &program)?;
    check_size(&program)?;
    completions(&program, &folder.join("completions"))?;
    run_program(&program, &["man", "--out", &folder.join("man").to_string_lossy()])?;
    for document in DOCUMENTS {
        copy(&root().join(document), &folder.join(document))?;
    }
    write(&folder.join(BILL), &bill(&packages::all()?))?;
    copy(&folder.join(BILL), &place.join(BILL))?;
    let archive = format!("{name}.tar.gz");
    pack(&place, &name, &time, &place.join(&archive))?;
    let files = [vec![archive, BILL.into()], wheel(&time, &place)?].concat();
    checksums(&place, &files)?;
    files.iter().chain([&SUMS.to_owned()]).for_each(|file| println!("{}", place.join(file).display()));
    Ok(())
}

/// The time of the commit, in seconds since 1970: the only time that enters.
fn commit_time() -> Result<String, String> {
    let output = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()).output();
    let time = output.map_err(|e| format!("git does not run: {e}"))?.stdout;
    let time = String::from_utf8_lossy(&time).trim().to_owned();
    if time.is_empty() { Err("the archive is made from a commit, and this is none".into()) } else { Ok(time) }
}

/// Builds the program.
fn build(time: &str, place: &Path) -> Result<(), String> {
    let mut build = Command::new(cargo());
    build.args(["build", "--profile", "dist", "--locked", "--package", "neuncut-cli"]).current_dir(root());
    if succeeds(reproducible(&mut build, time, place)) { Ok(()) } else { Err("the program was not built".into()) }
}

/// Builds the wheel, where there is a Python for it, and gives its name.
fn wheel(time: &str, place: &Path) -> Result<Vec<String>, String> {
    let environment = target().join("python/environment");
    let Some(python) = python_with(&environment, &root().join(python::REQUIREMENTS)) else {
        println!("no wheel: it needs `python3` with the module venv");
        return Ok(Vec::new());
    };
    let wheels = place.join("wheels");
    let _ = fs::remove_dir_all(&wheels); // of a run before
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--profile", "dist", "--locked", "--quiet", "--out"]).arg(&wheels);
    maturin.env("VIRTUAL_ENV", &environment).current_dir(root().join("crates/neuncut-py"));
    if !succeeds(reproducible(&mut maturin, time, place)) {
        return Err("the wheel was not built".into());
    }
    let entries = fs::read_dir(&wheels).map_err(|e| format!("cannot read {}: {e}", wheels.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let names: Vec<String> = names.map(|name| format!("wheels/{name}")).collect();
    match names.iter().find(|name| !name.contains("-abi3-")) {
        Some(other) => Err(format!("{other} is for one version of Python: wheels are made with abi3")),
        None => Ok(names),
    }
}

/// Has a build leave no paths of this machine and no time but the commit's.
fn reproducible<'a>(build: &'a mut Command, time: &str, place: &Path) -> &'a mut Command {
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).unwrap_or_default();
    let flags = format!("{} {}", remap(&root(), "neuncut"), remap(&home, "cargo"));
    build.env("RUSTFLAGS", flags).env("SOURCE_DATE_EPOCH", time).env("CARGO_TARGET_DIR", place.join("build"))
}

fn check_size(program: &Path) -> Result<(), String> {
    let size = fs::metadata(program).map_err(|e| format!("cannot read {}: {e}", program.display()))?.len();
    println!("{}: {:.1} MB", program.display(), size as f64 / 1e6);
    if size < LARGEST { Ok(()) } else { Err(format!("the program has {size} bytes, more than {LARGEST}")) }
}

/// A completion script for each shell.
fn completions(program: &Path, folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    SHELLS
        .iter()
        .try_for_each(|(shell, name)| write(&folder.join(name), &run_program(program, &["completions", shell])?))
}

/// What the program prints.
fn run_program(program: &Path, words: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(words).output().map_err(|e| format!("the program does not run: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("neuncut {} fails: {}", words.join(" "), String::from_utf8_lossy(&output.stderr))),
    }
}

/// A tar archive whose bytes depend on names and contents alone.
fn pack(place: &Path, name: &str, time: &str, file: &Path) -> Result<(), String> {
    let mut tar = Command::new("tar");
    tar.args([
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=u+rwX,go+rX,go-w",
        "--use-compress-program=gzip -n9",
    ]);
    tar.arg(format!("--mtime=@{time}")).arg("--create").arg("--file").arg(file).arg(name).current_dir(place);
    if succeeds(&mut tar) { Ok(()) } else { Err("tar (GNU) could not make the archive".into()) }
}

fn checksums(place: &Path, files: &[String]) -> Result<(), String> {
    let output = Command::new("sha256sum").args(files).current_dir(place).output();
    let output = output.map_err(|e| format!("sha256sum does not run: {e}"))?;
    if !output.status.success() {
        return Err(format!("sha256sum: {}", String::from_utf8_lossy(&output.stderr)));
    }
    write(&place.join(SUMS), &String::from_utf8_lossy(&output.stdout))
}

/// A bill of materials in CycloneDX's JSON. It names no time, so that it is the same for the same lock file.
fn bill(packages: &[Package]) -> String {
    let component = |package: &Package| {
        let Package { name, version, licence } = package;
        format!(
            "    {{\"type\": \"library\", \"name\": \"{name}\", \"version\": \"{version}\", \"purl\": \"pkg:cargo/{name}@{version}\", \
             \"licenses\": [{{\"expression\": \"{}\"}}]}}",
            licence.replace('/', " OR ")
        )
    };
    let components: Vec<String> = packages.iter().map(component).collect();
    format!(
        "{{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n  \"components\": [\n{}\n  ]\n}}\n",
        components.join(",\n")
    )
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|e| format!("cannot copy {}: {e}", from.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_names_every_package() {
        let package = Package { name: "a".into(), version: "1.2.3".into(), licence: "MIT/Apache-2.0".into() };
        let text = bill(&[package.clone(), package]);
        assert_eq!(text.matches("pkg:cargo/a@1.2.3").count(), 2);
        assert!(text.contains("MIT OR Apache-2.0") && text.contains("\"specVersion\": \"1.5\""));
    }
}
