//! One number in a binary file: its type and byte order, and how to make an `f32` or a label of it.

use arrow_array::ArrowPrimitiveType;
use arrow_array::types::Float16Type;

/// Half precision, by the name that arrow gives it.
type F16 = <Float16Type as ArrowPrimitiveType>::Native;

/// The bits of a NaN that stands for a finite number which single precision cannot hold, until its place is named.
const BEYOND: u32 = 0x7fc0_f64f;

/// The smallest number above zero, which stands for any that single precision would take for zero, until it is noted.
pub(crate) const VANISHED: f32 = f32::from_bits(1);

/// A number in single precision. One that is too large becomes a NaN of its own, so that it is not taken for infinity, and one that is
/// too small is marked, so that it is not taken for a zero in the data.
pub(crate) fn narrowed(number: f64) -> f32 {
    let narrow = number as f32;
    if narrow.is_infinite() && number.is_finite() {
        f32::from_bits(BEYOND)
    } else if narrow == 0.0 && number != 0.0 {
        VANISHED
    } else {
        narrow
    }
}

/// Whether this is a finite number which single precision cannot hold.
pub(crate) fn is_beyond(value: f32) -> bool {
    value.to_bits() == BEYOND
}

/// A number type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberKind {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

/// A number type and its byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) kind: NumberKind,
    pub(crate) big_endian: bool,
}

/// Calls `$decode!(type, conversion)` with the Rust type of an element. Bool is a byte that is zero or one.
macro_rules! by_kind {
    ($kind:expr, $decode:ident) => {
        match $kind {
            NumberKind::Bool | NumberKind::U8 => $decode!(u8, f32::from),
            NumberKind::I8 => $decode!(i8, f32::from),
            NumberKind::U16 => $decode!(u16, f32::from),
            NumberKind::I16 => $decode!(i16, f32::from),
            NumberKind::U32 => $decode!(u32, |number| number as f32),
            NumberKind::I32 => $decode!(i32, |number| number as f32),
            NumberKind::U64 => $decode!(u64, |number| number as f32),
            NumberKind::I64 => $decode!(i64, |number| number as f32),
            NumberKind::F16 => $decode!(F16, F16::to_f32),
            NumberKind::F32 => $decode!(f32, |number: f32| number),
            NumberKind::F64 => $decode!(f64, narrowed),
        }
    };
}

impl Element {
    /// Bytes of one number.
    pub(crate) fn size(self) -> usize {
        macro_rules! size {
            ($number:ty, $convert:expr) => {
                size_of::<$number>()
            };
        }
        by_kind!(self.kind, size)
    }

    /// Appends the numbers in `bytes`, whose length is a multiple of [`Element::size`].
    pub(crate) fn decode(self, bytes: &[u8], values: &mut Vec<f32>) {
        macro_rules! decode {
            ($number:ty, $convert:expr) => {{
                let (numbers, _) = bytes.as_chunks::<{ size_of::<$number>() }>();
                if self.big_endian {
                    values.extend(numbers.iter().map(|bytes| <$number>::from_be_bytes(*bytes)).map($convert));
                } else {
                    values.extend(numbers.iter().map(|bytes| <$number>::from_le_bytes(*bytes)).map($convert));
                }
            }};
        }
        by_kind!(self.kind, decode)
    }

    /// The number in `bytes` as text that is exact, so that it can serve as a label.
    pub(crate) fn text(self, bytes: &[u8]) -> String {
        macro_rules! text {
            ($number:ty, $convert:expr) => {{
                let mut number = [0; size_of::<$number>()];
                number.copy_from_slice(bytes);
                if self.big_endian { <$number>::from_be_bytes(number) } else { <$number>::from_le_bytes(number) }
                    .to_string()
            }};
        }
        by_kind!(self.kind, text)
    }
}

/// What is odd among values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Odd {
    /// The index of the first value that is NaN or infinite.
    pub(crate) non_finite: Option<usize>,
    /// Whether a number was too small, as far as they are finite.
    pub(crate) vanished: bool,
}

/// Looks values over. Blocks are checked without branches, as vectors.
pub(crate) fn odd_among(values: &[f32]) -> Odd {
    const BLOCK: usize = 1024;
    let mut vanished = false;
    for (number, block) in values.chunks(BLOCK).enumerate() {
        let finite = block.iter().fold(true, |all, value| all & value.is_finite());
        vanished |= block.iter().fold(false, |any, value| any | (value.to_bits() == VANISHED.to_bits()));
        if !finite {
            let place = block.iter().position(|value| !value.is_finite());
            return Odd { non_finite: place.map(|index| number * BLOCK + index), vanished };
        }
    }
    Odd { non_finite: None, vanished }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(kind: NumberKind, big_endian: bool, bytes: &[u8]) -> Vec<f32> {
        let mut values = Vec::new();
        Element { kind, big_endian }.decode(bytes, &mut values);
        values
    }

    #[test]
    fn numbers_of_either_byte_order() {
        assert_eq!(decode(NumberKind::U16, false, &[1, 0, 0, 1]), [1.0, 256.0]);
        assert_eq!(decode(NumberKind::U16, true, &[1, 0, 0, 1]), [256.0, 1.0]);
        assert_eq!(decode(NumberKind::F64, true, &1.5f64.to_be_bytes()), [1.5]);
        assert_eq!(decode(NumberKind::F16, false, &[0x00, 0x3e]), [1.5]);
        assert_eq!(decode(NumberKind::I8, false, &[0xff]), [-1.0]);
        assert_eq!(decode(NumberKind::Bool, false, &[0, 1]), [0.0, 1.0]);
    }

    #[test]
    fn numbers_that_single_precision_has_not_are_marked() {
        assert_eq!(decode(NumberKind::F64, false, &1e-300f64.to_le_bytes()), [VANISHED]);
        assert_eq!(decode(NumberKind::F64, false, &(-1e-300f64).to_le_bytes()), [VANISHED]);
        assert_eq!(narrowed(0.0), 0.0);
        assert!(is_beyond(narrowed(1e300)) && narrowed(f64::INFINITY).is_infinite());
        let mut values = vec![1.0; 3000];
        assert_eq!(odd_among(&values), Odd::default());
        values[2000] = VANISHED;
        assert_eq!(odd_among(&values), Odd { non_finite: None, vanished: true });
        values[2999] = f32::NAN;
        assert_eq!(odd_among(&values), Odd { non_finite: Some(2999), vanished: true });
    }

    #[test]
    fn text_is_exact_where_f32_is_not() {
        let element = Element { kind: NumberKind::I64, big_endian: true };
        assert_eq!(element.text(&16_777_217_i64.to_be_bytes()), "16777217");
        assert_eq!(Element { kind: NumberKind::F32, big_endian: false }.text(&3.0f32.to_le_bytes()), "3");
    }
}
