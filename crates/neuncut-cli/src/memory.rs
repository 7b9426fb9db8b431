//! Memory: sizes as they are written, what the machine has, how much this process has used at most.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A number of bytes, written as `500M`, `8G` or `8GiB`; the units are powers of 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub usize);

const UNITS: [(char, u32); 4] = [('T', 40), ('G', 30), ('M', 20), ('K', 10)];

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text} is not a size such as 500M or 8G");
        let upper = text.to_ascii_uppercase();
        let number = upper.strip_suffix("IB").or_else(|| upper.strip_suffix('B')).unwrap_or(&upper);
        let unit = UNITS.iter().find(|(unit, _)| number.ends_with(*unit));
        let (number, shift) = unit.map_or((number, 0), |(unit, shift)| (number.trim_end_matches(*unit), *shift));
        let bytes = number.parse::<f64>().map_err(|_| wrong())? * f64::from(1u32 << (shift / 2)).powi(2);
        let fits = bytes >= f64::from(1 << 20) && bytes < usize::MAX as f64;
        if fits { Ok(Self(bytes as usize)) } else { Err(format!("{text} must be at least 1M")) }
    }
}

impl Display for Bytes {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let found = UNITS.iter().find(|(_, shift)| self.0 >> shift > 0);
        match found {
            Some((unit, shift)) => write!(f, "{:.1} {unit}iB", self.0 as f64 / (1u64 << shift) as f64),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// The machine's memory, or what a container may use of it.
pub fn of_machine() -> Option<usize> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemTotal:"));
    let container = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    machine.into_iter().chain(container).min()
}

/// The peak of resident memory in bytes, where the system tells it.
pub fn peak() -> Option<u64> {
    kilobytes(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:").map(|bytes| bytes as u64)
}

/// The number behind a name in the system's tables, in bytes.
fn kilobytes(table: &str, name: &str) -> Option<usize> {
    let line = table.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_used_some_of_what_there_is() {
        let (peak, all) = (peak().expect("Linux tells"), of_machine().expect("Linux tells"));
        assert!(peak > 1 << 20 && (peak as usize) < all);
    }

    #[test]
    fn sizes_are_read_and_written() {
        let bytes = |text: &str| text.parse::<Bytes>().map(|bytes| bytes.0);
        assert_eq!(bytes("8G"), Ok(8 << 30));
        assert_eq!(bytes("1.5GiB"), Ok(3 << 29));
        assert_eq!(bytes("500mb"), Ok(500 << 20));
        assert_eq!(bytes("2097152"), Ok(2 << 20));
        assert!(bytes("1K").is_err() && bytes("x").is_err() && bytes("-1G").is_err() && bytes("nan").is_err());
        assert_eq!(Bytes(3 << 29).to_string(), "1.5 GiB");
    }
}
