//! Settings and findings of the fit, folded away.

use crate::report::svg::escape;
use neuncut::methods::Model;
use serde_json::Value;

/// The last section.
pub fn settings_section(model: &Model) -> String {
    let table = |value: &Value, left_out: &[&str]| -> String {
        let rows = value.as_object().into_iter().flatten().filter(|(name, _)| !left_out.contains(&name.as_str()));
        rows.map(|(name, value)| {
            format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", escape(name), escape(&spoken(value)))
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

/// A value as a reader expects it: numbers of single precision with the digits that they have, lists and records with commas.
fn spoken(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::Bool(is) => if *is { "yes" } else { "no" }.into(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(wide) if f64::from(wide as f32) == wide => format!("{}", wide as f32),
            Some(wide) => format!("{}", (wide * 1e6).round() / 1e6),
            None => number.to_string(),
        },
        Value::Array(values) if values.is_empty() => "none".into(),
        Value::Array(values) => values.iter().map(spoken).collect::<Vec<_>>().join(", "),
        Value::Object(record) => {
            let each =
                record.iter().map(|(name, value)| format!("{} {}", name.replace(['_', '-'], " "), spoken(value)));
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_for_readers() {
        assert_eq!(spoken(&json!(0.1_f32)), "0.1");
        assert_eq!(spoken(&json!([512, 512])), "512, 512");
        assert_eq!(
            spoken(&json!({ "row_restarts": 3, "eigenvectors": true, "sigma": null })),
            "eigenvectors yes, row restarts 3, sigma none"
        );
    }
}
