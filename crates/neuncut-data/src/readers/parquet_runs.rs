//! Parquet's hybrid of runs and packed groups, in which levels and places in dictionaries are written.

/// Goes through `count` numbers of `bits` bits, in Parquet's hybrid of runs and of packed groups of eight, as `each(number, times)`.
/// False as soon as that is, or where bytes are missing.
pub(super) fn for_runs(mut bytes: &[u8], bits: u32, count: usize, mut each: impl FnMut(u32, usize) -> bool) -> bool {
    let mut left = count;
    while left > 0 {
        let Some(header) = varint(&mut bytes) else { return false };
        let size = (header >> 1) as usize;
        let is_packed = header & 1 == 1;
        let length = if is_packed { size.saturating_mul(bits as usize) } else { bits.div_ceil(8) as usize };
        let Some((these, after)) = bytes.split_at_checked(length).filter(|_| size > 0) else { return false };
        let times = left.min(if is_packed { size.saturating_mul(8) } else { size });
        let value = packed(these, 8 * length.min(4), 0);
        if !is_packed && bits < 32 && value >> bits != 0 {
            return false; // a run of a number that has more bits
        }
        let passed =
            if is_packed { (0..times).all(|i| each(packed(these, bits as usize, i), 1)) } else { each(value, times) };
        if !passed {
            return false;
        }
        (bytes, left) = (after, left - times);
    }
    true
}

/// Number `i` of packed ones of up to 32 bits: the first is in the lowest bits.
fn packed(bytes: &[u8], bits: usize, i: usize) -> u32 {
    let (first, shift) = (i * bits / 8, i * bits % 8);
    let window = match bytes.get(first..).and_then(|rest| rest.first_chunk()) {
        Some(window) => *window,
        None => std::array::from_fn(|byte| bytes.get(first + byte).copied().unwrap_or(0)),
    };
    (u64::from_le_bytes(window) >> shift & ((1 << bits) - 1)) as u32
}

/// Takes a number from the front, seven bits a byte.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_in_runs_and_packed_groups() {
        let seen = |bytes: &[u8], bits, count| {
            let mut levels = Vec::new();
            let whole = for_runs(bytes, bits, count, |level, times| {
                levels.extend(std::iter::repeat_n(level, times));
                true
            });
            (whole, levels)
        };
        // a run of 300 ones, one group of eight of which six are used
        assert_eq!(
            seen(&[0xd8, 0x04, 1, 3, 0b0010_0110], 1, 306),
            (true, [vec![1; 300], vec![0, 1, 1, 0, 0, 1]].concat())
        );
        // two bits each, the first in the lowest
        assert_eq!(seen(&[3, 0b11_10_01_00, 0b00_01_10_11], 2, 8), (true, vec![0, 1, 2, 3, 3, 2, 1, 0]));
        // runs and groups of numbers that take several bytes
        assert_eq!(
            seen(&[6, 0x34, 0x12, 3, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0], 16, 5),
            (true, vec![0x1234, 0x1234, 0x1234, 1, 2])
        );
        assert_eq!(seen(&[8], 0, 4), (true, vec![0; 4]));
        assert_eq!(seen(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], 0, 3), (true, vec![0; 3]));
        for broken in [&[][..], &[2], &[0, 1], &[5, 1], &[0x80; 12]] {
            assert!(!seen(broken, 1, 9).0, "{broken:?}");
        }
        assert!(!for_runs(&[4, 1, 2, 0], 1, 3, |level, _| level == 1));
    }
}
