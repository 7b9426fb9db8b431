//! The README and the manual as pages: links and anchors lead somewhere, nothing is missing from the contents, the README is short.

use crate::{read, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// The most bytes of the README.
const README_BYTES: usize = 9 * 1024;

/// Pages of the root and of the manual.
fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("docs")];
    found.extend(
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "DESIGN.md", "SECURITY.md", "CHANGELOG.md"]
            .map(|p| root().join(p)),
    );
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// The text without blocks of code.
fn prose(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The names that headings have in links, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let titles = prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let mut names = BTreeSet::new();
    for title in titles {
        let title = title.to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let free = (0..).map(|n| if n == 0 { name.clone() } else { format!("{name}-{n}") });
        let name = free.into_iter().find(|name| !names.contains(name)).unwrap();
        names.insert(name);
    }
    names
}

/// Targets of `[text](target)`, `src="target"` and `srcset="target"`.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let without_code: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let targets = |before: &str, end: char| -> Vec<String> {
        without_code.split(before).skip(1).filter_map(|rest| Some(rest.split_once(end)?.0.to_owned())).collect()
    };
    [targets("](", ')'), targets("src=\"", '"'), targets("srcset=\"", '"')].concat()
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let is_there = target.exists()
                && (anchor.is_empty() || anchors(&fs::read_to_string(&target).unwrap_or_default()).contains(anchor));
            if !is_there {
                broken.push(format!("{}: {link}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(count > 100, "only {count} links were found");
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_contents() {
    let contents: BTreeSet<PathBuf> =
        links(&read("docs/SUMMARY.md")).iter().map(|link| root().join("docs").join(link)).collect();
    for page in pages().iter().filter(|page| page.starts_with(root().join("docs"))) {
        let is_there = contents.contains(page) || page.ends_with("SUMMARY.md");
        assert!(is_there, "docs/SUMMARY.md does not list {}", page.display());
    }
}

#[test]
fn the_readme_is_short_and_has_the_two_commands() {
    let readme = read("README.md");
    assert!(
        readme.len() <= README_BYTES,
        "README.md has {} bytes: move what is not for newcomers to docs/",
        readme.len()
    );
    for command in ["cargo run --release -- demo", "cargo xtask test"] {
        assert!(readme.contains(command), "README.md must name `{command}`");
    }
    for image in ["clinc-light.png", "clinc-dark.png"] {
        let bytes = fs::metadata(root().join("docs/images").join(image)).unwrap().len();
        assert!(bytes < 150_000, "{image} has {bytes} bytes");
    }
}

#[test]
fn every_answer_that_names_a_study_has_one() {
    let studies = anchors(&read("docs/explanation/studies.md"));
    let mut count = 0;
    for answer in read("DESIGN.md").split("\n### ").skip(1).filter(|answer| answer.contains("[study]\n")) {
        let question = answer.lines().next().unwrap();
        let name = anchors(&format!("# {question}")).pop_first().unwrap();
        assert!(studies.contains(&name), "docs/explanation/studies.md has no heading {question:?}");
        count += 1;
    }
    assert!(count > 15, "only {count} answers name a study");
}
