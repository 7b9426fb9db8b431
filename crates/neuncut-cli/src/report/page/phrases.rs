//! Numbers, lists and names as a reader expects them.

use crate::report::svg::escape;

/// A count with commas between thousands.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share as a percentage of one digit behind the point, of none from 10% on.
pub fn percent(share: f64) -> String {
    let hundred = 100.0 * share;
    if hundred >= 99.95 || hundred == 0.0 {
        format!("{hundred:.0}%")
    } else if hundred < 0.1 {
        "less than 0.1%".into()
    } else if (9.95..99.0).contains(&hundred) {
        format!("{hundred:.0}%")
    } else {
        format!("{hundred:.1}%")
    }
}

/// A name in HTML, which may be broken behind underscores.
pub fn breakable(name: &str) -> String {
    escape(name).replace('_', "_<wbr>")
}

/// So many of a thing.
pub fn of(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([7, 1234, 1_234_567].map(count), ["7", "1,234", "1,234,567"]);
        let shares = [0.0, 0.0004, 0.0123, 0.456, 0.996, 1.0].map(percent);
        assert_eq!(shares, ["0%", "less than 0.1%", "1.2%", "46%", "99.6%", "100%"]);
        assert_eq!(breakable("how_old<"), "how_<wbr>old&lt;");
        assert_eq!((of(1, "row", "rows"), of(2000, "row", "rows")), ("1 row".into(), "2,000 rows".into()));
    }
}
