//! Axes: where the ticks go, what is written beside them, and where a value lies on the page.

use super::svg::{Anchor, Svg};

/// A linear map from values to the page.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Scale {
    pub(super) fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }
}

/// About `count` round numbers (1, 2 or 5 times a power of ten apart) within the range, with their text.
pub(super) fn ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let step = round_step((high - low) / count.max(1) as f64);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| (i as f64 * step, tick_text(i as f64 * step, step))).collect()
}

/// Of 1, 2, 5 and 10 times a power of ten, the one nearest to `rough` by ratio.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let digit = match rough / power {
        ratio if ratio < 2f64.sqrt() => 1.0,
        ratio if ratio < 10f64.sqrt() => 2.0,
        ratio if ratio < 50f64.sqrt() => 5.0,
        _ => 10.0,
    };
    digit * power
}

/// Enough digits to tell neighbours apart; powers of ten for the very small and very large.
fn tick_text(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if step < 1e-4 || value.abs() >= 1e6 {
        return format!("{value:e}").split_once('e').map_or_else(String::new, |(digits, power)| {
            let digits: f64 = digits.parse().unwrap_or(0.0);
            format!("{}e{power}", (digits * 100.0).round() / 100.0)
        });
    }
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    format!("{value:.decimals$}").replace('-', "\u{2212}")
}

/// A range a little wider than the values; one unit wide where all are equal, and 0 to 1 where there are none.
pub(super) fn padded_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.filter(|v| v.is_finite()).fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    let pad = if high > low { 0.04 * (high - low) } else { 0.5 * low.abs().max(1.0) };
    (low - pad, high + pad)
}

/// Grid lines, axis lines and tick texts of one plot.
pub(super) fn draw_axes(svg: &mut Svg, x: Scale, y: Scale, counts: (usize, usize)) {
    draw_axes_at(svg, x, y, ticks(x.low, x.high, counts.0), counts.1);
}

/// Powers of ten within a range of logarithms.
pub(super) fn log_ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let powers: Vec<i32> = ((low - 1e-9).ceil() as i32..=(high + 1e-9).floor() as i32).collect();
    let text = |power: i32| match power {
        0 => "1".into(),
        1..=3 => format!("{}", 10_i64.pow(power as u32)),
        _ => format!("1e{power}"),
    };
    powers.into_iter().map(|power| (f64::from(power), text(power))).collect()
}

/// The same, where the ticks of `x` are known.
pub(super) fn draw_axes_at(svg: &mut Svg, x: Scale, y: Scale, x_ticks: Vec<(f64, String)>, y_count: usize) {
    for (value, text) in x_ticks {
        svg.line("grid", (x.at(value), y.from), (x.at(value), y.to));
        svg.text(x.at(value), y.from + 17.0, "tick", Anchor::Middle, &text);
    }
    for (value, text) in ticks(y.low, y.high, y_count) {
        svg.line("grid", (x.from, y.at(value)), (x.to, y.at(value)));
        svg.text(x.from - 7.0, y.at(value) + 4.0, "tick", Anchor::End, &text);
    }
    svg.line("axis", (x.from, y.from), (x.to, y.from));
    svg.line("axis", (x.from, y.from), (x.from, y.to));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64, count: usize) -> Vec<String> {
        ticks(low, high, count).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(texts(0.0, 1.0, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(-1.3, 1.3, 4), ["\u{2212}1.0", "\u{2212}0.5", "0", "0.5", "1.0"]);
        assert_eq!(texts(0.0, 2000.0, 4), ["0", "500", "1000", "1500", "2000"]);
        assert_eq!(texts(0.0, 0.005, 5), ["0", "0.001", "0.002", "0.003", "0.004", "0.005"]);
        assert_eq!(texts(0.0, 4e-6, 2), ["0", "2e-6", "4e-6"]);
        assert_eq!(texts(0.0, 4e6, 2), ["0", "2e6", "4e6"]);
    }

    #[test]
    fn logarithms_are_marked_by_powers_of_ten() {
        let texts: Vec<String> = log_ticks(-1.2, 6.1).into_iter().map(|tick| tick.1).collect();
        assert_eq!(texts, ["1e-1", "1", "10", "100", "1000", "1e4", "1e5", "1e6"]);
    }

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(padded_range([].into_iter()), (0.0, 1.0));
        assert_eq!(padded_range([f64::NAN].into_iter()), (0.0, 1.0));
        assert_eq!(padded_range([3.0, 3.0].into_iter()), (1.5, 4.5));
        assert_eq!(padded_range([0.0, 100.0].into_iter()), (-4.0, 104.0));
    }

    #[test]
    fn scales_may_run_upwards_on_the_page() {
        let y = Scale { low: 0.0, high: 10.0, from: 100.0, to: 0.0 };
        assert_eq!((y.at(0.0), y.at(2.5), y.at(10.0)), (100.0, 75.0, 0.0));
    }
}
