//! The Fourier transform of one line of any length, as Stockham's passes: each takes one factor of the length, and the last
//! leaves the frequencies in order.
//!
//! Legend: a pass of radix `r` finds `side` transforms of length `r * rest` side by side, number `q` of place `t` at
//! `q + side * t`. It leaves `side * r` transforms of length `rest`: `y[q + side * (r p + k)] = e^(-2 pi i p k / (r rest)) *
//! sum_j e^(-2 pi i j k / r) x[q + side * (p + j rest)]` for `p` below `rest` and `k` below `r`.

use super::registers::{Complex, ComplexLanes, Vector};
use std::f64::consts::TAU;

/// Transforms of one length; no factor is applied.
pub(super) struct Line {
    length: usize,
    passes: Vec<Pass>,
}

struct Pass {
    radix: usize,
    side: usize,
    rest: usize,
    /// `e^(-2 pi i p k / (r rest))` for each `p`, and each `k` from 1 on.
    turns: Vec<[f32; 2]>,
    /// `e^(-2 pi i j / r)`, for a radix that has no butterfly of its own.
    roots: Vec<[f32; 2]>,
}

impl Line {
    pub fn new(length: usize) -> Self {
        let mut passes = Vec::new();
        let (mut side, mut left) = (1, length);
        while left > 1 {
            let butterfly = [4, 6, 3, 2].into_iter().find(|radix| left % radix == 0);
            let radix = butterfly.unwrap_or_else(|| smallest_factor(left));
            let rest = left / radix;
            let turns = (0..rest).flat_map(|p| (1..radix).map(move |k| root(p * k, left))).collect();
            passes.push(Pass { radix, side, rest, turns, roots: (0..radix).map(|j| root(j, radix)).collect() });
            (side, left) = (side * radix, rest);
        }
        Self { length, passes }
    }

    /// Numbers of working memory.
    pub fn scratch_len(&self) -> usize {
        2 * self.length
    }

    /// Reads the numbers of a line, each at least once, and writes those of its transform.
    #[inline(always)]
    pub fn transform<V: Vector>(&self, source: impl Source<V>, mut sink: impl Sink<V>, scratch: &mut [ComplexLanes]) {
        let (mut from, mut to) = scratch[..2 * self.length].split_at_mut(self.length);
        match &self.passes[..] {
            [] => sink.put(0, source.get(0)),
            [only] => only.run(&source, &mut sink),
            [first, middle @ .., last] => {
                first.run(&source, &mut Between(&mut *from));
                for pass in middle {
                    pass.run::<V>(&Between(&*from), &mut Between(&mut *to));
                    (from, to) = (to, from);
                }
                last.run(&Between(&*from), &mut sink);
            }
        }
    }
}

/// Where the numbers of a line come from.
pub(super) trait Source<V> {
    /// The number at a place.
    fn get(&self, place: usize) -> Complex<V>;
}

/// Where the numbers of a transform go.
pub(super) trait Sink<V> {
    /// Takes the number of a frequency.
    fn put(&mut self, frequency: usize, z: Complex<V>);
}

/// Numbers that follow one another.
pub(super) struct Row<T>(pub T);

impl<V: Vector> Source<V> for Row<&[ComplexLanes]> {
    #[inline(always)]
    fn get(&self, place: usize) -> Complex<V> {
        Complex::load(&self.0[place])
    }
}

impl<V: Vector> Sink<V> for Row<&mut [ComplexLanes]> {
    #[inline(always)]
    fn put(&mut self, frequency: usize, z: Complex<V>) {
        z.store(&mut self.0[frequency]);
    }
}

/// A whole line between two passes. All places of a pass are below the product of its radix, `side` and `rest`, the line's
/// length: they are not checked again.
struct Between<T>(T);

impl<V: Vector> Source<V> for Between<&[ComplexLanes]> {
    #[inline(always)]
    fn get(&self, place: usize) -> Complex<V> {
        debug_assert!(place < self.0.len());
        // SAFETY: the place is inside of the line.
        Complex::load(unsafe { self.0.get_unchecked(place) })
    }
}

impl<V: Vector> Sink<V> for Between<&mut [ComplexLanes]> {
    #[inline(always)]
    fn put(&mut self, place: usize, z: Complex<V>) {
        debug_assert!(place < self.0.len());
        // SAFETY: the place is inside of the line.
        z.store(unsafe { self.0.get_unchecked_mut(place) });
    }
}

impl Pass {
    #[inline(always)]
    fn run<V: Vector>(&self, source: &impl Source<V>, sink: &mut impl Sink<V>) {
        match self.radix {
            2 => self.butterflies::<2, V, Two>(source, sink),
            3 => self.butterflies::<3, V, Three>(source, sink),
            4 => self.butterflies::<4, V, Four>(source, sink),
            6 => self.butterflies::<6, V, Six>(source, sink),
            _ => self.sums(source, sink),
        }
    }

    #[inline(always)]
    fn butterflies<const R: usize, V: Vector, B: Butterfly<R, V>>(
        &self,
        source: &impl Source<V>,
        sink: &mut impl Sink<V>,
    ) {
        let (side, rest) = (self.side, self.rest);
        for p in 0..rest {
            let turns = &self.turns[p * (R - 1)..(p + 1) * (R - 1)];
            for q in 0..side {
                let mut numbers = [Complex::zero(); R];
                for (j, number) in numbers.iter_mut().enumerate() {
                    *number = source.get(q + side * (p + j * rest));
                }
                let found = B::apply(numbers);
                sink.put(q + side * R * p, found[0]);
                for k in 1..R {
                    let turned = if p > 0 { found[k].turned(turns[k - 1]) } else { found[k] };
                    sink.put(q + side * (R * p + k), turned);
                }
            }
        }
    }

    /// The same for any radix, by the definition.
    #[inline(always)]
    fn sums<V: Vector>(&self, source: &impl Source<V>, sink: &mut impl Sink<V>) {
        let (radix, side, rest) = (self.radix, self.side, self.rest);
        for p in 0..rest {
            for q in 0..side {
                for k in 0..radix {
                    let mut sum = source.get(q + side * p);
                    for j in 1..radix {
                        sum = sum + source.get(q + side * (p + j * rest)).turned(self.roots[j * k % radix]);
                    }
                    let turned = if p * k > 0 { sum.turned(self.turns[p * (radix - 1) + k - 1]) } else { sum };
                    sink.put(q + side * (radix * p + k), turned);
                }
            }
        }
    }
}

/// The transform of `R` numbers.
trait Butterfly<const R: usize, V> {
    fn apply(numbers: [Complex<V>; R]) -> [Complex<V>; R];
}

/// The sine of 60 degrees.
const SINE: f32 = 0.866_025_4;

struct Two;
struct Three;
struct Four;
struct Six;

impl<V: Vector> Butterfly<2, V> for Two {
    #[inline(always)]
    fn apply([a, b]: [Complex<V>; 2]) -> [Complex<V>; 2] {
        [a + b, a - b]
    }
}

impl<V: Vector> Butterfly<3, V> for Three {
    #[inline(always)]
    fn apply([a, b, c]: [Complex<V>; 3]) -> [Complex<V>; 3] {
        let sum = b + c;
        let (middle, side) = (a - sum.scaled(0.5), (b - c).scaled(SINE));
        [a + sum, middle.plus_right(side), middle.plus_left(side)]
    }
}

impl<V: Vector> Butterfly<4, V> for Four {
    #[inline(always)]
    fn apply([a, b, c, d]: [Complex<V>; 4]) -> [Complex<V>; 4] {
        let (even, odd) = (a + c, b + d);
        let (straight, side) = (a - c, b - d);
        [even + odd, straight.plus_right(side), even - odd, straight.plus_left(side)]
    }
}

impl<V: Vector> Butterfly<6, V> for Six {
    #[inline(always)]
    fn apply([a, b, c, d, e, f]: [Complex<V>; 6]) -> [Complex<V>; 6] {
        let [u0, u1, u2] = Three::apply([a, c, e]);
        let [v0, v1, v2] = Three::apply([b, d, f]);
        let (v1, v2) = (v1.turned([0.5, -SINE]), v2.turned([-0.5, -SINE]));
        [u0 + v0, u1 + v1, u2 + v2, u0 - v0, u1 - v1, u2 - v2]
    }
}

/// `e^(-2 pi i part / whole)`.
fn root(part: usize, whole: usize) -> [f32; 2] {
    let (sin, cos) = (-TAU * (part % whole) as f64 / whole as f64).sin_cos();
    [cos as f32, sin as f32]
}

fn smallest_factor(number: usize) -> usize {
    (2..number).find(|factor| number.is_multiple_of(*factor)).unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::super::registers::{LANES, Lanes, Portable};
    use super::*;

    #[test]
    fn lines_of_every_kind_of_length_have_the_transform_by_definition() {
        for length in [1, 2, 3, 4, 6, 7, 12, 24, 30, 35, 48, 66] {
            let value = |i: usize, lane: usize| ((i * 7 + lane * 5 + 3) % 11) as f32 - 4.0;
            let number = |i| ComplexLanes {
                re: Lanes(std::array::from_fn(|lane| value(i, lane))),
                im: Lanes(std::array::from_fn(|lane| value(i, lane + 2))),
            };
            let line = Line::new(length);
            let mut found = vec![ComplexLanes::ZERO; length];
            let numbers: Vec<ComplexLanes> = (0..length).map(number).collect();
            let mut scratch = vec![ComplexLanes::ZERO; line.scratch_len()];
            line.transform::<Portable>(Row(&numbers[..]), Row(&mut found[..]), &mut scratch);
            for (k, found) in found.iter().enumerate() {
                for lane in 0..LANES {
                    let (mut re, mut im) = (0.0, 0.0);
                    for i in 0..length {
                        let (sin, cos) = (-TAU * (i * k % length) as f64 / length as f64).sin_cos();
                        let (x, y) = (f64::from(value(i, lane)), f64::from(value(i, lane + 2)));
                        (re, im) = (re + x * cos - y * sin, im + x * sin + y * cos);
                    }
                    let apart = (f64::from(found.re.0[lane]) - re).hypot(f64::from(found.im.0[lane]) - im);
                    assert!(apart < 1e-4, "{length}: frequency {k} is {apart} off");
                }
            }
        }
    }
}
