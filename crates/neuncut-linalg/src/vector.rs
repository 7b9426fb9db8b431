//! Element-wise loops in wide vectors, and what they need: an exponential that vectorises, sums in a fixed order.
//!
//! No multiplication is fused with an addition here, so that the bits are the same on every processor.
//!
//! ```
//! use neuncut_linalg::vector::{exp, softmax_row, squared_distance, sum};
//!
//! let mut row = [1.0, 1.0, 1.0, 1.0];
//! softmax_row(&mut row);
//! assert_eq!(row, [0.25; 4]);
//! assert_eq!((sum(&row), squared_distance(&row, &[0.25; 4])), (1.0, 0.0));
//! assert!((exp(1.0) - std::f32::consts::E).abs() < 1e-6);
//! ```

/// Numbers that a sum adds side by side.
const LANES: usize = 16;

/// Runs a closure as compiled for the widest vectors of this processor. The closure, and what it calls, must be inlined;
/// [`wide`] takes care of it.
#[inline(always)]
pub fn on_widest<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Compiles a function for any processor and for those with wider vectors, which are looked for when it is called.
///
/// ```
/// neuncut_linalg::vector::wide! {
///     /// Adds one row to another.
///     fn add(sums: &mut [f32], row: &[f32]) {
///         sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
///     }
/// }
/// let mut sums = [1.0, 2.0];
/// add(&mut sums, &[10.0, 20.0]);
/// assert_eq!(sums, [11.0, 22.0]);
/// ```
#[macro_export]
macro_rules! wide {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$meta])*
        $visibility fn $name($($argument: $kind),*) $(-> $result)? {
            // a function of its own tells the compiler that its arguments do not overlap
            #[inline(always)]
            fn plain($($argument: $kind),*) $(-> $result)? $body

            $crate::vector::on_widest(#[inline(always)] move || plain($($argument),*))
        }
    };
}
pub use wide;

/// `e` to the power `x`, within three units of the last place; zero where the result would not be a normal number, infinity above
/// 88.7. Written without branches, so that loops over it become vector code.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    /// 1.5 * 2^23: added to a small number, its last bits are the number rounded.
    const ROUND: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let clamped = if x > 89.0 { 89.0 } else { x };
    let clamped = if clamped < -90.0 { -90.0 } else { clamped };
    let rounded = clamped * std::f32::consts::LOG2_E + ROUND;
    let power = rounded - ROUND;
    let r = clamped - power * LN_2_HIGH - power * LN_2_LOW;
    // the minimax polynomial of Cephes' expf
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_2e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_6e-1;
    p = p * r + 5.0e-1;
    let value = p * (r * r) + r + 1.0;
    // half of the power at a time: 2^128 alone would be no number
    let bits = rounded.to_bits().wrapping_sub(ROUND.to_bits()) as i32;
    let half = bits >> 1;
    let scale = |power: i32| f32::from_bits(((power + 127) << 23) as u32);
    let value = value * scale(half) * scale(bits - half);
    if x < -87.336_54 { 0.0 } else { value }
}

wide! {
    /// The sum of squared differences.
    pub fn squared_distance(left: &[f32], right: &[f32]) -> f32 {
        let (left, left_rest) = left.as_chunks::<LANES>();
        let (right, right_rest) = right.as_chunks::<LANES>();
        let mut sums = [0.0_f32; LANES];
        for (left, right) in left.iter().zip(right) {
            let pairs = left.iter().zip(right);
            sums.iter_mut().zip(pairs).for_each(|(sum, (x, y))| *sum += (x - y) * (x - y));
        }
        let rest: f32 = left_rest.iter().zip(right_rest).map(|(x, y)| (x - y) * (x - y)).sum();
        fold(sums) + rest
    }
}

wide! {
    /// The sum of squares.
    pub fn squared_length(values: &[f32]) -> f32 {
        let (chunks, rest) = values.as_chunks::<LANES>();
        let mut sums = [0.0_f32; LANES];
        for chunk in chunks {
            sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x * x);
        }
        fold(sums) + rest.iter().map(|x| x * x).sum::<f32>()
    }
}

wide! {
    /// The sum.
    pub fn sum(values: &[f32]) -> f32 {
        let (chunks, rest) = values.as_chunks::<LANES>();
        let mut sums = [0.0_f32; LANES];
        for chunk in chunks {
            sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x);
        }
        fold(sums) + rest.iter().sum::<f32>()
    }
}

wide! {
    /// The least value; infinity where there is none. Must not be given what is not a number.
    pub fn least(values: &[f32]) -> f32 {
        let (chunks, rest) = values.as_chunks::<LANES>();
        let mut least = [f32::INFINITY; LANES];
        for chunk in chunks {
            least.iter_mut().zip(chunk).for_each(|(least, &x)| *least = if x < *least { x } else { *least });
        }
        least.iter().chain(rest).fold(f32::INFINITY, |a, &b| if b < a { b } else { a })
    }
}

wide! {
    /// Softmax of one row in place.
    pub fn softmax_row(row: &mut [f32]) {
        let largest = row.iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
        row.iter_mut().for_each(|x| *x = exp(*x - largest));
        let total = sum(row);
        row.iter_mut().for_each(|x| *x /= total);
    }
}

/// Lanes added two by two.
#[inline(always)]
pub fn fold(mut sums: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        let (low, high) = sums.split_at_mut(width);
        low.iter_mut().zip(high.iter()).for_each(|(low, high)| *low += high);
        width /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_within_three_units_of_the_last_place() {
        let mut worst = 0.0_f64;
        // every 4096th number, of both signs, in the range of normal results
        for bits in (0..0x42b1_0000_u32).step_by(4096) {
            for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
                let exact = f64::from(x).exp();
                if !(-87.3..=88.7).contains(&x) {
                    continue;
                }
                let unit = f64::from(f32::EPSILON) * 2.0_f64.powi(exact.log2().floor() as i32);
                worst = worst.max((f64::from(exp(x)) - exact).abs() / unit);
            }
        }
        assert!(worst < 3.0, "{worst}");
        assert!(worst > 0.4, "an error this small is no measurement: {worst}");
    }

    #[test]
    fn the_exponential_at_its_ends() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e30), 0.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(-88.0), 0.0);
        assert!(exp(-87.3) > 0.0);
        assert_eq!(exp(1e30), f32::INFINITY);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn sums_of_any_length_are_right() {
        for n in [0, 1, 15, 16, 17, 100] {
            let a: Vec<f32> = (0..n).map(|i| (i % 9) as f32).collect();
            let b: Vec<f32> = (0..n).map(|i| (i % 5) as f32 - 2.0).collect();
            assert_eq!(sum(&a), a.iter().sum::<f32>());
            assert_eq!(squared_length(&a), a.iter().map(|x| x * x).sum::<f32>());
            assert_eq!(squared_distance(&a, &b), a.iter().zip(&b).map(|(x, y)| (x - y) * (x - y)).sum::<f32>());
            assert_eq!(least(&b), b.iter().copied().fold(f32::INFINITY, f32::min));
        }
    }

    #[test]
    fn softmax_by_hand() {
        let mut row = [2.0_f32.ln(), 0.0, 5.0_f32.ln()];
        softmax_row(&mut row);
        for (found, expected) in row.iter().zip([0.25, 0.125, 0.625]) {
            assert!((found - expected).abs() < 1e-6);
        }
    }
}
