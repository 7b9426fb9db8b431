//! Settings and findings of the fit, folded away.

use crate::report::svg::escape;
use neuncut::methods::Model;
use serde_json::Value;

/// The last section.
pub fn settings_section(model: &Model) -> String {
    let table = |value: &Value, left_out: &[&str]| -> String {
        let rows = value.as_object().into_iter().flatten().filter(|(name, _)| !left_out.contains(&name.as_str()));
        rows.map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
            format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", escape(name), escape(&text))
        })
        .collect()
    };
    let config = table(&serde_json::json!(model.config), &[]);
    let found = table(&serde_json::json!(model.record.diagnostics), &["warnings", "candidates", "gamma_sweep"]);
    format!(
        "<section id=\"settings-section\"><h2>How it was made</h2>\
         <details><summary>Settings of the fit</summary><div class=\"nn-wide\"><table class=\"nn-plain\">{config}</table></div></details>\
         <details><summary>Findings of the fit</summary><div class=\"nn-wide\"><table class=\"nn-plain\">{found}</table></div></details>\
         <p>Files: {}. Data fingerprint {}. Made by neuncut {}.</p></section>\n",
        escape(&model.record.files.join(" ")),
        escape(&model.record.fingerprint),
        escape(&model.record.version)
    )
}
