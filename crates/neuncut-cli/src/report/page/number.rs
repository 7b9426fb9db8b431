//! Why there are so many clusters, where their number was chosen, and what became of those of an earlier model.

use super::phrases::count;
use crate::report::count_table;
use crate::report::lines::line_panel;
use crate::report::pictures::count_panels;
use crate::report::svg::escape;
use crate::report::text::succession_text;
use neuncut::ensemble::CountFindings;
use neuncut::methods::Model;
use std::fmt::Write;

/// Both sections; nothing where the number was given and there was no earlier model.
pub fn number_section(model: &Model) -> String {
    let why = model.record.cluster_count.as_ref().map_or(String::new(), |found| {
        let panels: String = count_panels(found).iter().map(line_panel).collect();
        format!(
            "<section id=\"number-section\"><h2>Why so many</h2><p>{}</p>{}<details><summary>The evidence as curves</summary>\
             <div class=\"nn-panels\">{panels}</div></details></section>\n",
            escape(&found.reason),
            evidence_table(found)
        )
    });
    let since = model.record.succession.as_ref().map_or(String::new(), |succession| {
        let lines: String =
            succession_text(succession).lines().map(|line| format!("<p>{}</p>", escape(line.trim()))).collect();
        format!("<section id=\"succession-section\"><h2>Since the earlier model</h2>{lines}</section>\n")
    });
    why + &since
}

/// The evidence for the number that was chosen, the next best and those around them.
fn evidence_table(found: &CountFindings) -> String {
    let mut rows = String::new();
    let shown = count_table::shown(found);
    for e in found.evidence.iter().filter(|evidence| shown.contains(&evidence.clusters)) {
        let (strong, mark) = match found.recommended.iter().position(|&k| k == e.clusters) {
            Some(0) => (" class=\"nn-first\"", "recommended"),
            Some(_) => (" class=\"nn-first\"", "also likely"),
            None => ("", ""),
        };
        let _ = write!(rows, "<tr{strong}><th scope=\"row\" class=\"nn-number\">{}</th><td>{mark}</td>", e.clusters);
        for value in [e.score, e.stability, e.entropy, e.modularity, e.coding_length, e.gap, e.eigengap, e.silhouette] {
            let text = if value.is_finite() { format!("{value:.3}").replace('-', "\u{2212}") } else { String::new() };
            let _ = write!(rows, "<td class=\"nn-number\">{text}</td>");
        }
        let _ = writeln!(rows, "<td class=\"nn-number\">{}</td></tr>", count(e.smallest as u64));
    }
    let heads = [
        "score",
        "stability",
        "entropy",
        "modularity",
        "coding length",
        "gap",
        "eigengap",
        "silhouette",
        "smallest cluster",
    ];
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\" class=\"nn-number\">{head}</th>")).collect();
    format!(
        "<div class=\"nn-wide\"><table id=\"evidence\" class=\"nn-plain\"><thead><tr><th scope=\"col\" class=\"nn-number\">clusters</th>\
         <td></td>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use neuncut::ensemble::CountEvidence;
    use neuncut::job::Job;
    use neuncut::methods::{Config, KMeansOptions, Method};

    #[test]
    fn the_reason_and_the_evidence_are_shown() {
        let rows = Array2::from_shape_fn((12, 2), |(i, j)| (i % 2 * 10 + j) as f32 + i as f32 * 0.1);
        let config = Config::of(Method::KMeans(KMeansOptions::default()), 2);
        let mut model = Job::new(config).unwrap().fit(rows.view()).unwrap().model.unwrap();
        assert_eq!(number_section(&model), "", "the number was given");
        let evidence = |clusters| CountEvidence { clusters, score: 1.0 / clusters as f64, ..Default::default() };
        model.record.cluster_count = Some(CountFindings {
            recommended: vec![2, 4],
            reason: "2 is stable & apart".into(),
            representation: "raw rows".into(),
            rows: 12,
            evidence: (2..6).map(evidence).collect(),
        });
        let section = number_section(&model);
        assert!(section.contains("2 is stable &amp; apart"), "{section}");
        assert_eq!(section.matches("<svg").count(), 5);
        assert_eq!((section.matches("recommended").count(), section.matches("also likely").count()), (1, 1));
    }
}
