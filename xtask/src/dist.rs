//! `cargo xtask dist`: an archive of the program that comes out the same wherever it is made from the same commit, its checksums, and
//! a bill of materials.

use crate::environment::succeeds;
use crate::fuzz::host;
use crate::packages::{self, Package};
use crate::test::{cargo, root, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What goes into the archive beside the program.
const DOCUMENTS: [&str; 5] = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// The bill of materials.
const BILL: &str = "sbom.cdx.json";

/// Makes the archive and says where it is.
pub(crate) fn run() -> Result<(), String> {
    let triple = host().ok_or("rustc does not tell the machine it is on")?;
    let name = format!("neuncut-{}-{triple}", env!("CARGO_PKG_VERSION"));
    let place = target().join("dist");
    let folder = place.join(&name);
    let _ = fs::remove_dir_all(&folder); // of a run before
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let time = commit_time()?;
    build(&time, &place)?;
    copy(&place.join("build/dist/neuncut"), &folder.join("neuncut"))?;
    for document in DOCUMENTS {
        copy(&root().join(document), &folder.join(document))?;
    }
    write(&folder.join(BILL), &bill(&packages::all()?))?;
    let file = place.join(format!("{name}.tar.gz"));
    pack(&place, &name, &time, &file)?;
    checksums(&place, &[&format!("{name}.tar.gz"), &format!("{name}/{BILL}")])?;
    println!("{}", file.display());
    Ok(())
}

/// The time of the commit, in seconds since 1970: the only time that enters.
fn commit_time() -> Result<String, String> {
    let output = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()).output();
    let time = output.map_err(|e| format!("git does not run: {e}"))?.stdout;
    let time = String::from_utf8_lossy(&time).trim().to_owned();
    if time.is_empty() { Err("the archive is made from a commit, and this is none".into()) } else { Ok(time) }
}

/// Builds the program without paths of this machine.
fn build(time: &str, place: &Path) -> Result<(), String> {
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).unwrap_or_default();
    let flags = format!("{} {}", remap(&root(), "neuncut"), remap(&home, "cargo"));
    let mut build = Command::new(cargo());
    build.args(["build", "--profile", "dist", "--locked", "--package", "neuncut-cli"]).current_dir(root());
    build.env("RUSTFLAGS", flags).env("SOURCE_DATE_EPOCH", time).env("CARGO_TARGET_DIR", place.join("build"));
    if succeeds(&mut build) { Ok(()) } else { Err("the program was not built".into()) }
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

fn checksums(place: &Path, files: &[&str]) -> Result<(), String> {
    let output = Command::new("sha256sum").args(files).current_dir(place).output();
    let output = output.map_err(|e| format!("sha256sum does not run: {e}"))?;
    write(&place.join("SHA256SUMS"), &String::from_utf8_lossy(&output.stdout))
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
