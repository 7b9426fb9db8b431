//! Text for a terminal, which would obey the control characters in names and texts of a file.

use std::io::{self, Write};

/// Passes text on with a question mark in the place of each control character but tabs and ends of lines.
pub(super) struct Printable<W> {
    inner: W,
    /// Whether the last byte begins one of the two-byte characters among which control characters are.
    begun: bool,
}

impl<W: Write> Printable<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, begun: false }
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut harmless = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            let controls = match byte {
                b'\n' | b'\t' => false,
                0x80..=0x9f => self.begun,
                _ => byte.is_ascii_control(),
            };
            self.begun = byte == 0xc2;
            harmless.push(if controls { b'?' } else { byte });
        }
        self.inner.write_all(&harmless).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_not_passed_on() {
        let mut text = Printable::new(Vec::new());
        for part in ["a\tb\u{1b}[2J\r\n", "né\u{80}ü"] {
            for byte in part.bytes() {
                text.write_all(&[byte]).unwrap();
            }
        }
        assert_eq!(String::from_utf8_lossy(&text.inner), "a\tb?[2J?\nné\u{fffd}?ü");
    }
}
