//! The dependency order of ARCHITECTURE.md, held against the imports: a module uses what is written there and nothing else.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Uses = BTreeMap<String, BTreeSet<String>>;

/// What every module may use: errors, random streams, words in files, flags to stop, and the kernels by all of their names.
const FOR_ALL: [&str; 8] = ["error", "seed", "interrupt", "linalg", "rows", "tiles", "vector", "words"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The lines `module on a, b (a part of it), c` of the page.
fn written() -> Uses {
    let page = fs::read_to_string(root().join("../../ARCHITECTURE.md")).unwrap();
    let section = page.split("## Dependency order").nth(1).unwrap();
    let block = section.split("```").nth(1).unwrap();
    let mut uses = Uses::new();
    for (module, on) in block.lines().filter_map(|line| line.split_once(" on ")) {
        let mut found = BTreeSet::new();
        for word in on.split(',').map(|word| word.split('(').next().unwrap().trim()) {
            match word.strip_suffix(" and all that it is on") {
                Some(base) => {
                    found.extend(uses[base].clone());
                    found.insert(base.to_string());
                }
                None => {
                    found.insert(word.to_string());
                }
            }
        }
        for module in module.split(',') {
            uses.insert(module.trim().to_string(), found.clone());
        }
    }
    uses
}

/// The modules that each module names, without its tests and comments.
fn imported() -> Uses {
    let mut uses = Uses::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !is_test(&path) {
                let inside = path.strip_prefix(root().join("src")).unwrap();
                let module = inside.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_string();
                uses.entry(module).or_default().extend(named(&fs::read_to_string(&path).unwrap()));
            }
        }
    }
    uses.remove("lib"); // it holds them all
    uses
}

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().unwrap();
    name == "tests" || name == "golden" || path.iter().any(|part| part.to_string_lossy().contains("replay"))
}

/// Every `crate::module` before the tests of a file.
fn named(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = lines.flat_map(|line| line.split("crate::").skip(1));
    let module = |path: &str| path.split(|c: char| !(c.is_ascii_lowercase() || c == '_')).next().unwrap().to_string();
    paths.map(module).filter(|module| !module.is_empty()).collect()
}

#[test]
fn modules_use_what_is_written_and_nothing_else() {
    let (written, imported) = (written(), imported());
    assert!(written.len() > 10 && imported.len() > 12, "{} and {} modules were found", written.len(), imported.len());
    let none = BTreeSet::new();
    for (module, uses) in &imported {
        let allowed = written.get(module).unwrap_or(&none);
        for used in uses.iter().filter(|used| *used != module && !FOR_ALL.contains(&used.as_str())) {
            assert!(allowed.contains(used), "{module} uses {used}, which ARCHITECTURE.md does not say");
        }
        for said in allowed.iter().filter(|said| imported.contains_key(*said)) {
            let is_there = uses.contains(said) || module == "job" || module == "rivals";
            assert!(is_there, "ARCHITECTURE.md says that {module} uses {said}, which it does not");
        }
    }
}

#[test]
fn no_module_uses_itself_by_way_of_others() {
    let imported = imported();
    for module in imported.keys() {
        let (mut reached, mut ahead) = (BTreeSet::new(), vec![module]);
        while let Some(next) = ahead.pop() {
            for used in imported.get(next).into_iter().flatten().filter(|used| *used != next) {
                assert!(used != module, "{module} uses {next}, which uses {module} again");
                if reached.insert(used) {
                    ahead.push(used);
                }
            }
        }
    }
}

/// The files of a folder and of those below it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// `deny` can be allowed again where `forbid` cannot: nowhere but here.
#[test]
fn unsafe_code_stays_where_it_belongs() {
    // SIMD; the bindings of Python; the allocator of the command
    const MAY: [&str; 3] = ["neuncut-linalg/src/", "neuncut-py/src/rows.rs", "neuncut-cli/src/allocator.rs"];
    let crates = root().join("..");
    for name in ["neuncut", "neuncut-cli", "neuncut-data", "neuncut-py"] {
        let library = fs::read_to_string(crates.join(name).join("src/lib.rs")).unwrap();
        let refused = ["#![deny(unsafe_code)]", "#![forbid(unsafe_code)]"];
        assert!(refused.iter().any(|line| library.contains(line)), "{name} does not refuse unsafe code");
    }
    let mut seen = 0;
    for path in sources(&crates).into_iter().chain(sources(&crates.join("../xtask"))) {
        if path.extension().is_none_or(|ending| ending != "rs") || path.ends_with("tests/architecture.rs") {
            continue;
        }
        let name = path.to_string_lossy().replace('\\', "/");
        let code = fs::read_to_string(&path).unwrap();
        let has_unsafe = code.lines().filter(|line| !line.trim_start().starts_with("//")).any(is_unsafe);
        seen += usize::from(has_unsafe);
        assert!(!has_unsafe || MAY.iter().any(|part| name.contains(part)), "{name} has unsafe code, or allows it");
    }
    assert!(seen > 3, "{seen} files with unsafe code were found");
}

/// A block, function or implementation that is unsafe, or a lint that is switched off for one.
fn is_unsafe(line: &str) -> bool {
    let starts = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "unsafe trait", "unsafe(", "#[unsafe"];
    let allows = line.contains("unsafe_code") && !line.contains("deny(") && !line.contains("forbid(");
    allows || starts.iter().any(|start| line.contains(start))
}
