//! [`Lanes`] is how numbers of sixteen images lie in memory, a [`Vector`] is how they are computed with. Code that is generic over vectors must be inlined
//! into a function that is compiled for the vector's processor; [`on_lanes`] makes such functions.

use std::ops::{Add, Mul, Sub};

/// Images that are transformed at a time.
pub const LANES: usize = 16;

/// The same number of each image.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; LANES]);

/// The same complex number of each image.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct ComplexLanes {
    /// Real parts.
    pub re: Lanes,
    /// Imaginary parts.
    pub im: Lanes,
}

impl Lanes {
    /// Zero in every lane.
    pub const ZERO: Self = Self([0.0; LANES]);
}

impl ComplexLanes {
    /// Zero in every lane.
    pub const ZERO: Self = Self { re: Lanes::ZERO, im: Lanes::ZERO };
}

/// Lanes in a register.
pub(super) trait Vector: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    fn load(lanes: &Lanes) -> Self;
    fn store(self, lanes: &mut Lanes);
    /// The same number in every lane.
    fn all(x: f32) -> Self;
    fn sqrt(self) -> Self;
}

/// Complex lanes in two registers.
#[derive(Clone, Copy)]
pub(super) struct Complex<V> {
    pub re: V,
    pub im: V,
}

impl<V: Vector> Complex<V> {
    #[inline(always)]
    pub fn zero() -> Self {
        Self { re: V::all(0.0), im: V::all(0.0) }
    }

    #[inline(always)]
    pub fn load(lanes: &ComplexLanes) -> Self {
        Self { re: V::load(&lanes.re), im: V::load(&lanes.im) }
    }

    #[inline(always)]
    pub fn store(self, lanes: &mut ComplexLanes) {
        self.re.store(&mut lanes.re);
        self.im.store(&mut lanes.im);
    }

    #[inline(always)]
    pub fn conj(self) -> Self {
        Self { re: self.re, im: V::all(0.0) - self.im }
    }

    /// Real and imaginary part exchanged: with it before and after, a transform becomes its inverse.
    #[inline(always)]
    pub fn swapped(self) -> Self {
        Self { re: self.im, im: self.re }
    }

    #[inline(always)]
    pub fn scaled(self, factor: f32) -> Self {
        let factor = V::all(factor);
        Self { re: self.re * factor, im: self.im * factor }
    }

    /// Turned by a number of length one, given as its two parts.
    #[inline(always)]
    pub fn turned(self, turn: [f32; 2]) -> Self {
        let [re, im] = turn.map(V::all);
        Self { re: self.re * re - self.im * im, im: self.re * im + self.im * re }
    }

    /// The sum with another number, which is turned by a quarter, clockwise.
    #[inline(always)]
    pub fn plus_right(self, other: Self) -> Self {
        Self { re: self.re + other.im, im: self.im - other.re }
    }

    /// The sum with another number, which is turned by a quarter, counterclockwise.
    #[inline(always)]
    pub fn plus_left(self, other: Self) -> Self {
        Self { re: self.re - other.im, im: self.im + other.re }
    }

    #[inline(always)]
    pub fn modulus(self) -> V {
        (self.re * self.re + self.im * self.im).sqrt()
    }
}

impl<V: Vector> Add for Complex<V> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl<V: Vector> Sub for Complex<V> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

/// Lanes for any processor.
#[derive(Clone, Copy)]
pub(super) struct Portable([f32; LANES]);

impl Portable {
    #[inline(always)]
    fn each(mut self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        for (x, y) in self.0.iter_mut().zip(other.0) {
            *x = operation(*x, y);
        }
        self
    }
}

impl Vector for Portable {
    #[inline(always)]
    fn load(lanes: &Lanes) -> Self {
        Self(lanes.0)
    }

    #[inline(always)]
    fn store(self, lanes: &mut Lanes) {
        lanes.0 = self.0;
    }

    #[inline(always)]
    fn all(x: f32) -> Self {
        Self([x; LANES])
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.each(self, |x, _| x.sqrt())
    }
}

impl Add for Portable {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |x, y| x + y)
    }
}

impl Sub for Portable {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |x, y| x - y)
    }
}

impl Mul for Portable {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |x, y| x * y)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Add, Lanes, Mul, Sub, Vector};
    use std::arch::x86_64::*;

    /// Lanes in two registers of AVX. [`super::on_lanes`] uses it where the processor has AVX2, and nothing else may.
    #[derive(Clone, Copy)]
    pub struct Avx(__m256, __m256);

    /// Lanes in a register of AVX-512, where the processor has that.
    #[derive(Clone, Copy)]
    pub struct Avx512(__m512);

    // SAFETY of all that follows: the processor has the vectors, and lanes are aligned to 64 bytes.
    impl Vector for Avx {
        #[inline(always)]
        fn load(lanes: &Lanes) -> Self {
            let lanes = lanes.0.as_ptr();
            unsafe { Self(_mm256_load_ps(lanes), _mm256_load_ps(lanes.add(8))) }
        }

        #[inline(always)]
        fn store(self, lanes: &mut Lanes) {
            let lanes = lanes.0.as_mut_ptr();
            unsafe {
                _mm256_store_ps(lanes, self.0);
                _mm256_store_ps(lanes.add(8), self.1);
            }
        }

        #[inline(always)]
        fn all(x: f32) -> Self {
            let all = unsafe { _mm256_set1_ps(x) };
            Self(all, all)
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            unsafe { Self(_mm256_sqrt_ps(self.0), _mm256_sqrt_ps(self.1)) }
        }
    }

    impl Vector for Avx512 {
        #[inline(always)]
        fn load(lanes: &Lanes) -> Self {
            unsafe { Self(_mm512_load_ps(lanes.0.as_ptr())) }
        }

        #[inline(always)]
        fn store(self, lanes: &mut Lanes) {
            unsafe { _mm512_store_ps(lanes.0.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        fn all(x: f32) -> Self {
            unsafe { Self(_mm512_set1_ps(x)) }
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            unsafe { Self(_mm512_sqrt_ps(self.0)) }
        }
    }

    /// An operation on all lanes.
    macro_rules! operation {
        ($operation:ident, $method:ident, $half:ident, $whole:ident) => {
            impl $operation for Avx {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    unsafe { Self($half(self.0, other.0), $half(self.1, other.1)) }
                }
            }

            impl $operation for Avx512 {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    unsafe { Self($whole(self.0, other.0)) }
                }
            }
        };
    }
    operation!(Add, add, _mm256_add_ps, _mm512_add_ps);
    operation!(Sub, sub, _mm256_sub_ps, _mm512_sub_ps);
    operation!(Mul, mul, _mm256_mul_ps, _mm512_mul_ps);
}

/// Makes a function of a generic one, `inner::<V>`, that runs it on the vectors of this processor.
macro_rules! on_lanes {
    ($(#[$meta:meta])* fn $name:ident = $inner:ident($($argument:ident: $kind:ty),* $(,)?)) => {
        $(#[$meta])*
        fn $name($($argument: $kind),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2($($argument: $kind),*) {
                    $inner::<$crate::lanes::registers::Avx>($($argument),*)
                }
                #[target_feature(enable = "avx512f")]
                fn avx512($($argument: $kind),*) {
                    $inner::<$crate::lanes::registers::Avx512>($($argument),*)
                }
                if is_x86_feature_detected!("avx512f") {
                    // SAFETY: the processor has what the function was compiled for.
                    return unsafe { avx512($($argument),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has what the function was compiled for.
                    return unsafe { avx2($($argument),*) };
                }
            }
            $inner::<$crate::lanes::registers::Portable>($($argument),*)
        }
    };
}
pub(super) use on_lanes;
