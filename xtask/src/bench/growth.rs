//! How time and memory grow with rows, batches, clusters and columns: `cargo xtask bench --growth`.

use super::measure::{Work, number};
use super::plots::lines::{Line, Panel, Point, line_panels};
use super::table::directory;
use std::fmt::Write;
use std::process::ExitCode;

/// Runs of each size; the best counts.
const ROUNDS: usize = 3;

/// One quantity against one size.
struct Series {
    title: &'static str,
    /// What grows.
    size: &'static str,
    /// The job's words; `N` is the size.
    job: &'static [&'static str],
    figure: &'static str,
    /// The unit, by which the figure is multiplied.
    unit: (&'static str, f64),
    sizes: &'static [usize],
}

const SERIES: [Series; 6] = [
    Series {
        title: "Step by batch, dense kernel (d 500, k 10)",
        size: "rows per batch",
        job: &["step", "--steps", "20", "--batch", "N"],
        figure: "step_ms",
        unit: ("ms", 1.0),
        sizes: &[250, 500, 1000, 2000, 4000],
    },
    Series {
        title: "Step by clusters, 10 neighbours (batch 1000, d 500)",
        size: "clusters",
        job: &["step", "--steps", "20", "--neighbors", "10", "--clusters", "N"],
        figure: "step_ms",
        unit: ("ms", 1.0),
        sizes: &[10, 30, 100, 300, 1000],
    },
    Series {
        title: "Labels by rows (500-512-512-10, fitted)",
        size: "rows",
        job: &["labels", "--model", "MODEL", "--data", "EMBEDDINGS", "--rows", "N"],
        figure: "rows_per_s",
        unit: ("thousand rows per second", 1e-3),
        sizes: &[1000, 3000, 10_000, 30_000, 70_000],
    },
    Series {
        title: "Memberships by rows (500-512-512-10)",
        size: "rows",
        job: &["memberships", "--rows", "N"],
        figure: "rows_per_s",
        unit: ("thousand rows per second", 1e-3),
        sizes: &[1000, 10_000, 100_000, 300_000],
    },
    Series {
        title: "Memberships by columns (d-512-512-10, 20,000 rows)",
        size: "columns",
        job: &["memberships", "--rows", "20000", "--dim", "N"],
        figure: "rows_per_s",
        unit: ("thousand rows per second", 1e-3),
        sizes: &[2, 50, 200, 500, 1000, 2000],
    },
    Series {
        title: "Fit by rows in the file (2 columns, 5 clusters)",
        size: "rows in the file",
        job: &["neuncut", "fit", "BLOBS-N", "-k", "5", "--json", "--quiet", "-o", "FITTED"],
        figure: "seconds",
        unit: ("s", 1.0),
        sizes: &[2500, 5000, 10_000, 20_000, 40_000, 80_000, 160_000],
    },
];

/// Measures, and writes tables beside the ratios and a plot into `docs/`.
pub(super) fn run(work: &Work) -> ExitCode {
    let (mut text, mut panels) = (String::new(), Vec::new());
    for series in &SERIES {
        eprintln!("-- {}", series.title);
        let found: Vec<(usize, f64, f64)> =
            series.sizes.iter().filter_map(|&size| measured(work, series, size)).collect();
        let _ = writeln!(
            text,
            "### {}\n\n| {} | {} | peak memory, MB |\n|---|---|---|",
            series.title, series.size, series.unit.0
        );
        for (size, value, memory) in &found {
            let _ = writeln!(text, "| {size} | {value:.2} | {memory:.0} |");
        }
        text.push('\n');
        panels.extend([1, 2].map(|which| panel(series, &found, which)));
    }
    println!("{text}");
    let picture = line_panels(&panels, "How time and peak memory grow", "cargo xtask bench --growth, best of three");
    let place = directory(work);
    let written = std::fs::create_dir_all(&place)
        .and_then(|()| std::fs::write(place.join("growth.md"), &text))
        .and_then(|()| std::fs::write(work.root.join("docs/growth/growth.svg"), picture));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{}: {why}", place.display());
            ExitCode::FAILURE
        }
    }
}

/// The size, the best figure and the peak memory in megabytes.
fn measured(work: &Work, series: &Series, size: usize) -> Option<(usize, f64, f64)> {
    let text = size.to_string();
    let words: Vec<String> = series
        .job
        .iter()
        .map(|word| if *word == "N" { text.clone() } else { word.replace("-N", &format!("-{text}")) })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let more = series.figure == "rows_per_s";
    let runs = (0..ROUNDS).filter_map(|_| {
        let line = work.ours(&words)?;
        Some((number(&line, series.figure)? * series.unit.1, number(&line, "peak_memory")? / 1e6))
    });
    let best = runs.reduce(|a, b| if (a.0 > b.0) == more { a } else { b })?;
    Some((size, best.0, best.1))
}

fn panel(series: &Series, found: &[(usize, f64, f64)], which: usize) -> Panel {
    let value = |found: &(usize, f64, f64)| if which == 1 { found.1 } else { found.2 };
    let points = found.iter().map(|found| Point { x: found.0 as f64, y: value(found), deviation: 0.0 }).collect();
    let name = if which == 1 { series.unit.0 } else { "MB" };
    let title = series.title.split(" (").next().unwrap_or(series.title);
    Panel {
        title: format!("{title}: {name}"),
        x_title: series.size.into(),
        log: true,
        lines: vec![Line { name: name.into(), points }],
        from_zero: true,
        mark: (series.figure == "seconds").then_some(20_000.0),
    }
}
