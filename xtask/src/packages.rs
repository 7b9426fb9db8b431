//! What the project is built from: the packages of the lock file with their licences, as `cargo tree` tells them without a network.

use crate::test::{cargo, root};
use std::collections::BTreeMap;
use std::process::Command;

/// Licences that what is built may be under: all allow use in programs of any licence.
const ALLOWED: [&str; 10] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "0BSD",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages of which several versions are built, because packages that we use ask for different ones. Another one is looked at
/// before it is added here.
const SEVERAL: [&str; 4] = ["equator", "equator-macro", "miniz_oxide", "syn"];

/// One package of the build.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: String,
}

/// All packages that the workspace is built from, without those of tests.
pub(crate) fn all() -> Result<Vec<Package>, String> {
    let mut tree = Command::new(cargo());
    tree.args(["tree", "--workspace", "--edges", "normal,build", "--prefix", "none", "--locked", "--no-dedupe"]);
    let output = tree.args(["--format", "{p}|{l}"]).current_dir(root()).output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let mut packages: Vec<Package> = String::from_utf8_lossy(&output.stdout).lines().filter_map(parse).collect();
    packages.sort();
    packages.dedup();
    Ok(packages)
}

/// A line such as `adler2 v2.0.1|0BSD OR MIT`.
fn parse(line: &str) -> Option<Package> {
    let (package, licence) = line.split_once('|')?;
    let (name, rest) = package.split_once(" v")?;
    let version = rest.split(' ').next().unwrap_or(rest);
    Some(Package { name: name.into(), version: version.into(), licence: licence.trim().into() })
}

/// Refuses licences that are not allowed, and several versions of a package where one would do.
pub(crate) fn check() -> Result<String, String> {
    let packages = all()?;
    let mut problems = Vec::new();
    for package in packages.iter().filter(|package| !is_allowed(&package.licence)) {
        problems
            .push(format!("{} {} is under {:?}, which is not allowed", package.name, package.version, package.licence));
    }
    let mut versions = BTreeMap::<&str, usize>::new();
    packages.iter().for_each(|package| *versions.entry(&package.name).or_default() += 1);
    let several: Vec<&str> = versions.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name).collect();
    problems.extend(
        several
            .iter()
            .filter(|name| !SEVERAL.contains(name))
            .map(|name| format!("{name} is built in several versions")),
    );
    match problems.is_empty() {
        true => Ok(format!(
            "{} packages, all under allowed licences, {} in several versions",
            packages.len(),
            several.len()
        )),
        false => Err(problems.join("; ")),
    }
}

/// Whether an SPDX expression leaves a choice that is allowed. `/` is an older way to write `OR`.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    let parts = split(&expression, " AND ");
    if parts.len() > 1 {
        return parts.into_iter().all(is_allowed);
    }
    let choices = split(&expression, " OR ");
    if choices.len() > 1 {
        return choices.into_iter().any(is_allowed);
    }
    match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => is_allowed(inner),
        None => ALLOWED.contains(&expression.trim()),
    }
}

/// The parts between separators that stand outside of parentheses.
fn split<'a>(expression: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in expression.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && expression[at..].starts_with(separator) => {
                parts.push(&expression[start..at]);
                start = at + separator.len();
            }
            _ => {}
        }
    }
    parts.push(&expression[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_that_is_allowed_is_enough() {
        for licence in
            ["MIT", "Apache-2.0/MIT", "GPL-3.0 OR MIT", "(GPL-2.0 OR MIT) AND Unicode-3.0", "BSD-3-Clause AND MIT"]
        {
            assert!(is_allowed(licence), "{licence}");
        }
        for licence in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND SSPL-1.0"] {
            assert!(!is_allowed(licence), "{licence}");
        }
    }

    #[test]
    fn what_is_built_is_allowed() {
        let packages = check().unwrap_or_else(|problem| panic!("{problem}"));
        assert!(packages.contains("all under allowed licences"), "{packages}");
    }

    #[test]
    fn lines_become_packages() {
        let line = "neuncut v0.1.0 (/some/where)|MIT OR Apache-2.0";
        let package = parse(line).expect("a package");
        assert_eq!((&*package.name, &*package.version, &*package.licence), ("neuncut", "0.1.0", "MIT OR Apache-2.0"));
        assert_eq!(parse(""), None);
    }
}
