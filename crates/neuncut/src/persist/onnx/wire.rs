//! Protocol buffers as far as an ONNX file needs them: whole numbers, texts, bytes and messages, written field by field.

/// The kinds of fields: a number in groups of seven bits, or bytes with their length before them.
const VARINT: u64 = 0;
const BYTES: u64 = 2;

/// What is written as a message: its fields in order of their numbers.
pub(super) trait Message {
    /// Writes the fields.
    fn write(&self, fields: &mut Fields);

    /// The bytes of the message.
    fn to_bytes(&self) -> Vec<u8> {
        let mut fields = Fields::default();
        self.write(&mut fields);
        fields.0
    }
}

/// The fields of a message so far.
#[derive(Default)]
pub(super) struct Fields(Vec<u8>);

impl Fields {
    /// A whole number; zero is what a reader takes for a field that is not there.
    pub fn int(&mut self, number: u64, value: i64) {
        if value != 0 {
            self.given_int(number, value);
        }
    }

    /// A whole number that is written even where it is zero.
    pub fn given_int(&mut self, number: u64, value: i64) {
        self.varint(number << 3 | VARINT);
        self.varint(value as u64); // negative ones as two's complement
    }

    /// A text, left out where it is empty.
    pub fn text(&mut self, number: u64, value: &str) {
        self.bytes(number, value.as_bytes());
    }

    /// Bytes, left out where there are none.
    pub fn bytes(&mut self, number: u64, value: &[u8]) {
        if !value.is_empty() {
            self.given_bytes(number, value);
        }
    }

    /// Bytes or texts, one field each, with the empty ones.
    pub fn texts(&mut self, number: u64, values: &[String]) {
        values.iter().for_each(|value| self.given_bytes(number, value.as_bytes()));
    }

    /// Whole numbers in one field.
    pub fn ints(&mut self, number: u64, values: &[i64]) {
        let mut packed = Self::default();
        values.iter().for_each(|&value| packed.varint(value as u64));
        self.bytes(number, &packed.0);
    }

    /// A message.
    pub fn message(&mut self, number: u64, message: &impl Message) {
        self.given_bytes(number, &message.to_bytes());
    }

    /// Messages, one field each.
    pub fn messages(&mut self, number: u64, messages: &[impl Message]) {
        messages.iter().for_each(|message| self.message(number, message));
    }

    fn given_bytes(&mut self, number: u64, value: &[u8]) {
        self.varint(number << 3 | BYTES);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    /// Seven bits a byte, the lowest first; the eighth says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Example;

    impl Message for Example {
        fn write(&self, fields: &mut Fields) {
            fields.int(1, 150);
            fields.int(2, 0);
            fields.text(2, "testing");
            fields.ints(4, &[3, 270, 86_942]);
            fields.int(5, -2);
            fields.texts(6, &["a".into(), String::new()]);
        }
    }

    struct Outer;

    impl Message for Outer {
        fn write(&self, fields: &mut Fields) {
            fields.message(3, &Example);
            fields.given_int(20, 0);
        }
    }

    /// The first, third and fourth field are the examples of the format's own description.
    #[test]
    fn fields_are_written_as_the_format_is_described() {
        let mut expected = vec![0x08, 0x96, 0x01, 0x12, 0x07];
        expected.extend(b"testing");
        expected.extend([0x22, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]);
        expected.extend([0x28, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
        expected.extend([0x32, 0x01, b'a', 0x32, 0x00]);
        assert_eq!(Example.to_bytes(), expected);
        let outer = [&[0x1a, expected.len() as u8][..], &expected, &[0xa0, 0x01, 0x00]].concat();
        assert_eq!(Outer.to_bytes(), outer);
    }
}
