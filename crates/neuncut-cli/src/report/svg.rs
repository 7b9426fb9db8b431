//! The little of SVG that the pictures need: text, lines, paths, and one style sheet for light and dark.

use std::fmt::Write;

/// Classes used by the pictures: `c0` to `c6` are Okabe and Ito's colours without black, the yellow darkened to olive,
/// so that all stand out on white; on black the darker ones are lightened. Renderers that know no media queries show
/// the light theme.
pub(super) const STYLE: &str = "\
text{font-family:Helvetica,Arial,'Liberation Sans',system-ui,sans-serif;font-size:12px;fill:#3a3f45}\
.page{fill:#ffffff}.title{font-size:17px;font-weight:600;fill:#14171a}.note{font-size:12.5px;fill:#5b626a}\
.name{font-size:13px;font-weight:600;fill:#14171a}\
.grid{stroke:#e3e6e9;stroke-width:1}.axis{stroke:#8a9199;stroke-width:1}\
.faint{fill:none;stroke:#0072b2;stroke-width:1;stroke-opacity:.4}\
.line{fill:none;stroke:#0072b2;stroke-width:1.8;stroke-linejoin:round}\
.line2{fill:none;stroke:#d55e00;stroke-width:1.8;stroke-linejoin:round}\
.c0{color:#0072b2}.c1{color:#e69f00}.c2{color:#009e73}.c3{color:#cc79a7}.c4{color:#d55e00}.c5{color:#56b4e9}\
.c6{color:#999933}.none{color:#8a9199}.cross{fill:none;stroke:currentColor}.solid{fill:currentColor;fill-opacity:.85}\
.dot{fill:none;stroke:currentColor;stroke-linecap:round;stroke-opacity:.85}\
@media (prefers-color-scheme:dark){text{fill:#b9c0c7}.page{fill:#14171a}.title,.name{fill:#f1f3f5}.note{fill:#98a0a8}\
.grid{stroke:#2a2f35}.axis{stroke:#6b737b}.faint,.line{stroke:#56b4e9}.line2{stroke:#f08a4b}\
.faint{stroke-opacity:.55}.c0{color:#3f97d6}.c2{color:#1fb58c}.c4{color:#ee7a2c}.c6{color:#b3b34d}}";

/// Where a text starts, or where it is centred or ends.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture being drawn.
pub(super) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// An empty page with a title and a line under it, both left-aligned at `left`.
    pub(super) fn new(width: f64, height: f64, left: f64, title: &str, subtitle: &str) -> Self {
        let mut svg = Self { width, height, body: String::new() };
        svg.push(format_args!("<title>{}</title><style>{STYLE}</style>", escape(title)));
        svg.push(format_args!(r#"<rect class="page" width="{}" height="{}"/>"#, width.round(), height.round()));
        svg.text(left, 28.0, "title", Anchor::Start, title);
        svg.text(left, 47.0, "note", Anchor::Start, subtitle);
        svg
    }

    /// An empty picture inside a page that has the style sheet; `label` is what it shows.
    pub(super) fn bare(width: f64, height: f64, label: &str) -> Self {
        let mut svg = Self { width, height, body: String::new() };
        svg.push(format_args!("<title>{}</title>", escape(label)));
        svg
    }

    pub(super) fn text(&mut self, x: f64, y: f64, class: &str, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        self.push(format_args!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(format_args!(r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#));
    }

    /// A path; `attributes` is written as it is.
    pub(super) fn path(&mut self, attributes: &str, commands: &str) {
        self.push(format_args!(r#"<path {attributes} d="{commands}"/>"#));
    }

    /// The whole file.
    pub(super) fn finish(self) -> String {
        let (width, height) = (self.width.round(), self.height.round());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n{}</svg>\n",
            self.body
        )
    }

    fn push(&mut self, element: std::fmt::Arguments) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}

/// Text that may hold anything, as XML.
pub(super) fn escape(text: &str) -> String {
    let allowed = text.chars().filter(|c| !c.is_control());
    allowed.fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_the_file() {
        assert_eq!(escape("a<b & \"c\"\u{0}>"), "a&lt;b &amp; &quot;c&quot;&gt;");
    }
}
