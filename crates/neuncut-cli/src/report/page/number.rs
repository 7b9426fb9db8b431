//! Why there are so many clusters, where their number was chosen, and what became of those of an earlier model.

use crate::report::lines::line_panel;
use crate::report::pictures::count_panels;
use crate::report::svg::escape;
use crate::report::text::succession_text;
use neuncut::methods::Model;

/// Both sections; nothing where the number was given and there was no earlier model.
pub fn number_section(model: &Model) -> String {
    let why = model.record.cluster_count.as_ref().map_or(String::new(), |found| {
        let panels: String = count_panels(found).iter().map(line_panel).collect();
        format!(
            "<section id=\"number-section\"><h2>Why so many</h2><p>{}</p><details><summary>The evidence for every number</summary>\
             <div class=\"nn-panels\">{panels}</div></details></section>\n",
            escape(&found.reason)
        )
    });
    let since = model.record.succession.as_ref().map_or(String::new(), |succession| {
        let lines: String =
            succession_text(succession).lines().map(|line| format!("<p>{}</p>", escape(line.trim()))).collect();
        format!("<section id=\"succession-section\"><h2>Since the earlier model</h2>{lines}</section>\n")
    });
    why + &since
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use neuncut::ensemble::{CountEvidence, CountFindings};
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
        assert_eq!(section.matches("<svg").count(), 4);
    }
}
