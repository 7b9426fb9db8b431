//! The table of ratios, in Markdown and as JSON records.

use super::comparisons::{Comparison, Rival};
use super::measure::{Figure, Work};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

/// A line of the table.
pub(super) struct Row {
    pub name: &'static str,
    pub ratio: Option<f64>,
    pub target: f64,
    ours: Option<f64>,
    theirs: Option<f64>,
    peer: &'static str,
    unit: &'static str,
    quality: Option<(&'static str, Option<f64>, Option<f64>)>,
}

impl Row {
    pub fn new(comparison: &Comparison, ours: &Figure, theirs: &Figure) -> Self {
        let ratio = match comparison.rival {
            Rival::None => ours.best.filter(|_| comparison.target > 0.0),
            _ => ours.best.zip(theirs.best).map(|(a, b)| if comparison.more { a / b } else { b / a }),
        };
        let peer = match comparison.rival {
            Rival::None => "",
            Rival::Limit(_) => "limit",
            Rival::Ourselves(..) => "neuncut",
            Rival::Peer { module, .. } => module,
        };
        let quality = comparison.quality.map(|name| match ours.quality {
            None => (name, theirs.quality, None), // the peer's judgement of ours
            own => (name, own, theirs.quality),
        });
        let (name, unit, target) = (comparison.name, comparison.unit, comparison.target);
        Self { name, ratio, target, ours: ours.best, theirs: theirs.best, peer, unit, quality }
    }

    /// Whether there is a ratio, and it is below what is wanted.
    pub fn misses(&self) -> bool {
        self.ratio.is_some_and(|ratio| ratio < self.target)
    }
}

/// The table.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| job | unit | neuncut | beside | its figure | times as fast | wanted | quality: ours, theirs |\n|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let quality = row
            .quality
            .map_or(String::new(), |(name, ours, theirs)| format!("{name} {}, {}", short(ours), short(theirs)));
        let wanted = if row.target > 0.0 { format!("{:.2}", row.target) } else { String::new() };
        let mark = if row.misses() { " (missed)" } else { "" };
        let ratio = row.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}{mark}"));
        let (ours, theirs) = (short(row.ours), short(row.theirs));
        let (name, unit, peer) = (row.name, row.unit, row.peer);
        let _ = writeln!(text, "| {name} | {unit} | {ours} | {peer} | {theirs} | {ratio} | {wanted} | {quality} |");
    }
    text
}

/// Four digits.
fn short(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value.abs() >= 1e6 => format!("{value:.4e}"),
        Some(value) if value.abs() >= 1000.0 => format!("{value:.0}"),
        Some(value) if value.abs() >= 100.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.3}"),
    }
}

/// Writes table and records below `benches/runs/`, and tells where.
pub(super) fn write(work: &Work, rows: &[Row], text: &str) -> std::io::Result<PathBuf> {
    let place = directory(work);
    std::fs::create_dir_all(&place)?;
    std::fs::write(place.join("ratios.md"), text)?;
    std::fs::write(place.join("ratios.jsonl"), rows.iter().map(record).collect::<String>())?;
    Ok(place)
}

/// `benches/runs/<date>-<machine>`.
pub(super) fn directory(work: &Work) -> PathBuf {
    let date = Command::new("date").arg("+%Y-%m-%d").output().map(|output| output.stdout).unwrap_or_default();
    let date = String::from_utf8_lossy(&date).trim().to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let machine = format!("{cores}-cores-{}", std::env::consts::ARCH);
    work.root.join("benches/runs").join(format!("{date}-{machine}"))
}

fn record(row: &Row) -> String {
    let number = |value: Option<f64>| value.map_or("null".to_owned(), |value| value.to_string());
    let quality = row.quality.map_or(String::new(), |(name, ours, theirs)| {
        format!(",\"quality\":\"{name}\",\"our_quality\":{},\"their_quality\":{}", number(ours), number(theirs))
    });
    format!(
        "{{\"job\":\"{}\",\"unit\":\"{}\",\"ours\":{},\"peer\":\"{}\",\"theirs\":{},\"ratio\":{},\"wanted\":{}{quality}}}\n",
        row.name,
        row.unit,
        number(row.ours),
        row.peer,
        number(row.theirs),
        number(row.ratio),
        row.target
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ratio: Option<f64>) -> Row {
        Row {
            name: "step",
            ratio,
            target: 1.3,
            ours: Some(2.0),
            theirs: ratio,
            peer: "torch",
            unit: "ms",
            quality: None,
        }
    }

    #[test]
    fn a_ratio_below_its_target_is_missed_and_said() {
        assert!(row(Some(1.2)).misses() && !row(Some(1.3)).misses() && !row(None).misses());
        assert!(markdown(&[row(Some(1.2))]).contains("| 1.20 (missed) | 1.30 |"));
        assert!(record(&row(None)).contains("\"ratio\":null"));
    }
}
